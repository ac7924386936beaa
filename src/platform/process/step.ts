/** Why a step gave no answer: it took too long, took too much memory, said too much, said nonsense, or fell over. */
export type SandboxFault = 'timeout' | 'out_of_memory' | 'output_too_large' | 'crashed'

/** A step in the sandbox failed; `message` ends with the last the child said of its own accord. */
export class SandboxError extends Error {
  readonly code: SandboxFault

  constructor (code: SandboxFault, detail = '') {
    super(`The step in the sandbox ended with ${code}. ${detail}`.trim())
    this.name = 'SandboxError'
    this.code = code
  }
}

/** Among the arguments of a child that is given one step after the other. */
export const WARM = '--warm'

/** Among the arguments of a child that asks while it works: its input comes in frames, and so do the answers to it. */
export const ASKS = '--asks'

/** What a process says before it is ended for the memory it took, so that this is told from being killed by others. */
export const OVER_MEMORY = 'Took more memory than it may: ended by its own watch.'

/** Among the arguments of a child that has to watch over itself. */
export const WATCH = '--watch'

/** A step to run apart from the server. */
export interface Step {
  /** Program and arguments, as `selfCommand` makes them. */
  command: string[]
  /** What the child reads from its standard input. */
  input: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>
  memoryMiB: number
  /**
   * How long all waiting for the child and all taking apart of what it prints may take together; what the reader of its
   * answers does meanwhile is not counted, and what it prints earns it time again, so that much text on a slow machine
   * gets as far as little on a fast one, while silence is never longer than this.
   */
  deadlineMs: number
  /** Bytes the child may print. */
  maxOutput: number
  /** For whom: places are shared fairly between holders. */
  holder?: unknown
  /** Ends the child, or the waiting for a place; the step then throws the signal's reason. */
  signal?: AbortSignal
}
