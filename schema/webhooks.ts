import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf, text } from './common.ts'

/** Events that a webhook can receive. */
export const EVENT_TYPES = [
  'conversation.created', 'message.completed', 'conversation.closed', 'conversation.reopened', 'conversation.deleted',
  'conversation.updated',
  'handoff.requested', 'handoff.taken', 'handoff.released', 'handoff.overdue', 'ticket.created', 'ticket.updated', 'feedback.given',
  'source.trained', 'source.failed', 'check.failed', 'knowledge.changed', 'feed.broken',
  'knowledge.gaps', 'import.applied', 'agent.published'
] as const
export type EventType = typeof EVENT_TYPES[number]

const Url = Type.String({
  maxLength: 2048,
  pattern: '^https?://[^\\s]+$',
  description: 'Public URL that events are sent to',
  examples: ['https://example.com/agenthall']
})
const Events = Type.Array(oneOf(EVENT_TYPES), {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
  description: 'Events it receives',
  examples: [['message.completed', 'ticket.created']]
})
const description = text(200, { description: 'A name of your choice' })

/** A webhook of an account, as stored. Its secrets are sealed for its row. */
export const WebhookRecord = Type.Object({
  id: Id,
  owner: Id,
  url: Url,
  events: Events,
  description,
  is_active: Type.Boolean({ description: 'Whether events are sent to it' }),
  secret: Type.Unsafe<Buffer>({}),
  previous_secret: Type.Unsafe<Buffer | null>({}),
  /** Microseconds since 1970. */
  previous_until: nullable(Type.Integer()),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type WebhookRecord = Static<typeof WebhookRecord>

/** A webhook as responses show it, never with its secrets. */
export const Webhook = Type.Composite(
  [
    Type.Omit(WebhookRecord, ['owner', 'secret', 'previous_secret', 'previous_until']),
    Type.Object({
      previous_secret_until: nullable({ ...Timestamp, description: 'Until when the previous secret also signs events' })
    })
  ],
  { title: 'Webhook' }
)
export type Webhook = Static<typeof Webhook>

/** A webhook with its new secret: the only time it is shown. */
export const NewWebhook = Type.Composite(
  [
    Webhook,
    Type.Object({
      secret: Type.String({
        description:
          'Signing secret, for Standard Webhooks libraries. It is shown only once and cannot be recovered.'
      })
    })
  ],
  { title: 'NewWebhook' }
)
export type NewWebhook = Static<typeof NewWebhook>

/** Request to create a webhook. */
export const WebhookDraft = Type.Object(
  {
    url: Url,
    events: Events,
    description: Type.Optional(description),
    is_active: Type.Optional(WebhookRecord.properties.is_active)
  },
  {
    ...closed,
    title: 'WebhookDraft',
    examples: [{ url: 'https://example.com/agenthall', events: ['message.completed'] }]
  }
)
export type WebhookDraft = Static<typeof WebhookDraft>

/** The fields of a webhook that can be changed. */
export const WebhookPatch = Type.Partial(WebhookDraft, {
  ...closed, title: 'WebhookPatch', minProperties: 1, examples: [{ is_active: false }]
})
export type WebhookPatch = Static<typeof WebhookPatch>

/** The state of an outgoing message: it waits for its next attempt, was sent, or was given up. */
export const DeliveryState = oneOf(['waiting', 'sent', 'dead'])
export type DeliveryState = Static<typeof DeliveryState>

const Fault = Type.Object({ code: Type.String(), message: Type.String() }, { title: 'DeliveryError' })

/** An outgoing message, as responses show it: never its contents. */
export const Delivery = Type.Object({
  id: Id,
  channel: Type.String({ description: 'Channel it is sent through', examples: ['webhook', 'mail', 'ticket'] }),
  type: nullable(Type.String({ description: 'Type of event it reports', examples: ['message.completed'] })),
  to: nullable(Type.String({ description: 'Recipient, if it has an id on this server', examples: ['webhooks/1'] })),
  about: Type.String({ description: 'Object it belongs to', examples: ['conversations/conv_3q2-7wXbQk2m1uJ0aZ5c9A'] }),
  key: Type.String({ description: 'Same for every attempt, so that the recipient can detect repeats' }),
  state: DeliveryState,
  attempts: Type.Integer({ minimum: 0 }),
  next_attempt_at: nullable(Timestamp),
  external_id: nullable(Type.String({ description: 'Id assigned by the recipient' })),
  error: Type.Unsafe<Static<typeof Fault> | null>(Type.Union([Fault, Type.Null()])),
  created_at: Timestamp,
  settled_at: nullable(Timestamp)
}, { title: 'Delivery' })
export type Delivery = Static<typeof Delivery>
