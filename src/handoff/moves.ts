import type { ConversationEventType, ConversationRecord, Outcome } from '../../schema/conversations.ts'
import { NEW_COURSE, type Course, type HandoffReason } from '../../schema/handoff.ts'
import type { ConversationJob, Due, EndedEpisode, HandoffDomainEvent, Speaker } from '../conversations/index.ts'
import { HANDS_FREE, offer, type Hand } from './desk/offers.ts'

/*
 * Transitions of the state machine: how a conversation changes hands between agent, queue and person, for any cause.
 * Each increments the epoch, notifies the visitor, and sets a timer.
 */

/**
 * Milliseconds that a conversation waits for a person, that a visitor waits for a person's answer, and after which
 * silence ends an episode.
 */
export const QUEUE_MS = 120_000
export const UNANSWERED_MS = 15 * 60_000
export const SILENT_MS = 24 * 3_600_000

/** The kinds of jobs it requests. */
export const HANDOFF_DUE = 'handoff.due'
const TICKET_OPEN = 'ticket.open'
export const TICKET_ADDRESS = 'ticket.address'

/** Input of decisions beyond the conversation and the event. */
export interface HandoffContext {
  at: string
  /** The agent that answers now. */
  speaker: Speaker
  /** Somebody is on duty now; for this many milliseconds, if that is known to end soon. */
  isOnDuty: boolean
  dutyEndsInMs: number | undefined
  /** The agent still has to write to a silent visitor. */
  isFollowedUp?: boolean
  /** Whether an e-mail address of the visitor is known. */
  hasAddress: () => boolean
  /** The seq of the answer being written; 0 if there is none. */
  writes: number
  /** Another agent of the account. */
  agent: (id: number) => Speaker | undefined
  /** Those on duty now. */
  hands: () => Hand[]
  /** Whether a user is a member who may answer visitors. */
  mayAnswer: (user: number) => boolean
}

/** Notices for visitors. */
export type VisitorNotice =
  | { key: 'waiting' | 'taken' | 'returned' | 'closed' | 'offer' }
  | { key: 'ticket' | 'passed' | 'ticketed', asksAddress: boolean, email?: string }
  | { key: 'noted', email: string }
  | { key: 'address' }
  | { key: 'transferred', to: Speaker, prompt: string }

/** The outcome of an event: a transition without its texts. */
export interface HandoffChange {
  change: Partial<ConversationRecord>
  notice: VisitorNotice | null
  events: ConversationEventType[]
  announces: HandoffDomainEvent[]
  jobs: ConversationJob[]
  stops: boolean
  answers: boolean
  ended: EndedEpisode | null
  takesBack: boolean
}

/** A person can be reached: one may be called, or tickets have a destination. */
export function isReachable ({ expertHandoff, hasTickets }: Speaker): boolean {
  return expertHandoff || hasTickets
}

/**
 * The conversation waits for a person if somebody is on duty; otherwise a ticket is opened, and the agent continues.
 */
export function callPerson (
  conversation: ConversationRecord, reason: HandoffReason, given: HandoffContext
): HandoffChange {
  const { speaker: { expertHandoff }, isOnDuty, dutyEndsInMs = QUEUE_MS, at } = given
  if (!expertHandoff || !isOnDuty) {
    return ticketed(conversation, expertHandoff ? 'no_one_available' : reason, given, reason)
  }
  const { course, epoch, assignee } = conversation
  // Its holder until now did not answer.
  const passed = conversation.person === null ? [] : [conversation.person]
  const { change: offered, events, announces, jobs } = offer({ assignee, epoch: epoch + 1 }, passed, given)
  const change = {
    ...AT_REST,
    ...offered,
    status: 'waiting' as const,
    handled_by: 'queue' as const,
    person: null,
    reason,
    epoch: epoch + 1,
    course: {
      ...course,
      asked_at: course.asked_at ?? at,
      asked_for: course.asked_for ?? reason,
      is_unanswered: true,
      passed
    }
  }
  return {
    ...noted(conversation, {}),
    change,
    notice: { key: 'waiting' },
    events: ['handoff.requested', ...events],
    announces: [{ type: 'handoff.requested', data: { reason } }, ...announces],
    jobs: [timer(change, 'overdue', Math.min(QUEUE_MS, dutyEndsInMs)), ...jobs],
    stops: given.writes > 0
  }
}

/**
 * Opens a ticket, one per episode, and the agent speaks. `asked`: why a person was requested, if not for `reason`.
 */
