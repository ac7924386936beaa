import type { ReplyTargets } from '../../../schema/business.ts'
import type { ConversationRecord, ReplyKind } from '../../../schema/conversations.ts'
import { afterOpen, type Openings } from '../../business/index.ts'
import { isOfDraft, type ConversationJob, type HandsEvent } from '../../conversations/index.ts'
import { microsOf, timestamp } from '../../platform/clock.ts'
import { noted, type Change, type Circumstances } from '../moves.ts'

/*
 * Until when people are to reply: the targets of the account, in minutes of its hours. A timer begins when a visitor
 * waits for people, goes on whoever of them holds the conversation, and ends when one of them writes.
 */

/** The kind of the job that tells when a reply is overdue. */
export const REPLY_DUE = 'reply.due'

const MINUTE_MS = 60_000

type Timed = Pick<ConversationRecord, 'reply_due_for' | 'reply_due_at' | 'overdue_at'>
const NOT_DUE: Timed = { reply_due_for: null, reply_due_at: null, overdue_at: null }

/**
 * Which reply of people a visitor waits for; undefined where they wait for none. Nobody waits in what is put off. Where
 * a ticket was opened they wait until somebody writes to them, while the conversation goes on.
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

/** When that reply is due, for who waits since a time; null where there is no target, or there are never hours. */
export function dueAt (
  kind: ReplyKind, since: string, { targets, ...hours }: Openings & { targets: ReplyTargets }
): string | null {
  const target = targets[kind]
  const due = target === null ? undefined : afterOpen(hours, microsOf(since)!, target * MINUTE_MS)
  return due === undefined ? null : timestamp(due)
}

/**
 * What an event does to the timer of a conversation. One that runs runs on, whatever becomes of the targets; the one
 * before it is replaced, and told of no more. Nobody waits where somebody tries a draft out. `business` is asked only
 * where a timer begins.
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
  // What it waits for is kept without a target too: one that is set later holds for what is waited for after it.
  const next: Timed = { reply_due_for: kind, reply_due_at: due, overdue_at: null }
  if (due === null) return { change: next, jobs: [] }
  const inMs = Math.max(0, Math.ceil((microsOf(due)! - microsOf(at)!) / 1000))
  return { change: next, jobs: [{ kind: REPLY_DUE, payload: { until: due }, inMs }] }
}

/** The time is over, and nobody has replied: told once. Undefined where it counts no more. */
export function late (
  conversation: ConversationRecord, { until }: Extract<HandsEvent, { type: 'late' }>, { at }: Circumstances
): Change | undefined {
  const { reply_due_at: due, overdue_at: overdue } = conversation
  if (due !== until || overdue !== null) return undefined
  return {
    ...noted(conversation, {}),
    change: { overdue_at: at },
    events: ['handoff.overdue'],
    announces: [{ type: 'handoff.overdue', data: {} }]
  }
}
