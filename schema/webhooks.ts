import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf, text } from './common.ts'

/** What a webhook can be told of. */
export const EVENT_TYPES = [
  'conversation.created', 'message.completed', 'conversation.closed', 'conversation.reopened', 'conversation.deleted',
  'handoff.requested', 'handoff.taken', 'handoff.released', 'ticket.created', 'ticket.updated', 'feedback.given', 'source.trained', 'source.failed'
] as const
export type EventType = typeof EVENT_TYPES[number]

const Url = Type.String({ maxLength: 2048, pattern: '^https?://[^\\s]+$', description: 'Where events are sent; a public address', examples: ['https://example.com/agenthall'] })
const Events = Type.Array(oneOf(EVENT_TYPES), { minItems: 1, maxItems: EVENT_TYPES.length, uniqueItems: true, description: 'What it is told of', examples: [['message.completed', 'ticket.created']] })
const description = text(200, { description: 'A name of your own for it' })

/** A webhook of an account, as the system keeps it. Its secrets are sealed for its row. */
export const WebhookRecord = Type.Object({
  id: Id,
  owner: Id,
  url: Url,
  events: Events,
  description,
  is_active: Type.Boolean({ description: 'Whether anything is sent there' }),
  secret: Type.Unsafe<Buffer>({}),
  previous_secret: Type.Unsafe<Buffer | null>({}),
  /** Microseconds since 1970. */
  previous_until: nullable(Type.Integer()),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type WebhookRecord = Static<typeof WebhookRecord>

/** A webhook as answers show it: never with its secrets. */
export const Webhook = Type.Composite([
  Type.Omit(WebhookRecord, ['owner', 'secret', 'previous_secret', 'previous_until']),
  Type.Object({ previous_secret_until: nullable({ ...Timestamp, description: 'Until when the secret before this one signs too' }) })
], { title: 'Webhook' })
export type Webhook = Static<typeof Webhook>

/** A webhook with the secret that it was just given: the only time it is shown. */
export const NewWebhook = Type.Composite([Webhook, Type.Object({
  secret: Type.String({ description: 'What signs its events, for libraries of Standard Webhooks. It is shown this once and cannot be recovered.' })
})], { title: 'NewWebhook' })
export type NewWebhook = Static<typeof NewWebhook>

/** What making a webhook takes. */
export const WebhookDraft = Type.Object({
  url: Url, events: Events, description: Type.Optional(description), is_active: Type.Optional(WebhookRecord.properties.is_active)
}, { ...closed, title: 'WebhookDraft', examples: [{ url: 'https://example.com/agenthall', events: ['message.completed'] }] })
export type WebhookDraft = Static<typeof WebhookDraft>

/** What of a webhook can be changed. */
export const WebhookPatch = Type.Partial(WebhookDraft, { ...closed, title: 'WebhookPatch', minProperties: 1, examples: [{ is_active: false }] })
export type WebhookPatch = Static<typeof WebhookPatch>
