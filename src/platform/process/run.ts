import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { OVER_MEMORY, SandboxError, type Step } from './step.ts'

/** Messages of a process that took too much memory, on the heap or outside it. */
const MEMORY = ['heap out of memory', OVER_MEMORY]
/** A child that prints this many bytes per millisecond, 64 KiB a second, counts as working. */
const BYTES_A_MS = 64
/** How much a child yields to the server where cores are scarce: whoever talks is not to wait while files are read. */
const NICENESS = 5
/** How often a child's memory is checked: in between it can take some 30 MiB. */
const LOOK_MS = 30
/** Maximum characters of one answer: far more than the child is meant to print. */
const MAX_LINE = 8 * 2 ** 20

/** Lowers a child's priority; one that could not be started, or is gone already, needs none. */
function lowerPriority (pid: number | undefined) {
  try {
    if (pid !== undefined) setPriority(pid, Math.min(getPriority() + NICENESS, constants.priority.PRIORITY_LOW))
  } catch {}
}

/** One running child, for one step or for several in sequence. */
export class ChildRun {
  readonly #child: ChildProcess
  readonly #exit: Promise<[number | null, NodeJS.Signals | null]>
  readonly #chunks: AsyncIterator<string>
  readonly #lines = new Lines()
  #remaining = 0
  #complaint = ''
  #fault: unknown
  /** Answers that were printed together with one already returned. */
  #printed: unknown[] = []

  /** Memory limit, if we have to enforce it. */
  readonly #memoryMiB: number | undefined

