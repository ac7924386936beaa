import { Type } from '@sinclair/typebox'
import type { Api } from './base/http.ts'
import { digestOf, headerOf, isSigned, textAt } from './base/http.ts'
import type { Inbound, ProviderUpdate, TicketProvider } from './base/contract.ts'
import { defineProvider, setting, SIGNING_SECRET, TOKEN } from './base/definition.ts'
import { commentOf, descriptionOf, htmlOf, markOf } from './base/text.ts'

const TICKETS = '/crm/v3/objects/tickets'
const NOTES = '/crm/v3/objects/notes'
/** HubSpot's own number for "a note belongs to a ticket". */
const NOTE_TO_TICKET = 228

interface Found { results: Array<{ id: string }> }

/** HubSpot tickets. */
export const hubspot = defineProvider({
  name: 'hubspot',
  called: 'HubSpot',
  url: 'https://api.hubapi.com',
  settings: Type.Object({
    pipeline: Type.Optional(setting({
      description: 'id of the pipeline; default: 0',
      examples: ['0'],
      label: {
        en: 'Id of the pipeline',
        de: 'ID der Pipeline',
        es: 'Identificador del pipeline',
        fr: 'ID du pipeline',
        pt: 'ID do pipeline'
      }
    })),
    stage: Type.Optional(setting({
      description: 'id of the stage; default: 1',
      examples: ['1'],
      label: {
        en: 'Id of the stage',
        de: 'ID der Phase',
        es: 'Identificador de la etapa',
        fr: 'ID de l’étape',
        pt: 'ID da etapa'
      }
    }))
  }),
  credentials: Type.Object({ token: TOKEN, signing_secret: Type.Optional(SIGNING_SECRET) }),
  open: ({ connect, settings, credentials: { token, signing_secret: secret } }) =>
    inHubspot(connect({ authorization: `Bearer ${token}` }), settings, secret)
})

/** HubSpot tickets; comments are notes. Our marker is in the text, by which both are searched. */
function inHubspot (
  api: Api, { pipeline = '0', stage = '1' }: { pipeline?: string, stage?: string }, signingSecret: string | undefined
): TicketProvider {
  const external = (id: string) => ({ externalId: id, externalUrl: null })
  const search = async (path: string, propertyName: string, key: string, signal: AbortSignal) =>
    (
      await api.ask<Found>('POST', `${path}/search`, signal, {
        filterGroups: [{ filters: [{ propertyName, operator: 'CONTAINS_TOKEN', value: markOf(key).slice(1, -1) }] }],
        limit: 1
      })
    ).results[0]

  return {
    async create (outgoing, key, signal) {
      const { id } = await api.ask<{ id: string }>('POST', TICKETS, signal, {
        properties: {
          subject: outgoing.ticket.subject,
          content: descriptionOf(outgoing, key),
          hs_pipeline: pipeline,
          hs_pipeline_stage: stage
        },
        associations: []
      })
      return external(id)
    },
    async find (marker, _outgoing, signal) {
      const found = await search(TICKETS, 'content', marker, signal)
      return found && external(found.id)
    },
    async comment (id, message, key, signal) {
      await api.ask('POST', NOTES, signal, {
        properties: { hs_note_body: htmlOf(commentOf(message, key)), hs_timestamp: message.created_at },
        associations: [
          { to: { id }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: NOTE_TO_TICKET }] }
        ]
      })
    },
    hasComment: async (_id, marker, signal) => (await search(NOTES, 'hs_note_body', marker, signal)) !== undefined,
    parseWebhook (request) {
      const stamp = headerOf(request, 'x-hubspot-request-timestamp') ?? ''
      if (
        signingSecret &&
        !isSigned(
          signingSecret,
          `POST${request.url}${request.body.toString()}${stamp}`,
          headerOf(request, 'x-hubspot-signature-v3'),
          'base64'
        )
      ) { return 'refused' }
      return updateOf(request, stage)
    }
  }
}

/** Changes come in lists; the last one about a ticket's stage counts. Stage 4 of HubSpot's own pipeline is "closed". */
function updateOf (request: Inbound, opening: string): ProviderUpdate | null {
  const change = eventsIn(request.body).findLast((one) => textAt(one, 'propertyName') === 'hs_pipeline_stage')
  const [externalId, origin, stage] = [
    textAt(change, 'objectId'), textAt(change, 'eventId'), textAt(change, 'propertyValue')
  ]
  if (!externalId || !origin || !stage) return null
  return { externalId, origin, request: digestOf(request), status: stage === '4' && opening !== '4' ? 'closed' : 'open' }
}

function eventsIn (body: Buffer): unknown[] {
  try {
    const events: unknown = JSON.parse(body.toString())
    return Array.isArray(events) ? events : []
  } catch {
    return []
  }
}
