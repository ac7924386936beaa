import { Console } from 'node:console'
import { buffer } from 'node:stream/consumers'
import { watchOver } from '../../platform/watchdog.ts'
import { ExtractError } from './error.ts'
import { extract } from './extract.ts'

/** Characters of text in one line of the answer, so that the server never parses a large one. */
const BATCH = 65_536

/** A message to the server, as `apart.ts` expects it. */
type Answer = { about: object } | { blocks: object[] } | { error: { code: string, message: string } }

/** Reads one message: a line of JSON about the file, then its bytes. What it yields is the answer, piece by piece. */
export async function * respond (message: Buffer): AsyncGenerator<Answer> {
  const end = message.indexOf('\n')
  const source = JSON.parse(message.toString('utf8', 0, end))
  try {
    const { blocks, ...about } = await extract(message.subarray(end + 1), source)
    yield { about }
    yield * batches(blocks)
  } catch (error) {
    // Extract throws nothing else.
    const { code, message } = error as ExtractError
    yield { error: { code, message } }
  }
}

function * batches (blocks: { text: string }[]): Generator<Answer> {
  let from = 0
  let chars = 0
  for (const [i, { text }] of blocks.entries()) {
    chars += text.length
    if (chars < BATCH && i < blocks.length - 1) continue
    yield { blocks: blocks.slice(from, i + 1) }
    from = i + 1
    chars = 0
  }
}

/* c8 ignore start -- runs only in a process without any environment, where no coverage is recorded; apart.test.ts starts it. */
/**
 * The sandbox's side of reading a file: the message on standard input, a line of JSON an answer on standard output.
 * The last two arguments are memory in MiB and deadline in ms, as the sandbox appends them.
 */
export async function runExtractChild () {
  const [memoryMiB = 0, deadlineMs = 0] = process.argv.slice(-2).map(Number)
  watchOver({ memoryMiB, deadlineMs })
  // Parsers may be talkative; standard output is for answers only.
  globalThis.console = new Console(process.stderr)
  for await (const answer of respond(await buffer(process.stdin))) {
    await new Promise<void>((resolve) => process.stdout.write(JSON.stringify(answer) + '\n', () => resolve()))
  }
}

if (import.meta.main) await runExtractChild()
/* c8 ignore stop */
