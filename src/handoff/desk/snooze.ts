import type { ConversationRecord } from '../../../schema/conversations.ts'
import type { HandoffEvent } from '../../conversations/index.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import type { Way } from '../../platform/http/openapi.ts'
import { CLOSED } from '../conversing.ts'
import { noted, timer, UNANSWERED_MS, type HandoffChange, type HandoffContext } from '../moves.ts'

/* Conversations snoozed until a time. The visitor is not notified, and its holder keeps it. */

/** The kind of the job that brings one back. */
export const SNOOZE_OVER = 'handoff.snooze'

const LONGEST_MS = 366 * 24 * 3_600_000

/** Why snoozing is refused: its visitor waits for somebody. */
const WAITS = [
  'not_taken_over', 'A visitor is waiting here for a person. Take the conversation over first, then snooze it.'
] as const satisfies Way

/** Snoozes it, or ends that at once if `until` is null. Refuses times in the past or more than a year away. */
export function snoozed (
  conversation: ConversationRecord, { until }: Extract<HandoffEvent, { type: 'snoozed' }>, given: HandoffContext
): HandoffChange | undefined {
  if (until === null) return awake(conversation)
  if (conversation.status === 'closed') throw new Refusal(...CLOSED)
  if (conversation.handled_by === 'queue') throw new Refusal(...WAITS)
  const inMs = Date.parse(until) - Date.parse(given.at)
  if (inMs <= 0 || inMs > LONGEST_MS) {
    throw invalid({ field: 'snoozed_until', message: 'snoozed_until must be a time within the next year.' })
  }
  return {
    ...noted(conversation, {}),
    change: { snoozed_until: until },
    jobs: [{ kind: SNOOZE_OVER, payload: { until }, inMs }]
  }
}

/** The time is over; one snoozed again since then stays away. */
export function woken (
  conversation: ConversationRecord, { until }: Extract<HandoffEvent, { type: 'woken' }>
): HandoffChange | undefined {
  if (conversation.snoozed_until !== until) return undefined
  return { ...awake(conversation), events: ['conversation.updated'] }
}

/** It is back; a visitor waiting for an answer waits from now on. */
function awake (conversation: ConversationRecord): HandoffChange {
  const isWaitedFor = conversation.handled_by === 'person' && conversation.course.waits > 0
  return {
    ...noted(conversation, {}),
    change: { snoozed_until: null },
    jobs: isWaitedFor ? [timer(conversation, 'unanswered', UNANSWERED_MS)] : []
  }
}
