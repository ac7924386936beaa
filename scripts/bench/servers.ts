import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import type { DatabaseOptions } from '../../src/platform/storage/sqlite/database.ts'

const here = import.meta.dirname
const root = path.join(here, '../..')

/** How `npm start` runs the program, without the name of Node. */
const COMMAND = manifest.scripts.start.split(' ').slice(1)
/** The part of it that is Node's flags. */
const FLAGS = COMMAND.slice(0, COMMAND.indexOf('src/main.ts'))

/** What a server under measurement is given at its start. */
export interface AgenthallOptions {
  directory: string
  database?: Pick<DatabaseOptions, 'synchronous' | 'grouped'>
  /** Settings beside DATA, without their prefix. */
  settings?: Record<string, string>
}

/** What the floor answers: bytes by path. */
export type FloorOptions = Record<string, string>

/**
 * How late the server's work was begun, in milliseconds, of which it waited for a core for `queued` in all: any wait of
 * a client beyond this is its own. `held`: the most CPU time taken at a stretch, in milliseconds, regardless of other
 * load on the machine. `own`: the longest time for which nothing else was done, without waiting for a core.
 */
export interface Loop { p99: number, most: number, queued: number, held: number, own: number }

/** A server in its own process. */
export interface Server {
  url: string
  /** Its address: one, or those of several servers of the same tables, which are called in turn. */
  urls: string[]
  /** CPU time since its start, in microseconds. */
  used (): Promise<number>
  /** Resident memory in bytes. */
  memory (): number
  /** How late its event loop was since the last call, see Loop. */
  loop (): Promise<Loop>
  /** Bytes in use after a garbage collection. */
  kept (): Promise<number>
  /** The same for each process it has started. */
  children (): number[]
  /** CPU time of the processes it has started that have ended, in microseconds. */
  usedByChildren (): number
  stop (): Promise<void>
}

/** Agenthall as `startServer` starts it, without rate limits and without a log. */
export function agenthall (options: AgenthallOptions): Promise<Server> {
  return start('agenthall.ts', options)
}

/** A Fastify server that answers the same bytes without doing any work. */
export function floor (answers: FloorOptions): Promise<Server> {
  return start('floor.ts', answers)
}

async function start (file: string, options: unknown): Promise<Server> {
  const child = fork(path.join(here, 'processes', file), [JSON.stringify(options)], {
    cwd: root, execArgv: [...FLAGS, '--expose-gc'], stdio: ['ignore', 'inherit', 'inherit', 'ipc']
  })
  const url = await answerOf<string>(child)
  return {
    url,
    urls: [url],
    used () {
      child.send('used')
      return answerOf<number>(child)
    },
    memory: () => memoryOf(child.pid!),
    loop () {
      child.send('loop')
      return answerOf<Loop>(child)
    },
    kept () {
      child.send('kept')
      return answerOf<number>(child)
    },
    usedByChildren: () => childTimeOf(child.pid!),
    children: () => childrenOf(child.pid!).map(memoryOf),
    stop: () => stop(child)
  }
}

function answerOf<T> (child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('A server of the benchmark ended before it was told to.'))
    child.once('exit', ended)
    child.once('message', (answer) => {
      child.off('exit', ended)
      resolve(answer as T)
    })
  })
}

/** The server as a user starts it, timed from the start of the process. Resolves with the first answer to `request`. */
export async function timedStart ({
  directory, port, request
}: {
  directory: string, port: number, request: (url: string) => Promise<Response>
}) {
  const started = performance.now()
  const child = spawn(process.execPath, [...COMMAND, '--port', String(port), '--data', directory], {
    cwd: root, stdio: 'ignore'
  })
  for (;;) {
    const answer = await request(`http://127.0.0.1:${port}`).catch(() => undefined)
    if (answer) {
      if (answer.status !== 200) throw new Error(`The first answer was ${answer.status}.`)
      return { ms: performance.now() - started, memory: () => memoryOf(child.pid!), stop: () => stop(child) }
    }
    if (child.exitCode !== null) throw new Error('The server ended before it answered.')
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

async function stop (child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}

/** Resident bytes of a process, as reported by Linux. */
function memoryOf (pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(statusOf(pid))?.[1] ?? 0) * 1024
}

/** Empty once the process is gone. */
function statusOf (pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

/** The 16th and 17th field; the second, in brackets, may hold spaces. In ticks of a hundredth of a second. */
function childTimeOf (pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(13).map(Number)
  return (user! + system!) * 10_000
}

/** Whichever thread started them. */
function childrenOf (pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').map(Number).filter(Boolean)
  )
}
