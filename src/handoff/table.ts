import type { ConversationEventType, ConversationRecord, Outcome } from '../../schema/conversations.ts'
import { NEW_COURSE, type Course, type HandoffReason } from '../../schema/handoff.ts'
import type {
  ConversationJob, Due, EndedEpisode, Ending, HandsEvent, HandsHappening, Speaker
} from '../conversations/index.ts'
import { Refusal } from '../platform/errors.ts'

/*
 * Who speaks in a conversation, as a table: the one thing that changes it.
 *
 *   agent  ── a person is asked for, somebody is on duty ──► queue ── takes over ──► person
 *     ▲  └─── nobody is: a ticket, and the agent goes on        │                       │
 *     ├──────── nobody came, duty ends: a ticket; cancelled ◄───┘                       │
 *     └──────── released; nobody answers the visitor, and nobody is on duty ◄───────────┘
 *   any ── close ──► closed ── a message ──► a new episode: agent
 *
 * Each change of hands moves the epoch, and tells the visitor. What was begun in an earlier epoch counts no more.
 */

/**
 * Milliseconds that a conversation waits for a person, that a visitor waits for the answer of one, and after which
 * silence ends an episode.
 */
export const QUEUE_MS = 120_000
export const UNANSWERED_MS = 15 * 60_000
export const SILENT_MS = 24 * 3_600_000
/**
 * Agents that a conversation may be passed on to in an episode, and answers in a row that know nothing, or fail, before
 * a person is offered, or called.
 */
export const MOST_HOPS = 3
const UNKNOWNS = 2
const FAILURES = 2

/** The kinds of jobs that it asks for. */
export const HANDOFF_DUE = 'handoff.due'
export const TICKET_OPEN = 'ticket.open'

/** What decisions are told beside the conversation and what happened. */
export interface Circumstances {
  at: string
  /** The agent that answers now. */
  speaker: Speaker
  /** Somebody is there for visitors now; for so many milliseconds, where that is known to end soon. */
  isOnDuty: boolean
  dutyEndsInMs: number | undefined
  /** The agent is still to write to a visitor who is silent. */
  isFollowedUp?: boolean
  /** The place of the answer that is being written; 0 where none is. */
  writes: number
  /** Another agent of the account. */
  agent: (id: number) => Speaker | undefined
}

/** What a visitor can be told. */
export type Notice =
  | { key: 'waiting' | 'taken' | 'returned' | 'ticket' | 'ticketed' | 'closed' | 'offer' }
  | { key: 'transferred', to: Speaker, prompt: string }

/** What comes of an event: see Move, of which this is all but the words. */
export interface Change {
  change: Partial<ConversationRecord>
  notice: Notice | null
  events: ConversationEventType[]
  announces: HandsHappening[]
  jobs: ConversationJob[]
  stops: boolean
  answers: boolean
  ended: EndedEpisode | null
  takesBack: boolean
}

/**
 * What becomes of a conversation when something happens. Undefined: it counts no more, and nothing is changed. Refuses
 * with `conflict` what a person or a visitor asks for that cannot be now.
 */
export function decide (conversation: ConversationRecord, event: HandsEvent, given: Circumstances): Change | undefined {
  switch (event.type) {
    case 'said':
      return said(conversation, event, given)
    case 'ended':
      return ended(conversation, event, given)
    case 'judged':
      return noted(
        conversation,
        event.score === 1 ? { is_confirmed: true } : { is_confirmed: false, is_cited: false, is_unanswered: true }
      )
    case 'asked':
      return asked(conversation, event.reason, given)
    case 'cancelled':
      return cancelled(conversation, given)
    case 'taken':
      return taken(conversation, event.person, event.from, given)
    case 'replied':
      return replied(conversation, event.person, given)
    case 'released':
      return released(conversation, event.person, given)
    case 'due':
      return due(conversation, event, given)
    case 'left':
      return conversation.handled_by === 'queue' ? ticketed(conversation, 'no_one_available', given) : undefined
    case 'closed':
      return conversation.status === 'closed' ? undefined : closed(conversation, outcomeOf(conversation, event), given)
    case 'reopened':
      return conversation.status === 'closed' ? reopened(conversation, given) : undefined
  }
}

