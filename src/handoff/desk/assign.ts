import type { ConversationRecord } from '../../../schema/conversations.ts'
import type { HandsEvent } from '../../conversations/index.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import { CLOSED } from '../conversing.ts'
import { callPerson, noted, type Change, type Circumstances } from '../moves.ts'
import { taken } from '../people.ts'
import { offer } from './offers.ts'

/*
 * Whose conversation it is: offered to somebody, given to them, passed on by who holds it, and left by who is no member
 * any more.
 */

/**
 * A conversation is given to a member, or to nobody. Where people answer in it, or it waits for one, that member
 * answers from now on; where its agent does, the member is asked first once a person is wanted. Refuses with
 * VALIDATION_ERROR somebody who may not answer, with `taken_over` what a third one holds who is not named in `from`.
 */
export function assigned (
  conversation: ConversationRecord, { by, to, from }: Extract<HandsEvent, { type: 'assigned' }>, given: Circumstances
): Change | undefined {
  const { status, handled_by: handledBy, person, assignee } = conversation
  if (status === 'closed') throw new Refusal(...CLOSED)
  if (to !== null && !given.mayAnswer(to)) {
    throw invalid({ field: 'assignee', message: 'assignee must be a member of the team who may answer visitors.' })
  }
  const isMoved = to !== null && to !== person && handledBy !== 'agent'
  const named = to === assignee
    ? undefined
    : { ...noted(conversation, {}), change: { assignee: to }, events: ['conversation.updated' as const] }
  const change = isMoved ? taken(conversation, to, person === by ? person : from, given) : named
  if (!change || to === null || to === by || to === person) return change
  // Who is given something by somebody else is called, as by a visitor who waits.
  return {
    ...change,
    events: [...change.events, 'handoff.assigned'],
    announces: [...change.announces, { type: 'handoff.assigned', data: { to } }]
  }
}

/** Who held it, or was to, is there no more: it waits for somebody else. */
export function abandoned (
  conversation: ConversationRecord, { person }: Extract<HandsEvent, { type: 'abandoned' }>, given: Circumstances
): Change | undefined {
  const { status, epoch, person: holder, assignee, offered_to: offeredTo } = conversation
  if (status === 'closed') return undefined
  const own = { ...conversation, assignee: assignee === person ? null : assignee }
  const called = holder === person ? callPerson(own, 'no_one_available', given) : undefined
  const passed = holder !== person && offeredTo === person
    ? passedOver(own, { type: 'passed', epoch, to: person }, given)
    : undefined
  const change = called ?? passed
  if (!change && own.assignee === assignee) return undefined
  return {
    ...(change ?? { ...noted(conversation, {}), events: ['conversation.updated'] }),
    change: { ...change?.change, assignee: own.assignee }
  }
}

/** One that waits and is offered to nobody is offered to whoever has become free. */
export function offered (conversation: ConversationRecord, given: Circumstances): Change | undefined {
  if (conversation.handled_by !== 'queue' || conversation.offered_to !== null) return undefined
  const next = offer(conversation, conversation.course.passed, given)
  return next.change.offered_to === null ? undefined : { ...noted(conversation, {}), ...next }
}

/** Whoever it was offered to has not taken it: the next one is asked. */
export function passedOver (
  conversation: ConversationRecord, { epoch, to }: Extract<HandsEvent, { type: 'passed' }>, given: Circumstances
): Change | undefined {
  if (epoch !== conversation.epoch || conversation.offered_to !== to) return undefined
  const passed = [...conversation.course.passed, to]
  const { change, ...next } = offer(conversation, passed, given)
  return {
    ...noted(conversation, {}),
    ...next,
    change: { ...change, course: { ...conversation.course, passed } },
    events: next.events.length > 0 ? next.events : ['conversation.updated']
  }
}
