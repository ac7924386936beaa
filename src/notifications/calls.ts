import type { ConversationRecord } from '../../schema/conversations.ts'
import type { Id } from '../../schema/common.ts'

/*
 * Who is notified of events in a conversation, and whether that is still needed on delivery: a rule without a database.
 */

/**
 * A conversation as far as the rule needs it: its handler, assignee, number of handler changes, the message since which
 * it waits, and its number of messages.
 */
export interface CallState {
  by: ConversationRecord['handled_by']
  person: Id | null
  assignee: Id | null
  turn: number
  waits: number
  messages: number
}

/**
 * What triggers a notification: the visitor's message, or a turn, in which a person is awaited, or was assigned the
 * conversation by somebody else. For a turn `message` is 0.
 */
export interface Call { message: number, turn: number }

/** Somebody who may answer in the account. `on`: their stated availability. `hasConsole`: one is open. */
export interface Person { user: Id, on: boolean | null, hasConsole: boolean, seen: number }

/** Milliseconds that an open console has to show it, before it is pushed as well. */
export const UNSEEN_MS = 10_000

/** The state of a conversation. */
export function standingOf (
  { handled_by: by, person, assignee, epoch: turn, course: { waits }, messages }: ConversationRecord
): CallState {
  return { by, person, assignee, turn, waits, messages }
}

/**
 * Milliseconds after which somebody is notified; undefined if they are not. A waiting visitor notifies everybody who is
 * not set to unavailable; a message, the person who has the conversation; an assignment, the assignee.
 */
export function calledIn (standing: CallState, call: Call, person: Person): number | undefined {
  if (!stillCalls(standing, call, person)) return undefined
  if (!person.hasConsole) return 0
  // While the agent answers nobody waits, and the console has shown it.
  return standing.by === 'agent' ? undefined : UNSEEN_MS
}

/** Whether somebody is to be notified, in the current state. */
export function stillCalls (
  { by, person, assignee, turn, waits, messages }: CallState, call: Call, { user, on, seen }: Omit<Person, 'hasConsole'>
): boolean {
  if (call.message > 0) return by === 'person' && person === user && waits > 0 && seen < call.message
  if (turn !== call.turn) return false
  if (by === 'queue') return on !== false
  return by === 'person' ? person === user && seen < messages : assignee === user
}
