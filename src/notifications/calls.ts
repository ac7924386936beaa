import type { ConversationRecord } from '../../schema/conversations.ts'
import type { Id } from '../../schema/common.ts'

/*
 * Who is called by what happens in a conversation, and whether it still calls when they are told: a rule without a
 * database.
 */

/** A conversation as far as the rule looks at it: who has it, how often that changed, since which message it waits. */
export interface Standing { by: ConversationRecord['handled_by'], person: Id | null, turn: number, waits: number }

/** What calls: the visitor's message, or that a person is waited for in a turn; the other one is 0. */
export interface Call { message: number, turn: number }

/** Somebody who may answer in the account. `on`: what they have said of their duty. `hasConsole`: one is open. */
export interface Person { user: Id, on: boolean | null, hasConsole: boolean, seen: number }

/** Milliseconds that a console which is open has to show it, before it is pushed as well. */
export const UNSEEN_MS = 10_000

/** How a conversation stands. */
export function standingOf ({ handled_by: by, person, epoch: turn, course: { waits } }: ConversationRecord): Standing {
  return { by, person, turn, waits }
}

/**
 * Milliseconds after which somebody is to be called; undefined where they are not. Who waits calls everybody who has
 * not said that they are not there; who wrote calls whoever has the conversation.
 */
export function calledIn (standing: Standing, call: Call, person: Person): number | undefined {
  return stillCalls(standing, call, person) ? (person.hasConsole ? UNSEEN_MS : 0) : undefined
}

/** Whether somebody is to be told, as things stand. */
export function stillCalls (
  { by, person, turn, waits }: Standing, call: Call, { user, on, seen }: Omit<Person, 'hasConsole'>
): boolean {
  if (call.message === 0) return by === 'queue' && turn === call.turn && on !== false
  return by === 'person' && person === user && waits > 0 && seen < call.message
}
