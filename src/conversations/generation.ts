import type { Id } from '../../schema/common.ts'
import type { MessageRecord } from '../../schema/conversations.ts'
import type { Answer } from './life/decision.ts'

/**
 * A text that grows piece by piece, hundreds of which are written at once. Appending to a string and reading its end
 * each time would copy all of it with every piece; here the latest addition is read without the rest.
 */
export class Written {
  /** The first may be many that were read as one. */
  #pieces: string[] = []
  #length = 0

  /** In UTF-16 units. */
  get length () { return this.#length }

  add (piece: string) {
    this.#pieces.push(piece)
    this.#length += piece.length
  }

  /** All of it. */
  whole (): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')]
    return this.#pieces[0] ?? ''
  }

  /** The text after this many units. */
  after (units: number): string {
    let first = this.#pieces.length
    let start = this.#length
    while (start > units && first > 0) start -= this.#pieces[--first]!.length
    return this.#pieces.slice(first).join('').slice(units - start)
  }
}

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
