import '../../bare-children.ts'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { FROM_SOURCE } from '../../source.ts'

/** How many cycles to run: `--cycles` of the command line, else the default. */
export function cycles (fallback: number): number {
  const { values } = parseArgs({ args: process.argv.slice(2), options: { cycles: { type: 'string' } }, strict: false })
  return Number(values.cycles ?? fallback)
}

/** A new empty directory, removed when the test ends. */
export function scratch (t: { teardown (work: () => void): void }): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'agenthall-faults-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const root = path.join(import.meta.dirname, '../../..')
const REAL = ['src/main.ts', 'serve', '--data']

/** Runs Node on a file of this program, under a tracer if given, to its end. */
export async function runNode (args: string[], { tracer = [] as string[] } = {}) {
  const command = [...tracer, process.execPath, ...args]
  const child = spawn(command[0]!, command.slice(1), { cwd: root, env: {}, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => { said += text })
  const [code, signal] = await once(child, 'close')
  return { code: (code ?? signal) as number | string, said }
}

/** The program's own command line, run to its end. */
export const agenthall = (args: string[]) => runNode([...FROM_SOURCE, ...args])

/** A server process that may not be listening yet. */
export interface Process {
  child: ChildProcess
  /** Everything it wrote to its standard error. */
  said (): string
  /** Resolves to its exit code, or the signal that ended it. */
  ended: Promise<number | string>
}

/** A server process that listens. */
export interface Server extends Process {
  address: string
  /** The first user's key, if this start created it. */
  key: string | undefined
  /** Ends it like a power cut, for the process at least. */
  kill (): Promise<void>
  stop (): Promise<void>
}

/**
 * Starts a server process. `planted`: a server with this fault, see planted.ts. `tracer`: program to run it under.
 * `log`: the file for its warnings and errors. `port`: a free one if omitted.
 */
export function launch (
  directory: string,
  {
    planted, tracer = [], env = {}, log, port = 0
  }: {
    planted?: string | undefined, tracer?: string[], env?: Record<string, string>, log?: string, port?: number
  } = {}
): Process {
  // Under a tracer nothing is cached, so that it sees what the server writes and nothing else.
  const flags = tracer.length > 0 ? [] : FROM_SOURCE.slice(0, -1)
  const command = [
    ...tracer, process.execPath, ...flags, ...(planted ? ['test/faults/tools/planted.ts', planted, directory] : [...REAL, directory, '--port', String(port)])
  ]
  const child = spawn(command[0]!, command.slice(1), {
    cwd: root,
    stdio: ['ignore', log ? openSync(log, 'a') : 'ignore', 'pipe'],
    env: { AGENTHALL_LOG_LEVEL: log ? 'warn' : 'silent', AGENTHALL_RATE_LIMITS: '{"enterprise":0}', ...env }
  })
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  return { child, said: () => said, ended: once(child, 'close').then(([code, signal]) => code ?? signal) }
}

/** Starts a server and waits until it listens; throws its output if it ends instead. */
export async function serve (directory: string, options: Parameters<typeof launch>[1] = {}): Promise<Server> {
  const process = launch(directory, options)
  await Promise.race([
    listening(process),
    process.ended.then((code) => {
      throw new Error(`ended with ${code}: ${process.said()}`)
    })
  ])
  process.ended.catch(() => {})
  const end = async (signal: NodeJS.Signals) => {
    process.child.kill(signal)
    await process.ended
  }
  return {
    ...process,
    address: /listens on (\S+)/.exec(process.said())![1]!,
    key: /^ {2}(agh_\w+)$/m.exec(process.said())?.[1],
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM')
  }
}

/** Resolves once the server has printed where it listens, and its first user's key if it is to print one. */
export async function listening ({ child, said }: Process) {
  const ready = () =>
    /listens on .*\n(?!$)|listens on .*\n$/.test(said()) &&
    (!said().includes('new installation') || /\n {2}curl -X PUT.*\n/.test(said()))
  while (!ready()) await once(child.stderr!, 'data')
  // What it prints at once may come in two pieces.
  await new Promise((resolve) => setTimeout(resolve, 20))
}

/** A client of a server with a key. Rejects when the server is gone before it has responded. */
export function client (address: string, key: string) {
  return async (method: string, url: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(address + url, {
      method,
      headers: { authorization: `Api-Key ${key}`, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) })
    })
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as {
        data: { id: number, key: string } & Array<{ id: number }>, error?: { code: string }
      }
    }
  }
}

/** The quantile: the value below which this share of the numbers lies. */
export function percentile (numbers: number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))]!
}

/** Numbers between 0 and 1 that are the same in every run, so that failures are reproducible. */
export function seeded (seed: number): () => number {
  let state = seed
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}
