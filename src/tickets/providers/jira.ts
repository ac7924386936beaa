import { Type } from '@sinclair/typebox'
import type { Api } from './base/http.ts'
import { at, basic, bodyOf, digestOf, headerOf, inPages, isSigned, textAt } from './base/http.ts'
import type { Inbound, ProviderUpdate, TicketProvider } from './base/contract.ts'
import { ADDRESS, defineProvider, setting, SIGNING_SECRET, TOKEN, TOKEN_OWNER } from './base/definition.ts'
import { commentOf, descriptionOf, isOurs, markOf } from './base/text.ts'
import { withoutEnd } from '../../platform/text.ts'

/** Entries requested at a time. */
const ENTRIES_AT_ONCE = 100

/** Jira Service Management. */
export const jira = defineProvider({
  name: 'jira',
  called: 'Jira',
  label: 'Jira Service Management',
  settings: Type.Object({
    url: ADDRESS,
    service_desk: setting({
      description: 'id of the service desk',
      examples: ['1'],
      form: { like: /^[\w-]+$/, must: 'be the number of a service desk' },
      label: {
        en: 'Id of the service desk',
        de: 'ID des Service-Desks',
        es: 'Identificador de la mesa de servicio',
        fr: 'ID du centre de services',
        pt: 'ID da central de serviços'
      }
    }),
    request_type: setting({
      description: 'id of the request type',
      examples: ['10'],
      form: { like: /^[\w-]+$/, must: 'be the number of a request type' },
      label: {
        en: 'Id of the request type',
        de: 'ID der Anfrageart',
        es: 'Identificador del tipo de solicitud',
        fr: 'ID du type de demande',
        pt: 'ID do tipo de solicitação'
      }
    })
  }),
  credentials: Type.Object({ email: TOKEN_OWNER, token: TOKEN, signing_secret: Type.Optional(SIGNING_SECRET) }),
  open: ({ connect, settings, credentials: { email, token, signing_secret: secret } }) =>
    inJira(connect({ authorization: basic(email, token) }), settings, secret)
})

/**
 * Jira Service Management, customer requests. The request carries our marker in its description, and is found among
 * those of the desk.
 */
function inJira (
  api: Api,
  { url, service_desk: desk, request_type: type }: { url: string, service_desk: string, request_type: string },
  signingSecret: string | undefined
): TicketProvider {
  const external = (key: string) => ({ externalId: key, externalUrl: `${withoutEnd(url, '/')}/browse/${key}` })

  /** The matching item of a list, on any page. A page may hold fewer than requested. */
  async function sought<T> (
    list: string, filter: string, signal: AbortSignal, isSought: (one: T) => boolean
  ) {
    let start = 0
    return await inPages<T>(async () => {
      const page = await api.ask<{ values: T[], isLastPage?: boolean }>(
        'GET', `${list}?start=${start}&limit=${ENTRIES_AT_ONCE}${filter}`, signal
      )
      start += page.values.length
      const isLast = page.isLastPage ?? page.values.length < ENTRIES_AT_ONCE
      return { items: page.values, isLast: isLast || page.values.length === 0 }
    }, isSought)
  }

  return {
    async create (outgoing, key, signal) {
      const { issueKey } = await api.ask<{ issueKey: string }>('POST', '/rest/servicedeskapi/request', signal, {
        serviceDeskId: desk,
        requestTypeId: type,
        requestFieldValues: { summary: outgoing.ticket.subject, description: descriptionOf(outgoing, key) }
      })
      return external(issueKey)
    },
    async find (marker, _outgoing, signal) {
      const found = await sought<{ issueKey: string, requestFieldValues: Array<{ fieldId: string, value?: unknown }> }>(
        '/rest/servicedeskapi/request',
        `&serviceDeskId=${desk}&requestTypeId=${type}&requestOwnership=OWNED_REQUESTS`,
        signal,
        ({ requestFieldValues }) => requestFieldValues.some(
          ({ fieldId, value }) => fieldId === 'description' && String(value).includes(markOf(marker))
        )
      )
      return found && external(found.issueKey)
    },
    async comment (id, message, key, signal) {
      await api.ask('POST', `/rest/servicedeskapi/request/${encodeURIComponent(id)}/comment`, signal, {
        body: commentOf(message, key), public: true
      })
    },
    async hasComment (id, marker, signal) {
      const path = `/rest/servicedeskapi/request/${encodeURIComponent(id)}/comment`
      return await sought<{ body: string }>(path, '', signal, ({ body }) => body.includes(markOf(marker))) !== undefined
    },
    parseWebhook (request) {
      if (
        signingSecret &&
        !isSigned(signingSecret, request.body, headerOf(request, 'x-hub-signature')?.replace(/^sha256=/, ''), 'hex')
      ) { return 'refused' }
      return updateOf(request)
    }
  }
}

function updateOf (request: Inbound): ProviderUpdate | null {
  const event = bodyOf(request)
  const externalId = textAt(event, 'issue', 'key')
  if (!externalId) return null
  if (textAt(event, 'webhookEvent') === 'comment_created') {
    const [text, id] = [textAt(event, 'comment', 'body'), textAt(event, 'comment', 'id')]
    if (!text || !id || isOurs(text) || at(event, 'comment', 'jsdPublic') === false) return null
    return {
      externalId, origin: id, message: { from: textAt(event, 'comment', 'author', 'displayName') ?? null, text }
    }
  }
  const category = textAt(event, 'issue', 'fields', 'status', 'statusCategory', 'key')
  if (!category) return null
  const origin = digestOf(request)
  return { externalId, origin, request: origin, status: category === 'done' ? 'closed' : 'open' }
}
