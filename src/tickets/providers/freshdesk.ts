import { Type } from '@sinclair/typebox'
import type { Api } from './base/http.ts'
import { basic, bodyOf, inPages, textAt } from './base/http.ts'
import type { TicketProvider } from './base/contract.ts'
import { ADDRESS, defineProvider, TOKEN } from './base/definition.ts'
import { commentOf, descriptionOf, htmlOf, isOurs, markOf } from './base/text.ts'
import { withoutEnd } from '../../platform/text.ts'

/** Freshdesk's maximum page size. */
const FRESHDESK_PAGE = 100

interface FreshdeskTicket { id: number }

/** Freshdesk. */
export const freshdesk = defineProvider({
  name: 'freshdesk',
  called: 'Freshdesk',
  settings: Type.Object({ url: ADDRESS }),
  credentials: Type.Object({ token: TOKEN }),
  open: ({ connect, url, credentials: { token } }) => inFreshdesk(connect({ authorization: basic(token, 'X') }), url)
})

/**
 * Freshdesk, API v2. The ticket carries our key as a tag, of at most 32 characters. Its automations sign nothing: the
 * address is the proof.
 */
function inFreshdesk (api: Api, url: string): TicketProvider {
  const external = ({ id }: FreshdeskTicket) => ({
    externalId: String(id), externalUrl: `${withoutEnd(url, '/')}/a/tickets/${id}`
  })
  const tagOf = (key: string) => `agenthall-${key.replace(/^tkt_/, '').split('/')[0]}`
  return {
    async create (outgoing, key, signal) {
      const { subject, requester, id } = outgoing.ticket
      const who = requester?.email
        ? { email: requester.email, ...(requester.name && { name: requester.name }) }
        : { unique_external_id: id, name: requester?.name ?? 'Visitor' }
      return external(
        await api.ask<FreshdeskTicket>('POST', '/api/v2/tickets', signal, {
          ...who,
          subject,
          description: htmlOf(descriptionOf(outgoing, key)),
          status: 2,
          priority: 1,
          source: 2,
          tags: [tagOf(key)]
        })
      )
    },
    async find (marker, _outgoing, signal) {
      const { results } = await api.ask<{ results: FreshdeskTicket[] }>(
        'GET', `/api/v2/search/tickets?query=${encodeURIComponent(`"tag:'${tagOf(marker)}'"`)}`, signal
      )
      return results[0] && external(results[0])
    },
    async comment (id, message, key, signal) {
      await api.ask('POST', `/api/v2/tickets/${encodeURIComponent(id)}/reply`, signal, {
        body: htmlOf(commentOf(message, key))
      })
    },
    async hasComment (id, marker, signal) {
      const found = await inPages(async (page) => {
        const items = await api.ask<Array<{ body_text: string }>>(
          'GET', `/api/v2/tickets/${encodeURIComponent(id)}/conversations?per_page=${FRESHDESK_PAGE}&page=${page + 1}`, signal
        )
        return { items, isLast: items.length < FRESHDESK_PAGE }
      }, ({ body_text: text }) => text.includes(markOf(marker)))
      return found !== undefined
    },
    parseWebhook (request) {
      const event = bodyOf(request)
      const [externalId, text, status] = [
        textAt(event, 'freshdesk_webhook', 'ticket_id'),
        textAt(event, 'freshdesk_webhook', 'ticket_latest_public_comment'),
        textAt(event, 'freshdesk_webhook', 'ticket_status')?.toLowerCase()
      ]
      if (!externalId) return null
      const isNew = text && !isOurs(text)
      return {
        externalId,
        origin: `${externalId} ${text ?? ''}`,
        ...(isNew && { message: { from: textAt(event, 'freshdesk_webhook', 'ticket_agent_name') ?? null, text } }),
        ...(status && { status: status === 'resolved' || status === 'closed' ? 'closed' as const : 'open' as const })
      }
    }
  }
}
