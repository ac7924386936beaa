import type { MessageRecord } from '../../schema/conversations.ts'
import type { ReviewReason } from '../../schema/people/reviews.ts'
import { isOfDraft, saysMayHelp } from '../conversations/index.ts'
import type { DomainEventOf } from '../platform/work/event-bus.ts'

/* Which answers need a review: a decision without a database. */

/** Characters above which an answer without a source is more than a greeting. */
const LONG = 200

/** A risky answer. `seq`: its message; undefined for the last one of the ended episode. */
interface Risk { reason: ReviewReason, conversation: string, seq: number | undefined }

/** The events that can make an answer risky. */
export const RISKS_IN = ['feedback.given', 'conversation.reopened', 'message.completed'] as const

/** Whether an event makes an answer risky. Tests do not. */
export function riskOf ({ type, data }: DomainEventOf<typeof RISKS_IN[number]>): Risk | undefined {
  if (isOfDraft(data.conversation)) return undefined
  const { conversation: { id: conversation } } = data
  if (type === 'feedback.given' && data.message.role === 'agent' && data.message.feedback?.score === -1) {
    return { reason: 'disliked', conversation, seq: data.message.seq }
  }
  if (type === 'conversation.reopened') return { reason: 'reopened', conversation, seq: undefined }
  if (!isUnsure(data.message)) return undefined
  return { reason: 'unsure', conversation, seq: data.message.seq }
}

/**
 * Whether an answer has little support: quoted sentences that may not answer the question, or a model's long answer
 * without a source. Answers that say they do not know are excluded: they are among the suggestions.
 */
export function isUnsure (
  { role, status, unknown, answered_by: by, citations, text }: Pick<
    MessageRecord, 'role' | 'status' | 'unknown' | 'answered_by' | 'citations' | 'text'
  >
): boolean {
  if (role !== 'agent' || status !== 'complete' || unknown) return false
  if (by === 'extract') return saysMayHelp(text)
  return by === 'model' && citations.length === 0 && text.length >= LONG
}