function said (
  kept: ConversationRecord,
  { seq, wantsPerson, isThanks }: Extract<HandsEvent, { type: 'said' }>,
  given: Circumstances
): Change {
  const isBack = kept.status === 'closed'
  const back = isBack ? reopened(kept, given) : undefined
  const conversation = { ...kept, ...back?.change }
  const { course, handled_by: by } = conversation
  const next: Partial<Course> = {
    began_at: course.began_at ?? given.at,
    ...(by !== 'agent' && { waits: course.waits || seq }),
    ...(isThanks ? { is_confirmed: course.is_cited } : { is_confirmed: false, is_unanswered: true })
  }
  if (by === 'person') {
    return {
      ...noted(conversation, next),
      jobs: course.waits ? [] : [timer({ ...conversation, course: { waits: seq } }, 'unanswered', UNANSWERED_MS)]
    }
  }
  if (by === 'queue') return noted(conversation, next)
  const listened = { ...conversation, course: { ...course, ...next } }
  if (wantsPerson && isReachable(given.speaker)) {
    const called = callPerson({ ...listened, epoch: kept.epoch }, 'visitor_asked', given)
    return back
      ? {
          ...called,
          change: { ...back.change, ...called.change },
          events: [...back.events, ...called.events],
          takesBack: back.takesBack
        }
      : called
  }
  const jobs = course.began_at === null ? [timer(conversation, 'silent', SILENT_MS)] : []
  return {
    ...(back ?? noted(conversation, {})), change: { ...back?.change, course: listened.course }, jobs, answers: true
  }
}

function ended (
  conversation: ConversationRecord, { epoch, ending }: Extract<HandsEvent, { type: 'ended' }>, given: Circumstances
): Change | undefined {
  if (epoch !== conversation.epoch || conversation.handled_by !== 'agent' || conversation.status !== 'open') {
    return undefined
  }
  const { course } = conversation
  if (ending.status === 'stopped') return noted(conversation, {})
  const isFailed = ending.status === 'failed'
  const next: Course = {
    ...course,
    unknowns: ending.isUnknown ? course.unknowns + 1 : 0,
    failures: isFailed ? course.failures + 1 : 0,
    is_cited: ending.isCited || (course.is_cited && course.is_confirmed),
    is_unanswered: isFailed || ending.isUnknown
  }
  const written = { ...conversation, course: next }
  return proposed(written, ending, given) ?? calledFor(written, ending, given) ?? offered(written, given)
}

/** What a model proposes is done where it may be. */
function proposed (
  conversation: ConversationRecord, { proposal, isCited }: Ending, given: Circumstances
): Change | undefined {
  if (!proposal) return undefined
  const { speaker } = given
  const transfer = /^transfer_(\d{1,15})$/.exec(proposal.action)
  if (transfer) return transferred(conversation, given.agent(Number(transfer[1])), proposal.reason, given)
  if (proposal.action === 'resolve') {
    return noted(conversation, { is_confirmed: isCited || conversation.course.is_cited })
  }
  if (proposal.action === 'handoff' && isReachable(speaker)) {
    return callPerson(conversation, REASONS[proposal.reason] ?? 'rule', given)
  }
  if (proposal.action === 'ticket' && isReachable(speaker)) {
    return ticketed(conversation, REASONS[proposal.reason] ?? 'rule', given)
  }
  return undefined
}

/** Models name these. */
const REASONS: Record<string, HandoffReason> = {
  asked_for_a_person: 'visitor_asked', not_in_the_sources: 'not_known', complaint: 'rule', instructions_say_so: 'rule'
}

/** A person is called where no model can answer, or answers fail again and again. */
function calledFor (
  conversation: ConversationRecord, { isUnknown, hindered }: Ending, given: Circumstances
): Change | undefined {
  const { course } = conversation
  if (!isReachable(given.speaker) || (course.is_ticketed && !given.isOnDuty)) return undefined
  if (hindered && isUnknown) return callPerson(conversation, hindered, given)
  return course.failures >= FAILURES ? callPerson(conversation, 'repeated_failure', given) : undefined
}

/** A person is offered where the agent does not know again and again. */
function offered (conversation: ConversationRecord, { speaker }: Circumstances): Change {
  const { unknowns } = conversation.course
  const isOffered =
    unknowns > 0 && unknowns % UNKNOWNS === 0 && isReachable(speaker) && !conversation.course.is_ticketed
  return { ...noted(conversation, {}), notice: isOffered ? { key: 'offer' } : null }
}

/** There is a way to a person: one may be called, or tickets have somewhere to go. */
export function isReachable ({ expertHandoff, hasTickets }: Speaker): boolean {
  return expertHandoff || hasTickets
}

function asked (conversation: ConversationRecord, reason: HandoffReason, given: Circumstances): Change | undefined {
  if (conversation.status === 'closed') {
    throw new Refusal('conflict', 'This conversation is closed. Say something in it to take it up again.')
  }
  if (conversation.handled_by !== 'agent') return undefined
  if (!isReachable(given.speaker)) {
    throw new Refusal(
      'conflict', 'This agent hands over to nobody: switch expertHandoff on, or give it an address for tickets.'
    )
  }
  return callPerson(conversation, reason, given)
}

