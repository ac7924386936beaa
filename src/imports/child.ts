import { Console } from 'node:console'
import { buffer } from 'node:stream/consumers'
import { lockDown } from '../platform/process/lock-down.ts'
import { WATCH } from '../platform/process/step.ts'
// Loaded before the child is locked: what brings the program's own files needs more of Node than readers may have.
import '../platform/process/assets.ts'
import { ExtractError } from '../reading/error.ts'
import { planOf } from './plan.ts'

/** The first line of what the child is given; the bytes of the files follow, one after the other. */
export interface ImportTask { from?: string, files: Array<{ name: string, size: number }> }

/** Reads one message and answers it: a plan, or why there is none. */
export function respond (message: Buffer): unknown {
  const end = message.indexOf('\n')
  const { from, files } = JSON.parse(message.toString('utf8', 0, end)) as ImportTask
  let at = end + 1
  const given = files.map(({ name, size }): [string, Buffer] => {
    at += size
    return [name, message.subarray(at - size, at)]
  })
  try {
    return { plan: planOf(given, from) }
  } catch (error) {
    // It throws nothing else.
    const { code, message } = error as ExtractError
    return { error: { code, message } }
  }
}

/* c8 ignore start -- runs only in a process without any environment, which records no coverage. */
/** The sandbox's side of an import: the message on standard input, the answer as a line on standard output. */
export async function runImportChild () {
  if (process.argv.includes(WATCH)) (await import('../platform/process/watchdog.ts')).watchOver(Number(process.argv.at(-1)))
  lockDown()
  globalThis.console = new Console(process.stderr)
  const answer = JSON.stringify(respond(await buffer(process.stdin)))
  process.stdout.write(answer + '\n')
}
/* c8 ignore stop */
