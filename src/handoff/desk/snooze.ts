import type { ConversationRecord } from '../../../schema/conversations.ts'
import type { HandsEvent } from '../../conversations/index.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import type { Way } from '../../platform/http/openapi.ts'
import { CLOSED } from '../conversing.ts'
import { noted, timer, UNANSWERED_MS, type Change, type Circumstances } from '../moves.ts'

/* Conversations that are put off until a time. The visitor is told nothing, and whoever holds it goes on holding it. */

/** The kind of the job that brings one back. */
export const SNOOZE_OVER = 'handoff.snooze'

const LONGEST_MS = 366 * 24 * 3_600_000

/** Why one is not put off: its visitor waits for somebody to come. */
const WAITS = [
  'not_taken_over', 'A visitor waits here for a person. Take the conversation over first, then put it off.'
] as const satisfies Way

/** It is put off, or comes back at once where `until` is null. Refuses times that are over or more than a year away. */
export function snoozed (
  conversation: ConversationRecord, { until }: Extract<HandsEvent, { type: 'snoozed' }>, given: Circumstances
): Change | undefined {
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

/** The time is over; one that was put off anew since stays away. */
export function woken (
  conversation: ConversationRecord, { until }: Extract<HandsEvent, { type: 'woken' }>
): Change | undefined {
  if (conversation.snoozed_until !== until) return undefined
  return { ...awake(conversation), events: ['conversation.updated'] }
}

/** It is back; a visitor who waits for an answer waits from now on. */
function awake (conversation: ConversationRecord): Change {
  const isWaitedFor = conversation.handled_by === 'person' && conversation.course.waits > 0
  return {
    ...noted(conversation, {}),
    change: { snoozed_until: null },
    jobs: isWaitedFor ? [timer(conversation, 'unanswered', UNANSWERED_MS)] : []
  }
}
