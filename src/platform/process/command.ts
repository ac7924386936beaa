import { confinement } from './confine.ts'
import { ChildRun } from './run.ts'
import type { Step } from './step.ts'

/**
 * What a program of the system is told of its surroundings, and nothing of ours: where programs are, and to be one
 * thread.
 */
const SURROUNDINGS = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin', LC_ALL: 'C.UTF-8', OMP_THREAD_LIMIT: '1'
}

/**
 * Runs a program of the system, confined as the system allows (no network, another user), and answers what it prints.
 * Throws SandboxError, also where it ends with an error, or the signal's reason.
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
