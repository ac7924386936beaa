import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import { openPlaces, type PlaceLimits } from './places.ts'
import { ChildRun } from './run.ts'
import { type Step, WARM, WATCH } from './step.ts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { lazily } from '../lazily.ts'
import { errorCode } from '../errors.ts'

export { SandboxError, type SandboxFault, type Step } from './step.ts'

/** Runs steps in child processes, a few at once; the others wait in a queue. */
export interface Sandbox {
  /**
   * What the child prints, one JSON value per line, all untrusted. Throws SandboxError, the signal's reason, or the
   * error of waiting for a place.
   */
  run (step: Step): AsyncGenerator<unknown, void>
}

/** A sandbox that reuses children for further steps. */
interface WarmSandbox extends Sandbox {
  /** Ends idle children. */
  close (): void
}

/** A sandbox with a new child for each step: for untrusted content. `confined` says how the system confines it. */
export function openSandbox (limits: PlaceLimits = { atOnce: 2 }, confined = confinement): Sandbox {
  const places = openPlaces(limits)
  return {
    async * run (step) {
      const giveBack = await places.take(step.holder, step.signal)
      let child: ChildRun | undefined
      try {
        child = start(step, await confined())
        yield * child.only(step)
      } finally {
        child?.kill()
        giveBack()
      }
    }
  }
}

interface Idle { child: ChildRun, steps: number, timer: NodeJS.Timeout }

/** Steps after which a child is replaced, to get rid of whatever it has accumulated. */
const MOST_STEPS = 1000
/** How long an idle child is kept. */
const IDLE_MS = 10_000

/**
 * A sandbox whose children run one step after the other: starting a process costs more than a short step. Only for what
 * our own code alone parses, since a compromised child would see what comes after. One that fails is not reused.
 */
