import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import { openPlaces, type PlaceLimits } from './places.ts'
import { Run } from './run.ts'
import { WARM, type Step } from './step.ts'

export { SandboxError, type SandboxFault, type Step } from './step.ts'

/** Runs steps in child processes, a few at once, the others waiting their turn. */
export interface Sandbox {
  /**
   * What the child prints, a JSON value a line, none of it trusted. Throws SandboxError, the signal's reason, or what waiting for a
   * place throws.
   */
  run (step: Step): AsyncGenerator<unknown, void>
}

/** A sandbox that keeps children to give them more to do. */
export interface WarmSandbox extends Sandbox {
  /** Ends those that have nothing to do. */
  close (): void
}

/** A sandbox with a child of its own for each step: for what strangers made. */
export function openSandbox (limits: PlaceLimits = { atOnce: 2 }): Sandbox {
  const places = openPlaces(limits)
  return {
    async * run (step) {
      const giveBack = await places.take(step.holder, step.signal)
      const child = start(step)
      try {
        yield * child.only(step)
      } finally {
        child.kill()
        giveBack()
      }
    }
  }
}

interface Idle { child: Run, steps: number, timer: NodeJS.Timeout }

/** Steps after which a child is replaced, so that whatever it has gathered goes. */
const MOST_STEPS = 1000
/** How long a child without work stays. */
const IDLE_MS = 10_000

/**
 * A sandbox whose children do one step after the other: starting a process costs more than a short step. Only for what is read by
 * our own code alone, since a child that was taken over would see what comes after. One that fails is not used again.
 */
export function openWarmSandbox (limits: PlaceLimits = { atOnce: 1 }): WarmSandbox {
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

  function rest (child: Run, steps: number) {
    if (steps >= MOST_STEPS) return child.kill()
    const end = () => {
      idle.delete(one)
      child.kill()
    }
    const one = { child, steps, timer: setTimeout(end, IDLE_MS).unref() }
    child.keep(false)
    idle.add(one)
  }

  return {
    async * run (step) {
      const giveBack = await places.take(step.holder, step.signal)
      const { child, steps } = takeIdle() ?? { child: start({ ...step, command: [...step.command, WARM] }), steps: 0 }
      let isDone = false
      try {
        yield * child.next(step)
        isDone = true
      } finally {
        isDone ? rest(child, steps + 1) : child.kill()
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

/** Starts the child of a step. Its environment is empty but for what Node itself needs: a packed executable takes its options only from there. */
function start ({ command, memoryMiB }: Step): Run {
  return new Run([...command, String(memoryMiB)], { NODE_OPTIONS: nodeOptions(memoryMiB) })
}
