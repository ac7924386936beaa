import { Console } from 'node:console'
import { buffer } from 'node:stream/consumers'
import type { Document } from '../document.ts'
import { watchOver } from '../../platform/watchdog.ts'
import { ExtractError } from './error.ts'
import { extract } from './extract.ts'

/** Characters of text in one line of the answer, so that the server never parses a large one. */
const BATCH = 65_536

/**
 * The sandbox's side of reading a file: standard input is a line of JSON about it, then its bytes; standard output the
 * answers that `apart.ts` expects. The last two arguments are memory in MiB and deadline in ms, as the sandbox appends them.
 */
export async function runExtractChild () {
  const [memoryMiB = 0, deadlineMs = 0] = process.argv.slice(-2).map(Number)
  watchOver({ memoryMiB, deadlineMs })
  // Parsers may be talkative; standard output is for answers only.
  globalThis.console = new Console(process.stderr)
  const input = await buffer(process.stdin)
  const end = input.indexOf('\n')
  const source = JSON.parse(input.toString('utf8', 0, end))
  try {
    for (const line of answers(await extract(input.subarray(end + 1), source))) await print(line)
  } catch (error) {
    if (!(error instanceof ExtractError)) throw error
    await print({ error: { code: error.code, message: error.message } })
  }
}

function * answers ({ blocks, ...about }: Document) {
  yield { about }
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

async function print (answer: unknown) {
  await new Promise<void>((resolve) => process.stdout.write(JSON.stringify(answer) + '\n', () => resolve()))
}

if (import.meta.main) await runExtractChild()
