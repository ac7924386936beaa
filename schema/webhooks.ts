import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf, text } from './common.ts'

/** What a webhook can be told of. */
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
  description: 'Where events are sent; a public address',
  examples: ['https://example.com/agenthall']
})
const Events = Type.Array(oneOf(EVENT_TYPES), {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
  description: 'What it is told of',
  examples: [['message.completed', 'ticket.created']]
})
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
export const Webhook = Type.Composite(
  [
    Type.Omit(WebhookRecord, ['owner', 'secret', 'previous_secret', 'previous_until']),
    Type.Object({
      previous_secret_until: nullable({ ...Timestamp, description: 'Until when the secret before this one signs too' })
    })
  ],
  { title: 'Webhook' }
)
export type Webhook = Static<typeof Webhook>

/** A webhook with the secret that it was just given: the only time it is shown. */
export const NewWebhook = Type.Composite(
  [
    Webhook,
    Type.Object({
      secret: Type.String({
        description:
          'What signs its events, for libraries of Standard Webhooks. It is shown this once and cannot be recovered.'
      })
    })
  ],
  { title: 'NewWebhook' }
)
export type NewWebhook = Static<typeof NewWebhook>

/** What making a webhook takes. */
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

/** What of a webhook can be changed. */
export const WebhookPatch = Type.Partial(WebhookDraft, {
  ...closed, title: 'WebhookPatch', minProperties: 1, examples: [{ is_active: false }]
})
export type WebhookPatch = Static<typeof WebhookPatch>

/** What became of something that was to leave: it waits for its next attempt, has left, or was given up. */
export const DeliveryState = oneOf(['waiting', 'sent', 'dead'])
export type DeliveryState = Static<typeof DeliveryState>

const Fault = Type.Object({ code: Type.String(), message: Type.String() }, { title: 'DeliveryError' })

/** Something that leaves the house, as answers show it: never its words. */
export const Delivery = Type.Object({
  id: Id,
  channel: Type.String({ description: 'How it leaves', examples: ['webhook', 'mail', 'ticket'] }),
  type: nullable(Type.String({ description: 'What it tells of', examples: ['message.completed'] })),
  to: nullable(Type.String({ description: 'Where it goes, as far as that has an id here', examples: ['webhooks/1'] })),
  about: Type.String({ description: 'What it belongs to', examples: ['conversations/conv_3q2-7wXbQk2m1uJ0aZ5c9A'] }),
  key: Type.String({ description: 'The same for every attempt, so that the other side can tell a repeat' }),
  state: DeliveryState,
  attempts: Type.Integer({ minimum: 0 }),
  next_attempt_at: nullable(Timestamp),
  external_id: nullable(Type.String({ description: 'What the other side calls it' })),
  error: Type.Unsafe<Static<typeof Fault> | null>(Type.Union([Fault, Type.Null()])),
  created_at: Timestamp,
  settled_at: nullable(Timestamp)
}, { title: 'Delivery' })
export type Delivery = Static<typeof Delivery>
