import { Type } from '@sinclair/typebox'
import { createHmac } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { Api } from './base/http.ts'
import { bodyOf, headerOf, isSigned, textAt } from './base/http.ts'
import type { TicketProvider } from './base/contract.ts'
import { ADDRESS, defineProvider, secret, SIGNING_LABEL } from './base/definition.ts'

/** Five minutes, as Standard Webhooks has it. */
const TOLERANCE_S = 300

/** Any other system, by webhook. */
export const webhook = defineProvider({
  name: 'webhook',
  called: 'webhook',
  label: {
    en: 'Any system, by webhook',
    de: 'Beliebiges System, per Webhook',
    es: 'Cualquier sistema, por webhook',
    fr: 'Tout système, par webhook',
    pt: 'Qualquer sistema, por webhook'
  },
  settings: Type.Object({ url: ADDRESS }),
  credentials: Type.Object({
    signing_secret: secret({
      description: 'key that signs outgoing requests (whsec_…)',
      label: SIGNING_LABEL,
      form: { like: /^whsec_[\w+/]{16,}={0,2}$/, must: 'be whsec_ and at least 12 bytes in base64' }
    })
  }),
  open: ({ connect, credentials: { signing_secret: secret = '' }, clock }) => inSystem(connect({}), secret, clock)
})

/**
 * Any other system: tickets and comments are posted to it, signed as Standard Webhooks says, and it answers `{ id, url
 * }`. A repeat carries the same `webhook-id`. It reports answers and states in the same way: `{ type, id, ticket, text,
 * from, status }`.
 */
function inSystem (api: Api, signingSecret: string, clock: Clock): TicketProvider {
  const secret = Buffer.from(signingSecret.replace(/^whsec_/, ''), 'base64')
  const seconds = () => Math.floor(clock.micros() / 1_000_000)

  async function post<T> (key: string, body: object, signal: AbortSignal): Promise<T> {
    const at = seconds()
    const signature = createHmac('sha256', secret).update(`${key}.${at}.${JSON.stringify(body)}`).digest('base64')
    return await api.ask<T>('POST', '', signal, body, {
      headers: { 'webhook-id': key, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` }
    })
  }

  return {
    async create ({ ticket, said }, key, signal) {
      const { id, subject, description, requester, conversation, created_at: at } = ticket
      const answer = await post<unknown>(
        key,
        { type: 'ticket.create', ticket: { id, subject, description, requester, conversation, created_at: at }, said },
        signal
      )
      return { externalId: textAt(answer, 'id') ?? id, externalUrl: textAt(answer, 'url') ?? null }
    },
    // The receiver knows a repeat by its id.
    find: async () => undefined,
    async comment (externalId, message, key, signal) {
      await post(key, { type: 'ticket.comment', id: externalId, message }, signal)
    },
    hasComment: async () => false,
    parseWebhook (request) {
      const [id, stamp = '', signatures = ''] = [
        headerOf(request, 'webhook-id'),
        headerOf(request, 'webhook-timestamp'),
        headerOf(request, 'webhook-signature')
      ]
      const signed = `${id}.${stamp}.${request.body.toString()}`
      const isRight = signatures.split(' ').some((one) => isSigned(secret, signed, one.replace(/^v1,/, ''), 'base64'))
      if (!id || !isRight || !(Math.abs(seconds() - Number(stamp)) <= TOLERANCE_S)) return 'refused'
      const event = bodyOf(request)
      const [externalId, text, status] = [textAt(event, 'id'), textAt(event, 'text'), textAt(event, 'status')]
      if (!externalId) return null
      return {
        externalId,
        origin: id,
        request: id,
        ...(text && { message: { from: textAt(event, 'from') ?? null, text } }),
        ...((status === 'open' || status === 'closed') && { status })
      }
    }
  }
}
