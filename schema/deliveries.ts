import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, nullable, oneOf } from './common.ts'

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