export function openWarmSandbox (
  limits: PlaceLimits = { atOnce: 1 }, confined = confinement, { idleMs = IDLE_MS } = {}
): WarmSandbox {
  const places = openPlaces(limits)
  const idle = new Set<Idle>()

  function takeIdle (): Idle | undefined {
    const [one] = idle
    if (!one) return undefined
    idle.delete(one)
    clearTimeout(one.timer)
    one.child.keep(true)
    return one.child.isAlive ? one : takeIdle()
  }

  function rest (child: ChildRun, steps: number) {
    if (steps >= MOST_STEPS) return child.kill()
    const end = () => {
      idle.delete(one)
      child.kill()
    }
    const one = { child, steps, timer: setTimeout(end, idleMs).unref() }
    child.keep(false)
    idle.add(one)
  }

  return {
    async * run (step) {
      const giveBack = await places.take(step.holder, step.signal)
      let one: Pick<Idle, 'child' | 'steps'> | undefined
      try {
        one = takeIdle() ?? { child: start({ ...step, command: [...step.command, WARM] }, await confined()), steps: 0 }
        yield * one.child.next(step)
        rest(one.child, one.steps + 1)
        one = undefined
      } finally {
        one?.child.kill()
        giveBack()
      }
    },
    close () {
      for (const { child, timer } of idle) {
        clearTimeout(timer)
        child.kill()
      }
      idle.clear()
    }
  }
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * The command that starts this program again as a sub-command: the executable itself when packed, `entry` under Node
 * otherwise.
 */
export function selfCommand (sub: string, entry = `${ROOT}src/main.ts`): string[] {
  return isSea() ? [process.execPath, sub] : [process.execPath, entry, sub]
}

/**
 * The child may read this program's own code, and has no other file, network, or process; a worker only if it needs one
 * to watch over itself.
 */
function nodeOptions (memoryMiB: number, needsWorker: boolean): string {
  const readable = isSea()
    ? [process.execPath]
    : ['src', 'schema', 'node_modules', 'package.json'].map((name) => ROOT + name)
  const flags = [
    `--max-old-space-size=${memoryMiB}`,
    '--permission',
    '--disallow-code-generation-from-strings',
    // Node warns about something intended: the worker that watches over the child.
    ...(needsWorker ? ['--allow-worker', '--disable-warning=PERM0006'] : []),
    ...readable.map((path) => `--allow-fs-read=${path}`)
  ]
  return flags.map((flag) => JSON.stringify(flag)).join(' ')
}

/**
 * Starts the child of a step. Its environment is empty except for what Node itself needs: a packed executable takes its
 * options only from there.
 */
function start ({ command, memoryMiB }: Step, { prefix, endsWithParent }: Confinement): ChildRun {
  const args = [...(endsWithParent ? [] : [WATCH]), String(memoryMiB)]
  const env = { NODE_OPTIONS: nodeOptions(memoryMiB, !endsWithParent) }
  return new ChildRun([...prefix(), ...command, ...args], env, endsWithParent ? memoryMiB : undefined)
}

/** How the system itself isolates a child, besides Node's permission model. */
export interface Confinement {
  /** Goes before the child's command. */
  prefix: () => string[]
  /** Whether the system ends a child whose server is gone; if not, the child has to watch over itself. */
  endsWithParent: boolean
}

/** Unused user ids: each child gets another, so that none can signal or inspect the server or another child. */
const FIRST_USER = 2_000_000_000
const USERS = 100_000
const NO_MORE_RIGHTS = ['--no-new-privs', '--pdeathsig', 'KILL']
/** A network without any route out, and no shared memory of others. */
const OWN_NETWORK = ['--net', '--ipc']

/** No isolation, for systems that offer none. */
export const unconfined: Confinement = { prefix: () => [], endsWithParent: false }

/** The strictest confinement that this system allows for a child; tried out once, with the tools of util-linux. */
export const confinement: () => Promise<Confinement> =
  lazily(() => firstThatWorks(process.platform === 'linux' ? waysAs(process.getuid!()) : []))

/** The first of several confinements that works here; `unconfined` when there is none. */
export async function firstThatWorks (ways: Confinement['prefix'][]): Promise<Confinement> {
  for (const prefix of ways) {
    if (await works(prefix())) return { prefix, endsWithParent: true }
  }
  return unconfined
}

/** Ways to start a child, the strictest first. */
export function waysAs (uid: number): Confinement['prefix'][] {
  let started = 0
  const asNobody = () => {
    const user = FIRST_USER + started++ % USERS
    return [
      'setpriv',
      `--reuid=${user}`,
      `--regid=${user}`,
      '--clear-groups',
      '--inh-caps=-all',
      '--bounding-set=-all',
      ...NO_MORE_RIGHTS
    ]
  }
  const asMyself = () => ['setpriv', ...NO_MORE_RIGHTS]
  if (uid === 0) return [() => ['unshare', ...OWN_NETWORK, '--', ...asNobody()], asNobody, asMyself]
  // Without root it stays the same user; with a separate PID namespace the child cannot address the server.
  return [() => [...asMyself(), 'unshare', '--user', ...OWN_NETWORK, '--pid', '--fork', '--kill-child', '--'], asMyself]
}

/** Errors that say nothing about a confinement: the machine lacked the resources to start a program. */
const SHORT_OF = ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']

/** Whether a program started this way can run and read its own code. Rejects while no program can be started. */
async function works (prefix: string[]): Promise<boolean> {
  const [program = '', ...rest] = prefix
  const run = (...command: string[]) =>
    promisify(execFile)(program, [...rest, ...command], { env: {}, timeout: 10_000 })
  try {
    await run(process.execPath, '--version')
    if (!isSea()) {
      await run('cat', `${ROOT}package.json`, `${ROOT}src/main.ts`, `${ROOT}node_modules/fflate/package.json`)
    }
    return true
  } catch (error) {
    if (SHORT_OF.includes(errorCode(error))) throw error
    return false
  }
}
