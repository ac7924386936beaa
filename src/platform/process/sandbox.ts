import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import { confinement, type Confinement } from './confine.ts'
import { openPlaces, type PlaceLimits } from './places.ts'
import { ChildRun } from './run.ts'
import { WARM, WATCH, type Step } from './step.ts'

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
