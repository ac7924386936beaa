/** Why a step failed: it took too long or too much memory, printed too much or nonsense, or crashed. */
export type SandboxFault = 'timeout' | 'out_of_memory' | 'output_too_large' | 'crashed'

/** A step in the sandbox failed; `message` ends with the last message of the child itself. */
export class SandboxError extends Error {
  readonly code: SandboxFault

  constructor (code: SandboxFault, detail = '') {
    super(`The step in the sandbox ended with ${code}. ${detail}`.trim())
    this.name = 'SandboxError'
    this.code = code
  }
}

/** Argument of a child that is given one step after the other. */
export const WARM = '--warm'

/** Argument of a child that asks while it works: its input comes in frames, and so do the answers to it. */
export const ASKS = '--asks'

/** Message of a process before it is ended for its memory use, to distinguish this from being killed by others. */
export const OVER_MEMORY = 'Took more memory than it may: ended by its own watch.'

/** Argument of a child that has to watch over itself. */
export const WATCH = '--watch'

/** A step to run in a separate process. */
export interface Step {
  /** Program and arguments, as returned by `selfCommand`. */
  command: string[]
  /** What the child reads from its standard input. */
  input: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>
  memoryMiB: number
  /**
   * Time limit for all waiting for the child and all parsing of its output together; the time of the consumer of its
   * answers does not count, and output earns it more time, so that much text on a slow machine gets as far as little on
   * a fast one, while silence is never longer than this.
   */
  deadlineMs: number
  /** Maximum bytes the child may print. */
  maxOutput: number
  /** For whom: places are shared fairly between holders. */
  holder?: unknown
  /** Ends the child, or the wait for a place; the step then throws the signal's reason. */
  signal?: AbortSignal
}
