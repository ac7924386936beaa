import { Type } from '@sinclair/typebox'
import { hash } from 'node:crypto'
import { type Api, bodyOf, digestOf, headerOf, isSigned, textAt } from './base/http.ts'
import type { Inbound, ProviderUpdate, TicketProvider } from './base/contract.ts'
import { ProviderError } from './base/error.ts'
import { defineProvider, setting, SIGNING_SECRET, TOKEN } from './base/definition.ts'
import { commentOf, descriptionOf, isOurs } from './base/text.ts'

interface Issue { id: string, url: string }

const CREATE = 'mutation Create($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id url } } }'
const FIND = 'query Find($filter: IssueFilter!) { issues(filter: $filter, first: 1) { nodes { id url } } }'
const COMMENT = 'mutation Comment($input: CommentCreateInput!) { commentCreate(input: $input) { success } }'
const FIND_COMMENT =
  'query FindComment($filter: CommentFilter!) { comments(filter: $filter, first: 1) { nodes { id } } }'

/** Linear. */
export const linear = defineProvider({
  name: 'linear',
  called: 'Linear',
  url: 'https://api.linear.app',
  settings: Type.Object({
    team: setting({
      description: 'id of the team',
      examples: ['9cfb482a-81e3-4154-b5b9-2c805e70a02d'],
      label: {
        en: 'Id of the team',
        de: 'ID des Teams',
        es: 'Identificador del equipo',
        fr: 'ID de l’équipe',
        pt: 'ID da equipe'
      }
    })
  }),
  credentials: Type.Object({ token: TOKEN, signing_secret: Type.Optional(SIGNING_SECRET) }),
  open: ({ connect, settings, credentials: { token, signing_secret: secret } }) =>
    inLinear(connect({ authorization: token }), settings.team, secret)
})

/**
 * Linear, which lets us choose the ids of issues and comments: each is derived from our key, so that there can be no
 * duplicate.
 */
function inLinear (api: Api, team: string, signingSecret: string | undefined): TicketProvider {
  async function ask<T> (query: string, variables: object, signal: AbortSignal): Promise<T> {
    const { data, errors } = await api.ask<{ data?: T | null, errors?: unknown[] }>('POST', '/graphql', signal, {
      query, variables
    })
    if (!data || errors?.length) {
      throw new ProviderError('provider_refused', 'Linear refused this. Check the settings of the ticketing provider.')
    }
    return data
  }
  const external = ({ id, url }: Issue) => ({ externalId: id, externalUrl: url })

  return {
    async create (outgoing, key, signal) {
      const input = {
        id: uuidOf(key), teamId: team, title: outgoing.ticket.subject, description: descriptionOf(outgoing, key)
      }
      return external((await ask<{ issueCreate: { issue: Issue } }>(CREATE, { input }, signal)).issueCreate.issue)
    },
    async find (marker, _outgoing, signal) {
      const {
        issues: { nodes }
      } = await ask<{ issues: { nodes: Issue[] } }>(FIND, { filter: { id: { eq: uuidOf(marker) } } }, signal)
      return nodes[0] && external(nodes[0])
    },
    async comment (id, message, key, signal) {
      await ask(COMMENT, { input: { id: uuidOf(key), issueId: id, body: commentOf(message, key) } }, signal)
    },
    async hasComment (_id, marker, signal) {
      const {
        comments: { nodes }
      } = await ask<{ comments: { nodes: unknown[] } }>(
        FIND_COMMENT, { filter: { id: { eq: uuidOf(marker) } } }, signal
      )
      return nodes.length > 0
    },
    parseWebhook (request) {
      if (signingSecret && !isSigned(signingSecret, request.body, headerOf(request, 'linear-signature'), 'hex')) {
        return 'refused'
      }
      return updateOf(request)
    }
  }
}

function updateOf (request: Inbound): ProviderUpdate | null {
  const event = bodyOf(request)
  const [type, id] = [textAt(event, 'type'), textAt(event, 'data', 'id')]
  if (type === 'Comment' && textAt(event, 'action') === 'create') {
    const [externalId, text] = [textAt(event, 'data', 'issueId'), textAt(event, 'data', 'body')]
    return !externalId || !id || !text || isOurs(text)
      ? null
      : { externalId, origin: id, message: { from: textAt(event, 'data', 'user', 'name') ?? null, text } }
  }
  const state = textAt(event, 'data', 'state', 'type')
  if (type !== 'Issue' || !id || !state) return null
  const origin = digestOf(request)
  return {
    externalId: id, origin, request: origin, status: state === 'completed' || state === 'canceled' ? 'closed' : 'open'
  }
}

/** A UUID of version 4's form, always the same for a text. */
function uuidOf (text: string): string {
  const hex = hash('sha256', `agenthall ${text}`)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