export function ticketed (
  conversation: ConversationRecord, reason: HandoffReason, given: HandoffContext, asked = reason
): HandoffChange {
  const { course } = conversation
  const isSomebodyThere = given.isOnDuty && given.speaker.expertHandoff && reason !== 'no_one_available'
  const opened = isSomebodyThere ? 'passed' : 'ticket'
  const address = course.address || (given.hasAddress() ? null : 0)
  const change = {
    ...toAgent(conversation),
    reason,
    course: {
      ...returnedCourse(conversation),
      asked_at: course.asked_at ?? given.at,
      asked_for: course.asked_for ?? asked,
      is_ticketed: true,
      is_promised: true,
      waits: 0,
      address
    }
  }
  const open = {
    kind: TICKET_OPEN,
    payload: {
      owner: conversation.owner,
      conversation: conversation.id,
      agent: conversation.agent,
      reason: course.asked_for ?? asked,
      epoch: change.epoch
    }
  }
  return {
    ...noted(conversation, {}),
    change,
    notice: { key: course.is_ticketed ? 'ticketed' : opened, asksAddress: address === 0 },
    events: ['handoff.ticketed'],
    announces: course.is_ticketed ? [] : [{ type: 'handoff.ticketed', data: { reason } }],
    jobs: [...(course.is_ticketed ? [] : [open]), timer(change, 'silent', SILENT_MS), ...freed(conversation)],
    stops: given.writes > 0
  }
}

/** The agent speaks again, and answers what is pending if `answers`. */
export function returned (conversation: ConversationRecord, answers: boolean): HandoffChange {
  const { course: { waits } } = conversation
  const change = { ...toAgent(conversation), reason: null, course: { ...returnedCourse(conversation), waits: 0 } }
  return {
    ...noted(conversation, {}),
    change,
    notice: { key: 'returned' },
    events: ['handoff.released'],
    announces: [{ type: 'handoff.released', data: {} }],
    jobs: [timer(change, 'silent', SILENT_MS), ...freed(conversation)],
    answers: answers && waits > 0
  }
}

/** The agent's context restarts after a person's part: at what still needs an answer, or now. */
function returnedCourse ({ handled_by: by, course, messages }: ConversationRecord): Course {
  return by === 'agent' ? course : { ...course, boundary: course.waits > 0 ? course.waits - 1 : messages, transfer: 0 }
}

function toAgent ({ epoch }: ConversationRecord) {
  return { ...AT_REST, status: 'open' as const, handled_by: 'agent' as const, person: null, epoch: epoch + 1 }
}

/** Other hands: offered to nobody, and no longer snoozed. */
export const AT_REST = { offered_to: null, offered_until: null, snoozed_until: null }

/** Its holder has capacity for another one. */
export function freed ({ handled_by: by }: Pick<ConversationRecord, 'handled_by'>): ConversationJob[] {
  return by === 'person' ? [{ kind: HANDS_FREE, payload: {} }] : []
}

export function closed (conversation: ConversationRecord, outcome: Outcome, given: HandoffContext): HandoffChange {
  const { course, episode } = conversation
  const change = {
    ...toAgent(conversation), status: 'closed' as const, outcome, closed_at: given.at, course: { ...course, waits: 0 }
  }
  return {
    ...noted(conversation, {}),
    change,
    notice: { key: 'closed' },
    events: ['conversation.closed'],
    jobs: freed(conversation),
    stops: given.writes > 0,
    ended: {
      episode,
      began_at: course.began_at,
      asked_at: course.asked_at,
      reason: course.asked_for,
      taken_at: course.taken_at,
      ended_at: given.at,
      outcome
    }
  }
}

/** A closed conversation reopens in a new episode, with its own agent, and as nobody's if its assignee has left. */
export function reopened (conversation: ConversationRecord, { at, mayAnswer }: HandoffContext): HandoffChange {
  const { course, assignee } = conversation
  const change = {
    ...toAgent(conversation),
    ...(assignee !== null && !mayAnswer(assignee) && { assignee: null }),
    speaker: null,
    reason: null,
    episode: conversation.episode + 1,
    outcome: null,
    closed_at: null,
    reopened_at: at,
    course: { ...NEW_COURSE, boundary: conversation.messages, address: course.address, vouched: course.vouched }
  }
  return {
    ...noted(conversation, {}),
    change,
    notice: { key: 'returned' },
    events: ['conversation.reopened'],
    takesBack: true
  }
}

/**
 * How an episode ended, counted conservatively: an answer without thanks counts only after a day of silence, and only
 * if it cited a source.
 */
export function outcomeOf (
  { handled_by: by, course }: ConversationRecord,
  { by: closer, isResolved }: { by: 'visitor' | 'person' | 'time', isResolved: boolean }
): Outcome {
  if (course.taken_at !== null) return 'handed_off'
  if (course.is_ticketed) return 'ticketed'
  if (by === 'queue') return closer === 'visitor' ? 'abandoned' : 'unanswered'
  if (course.began_at === null) return 'abandoned'
  if (isResolved || course.is_confirmed) return 'resolved_confirmed'
  if (course.is_unanswered) return 'unanswered'
  return closer === 'time' && course.is_cited ? 'resolved_assumed' : 'abandoned'
}

/** The speaker stays; only the episode's state changes. */
export function noted ({ course }: ConversationRecord, next: Partial<Course>): HandoffChange {
  return {
    change: { course: { ...course, ...next } },
    notice: null,
    events: [],
    announces: [],
    jobs: [],
    stops: false,
    answers: false,
    ended: null,
    takesBack: false
  }
}

/** Sets a timer, in place of the one requested before. */
export function timer (
  { epoch, course: { waits } }: { epoch: number, course: Pick<Course, 'waits'> }, what: Due, inMs: number
): ConversationJob {
  return { kind: HANDOFF_DUE, payload: { epoch, what, waits }, inMs }
}
