import type { ConversationRecord } from '../../schema/conversations.ts'
import type { HandoffEvent } from '../conversations/index.ts'
import { Refusal } from '../platform/errors.ts'
import {
  AT_REST, callPerson, closed, freed, noted, outcomeOf, reopened, returned, SILENT_MS, ticketed, timer, UNANSWERED_MS,
  type HandoffChange, type HandoffContext
} from './moves.ts'
import type { Keeps } from '../personal-data/contract.ts'

/* Events caused by people who take part, and by timers when nobody acts. */

export function taken (
  conversation: ConversationRecord, person: number, from: number | null, given: HandoffContext
): HandoffChange | undefined {
  const { handled_by: by, person: holder } = conversation
  if (by === 'person' && holder === person) return undefined
  if (by === 'person' && holder !== from) {
    throw new Refusal(
      'taken_over',
      'Somebody else has taken this conversation over. Ask them to release it, or name them in "from" to take it from them.',
      { fields: { person: holder } }
    )
  }
  const back = conversation.status === 'closed' ? reopened(conversation, given) : undefined
  const current = { ...conversation, ...back?.change }
  const { course } = current
  const change = {
    ...back?.change,
    ...AT_REST,
    reopened_at: conversation.reopened_at,
    status: 'open' as const,
    handled_by: 'person' as const,
    person,
    assignee: person,
    reason: by === 'queue' ? conversation.reason : ('person_took_over' as const),
    epoch: conversation.epoch + 1,
    course: {
      ...course,
      began_at: course.began_at ?? given.at,
      taken_at: course.taken_at ?? given.at,
      waits: course.waits || Math.max(0, given.writes - 1)
    }
  }
  return {
    ...noted(conversation, {}),
    change,
    notice: { key: 'taken' },
    events: [...(back?.events ?? []), 'handoff.taken'],
    announces: [{ type: 'handoff.taken', data: { person } }],
    jobs: [
      by === 'queue' || change.course.waits
        ? timer(change, 'unanswered', UNANSWERED_MS)
        : timer(change, 'silent', SILENT_MS),
      ...freed(conversation)
    ],
    stops: given.writes > 0
  }
}

/** A person's answer takes over where nobody else has. */
export function replied (conversation: ConversationRecord, person: number, given: HandoffContext): HandoffChange {
  const took = taken(conversation, person, null, given)
  const before = took?.change.course ?? conversation.course
  const course = {
    ...before, waits: 0, is_unanswered: false, is_promised: false, replied_at: before.replied_at ?? given.at
  }
  return {
    ...(took ?? noted(conversation, {})),
    change: { ...took?.change, course },
    jobs: [timer({ epoch: took?.change.epoch ?? conversation.epoch, course }, 'silent', SILENT_MS)]
  }
}

export function released (
  conversation: ConversationRecord, person: number, { speaker }: HandoffContext
): HandoffChange {
  const { handled_by: by, person: holder } = conversation
  if (by !== 'person') throw new Refusal('not_taken_over', 'Nobody has taken this conversation over.')
  if (holder !== person) {
    throw new Refusal('taken_over', 'Somebody else has taken this conversation over; only they can release it.', {
      fields: { person: holder }
    })
  }
  return returned(conversation, speaker.status === 'Active')
}

export function due (
  conversation: ConversationRecord,
  { epoch, what, waits: since }: Extract<HandoffEvent, { type: 'due' }>,
  given: HandoffContext
): HandoffChange | undefined {
  if (epoch !== conversation.epoch || conversation.status === 'closed') return undefined
  const {
    handled_by: by, course: { waits, is_unanswered: isUnanswered }
  } = conversation
  if (what === 'overdue') return by === 'queue' ? ticketed(conversation, 'no_one_available', given) : undefined
  const isSnoozed = conversation.snoozed_until !== null
  if (what === 'unanswered') {
    // Once it comes back, a new wait begins.
    return !isSnoozed && by === 'person' && waits === since && (waits > 0 || isUnanswered)
      ? callPerson(conversation, 'no_one_available', given)
      : undefined
  }
  if (by === 'queue' || (by === 'person' && waits > 0)) return undefined
  if (given.isFollowedUp || isSnoozed) return { ...noted(conversation, {}), jobs: [timer(conversation, 'silent', SILENT_MS)] }
  const silentFor = Date.parse(given.at) - Date.parse(conversation.last_message_at ?? conversation.created_at)
  if (silentFor >= SILENT_MS) {
    return closed(conversation, outcomeOf(conversation, { by: 'time', isResolved: false }), given)
  }
  // Never longer than the full time, even if the clock is changed.
  return {
    ...noted(conversation, {}), jobs: [timer(conversation, 'silent', Math.min(SILENT_MS, SILENT_MS - silentFor))]
  }
}

/** Deleted with an agent, a user or an account. */
export const handoffKept: Keeps = {
  ways: ['duties.user_id', 'seen_marks.user_id']
}
