import { Type } from '@sinclair/typebox'
import type { Api } from './base/http.ts'
import { at, basic, bodyOf, headerOf, isSigned, textAt } from './base/http.ts'
import type { ProviderUpdate, TicketProvider } from './base/contract.ts'
import { ADDRESS, defineProvider, SIGNING_SECRET, TOKEN, TOKEN_OWNER } from './base/definition.ts'
import { commentOf, descriptionOf, isOurs, markOf } from './base/text.ts'
import { withoutEnd } from '../../platform/text.ts'

interface ZendeskTicket { id: number }

const LONGEST_SUBJECT = 150

/** Zendesk Support. */
export const zendesk = defineProvider({
  name: 'zendesk',
  called: 'Zendesk',
  settings: Type.Object({ url: ADDRESS }),
  credentials: Type.Object({ email: TOKEN_OWNER, token: TOKEN, signing_secret: Type.Optional(SIGNING_SECRET) }),
  open: ({ connect, url, credentials: { email, token, signing_secret: secret } }) =>
    inZendesk(connect({ authorization: basic(`${email}/token`, token) }), url, secret)
})

/** Zendesk Support, ticket API v2. The ticket carries our key as its `external_id`. */
function inZendesk (api: Api, url: string, signingSecret: string | undefined): TicketProvider {
  const external = ({ id }: ZendeskTicket) => ({
    externalId: String(id), externalUrl: `${withoutEnd(url, '/')}/agent/tickets/${id}`
  })
  return {
    async create (outgoing, key, signal) {
      const { subject, requester } = outgoing.ticket
      const who = requester?.email
        ? { requester: { name: requester.name ?? requester.email, email: requester.email } }
        : {}
      const { ticket } = await api.ask<{ ticket: ZendeskTicket }>(
        'POST',
        '/api/v2/tickets.json',
        signal,
        {
          ticket: {
            subject: subject.slice(0, LONGEST_SUBJECT),
            comment: { body: descriptionOf(outgoing, key) },
            external_id: key,
            tags: ['agenthall'],
            ...who
          }
        },
        { headers: { 'idempotency-key': key } }
      )
      return external(ticket)
    },
    async find (marker, _outgoing, signal) {
      const { tickets } = await api.ask<{ tickets: ZendeskTicket[] }>(
        'GET', `/api/v2/tickets.json?external_id=${encodeURIComponent(marker)}`, signal
      )
      return tickets[0] && external(tickets[0])
    },
    async comment (id, message, key, signal) {
      await api.ask('PUT', `/api/v2/tickets/${encodeURIComponent(id)}.json`, signal, {
        ticket: { comment: { body: commentOf(message, key), public: true } }
      })
    },
    async hasComment (id, marker, signal) {
      const { comments } = await api.ask<{ comments: Array<{ body: string }> }>(
        'GET', `/api/v2/tickets/${encodeURIComponent(id)}/comments.json?sort_order=desc`, signal
      )
      return comments.some(({ body }) => body.includes(markOf(marker)))
    },
    parseWebhook (request) {
      const stamp = headerOf(request, 'x-zendesk-webhook-signature-timestamp') ?? ''
      if (
        signingSecret &&
        !isSigned(
          signingSecret, stamp + request.body.toString(), headerOf(request, 'x-zendesk-webhook-signature'), 'base64'
        )
      ) { return 'refused' }
      return updateOf(bodyOf(request))
    }
  }
}

/** An event of theirs: `zen:event-type:ticket.comment_added`, `…ticket.status_changed`. */
function updateOf (event: Record<string, unknown>): ProviderUpdate | null {
  const [externalId, origin, type = ''] = [textAt(event, 'detail', 'id'), textAt(event, 'id'), textAt(event, 'type')]
  if (!externalId || !origin) return null
  if (type.endsWith('ticket.comment_added')) {
    const text = textAt(event, 'event', 'comment', 'body')
    if (!text || isOurs(text) || at(event, 'event', 'comment', 'is_public') === false) return null
    return { externalId, origin, message: { from: textAt(event, 'event', 'comment', 'author', 'name') ?? null, text } }
  }
  const status = textAt(event, 'event', 'current')?.toLowerCase()
  return type.endsWith('ticket.status_changed') && status
    ? { externalId, origin, request: origin, status: status === 'solved' || status === 'closed' ? 'closed' : 'open' }
    : null
}
