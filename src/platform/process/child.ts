import { Console } from 'node:console'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
// Loaded before the child is locked down: loading the program's own files needs more of Node than parsers may use.
import './assets.ts'
import { lockDown } from './lock-down.ts'
import { WATCH } from './step.ts'

/* c8 ignore start -- runs only in a process without any environment, which records no coverage. */
/** Starts the sandbox's side of a child: watched if requested, and locked down to reading. */
export async function beginChild () {
  if (process.argv.includes(WATCH)) (await import('./watchdog.ts')).watchOver(Number(process.argv.at(-1)))
  lockDown()
  // Parsers may be talkative; standard output is for answers only.
  globalThis.console = new Console(process.stderr)
}

/** A complete child: reads all of standard input and prints the results of `answer` as lines of JSON. */
export async function runChild (answer: (input: Buffer) => Iterable<unknown>) {
  await beginChild()
  for (const line of answer(await buffer(process.stdin))) {
    if (!process.stdout.write(JSON.stringify(line) + '\n')) await once(process.stdout, 'drain')
  }
}
/* c8 ignore stop */
