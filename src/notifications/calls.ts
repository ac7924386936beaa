import type { ConversationRecord } from '../../schema/conversations.ts'
import type { Id } from '../../schema/common.ts'

/*
 * Who is called by what happens in a conversation, and whether it still calls when they are told: a rule without a
 * database.
 */

/**
 * A conversation as far as the rule looks at it: who has it, whose it is, how often that changed, since which message
 * it waits, and how many messages it has.
 */
export interface Standing {
  by: ConversationRecord['handled_by']
  person: Id | null
  assignee: Id | null
  turn: number
  waits: number
  messages: number
}

/**
 * What calls: the visitor's message, or a turn, in which a person is waited for, or was given the conversation by
 * somebody else. Of a turn `message` is 0.
 */
export interface Call { message: number, turn: number }

/** Somebody who may answer in the account. `on`: what they have said of their duty. `hasConsole`: one is open. */
export interface Person { user: Id, on: boolean | null, hasConsole: boolean, seen: number }

/** Milliseconds that a console which is open has to show it, before it is pushed as well. */
export const UNSEEN_MS = 10_000

/** How a conversation stands. */
export function standingOf (
  { handled_by: by, person, assignee, epoch: turn, course: { waits }, messages }: ConversationRecord
): Standing {
  return { by, person, assignee, turn, waits, messages }
}

/**
 * Milliseconds after which somebody is to be called; undefined where they are not. Who waits calls everybody who has
 * not said that they are not there; who wrote calls whoever has the conversation, and who gives it away whom they gave
 * it to.
 */
export function calledIn (standing: Standing, call: Call, person: Person): number | undefined {
  if (!stillCalls(standing, call, person)) return undefined
  if (!person.hasConsole) return 0
  // While the agent answers nobody waits, and the console has told it.
  return standing.by === 'agent' ? undefined : UNSEEN_MS
}

/** Whether somebody is to be told, as things stand. */
export function stillCalls (
  { by, person, assignee, turn, waits, messages }: Standing, call: Call, { user, on, seen }: Omit<Person, 'hasConsole'>
): boolean {
  if (call.message > 0) return by === 'person' && person === user && waits > 0 && seen < call.message
  if (turn !== call.turn) return false
  if (by === 'queue') return on !== false
  return by === 'person' ? person === user && seen < messages : assignee === user
}
