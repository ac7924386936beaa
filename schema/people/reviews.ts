import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf } from '../common.ts'
import { ConversationId, MessageRecord } from '../conversations.ts'

/** What makes an answer a risk. */
export const ReviewReason = oneOf(['disliked', 'reopened', 'unsure', 'source_changed'])
export type ReviewReason = Static<typeof ReviewReason>

/** A reviewer's judgement of an answer. */
export const Verdict = oneOf(['right', 'wrong', 'incomplete'])
export type Verdict = Static<typeof Verdict>

/** An answer to review, as responses show it, with its question. */
export const Review = Type.Object({
  id: Id,
  conversation: ConversationId,
  message: MessageRecord.properties.id,
  seq: MessageRecord.properties.seq,
  agent: Id,
  reason: ReviewReason,
  question: Type.String({ description: 'The visitor\'s preceding message' }),
  answer: Type.String(),
  citations: MessageRecord.properties.citations,
  agent_version: MessageRecord.properties.agent_version,
  created_at: Timestamp,
  verdict: nullable(Verdict),
  person: nullable(Type.Integer({ minimum: 1, description: 'Member who gave the verdict' })),
  reviewed_at: nullable(Timestamp)
}, { title: 'Review' })
export type Review = Static<typeof Review>

/** Request to judge it. */
export const ReviewDraft = Type.Object(
  { verdict: Verdict }, { ...closed, title: 'ReviewDraft', examples: [{ verdict: 'right' }] }
)
