import { Console } from 'node:console'
import { buffer } from 'node:stream/consumers'
import { lockDown } from '../../platform/process/lock-down.ts'
import { WATCH } from '../../platform/process/step.ts'
// Loaded before the child is locked: what brings the program's own files needs more of Node than readers may have.
import '../../platform/process/assets.ts'
import { parsed } from './parse.ts'

/** Reads one message, files with their texts, and answers what each holds. */
export function respond (message: string): unknown {
  const files = JSON.parse(message) as Array<[path: string, text: string]>
  return { files: files.map(([path, text]) => parsed(path, text)) }
}

/* c8 ignore start -- runs only in a process without any environment, which records no coverage. */
/** The sandbox's side: the files on standard input, the answer as a line on standard output. */
export async function runConfigChild () {
  if (process.argv.includes(WATCH)) {
    (await import('../../platform/process/watchdog.ts')).watchOver(Number(process.argv.at(-1)))
  }
  lockDown()
  globalThis.console = new Console(process.stderr)
  const answer = JSON.stringify(respond((await buffer(process.stdin)).toString()))
  process.stdout.write(answer + '\n')
}
/* c8 ignore stop */
