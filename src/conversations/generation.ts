import type { Id } from '../../schema/common.ts'
import type { MessageRecord } from '../../schema/conversations.ts'
import type { Written } from './answering/written.ts'
import type { Answer } from './life/decision.ts'

/** An answer being written: its text is in its writer's memory until it ends. */
export interface Generation {
  /** Distinguishes it from other attempts at the same answer. */
  readonly begun: symbol | string
  readonly owner: Id
  readonly conversation: string
  readonly answer: MessageRecord
  /** The epoch at its start: it is valid only in that epoch. */
  readonly epoch: number
  /** What is visible of it so far. */
  readonly text: Pick<Written, 'length' | 'after' | 'whole'>
  /** Milliseconds at its start. */
  readonly since: number
  /** Its current action, as shown to visitors; null: none. */
  doing: () => string | null
  /** What is saved if it ends now: the text seen, with its citations, and its usage. */
  soFar: () => Answer
}

/** Whether both are the same attempt at the same answer: a restarted one is different. */
export const isSameRun = (
  one: MessageRecord | undefined, other: Pick<MessageRecord, 'id' | 'seq' | 'attempts'>
): boolean => one?.id === other.id && one.seq === other.seq && one.attempts === other.attempts
