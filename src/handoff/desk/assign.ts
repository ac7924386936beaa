import type { ConversationRecord } from '../../../schema/conversations.ts'
import type { HandoffEvent } from '../../conversations/index.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import { CLOSED } from '../conversing.ts'
import { callPerson, noted, type HandoffChange, type HandoffContext } from '../moves.ts'
import { taken } from '../people.ts'
import { offer } from './offers.ts'

/*
 * Who a conversation belongs to: offered, assigned, passed on by its holder, and left by former members.
 */

/**
 * Assigns a conversation to a member, or to nobody. If people answer in it, or it waits for one, that member answers
 * from now on; if its agent does, the member is asked first once a person is requested. Refuses with VALIDATION_ERROR
 * somebody who may not answer, with `taken_over` one held by a third person not named in `from`.
 */
export function assigned (
  conversation: ConversationRecord, { by, to, from }: Extract<HandoffEvent, { type: 'assigned' }>, given: HandoffContext
): HandoffChange | undefined {
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
  // An assignee chosen by somebody else is called, as by a visitor who waits.
  return {
    ...change,
    events: [...change.events, 'handoff.assigned'],
    announces: [...change.announces, { type: 'handoff.assigned', data: { to } }]
  }
}

/** Its holder, actual or intended, has left: it waits for somebody else. */
export function abandoned (
  conversation: ConversationRecord, { person }: Extract<HandoffEvent, { type: 'abandoned' }>, given: HandoffContext
): HandoffChange | undefined {
  const { status, epoch, person: holder, assignee } = conversation
  if (status === 'closed') return undefined
  const updated = { ...conversation, assignee: assignee === person ? null : assignee }
  const change = holder === person
    ? callPerson(updated, 'no_one_available', given)
    : passedOver(updated, { type: 'passed', epoch, to: person }, given)
  if (!change && updated.assignee === assignee) return undefined
  return {
    ...(change ?? { ...noted(conversation, {}), events: ['conversation.updated'] }),
    change: { ...change?.change, assignee: updated.assignee }
  }
}

/** A waiting conversation without an offer is offered to the member who became free. */
export function offered (conversation: ConversationRecord, given: HandoffContext): HandoffChange | undefined {
  if (conversation.handled_by !== 'queue' || conversation.offered_to !== null) return undefined
  const next = offer(conversation, conversation.course.passed, given)
  return next.change.offered_to === null ? undefined : { ...noted(conversation, {}), ...next }
}

/** The member it was offered to has not taken it: the next is asked. */
export function passedOver (
  conversation: ConversationRecord, { epoch, to }: Extract<HandoffEvent, { type: 'passed' }>, given: HandoffContext
): HandoffChange | undefined {
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
