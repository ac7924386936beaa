import type { Id } from '../../schema/common.ts'
import type { AnsweredBy, Citation, MessageRecord, Usage } from '../../schema/conversations.ts'
import type { Tokens } from '../models/index.ts'
import type { Answer } from './life/decision.ts'
import type { ModelUsage } from './usage/ledger.ts'

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

/** An answer being written: what is known of it to code that ends it early. */
export interface Draft {
  by: AnsweredBy
  /** The citations in a part of its text. */
  cite: (text: string) => Citation[]
  /** The model asked for it, and its usage so far. */
  asked: { agent: Id, model: string, provider: string, spent: () => Tokens } | undefined
  firstMs: number | null
  /** The current action for it, as shown to visitors; null: none. */
  doing: string | null
  /** Milliseconds since its start. */
  age: () => number
}

/** An answer of which nothing is known yet. */
export function newDraft (): Draft {
  return { by: 'model', cite: () => [], asked: undefined, firstMs: null, doing: null, age: () => 0 }
}

/** The ledger's record of an answer; undefined if no model was asked. */
export function runOf (draft: Draft, outcome: ModelUsage['outcome']): ModelUsage | undefined {
  const { asked, firstMs, age } = draft
  if (!asked) return undefined
  const { spent, ...who } = asked
  return { ...who, outcome, ...spent(), first_ms: firstMs, total_ms: age() }
}

/** The answer if it ends with the text seen so far: cited and counted like a finished one. */
export function endedWith (draft: Draft, seen: string, status: Answer['status'] = 'stopped'): Answer {
  const run = runOf(draft, status)
  const isModels = draft.by === 'model'
  return {
    text: seen,
    status,
    citations: draft.cite(seen),
    suggestions: [],
    answered_by: draft.by,
    model: isModels ? run?.model ?? null : null,
    usage: isModels && run ? usageOf(run) : null,
    error: null,
    ...(run && { run })
  }
}

/** The usage shown with a message. */
function usageOf (
  { agent: _agent, model: _model, provider: _provider, outcome: _outcome, ...usage }: ModelUsage
): Usage {
  return usage
}

/** A complete answer without citations that no model wrote. */
export function completeAnswer (
  text: string, by: 'model' | 'extract' | 'canned', suggestions: readonly string[]
): Answer {
  return {
    text,
    status: 'complete',
    citations: [],
    suggestions: [...suggestions],
    answered_by: by,
    model: null,
    usage: null,
    error: null
  }
}
