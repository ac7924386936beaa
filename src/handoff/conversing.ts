import type { ConversationRecord } from '../../schema/conversations.ts'
import type { Course, HandoffReason } from '../../schema/handoff.ts'
import type { Ending, HandoffEvent, Speaker } from '../conversations/index.ts'
import { Refusal } from '../platform/errors.ts'
import type { Way } from '../platform/http/openapi.ts'
import {
  callPerson, isReachable, noted, reopened, returned, SILENT_MS, TICKET_ADDRESS, ticketed, timer, UNANSWERED_MS,
  type HandoffChange, type HandoffContext, type VisitorNotice
} from './moves.ts'
import { ownProperty } from '../platform/objects.ts'

/* Events caused by visitors and agents, by messages and requests. */

/** Transfers to other agents per episode, at most. */
export const MOST_HOPS = 3
/** Unknown or failed answers in a row before a person is offered, or called. */
const UNKNOWNS = 2
const FAILURES = 2

type Said = Extract<HandoffEvent, { type: 'said' }>

export function said (kept: ConversationRecord, event: Said, given: HandoffContext): HandoffChange {
  const change = awoken(kept, heard(kept, event, given))
  const { address, isAddressUnclear, seq } = event
  // Whoever asks for a person may say the address in the same message.
  const before = kept.course.address ?? change.change.course?.address ?? null
  if (isAddressUnclear && before !== null && change.answers) {
    return { ...change, notice: { key: 'address' }, answers: false }
  }
  if (before === null && address?.isAll && kept.handled_by !== 'agent' && !given.hasAddress()) {
    return withAddressOf(kept, seq, change)
  }
  // Once there is one, only a message of nothing else corrects it.
  if (!address || before === null || (before > 0 && !address.isAll)) return change
  const { notice } = change
  const isTold = notice !== null && notice.key !== 'returned'
  return {
    ...withAddressOf(kept, seq, change, before),
    notice: isTold ? withAddress(notice, address.email) : { key: 'noted', email: address.email },
    answers: change.answers && !address.isAll
  }
}

/**
 * The message at this position has the visitor's address. Visitors who wait for a person, or talk to one, get no
 * confirmation: the answer may well come here.
 */
function withAddressOf (kept: ConversationRecord, seq: number, change: HandoffChange, before = 0): HandoffChange {
  return {
    ...change,
    change: { ...change.change, course: { ...(change.change.course ?? kept.course), address: seq } },
    jobs: [...change.jobs, { kind: TICKET_ADDRESS, payload: { owner: kept.owner, seq, before } }]
  }
}

/** A notice that would have asked for an address says the one that was given. */
function withAddress (notice: VisitorNotice, email: string): VisitorNotice {
  return 'asksAddress' in notice ? { ...notice, asksAddress: false, email } : notice
}

/** A snoozed one comes back as soon as its visitor writes. */
function awoken ({ snoozed_until: until }: ConversationRecord, change: HandoffChange): HandoffChange {
  return until === null ? change : { ...change, change: { ...change.change, snoozed_until: null } }
}

/** How a visitor's message changes who speaks. */
function heard (kept: ConversationRecord, { seq, wantsPerson, isThanks }: Said, given: HandoffContext): HandoffChange {
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
  conversation: ConversationRecord, { epoch, ending }: Extract<HandoffEvent, { type: 'ended' }>, given: HandoffContext
): HandoffChange | undefined {
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

/** A model's proposal is carried out if allowed. */
function proposed (
  conversation: ConversationRecord, { proposal, isCited }: Ending, given: HandoffContext
): HandoffChange | undefined {
  if (!proposal) return undefined
  const { speaker } = given
  const transfer = /^transfer_(\d{1,15})$/.exec(proposal.action)
  if (transfer) return transferred(conversation, given.agent(Number(transfer[1])), proposal.reason, given)
  if (proposal.action === 'resolve') {
    return noted(conversation, { is_confirmed: isCited || conversation.course.is_cited })
  }
  if (proposal.action === 'handoff' && isReachable(speaker)) {
    return callPerson(conversation, ownProperty(REASONS, proposal.reason) ?? 'rule', given)
  }
  if (proposal.action === 'ticket' && isReachable(speaker)) {
    return ticketed(conversation, ownProperty(REASONS, proposal.reason) ?? 'rule', given)
  }
  return undefined
}

/** Names for models. */
const REASONS: Record<string, HandoffReason> = {
  asked_for_a_person: 'visitor_asked', not_in_the_sources: 'not_known', complaint: 'rule', instructions_say_so: 'rule'
}

/** A person is called if no model can answer, or answers fail repeatedly. */
function calledFor (
  conversation: ConversationRecord, { isUnknown, hindered }: Ending, given: HandoffContext
): HandoffChange | undefined {
  const { course } = conversation
  if (!isReachable(given.speaker) || (course.is_ticketed && !given.isOnDuty)) return undefined
  if (hindered && isUnknown) return callPerson(conversation, hindered, given)
  return course.failures >= FAILURES ? callPerson(conversation, 'repeated_failure', given) : undefined
}

/** A person is offered if the agent repeatedly does not know. */
function offered (conversation: ConversationRecord, { speaker }: HandoffContext): HandoffChange {
  const { unknowns } = conversation.course
  const isOffered =
    unknowns > 0 && unknowns % UNKNOWNS === 0 && isReachable(speaker) && !conversation.course.is_ticketed
  return { ...noted(conversation, {}), notice: isOffered ? { key: 'offer' } : null }
}

/** Another agent of the account answers from now on, unless it already has or there were too many. */
function transferred (
  conversation: ConversationRecord, to: Speaker | undefined, reason: string, { speaker }: HandoffContext
): HandoffChange | undefined {
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
  'conversation_closed', 'This conversation is closed. Send a message in it to reopen it.'
] as const satisfies Way

/** Why nobody is called: the agent does not hand over. */
export const NO_HANDOFF = [
  'handoff_not_set_up', 'This agent hands over to nobody: switch expertHandoff on, or give it an address for tickets.'
] as const satisfies Way

export function asked (
  conversation: ConversationRecord, reason: HandoffReason, given: HandoffContext
): HandoffChange | undefined {
  if (conversation.status === 'closed') {
    throw new Refusal(...CLOSED)
  }
  if (conversation.handled_by !== 'agent') return undefined
  if (!isReachable(given.speaker)) {
    throw new Refusal(...NO_HANDOFF)
  }
  return callPerson(conversation, reason, given)
}

export function cancelled (conversation: ConversationRecord, { speaker }: HandoffContext): HandoffChange {
  if (conversation.handled_by !== 'queue') {
    throw new Refusal('not_waiting', 'This conversation is not waiting for a person.')
  }
  return returned(conversation, speaker.status === 'Active')
}