  /**
   * Starts a program with this environment and nothing else of ours. With `memoryMiB`, a child that takes more is
   * killed; otherwise it watches over itself.
   */
  constructor ([program = '', ...args]: string[], env: NodeJS.ProcessEnv, memoryMiB?: number) {
    this.#memoryMiB = memoryMiB
    this.#child = spawn(program, args, { env, stdio: 'pipe' })
    lowerPriority(this.#child.pid)
    this.#exit = once(this.#child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
    this.#exit.catch(() => {})
    this.#child.stdin!.on('error', () => {})
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-4096)
    })
    this.#chunks = this.#child.stdout!.setEncoding('utf8')[Symbol.asyncIterator]()
  }

  /** Whether it can be given another step. */
  get isAlive (): boolean {
    return (
      this.#fault === undefined &&
      this.#child.exitCode === null &&
      this.#child.signalCode === null &&
      this.#child.stdin!.writable
    )
  }

  kill () {
    this.#child.kill('SIGKILL')
  }

  /** Whether this process stays alive for the child. */
  keep (isNeeded: boolean) {
    const { stdin, stdout, stderr } = this.#child
    for (const one of [this.#child, stdin, stdout, stderr] as { ref (): void, unref (): void }[]) {
      isNeeded ? one.ref() : one.unref()
    }
  }

  /** Runs one step, which ends with the child itself. Yields what it prints. */
  async * only (step: Step): AsyncGenerator<unknown, void> {
    yield * this.#listening(step, async function * (this: ChildRun) {
      // A child that ends early closes its input; its messages and its exit tell why.
      pipeline(Readable.from(step.input), this.#child.stdin!).catch((error) => this.#inputFailed(error))
      yield * this.#values(step)
      if (this.#lines.isOpen) throw new SandboxError('crashed', 'It broke off in the middle of an answer.')
      await this.#ended()
    })
  }

  /** Runs one step in a program that is not ours, and yields what it prints as text. */
  async * text (step: Step): AsyncGenerator<string, void> {
    yield * this.#listening(step, async function * (this: ChildRun) {
      pipeline(Readable.from(step.input), this.#child.stdin!).catch((error) => this.#inputFailed(error))
      yield * this.#stretches(step)
      await this.#ended()
    })
  }

  /** Runs one step of several: the input is sent in frames, and an answer of `null` ends the output. */
  async * next (step: Step): AsyncGenerator<unknown, void> {
    yield * this.#listening(step, async function * (this: ChildRun) {
      const sent = this.#send(step.input).catch((error) => this.#inputFailed(error))
      for await (const value of this.#values(step)) {
        if (value !== null) yield value
        else return await sent
      }
      await this.#ended()
      throw new SandboxError('crashed', `It ended before its answers did. ${this.#complaint}`)
    })
  }

  async * #listening<T> (step: Step, work: () => AsyncGenerator<T, void>): AsyncGenerator<T, void> {
    this.#remaining = step.deadlineMs
    const abort = () => this.#stop(step.signal?.reason)
    step.signal?.addEventListener('abort', abort, { once: true })
    const most = this.#memoryMiB
    const watch = most === undefined ? undefined : setInterval(() => this.#look(most), LOOK_MS).unref()
    try {
      yield * work.call(this)
    } finally {
      clearInterval(watch)
      step.signal?.removeEventListener('abort', abort)
    }
  }

  /** Kills the child when it takes more memory than allowed: the heap's own limit does not count buffers. */
  #look (memoryMiB: number) {
    if (memoryOf(this.#child.pid) > memoryMiB) this.#stop(new SandboxError('out_of_memory'))
  }

  async #send (input: Step['input']) {
    const stdin = this.#child.stdin!
    for await (const frame of frames(input)) {
      if (stdin.write(frame) || !this.isAlive) continue
      await new Promise<void>((resolve) => {
        const go = () => {
          stdin.off('drain', go).off('close', go)
          resolve()
        }
        stdin.on('drain', go).on('close', go)
      })
    }
  }

  /** The caller's input failed: not the child's fault. A pipe that the child closed is explained by its exit. */
  #inputFailed (error: NodeJS.ErrnoException) {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') this.#stop(error)
  }

  /**
   * The values that the child prints. Parsing counts against its time too: an answer made slow to parse must not be
   * free.
   */
  async * #values (step: Step): AsyncGenerator<unknown, void> {
    while (this.#printed.length) yield this.#printed.shift()
    for await (const stretch of this.#stretches(step)) {
      const began = performance.now()
      this.#printed = this.#lines.endedBy(stretch).map(parsed)
      this.#remaining -= performance.now() - began
      if (this.#remaining <= 0) throw new SandboxError('timeout')
      while (this.#printed.length) yield this.#printed.shift()
    }
  }

  /** The child's output as it arrives. */
  async * #stretches (step: Step): AsyncGenerator<string, void> {
    let printed = 0
    for (;;) {
      const { value, done } = await this.#within(this.#chunks.next())
      if (done) break
      const bytes = Buffer.byteLength(value)
      printed += bytes
      if (printed > step.maxOutput) throw new SandboxError('output_too_large')
      this.#remaining = Math.min(step.deadlineMs, this.#remaining + bytes / BYTES_A_MS)
      yield value
    }
  }

  /** Waits for the child's end and throws what went wrong, if anything did. */
  async #ended () {
    const [code, signal] = await this.#within(this.#exit)
    if (this.#fault) throw this.#fault
    if (MEMORY.some((words) => this.#complaint.includes(words))) throw new SandboxError('out_of_memory')
    if (signal) throw new SandboxError('crashed', `It was ended by ${signal}. ${this.#complaint}`)
    if (code !== 0) throw new SandboxError('crashed', this.#complaint)
  }

  /** Waits for the child no longer than its remaining time. */
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
    this.kill()
  }
}

/** MiB of memory used by a process and those it started, as reported by Linux; 0 once it has ended. */
function memoryOf (pid: number | undefined): number {
  try {
    const kib = Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0)
    const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean)
    return kib / 1024 + started.reduce((sum, child) => sum + memoryOf(Number(child)), 0)
  } catch {
    return 0
  }
}

/** Bytes of a frame, so that a child never assembles much at a time. */
const FRAME = 65_536

/** Input in frames for a child that runs several steps: each preceded by its length, an empty one at the end. */
export async function * frames (input: Step['input']): AsyncGenerator<Buffer> {
  const length = (bytes: number) => {
    const head = Buffer.alloc(4)
    head.writeUInt32BE(bytes)
    return head
  }
  for await (const stretch of input) {
    const bytes = Buffer.from(stretch as Uint8Array)
    for (let at = 0; at < bytes.length; at += FRAME) {
      const piece = bytes.subarray(at, at + FRAME)
      yield Buffer.concat([length(piece.length), piece])
    }
  }
  yield length(0)
}

function parsed (line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new SandboxError('crashed', 'It did not print JSON.')
  }
}

/** Splits a stream of text into lines, visiting each character once. Throws `output_too_large` for an endless line. */
class Lines {
  #begun: string[] = []
  #length = 0

  get isOpen (): boolean {
    return this.#length > 0
  }

  /** The lines that are completed by the next chunk of text. */
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
