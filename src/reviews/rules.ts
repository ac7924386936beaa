import type { MessageRecord } from '../../schema/conversations.ts'
import type { ReviewReason } from '../../schema/people/reviews.ts'
import { isOfDraft, saysMayHelp } from '../conversations/index.ts'
import type { Happening } from '../platform/work/announcements.ts'

/* Which answers somebody should look at: a decision without a database. */

/** Characters from which on an answer that names no source says more than a greeting. */
const LONG = 200

/** An answer that is a risk. `seq`: its place; undefined where it is the last one of the episode that ended. */
interface Risk { reason: ReviewReason, conversation: string, seq: number | undefined }

/** Whether something that happens makes an answer a risk. What somebody tries out is none. */
export function riskOf (happening: Happening): Risk | undefined {
  const { type, data } = happening
  if (!('conversation' in data) || isOfDraft(data.conversation)) return undefined
  const { conversation: { id: conversation } } = data
  if (type === 'feedback.given' && data.message.role === 'agent' && data.message.feedback?.score === -1) {
    return { reason: 'disliked', conversation, seq: data.message.seq }
  }
  if (type === 'conversation.reopened') return { reason: 'reopened', conversation, seq: undefined }
  if (type !== 'message.completed' || !isUnsure(data.message)) return undefined
  return { reason: 'unsure', conversation, seq: data.message.seq }
}

/**
 * Whether an answer has little to rest on: quoted sentences that only may help, and what a model says at length without
 * a source. What says that it does not know is none: that stands among the suggestions.
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
