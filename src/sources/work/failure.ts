import type { SourceError } from '../../../schema/knowledge.ts'
import { Refusal, type Failure } from '../../platform/errors.ts'

/** How often what can be asked for again later is tried before it counts as failed. */
export const TRIES = 5
/** How long after the first failure it is tried again. */
export const FIRST_WAIT_MS = 5000

/** Something that ended a source, with what the source shows. */
export class Failed extends Error {
  readonly failure: SourceError
  /** The page is known to be no more: what it said does not answer any longer. */
  readonly isGone: boolean

  constructor (failure: SourceError, { isGone = false } = {}) {
    super(failure.message)
    this.failure = failure
    this.isGone = isGone
  }
}

/** What the job was about was deleted, or asked for anew. */
export class Unwanted extends Error {}

/** Where there is nothing to learn from. */
export const NOTHING_THERE: SourceError = {
  code: 'no_text',
  message: 'No text was found at this address. Check that it shows text without signing in and without scripts.',
  retryable: false
}

/** What took up the patience that a source has. */
export const TOO_SLOW: SourceError = {
  code: 'timeout',
  message:
    'This was waited for longer than 15 minutes in all, and gave nothing that could be kept. Train it again when it answers faster, or add fewer pages of it.',
  retryable: true
}

/** What ends the process that works on it, again and again. */
export const neverEnds = (begun: number): SourceError => ({
  code: 'internal_error',
  message: `Reading this was begun ${begun} times and never came to an end. Train it again; if it stays, ask the operator to look into the log.`,
  retryable: true
})

/**
 * What of an error a person may see. What nobody foresaw is thrown, to be logged and tried again by the worker, until
 * it has been tried enough.
 */
export function failureOf (error: unknown, attempt: number): SourceError {
  if (error instanceof Failed) return error.failure
  if (error instanceof Refusal) return { code: error.code, message: error.message, retryable: error.status >= 500 }
  const { code, message, retryable } = error as Partial<SourceError>
  if (typeof code === 'string' && typeof retryable === 'boolean') return { code, message: String(message), retryable }
  if (attempt < TRIES) throw error
  return {
    code: 'internal_error',
    message:
      'Something went wrong on our side. Train it again later; if it stays, ask the operator to look into the log.',
    retryable: true
  }
}

/** An Error keeps its message where JSON does not look. */
export function plain ({ code, message, retryable }: Failure): SourceError {
  return { code, message, retryable }
}