/**
 * The conversation waits for a person where somebody is on duty; otherwise a ticket is opened, and the agent goes on.
 */
function callPerson (conversation: ConversationRecord, reason: HandoffReason, given: Circumstances): Change {
  const { speaker: { expertHandoff }, isOnDuty, dutyEndsInMs = QUEUE_MS, at } = given
  if (!expertHandoff || !isOnDuty) {
    return ticketed(conversation, expertHandoff ? 'no_one_available' : reason, given, reason)
  }
  const { course, epoch } = conversation
  const change = {
    status: 'waiting' as const,
    handled_by: 'queue' as const,
    person: null,
    reason,
    epoch: epoch + 1,
    course: { ...course, asked_at: course.asked_at ?? at, asked_for: course.asked_for ?? reason, is_unanswered: true }
  }
  return {
    ...noted(conversation, {}),
    change,
    notice: { key: 'waiting' },
    events: ['handoff.requested'],
    announces: [{ type: 'handoff.requested', data: { reason } }],
    jobs: [timer(change, 'overdue', Math.min(QUEUE_MS, dutyEndsInMs))],
    stops: given.writes > 0
  }
}

/**
 * A ticket is opened, one an episode, and the agent speaks. `asked`: why a person was wanted, where it is not for
 * `reason`.
 */
function ticketed (
  conversation: ConversationRecord, reason: HandoffReason, given: Circumstances, asked = reason
): Change {
  const { course } = conversation
  const change = {
    ...toAgent(conversation),
    reason,
    course: {
      ...returnedCourse(conversation),
      asked_at: course.asked_at ?? given.at,
      asked_for: course.asked_for ?? asked,
      is_ticketed: true,
      waits: 0
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
    notice: { key: course.is_ticketed ? 'ticketed' : 'ticket' },
    events: ['handoff.ticketed'],
    announces: course.is_ticketed ? [] : [{ type: 'handoff.ticketed', data: { reason } }],
    jobs: [...(course.is_ticketed ? [] : [open]), timer(change, 'silent', SILENT_MS)],
    stops: given.writes > 0
  }
}

function cancelled (conversation: ConversationRecord, { speaker }: Circumstances): Change {
  if (conversation.handled_by !== 'queue') {
    throw new Refusal('conflict', 'This conversation does not wait for a person.')
  }
  return returned(conversation, speaker.status === 'Active')
}

function taken (
  conversation: ConversationRecord, person: number, from: number | null, given: Circumstances
): Change | undefined {
  const { handled_by: by, person: holder } = conversation
  if (by === 'person' && holder === person) return undefined
  if (by === 'person' && holder !== from) {
    throw new Refusal(
      'conflict',
      'Somebody else has taken this conversation over. Ask them to release it, or name them in "from" to take it from them.',
      { fields: { person: holder } }
    )
  }
  const back = conversation.status === 'closed' ? reopened(conversation, given) : undefined
  const current = { ...conversation, ...back?.change }
  const { course } = current
  const change = {
    ...back?.change,
    reopened_at: conversation.reopened_at,
    status: 'open' as const,
    handled_by: 'person' as const,
    person,
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
        : timer(change, 'silent', SILENT_MS)
    ],
    stops: given.writes > 0
  }
}

/** A person's answer takes over where nobody else has. */
function replied (conversation: ConversationRecord, person: number, given: Circumstances): Change {
  const took = taken(conversation, person, null, given)
  const course = { ...(took?.change.course ?? conversation.course), waits: 0, is_unanswered: false }
  return {
    ...(took ?? noted(conversation, {})),
    change: { ...took?.change, course },
    jobs: [timer({ epoch: took?.change.epoch ?? conversation.epoch, course }, 'silent', SILENT_MS)]
  }
}

function released (conversation: ConversationRecord, person: number, { speaker }: Circumstances): Change {
  const { handled_by: by, person: holder } = conversation
  if (by !== 'person') throw new Refusal('conflict', 'Nobody has taken this conversation over.')
  if (holder !== person) {
    throw new Refusal('conflict', 'Somebody else has taken this conversation over; only they can release it.', {
      fields: { person: holder }
    })
  }
  return returned(conversation, speaker.status === 'Active')
}

/** The agent speaks again, and answers what waits where it `answers`. */
function returned (conversation: ConversationRecord, answers: boolean): Change {
  const { course: { waits } } = conversation
  const change = { ...toAgent(conversation), reason: null, course: { ...returnedCourse(conversation), waits: 0 } }
  return {
    ...noted(conversation, {}),
    change,
    notice: { key: 'returned' },
    events: ['handoff.released'],
    announces: [{ type: 'handoff.released', data: {} }],
    jobs: [timer(change, 'silent', SILENT_MS)],
    answers: answers && waits > 0
  }
}

