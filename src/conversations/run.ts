import type { Id } from '../../schema/common.ts'
import type { MessageRecord } from '../../schema/conversations.ts'
import type { Written } from './answering/written.ts'
import type { Answer } from './life/decision.ts'

/** An answer that is being written: its text is in the memory of whoever writes it until it ends. */
export interface Run {
  /** Tells it from the same answer that was begun another time. */
  readonly begun: symbol | string
  readonly owner: Id
  readonly conversation: string
  readonly answer: MessageRecord
  /** Who spoke when it was begun: it counts only while that is so. */
  readonly epoch: number
  /** What can be seen of it by now. */
  readonly text: Pick<Written, 'length' | 'after' | 'whole'>
  /** Milliseconds at which it was begun. */
  readonly since: number
  /** What is being done for it at the moment, as visitors are told; null: nothing. */
  doing: () => string | null
  /** What is kept of it if it ends now: what was seen, with its citations, and what it has taken. */
  soFar: () => Answer
}

/** Whether both are the same answer, begun the same time: what was begun anew since is another. */
export const isSameRun = (
  one: MessageRecord | undefined, other: Pick<MessageRecord, 'id' | 'seq' | 'attempts'>
): boolean => one?.id === other.id && one.seq === other.seq && one.attempts === other.attempts
