import { Console } from 'node:console'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
// Loaded before the child is locked: what brings the program's own files needs more of Node than readers may have.
import './assets.ts'
import { lockDown } from './lock-down.ts'
import { WATCH } from './step.ts'

/* c8 ignore start -- runs only in a process without any environment, which records no coverage. */
/** Begins the sandbox's side of a child: it is watched where that was asked for, and may do nothing but read. */
export async function beginChild () {
  if (process.argv.includes(WATCH)) (await import('./watchdog.ts')).watchOver(Number(process.argv.at(-1)))
  lockDown()
  // Parsers may be talkative; standard output is for answers only.
  globalThis.console = new Console(process.stderr)
}

/** A whole child: all of standard input, and what `answer` makes of it as lines of JSON on standard output. */
export async function runChild (answer: (input: Buffer) => Iterable<unknown>) {
  await beginChild()
  for (const line of answer(await buffer(process.stdin))) {
    if (!process.stdout.write(JSON.stringify(line) + '\n')) await once(process.stdout, 'drain')
  }
}
/* c8 ignore stop */
