import type { ReplyTargets } from '../../../schema/business.ts'
import type { ConversationRecord, ReplyKind } from '../../../schema/conversations.ts'
import { afterOpen, type Openings } from '../../business/index.ts'
import { isOfDraft, type ConversationJob, type HandoffEvent } from '../../conversations/index.ts'
import { microsOf, timestamp } from '../../platform/clock.ts'
import { noted, type HandoffChange, type HandoffContext } from '../moves.ts'

/*
 * When people have to reply: the targets of the account, in minutes of its opening hours. A timer starts when a visitor
 * waits for people, continues whoever of them holds the conversation, and ends when one writes.
 */

/** The kind of the job that reports an overdue reply. */
export const REPLY_DUE = 'reply.due'

const MINUTE_MS = 60_000

type Timed = Pick<ConversationRecord, 'reply_due_for' | 'reply_due_at' | 'overdue_at'>
const NOT_DUE: Timed = { reply_due_for: null, reply_due_at: null, overdue_at: null }

/**
 * Which reply by people a visitor waits for; undefined if none. Nobody waits in snoozed conversations. After a ticket
 * was opened they wait until somebody writes to them, while the conversation goes on.
 */
export function waitsFor (
  { status, handled_by: by, snoozed_until: until, course }: Pick<
    ConversationRecord, 'status' | 'handled_by' | 'snoozed_until' | 'course'
  >
): ReplyKind | undefined {
  if (status === 'closed' || until !== null) return undefined
  const { replied_at: replied, waits, is_unanswered: isUnanswered, is_promised: isPromised } = course
  const isWaiting = {
    queue: true,
    person: waits > 0 || (replied === null && isUnanswered),
    agent: isPromised
  }[by]
  if (!isWaiting) return undefined
  return replied === null ? 'first_reply' : 'next_reply'
}

/** When that reply is due, for a wait since a time; null if there is no target, or there are never hours. */
export function dueAt (
  kind: ReplyKind, since: string, { targets, ...hours }: Openings & { targets: ReplyTargets }
): string | null {
  const target = targets[kind]
  const due = target === null ? undefined : afterOpen(hours, microsOf(since)!, target * MINUTE_MS)
  return due === undefined ? null : timestamp(due)
}

/**
 * What an event does to the timer of a conversation. A running one continues even if the targets change; the previous
 * one is replaced and no longer reported. Nobody waits in trials of a draft. `business` is called only when a timer
 * starts.
 */
export function timed (
  before: ConversationRecord,
  change: Partial<ConversationRecord>,
  at: string,
  business: () => Openings & { targets: ReplyTargets }
): { change: Partial<Timed>, jobs: ConversationJob[] } {
  const kind = isOfDraft(before) ? undefined : waitsFor({ ...before, ...change })
  if (kind === undefined) return { change: before.reply_due_for === null ? {} : NOT_DUE, jobs: [] }
  if (before.reply_due_for === kind) return { change: {}, jobs: [] }
  const due = dueAt(kind, at, business())
  // The kind of wait is stored without a target too: a target set later applies to later waits.
  const next: Timed = { reply_due_for: kind, reply_due_at: due, overdue_at: null }
  if (due === null) return { change: next, jobs: [] }
  const inMs = Math.ceil((microsOf(due)! - microsOf(at)!) / 1000)
  return { change: next, jobs: [{ kind: REPLY_DUE, payload: { until: due }, inMs }] }
}

/** The time is over without a reply: reported once. Undefined if it is stale. */
export function late (
  conversation: ConversationRecord, { until }: Extract<HandoffEvent, { type: 'late' }>, { at }: HandoffContext
): HandoffChange | undefined {
  const { reply_due_at: due, overdue_at: overdue } = conversation
  if (due !== until || overdue !== null) return undefined
  return {
    ...noted(conversation, {}),
    change: { overdue_at: at },
    events: ['handoff.overdue'],
    announces: [{ type: 'handoff.overdue', data: {} }]
  }
}
