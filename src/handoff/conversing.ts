import type { ConversationRecord } from '../../schema/conversations.ts'
import type { Course, HandoffReason } from '../../schema/handoff.ts'
import type { Ending, HandsEvent, Speaker } from '../conversations/index.ts'
import { Refusal } from '../platform/errors.ts'
import type { Way } from '../platform/http/openapi.ts'
import {
  callPerson, isReachable, noted, reopened, returned, SILENT_MS, TICKET_ADDRESS, ticketed, timer, UNANSWERED_MS,
  type Change, type Circumstances
} from './moves.ts'
import { own } from '../platform/own.ts'

/* What visitors and agents cause, by what they say and by what they ask for. */

/** Agents that a conversation may be passed on to in an episode. */
export const MOST_HOPS = 3
/** Answers in a row that know nothing, or fail, before a person is offered, or called. */
const UNKNOWNS = 2
const FAILURES = 2

type Said = Extract<HandsEvent, { type: 'said' }>

export function said (kept: ConversationRecord, event: Said, given: Circumstances): Change {
  const change = awoken(kept, heard(kept, event, given))
  const { address, seq } = event
  const { address: before } = kept.course
  // Once there is one, only a message that says nothing else corrects it.
  if (!address || before === null || (before > 0 && !address.isAll)) return change
  const isTold = change.notice !== null && change.notice.key !== 'returned'
  return {
    ...change,
    change: { ...change.change, course: { ...(change.change.course ?? kept.course), address: seq } },
    notice: isTold ? change.notice : { key: 'noted', email: address.email },
    jobs: [...change.jobs, { kind: TICKET_ADDRESS, payload: { owner: kept.owner, seq, before } }],
    answers: change.answers && !address.isAll
  }
}

/** One that was put off comes back as soon as its visitor writes. */
function awoken ({ snoozed_until: until }: ConversationRecord, change: Change): Change {
  return until === null ? change : { ...change, change: { ...change.change, snoozed_until: null } }
}

/** What a visitor's words change about who speaks. */
function heard (kept: ConversationRecord, { seq, wantsPerson, isThanks }: Said, given: Circumstances): Change {
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

export function ended (
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
    return callPerson(conversation, own(REASONS, proposal.reason) ?? 'rule', given)
  }
  if (proposal.action === 'ticket' && isReachable(speaker)) {
    return ticketed(conversation, own(REASONS, proposal.reason) ?? 'rule', given)
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

/** Why nobody is called: the conversation is over. */
export const CLOSED = [
  'conversation_closed', 'This conversation is closed. Say something in it to take it up again.'
] as const satisfies Way

/** Why nobody is called: the agent hands over to nobody. */
export const NO_HANDOFF = [
  'handoff_not_set_up', 'This agent hands over to nobody: switch expertHandoff on, or give it an address for tickets.'
] as const satisfies Way

export function asked (
  conversation: ConversationRecord, reason: HandoffReason, given: Circumstances
): Change | undefined {
  if (conversation.status === 'closed') {
    throw new Refusal(...CLOSED)
  }
  if (conversation.handled_by !== 'agent') return undefined
  if (!isReachable(given.speaker)) {
    throw new Refusal(...NO_HANDOFF)
  }
  return callPerson(conversation, reason, given)
}

export function cancelled (conversation: ConversationRecord, { speaker }: Circumstances): Change {
  if (conversation.handled_by !== 'queue') {
    throw new Refusal('not_waiting', 'This conversation does not wait for a person.')
  }
  return returned(conversation, speaker.status === 'Active')
}
