import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { isSea } from 'node:sea'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { OVER_MEMORY } from './watchdog.ts'

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

/** A step to run apart from the server. */
export interface Step {
  /** Program and arguments, as `selfCommand` makes them. */
  command: string[]
  /** What the child reads from its standard input. */
  input: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>
  memoryMiB: number
  /**
   * How long all waiting for the child and all taking apart of what it prints may take together; what the reader of its answers does
   * meanwhile is not counted, and what it prints earns it time again, so that much text on a slow machine gets as far as little on a
   * fast one, while silence is never longer than this.
   */
  deadlineMs: number
  /** Bytes the child may print. */
  maxOutput: number
  /** Ends the child; the step then throws the signal's reason. */
  signal?: AbortSignal
}

/** Runs steps in child processes, a few at once, the others waiting in order. */
export interface Sandbox {
  /** What the child prints, a JSON value a line, none of it trusted. Throws SandboxError, or the signal's reason. */
  run (step: Step): AsyncGenerator<unknown, void>
}

/** A sandbox that never runs more than `atOnce` children. */
export function openSandbox ({ atOnce = 2 } = {}): Sandbox {
  let free = atOnce
  const waiting: (() => void)[] = []
  return {
    async * run (step) {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        step.signal?.throwIfAborted()
        yield * answers(step)
      } finally {
        const next = waiting.shift()
        if (next) next()
        else free++
      }
    }
  }
}

/** What a process says that took too much memory, on the heap or beside it. */
const MEMORY = ['heap out of memory', OVER_MEMORY]

/** A child that prints so much a millisecond, 64 KiB a second, is at work. */
const BYTES_A_MS = 64

/** Characters that one answer may have: what the child is asked to print is far less. */
const MAX_LINE = 8 * 2 ** 20

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** The command that starts this program again as a sub-command: the executable alone when packed, `entry` under Node otherwise. */
export function selfCommand (sub: string, entry = `${ROOT}src/main.ts`): string[] {
  return isSea() ? [process.execPath, sub] : [process.execPath, entry, sub]
}

/** The child may read this program's own code, and no other file, network, or process. */
function nodeOptions (memoryMiB: number): string {
  const readable = isSea() ? [process.execPath] : ['src', 'schema', 'node_modules', 'package.json'].map((name) => ROOT + name)
  const flags = [`--max-old-space-size=${memoryMiB}`, '--no-warnings', '--permission', '--allow-worker', ...readable.map((path) => `--allow-fs-read=${path}`)]
  return flags.map((flag) => JSON.stringify(flag)).join(' ')
}

async function * answers (step: Step): AsyncGenerator<unknown, void> {
  const [program = '', ...args] = step.command
  // The environment is empty but for what Node itself needs: a packed executable takes its options only from there.
  const child = spawn(program, [...args, String(step.memoryMiB), String(step.deadlineMs)], { env: { NODE_OPTIONS: nodeOptions(step.memoryMiB) }, stdio: 'pipe' })
  const run = new Run(child, step)
  // A child that ends early closes its input; what it says and how it ends tells why.
  pipeline(Readable.from(step.input), child.stdin!).catch((error) => run.inputFailed(error))
  try {
    yield * run.values()
    await run.end()
  } finally {
    child.kill('SIGKILL')
  }
}

function parsed (line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new SandboxError('crashed', 'It did not print JSON.')
  }
}

/** A stream of text cut into its lines, looking at each character once. Throws `output_too_large` for a line without an end. */
class Lines {
  #begun: string[] = []
  #length = 0

  get isOpen (): boolean {
    return this.#length > 0
  }

  /** The lines that end in the next stretch of text. */
  endedBy (text: string): string[] {
    const ended: string[] = []
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#begun.push(text.slice(from, end))
      ended.push(this.#begun.join(''))
      this.#begun = []
      this.#length = 0
      from = end + 1
    }
    const rest = text.slice(from)
    this.#length += rest.length
    if (this.#length > MAX_LINE) throw new SandboxError('output_too_large')
    if (rest) this.#begun.push(rest)
    return ended
  }
}

/** One child being listened to. */
class Run {
  readonly #child: ChildProcess
  readonly #step: Step
  readonly #exit: Promise<[number | null, NodeJS.Signals | null]>
  #remaining: number
  #complaint = ''
  #fault: unknown

  constructor (child: ChildProcess, step: Step) {
    this.#child = child
    this.#step = step
    this.#remaining = step.deadlineMs
    this.#exit = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
    this.#exit.catch(() => {})
    child.stderr!.setEncoding('utf8').on('data', (text: string) => { this.#complaint = (this.#complaint + text).slice(-4096) })
    step.signal?.addEventListener('abort', () => this.#stop(step.signal?.reason), { once: true })
  }

  /** The caller's input broke off: not the child's fault. A pipe the child closed is told by how it ends. */
  inputFailed (error: NodeJS.ErrnoException) {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') this.#stop(error)
  }

  /** What the child prints. Taking it apart costs the child its time too: an answer made to be slow to read must not be free. */
  async * values (): AsyncGenerator<unknown, void> {
    const lines = new Lines()
    let printed = 0
    const chunks = this.#child.stdout!.setEncoding('utf8')[Symbol.asyncIterator]()
    for (;;) {
      const { value, done } = await this.#within(chunks.next())
      if (done) break
      const began = performance.now()
      const bytes = Buffer.byteLength(value)
      printed += bytes
      if (printed > this.#step.maxOutput) throw new SandboxError('output_too_large')
      const values = lines.endedBy(value).map(parsed)
      this.#remaining = Math.min(this.#step.deadlineMs, this.#remaining + bytes / BYTES_A_MS) - (performance.now() - began)
      if (this.#remaining <= 0) throw new SandboxError('timeout')
      yield * values
    }
    if (lines.isOpen) throw new SandboxError('crashed', 'It broke off in the middle of an answer.')
  }

  /** Throws what went wrong, if anything did. */
  async end () {
    const [code, signal] = await this.#within(this.#exit)
    if (this.#fault) throw this.#fault
    if (MEMORY.some((words) => this.#complaint.includes(words))) throw new SandboxError('out_of_memory')
    if (signal) throw new SandboxError('crashed', `It was ended by ${signal}. ${this.#complaint}`)
    if (code !== 0) throw new SandboxError('crashed', this.#complaint)
  }

  /** Waits for the child no longer than its deadline leaves. */
  async #within<T> (promise: Promise<T>): Promise<T> {
    const began = performance.now()
    const timer = setTimeout(() => this.#stop(new SandboxError('timeout')), Math.max(this.#remaining, 0))
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#remaining -= performance.now() - began
    }
  }

  #stop (fault: unknown) {
    this.#fault ??= fault
    this.#child.kill('SIGKILL')
  }
}
