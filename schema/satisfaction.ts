import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, text } from './common.ts'
import { Channel, ConversationId, Outcome } from './conversations.ts'

const score = Type.Integer({ minimum: 1, maximum: 5, description: '1: not at all content, to 5: very content' })

/** How content a visitor was with an episode of a conversation, as the system keeps it. */
export const SatisfactionRecord = Type.Object({
  /** What a link in a mail names: whoever knows it may answer. */
  id: Type.String({ pattern: '^rate_[A-Za-z0-9_-]{22}$' }),
  conversation: ConversationId,
  episode: Type.Integer({ minimum: 1 }),
  agent: Id,
  owner: Id,
  score: nullable(score),
  comment: text(2000),
  outcome: { ...Outcome, description: 'How the episode ended' },
  agent_version: nullable(Type.Integer({ description: 'The version that answered last; null where none did' })),
  person: nullable(Type.Integer({ minimum: 1, description: 'The member who wrote last in it; null where none did' })),
  channel: Channel,
  language: nullable(Type.String()),
  asked_at: Timestamp,
  answered_at: nullable(Timestamp)
})
export type SatisfactionRecord = Static<typeof SatisfactionRecord>

/** The same as answers show it. */
export const Satisfaction = Type.Omit(SatisfactionRecord, ['id', 'owner'], { title: 'Satisfaction' })
export type Satisfaction = Static<typeof Satisfaction>

/** What a visitor answers. */
export const SatisfactionDraft = Type.Object(
  { score, comment: Type.Optional(text(2000, { description: 'In their own words' })) },
  { ...closed, title: 'SatisfactionDraft', examples: [{ score: 5 }] }
)
export type SatisfactionDraft = Static<typeof SatisfactionDraft>