/** The agent's context begins anew after a person's part: at what still waits for an answer, or now. */
function returnedCourse ({ handled_by: by, course, messages }: ConversationRecord): Course {
  return by === 'agent' ? course : { ...course, boundary: course.waits > 0 ? course.waits - 1 : messages, transfer: 0 }
}

function toAgent ({ epoch }: ConversationRecord) {
  return { status: 'open' as const, handled_by: 'agent' as const, person: null, epoch: epoch + 1 }
}

/** Another agent of the account answers from now on, unless it has done so before or there were too many. */
function transferred (
  conversation: ConversationRecord, to: Speaker | undefined, reason: string, { speaker }: Circumstances
): Change | undefined {
  const { course, epoch, messages } = conversation
  const isAllowed =
    to &&
    speaker.aiToAiHandoff &&
    to.aiToAiHandoff &&
    to.status === 'Active' &&
    to.id !== speaker.id &&
    !course.hops.includes(to.id) &&
    course.hops.length < MOST_HOPS
  if (!isAllowed) return undefined
  const change = {
    speaker: to.id,
    reason: 'transferred' as const,
    epoch: epoch + 1,
    course: { ...course, hops: [...course.hops, speaker.id], transfer: messages, passed_for: reason }
  }
  return {
    ...noted(conversation, {}),
    change,
    notice: { key: 'transferred', to, prompt: speaker.agentHandoffPrompt },
    events: ['handoff.transferred'],
    announces: [{ type: 'handoff.transferred', data: { to: to.id } }],
    jobs: [timer(change, 'silent', SILENT_MS)],
    answers: true
  }
}

function due (
  conversation: ConversationRecord,
  { epoch, what, waits: since }: Extract<HandsEvent, { type: 'due' }>,
  given: Circumstances
): Change | undefined {
  if (epoch !== conversation.epoch || conversation.status === 'closed') return undefined
  const {
    handled_by: by, course: { waits, is_unanswered: isUnanswered }
  } = conversation
  if (what === 'overdue') return by === 'queue' ? ticketed(conversation, 'no_one_available', given) : undefined
  if (what === 'unanswered') {
    return by === 'person' && waits === since && (waits > 0 || isUnanswered)
      ? callPerson(conversation, 'no_one_available', given)
      : undefined
  }
  if (by === 'queue' || (by === 'person' && waits > 0)) return undefined
  if (given.isFollowedUp) return { ...noted(conversation, {}), jobs: [timer(conversation, 'silent', SILENT_MS)] }
  const silentFor = Date.parse(given.at) - Date.parse(conversation.last_message_at ?? conversation.created_at)
  if (silentFor >= SILENT_MS) {
    return closed(conversation, outcomeOf(conversation, { by: 'time', isResolved: false }), given)
  }
  // Never longer than from the beginning, whatever becomes of the clock.
  return {
    ...noted(conversation, {}), jobs: [timer(conversation, 'silent', Math.min(SILENT_MS, SILENT_MS - silentFor))]
  }
}

function closed (conversation: ConversationRecord, outcome: Outcome, given: Circumstances): Change {
  const { course, episode } = conversation
  const change = {
    ...toAgent(conversation), status: 'closed' as const, outcome, closed_at: given.at, course: { ...course, waits: 0 }
  }
  return {
    ...noted(conversation, {}),
    change,
    notice: { key: 'closed' },
    events: ['conversation.closed'],
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

/** A closed conversation goes on, in a new episode, with its own agent. */
function reopened (conversation: ConversationRecord, { at }: Circumstances): Change {
  const change = {
    ...toAgent(conversation),
    speaker: null,
    reason: null,
    episode: conversation.episode + 1,
    outcome: null,
    closed_at: null,
    reopened_at: at,
    course: { ...NEW_COURSE, boundary: conversation.messages }
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
 * How an episode ended, counted conservatively: an answer nobody thanked for counts only after a day of silence, and
 * only if it named a source.
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

/** Nobody else speaks; only how the episode goes is noted. */
function noted ({ course }: ConversationRecord, next: Partial<Course>): Change {
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

/** Asks to be told when the time is up, in place of what was asked for before. */
function timer (
  { epoch, course: { waits } }: { epoch: number, course: Pick<Course, 'waits'> }, what: Due, inMs: number
): ConversationJob {
  return { kind: HANDOFF_DUE, payload: { epoch, what, waits }, inMs }
}
