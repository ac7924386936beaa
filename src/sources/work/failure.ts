import type { SourceError } from '../../../schema/knowledge.ts'
import { Refusal, type Failure } from '../../platform/errors.ts'

/** Maximum attempts of what can be retried before it counts as failed. */
export const TRIES = 5
/** How long after the first failure it is tried again. */
export const FIRST_WAIT_MS = 5000

/** Something that ended a source, with what the source shows. */
export class Failed extends Error {
  readonly failure: SourceError
  /** The page no longer exists: its text is no longer used for answers. */
  readonly isGone: boolean

  constructor (failure: SourceError, { isGone = false } = {}) {
    super(failure.message)
    this.failure = failure
    this.isGone = isGone
  }
}

/** The job's object was deleted, or requested again. */
export class Unwanted extends Error {}

/** Where there is nothing to learn from. */
export const NOTHING_THERE: SourceError = {
  code: 'no_text',
  message: 'No text was found at this address. Check that it shows text without signing in and without scripts.',
  retryable: false
}

/** Where a site was read, and no page of it is to be taken. */
export const NOTHING_TAKEN: SourceError = {
  code: 'no_page_taken',
  message:
    'No page was found that should be read. Check what is read and left out, and follow more links from the address.',
  retryable: false
}

/** The source's time limit was exceeded. */
export const TOO_SLOW: SourceError = {
  code: 'timeout',
  message:
    'This took longer than 15 minutes in total and gave nothing usable. Train it again when it answers faster, or add fewer pages of it.',
  retryable: true
}

/** What repeatedly crashes the process working on it. */
export const neverEnds = (begun: number): SourceError => ({
  code: 'internal_error',
  message: `Reading this was started ${begun} times and never finished. Train it again; if it happens again, ask the operator to check the log.`,
  retryable: true
})

/**
 * The part of an error that a person may see. Unexpected errors are thrown, to be logged and retried by the worker, up
 * to its limit.
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
      'Something went wrong on our side. Train it again later; if it happens again, ask the operator to check the log.',
    retryable: true
  }
}

/** An Error keeps its message where JSON does not look. */
export function plain ({ code, message, retryable }: Failure): SourceError {
  return { code, message, retryable }
}
