import { confinement } from './sandbox.ts'
import { ChildRun } from './run.ts'
import type { Step } from './step.ts'

/** Environment of a system program, with nothing of ours: the path to programs, and a limit of one thread. */
const SURROUNDINGS = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin', LC_ALL: 'C.UTF-8', OMP_THREAD_LIMIT: '1'
}

/**
 * Runs a system program, confined as far as the system allows (no network, another user), and returns what it prints.
 * Throws SandboxError, also if it exits with an error, or the signal's reason.
 */
export async function runCommand (step: Step, confined = confinement): Promise<string> {
  const { prefix, endsWithParent } = await confined()
  step.signal?.throwIfAborted()
  const child = new ChildRun([...prefix(), ...step.command], SURROUNDINGS, endsWithParent ? step.memoryMiB : undefined)
  let text = ''
  try {
    for await (const stretch of child.text(step)) text += stretch
  } finally {
    child.kill()
  }
  return text
}
