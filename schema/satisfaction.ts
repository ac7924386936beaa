import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, text } from './common.ts'
import { Channel, ConversationId, Outcome } from './conversations.ts'

const score = Type.Integer({ minimum: 1, maximum: 5, description: '1: not at all satisfied, to 5: very satisfied' })

/** How content a visitor was with an episode of a conversation, as stored. */
export const SatisfactionRecord = Type.Object({
  /** The token of a link in a mail: anyone who has it may answer. */
  id: Type.String({ pattern: '^rate_[A-Za-z0-9_-]{22}$' }),
  conversation: ConversationId,
  episode: Type.Integer({ minimum: 1 }),
  agent: Id,
  owner: Id,
  score: nullable(score),
  comment: text(2000),
  outcome: { ...Outcome, description: 'How the episode ended' },
  agent_version: nullable(Type.Integer({ description: 'Agent version that answered last; null if none did' })),
  person: nullable(Type.Integer({ minimum: 1, description: 'Member who wrote last in it; null if none did' })),
  channel: Channel,
  language: nullable(Type.String()),
  asked_at: Timestamp,
  answered_at: nullable(Timestamp)
})
export type SatisfactionRecord = Static<typeof SatisfactionRecord>

/** The same as responses show it. */
export const Satisfaction = Type.Omit(SatisfactionRecord, ['id', 'owner'], { title: 'Satisfaction' })
export type Satisfaction = Static<typeof Satisfaction>

/** A visitor's answer. */
export const SatisfactionDraft = Type.Object(
  { score, comment: Type.Optional(text(2000, { description: 'The visitor\'s own words' })) },
  { ...closed, title: 'SatisfactionDraft', examples: [{ score: 5 }] }
)
export type SatisfactionDraft = Static<typeof SatisfactionDraft>
