import { buffer } from 'node:stream/consumers'
import { ASKS, WARM } from '../platform/process/step.ts'
import { setImmediate as turn } from 'node:timers/promises'
import { chunk } from './chunk.ts'
import type { Passage } from '../search/passage.ts'
import { charactersIn, textOf, type Document } from './document.ts'
import { entries } from '../search/scores.ts'
import { languageOf } from '../search/words/words.ts'
import { beginChild } from '../platform/process/child.ts'
import { ExtractError } from './error.ts'
import { isEvidentlyMarkdown } from './formats/markup/evident.ts'
import { readText } from './formats/text.ts'
import type { Task } from './apart.ts'

/** Characters of text in one line of the answer, so that the server never parses a large one. */
const BATCH = 65_536
/**
 * Characters of answers that may wait to be written: while the server writes down what it has read, it reads nothing.
 */
const AHEAD = 2 ** 21

/**
 * Reads one message: a line of JSON about the task, then the bytes. What it yields is the answer, piece by piece; with
 * `recognise` it may ask for the text of pictures meanwhile.
 */
export async function * respond (
  message: Buffer, recognise?: (picture: Buffer) => Promise<string>
): AsyncGenerator<unknown> {
  const end = message.indexOf('\n')
  const task = JSON.parse(message.toString('utf8', 0, end)) as Task
  try {
    yield * await answers(task, message.subarray(end + 1), recognise)
  } catch (error) {
    // Readers throw nothing else.
    const { code, message } = error as ExtractError
    yield { error: { code, message } }
  }
}

async function answers (
  task: Task, bytes: Buffer, recognise?: (picture: Buffer) => Promise<string>
): Promise<Iterable<unknown>> {
  // A separate process for each text should start fast: it loads only what a text needs.
  if (task.kind === 'links') return [{ links: await links(bytes, task) }]
  if (task.kind === 'mail') return [{ mail: await mail(bytes) }]
  if (!task.isText) {
    return learnt(
      await (await import('./extract.ts')).extract(bytes, { ...task, ...(recognise && { recognise }) }), task
    )
  }
  const text = bytes.toString()
  if (task.isPairs) return learnt((await import('./formats/pairs.ts')).readPairs(text), task)
  return learnt(isEvidentlyMarkdown(text) ? await pasted(text) : readText(text), task)
}

/** Markdown as read from a file; as plain text if that finds nothing to read, or fails. */
async function pasted (text: string): Promise<Document> {
  try {
    return (await import('./formats/markup/markdown.ts')).readMarkdown(text)
  } catch {
    return readText(text)
  }
}

async function links (bytes: Buffer, { address, contentType }: Task & { kind: 'links' }) {
  const { readMarkup } = await import('./links.ts')
  try {
    return readMarkup(bytes, address, contentType)
  } catch (error) {
    throw new ExtractError('damaged', 'This is neither a page nor a sitemap that can be read.', { cause: error })
  }
}

async function mail (bytes: Buffer) {
  const { readMail } = await import('./mail.ts')
  try {
    return await readMail(bytes)
  } catch (error) {
    throw new ExtractError('damaged', 'This is not a mail that can be read.', { cause: error })
  }
}

/** The text, and the passages with the words they are found by, so that the server only has to store them. */
function * learnt (document: Document, { title, isText = false, prior = [] }: Task & { kind: 'learn' }) {
  const { blocks, ...about } = document
  const text = textOf(document)
  const language = languageOf(text, prior)
  const passages = chunk(blocks)
  const [bytes, chars] = [Buffer.byteLength(text), charactersIn(text)]
  yield { about: { ...about, language, passages: passages.length, bytes, chars } }
  // What came as text is already stored verbatim.
  for (let at = isText ? text.length : 0; at < text.length;) {
    const end = at + BATCH
    const next = /[\udc00-\udfff]/.test(text[end] ?? '') ? end + 1 : end
    yield { text: text.slice(at, next) }
    at = next
  }
  const named = [title, document.title === title ? null : document.title].filter((name) => name !== null).join('\n')
  const spelt = new Set<number>()
  for (const batch of batches(passages)) yield { passages: entries(batch, named, language, spelt) }
}

function * batches (passages: Passage[]) {
  let from = 0
  let chars = 0
  for (const [i, { text }] of passages.entries()) {
    chars += text.length
    if (chars < BATCH && i < passages.length - 1) continue
    yield passages.slice(from, i + 1)
    from = i + 1
    chars = 0
  }
}

/** Reassembles messages from chunks with a four-byte length prefix; an empty chunk ends a message. */
export async function * messages (input: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const message: Buffer[] = []
  let rest = Buffer.alloc(0)
  for await (const bytes of input) {
    rest = rest.length ? Buffer.concat([rest, bytes]) : Buffer.from(bytes)
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
      const end = 4 + rest.readUInt32BE()
      if (end > 4) message.push(rest.subarray(4, end))
      else yield Buffer.concat(message.splice(0))
      rest = rest.subarray(end)
    }
  }
}

/* c8 ignore start -- runs only in a process without any environment, which records no coverage: apart.test.ts. */
/**
 * The sandbox's side of reading a file: the message on standard input, a line of JSON an answer on standard output. The
 * last argument is its memory in MiB. A warm child reads messages in frames, and ends its answers to each with `null`.
 */
export async function runExtractChild () {
  await beginChild()
  if (process.argv.includes(ASKS)) return await answerAsking(messages(process.stdin))
  if (!process.argv.includes(WARM)) return await answer(await buffer(process.stdin))
  for await (const message of messages(process.stdin)) {
    await answer(message)
    await print(null)
  }
}

/** The first message is the task, the others are answers to what is asked meanwhile. */
async function answerAsking (messages: AsyncGenerator<Buffer>) {
  const next = async () => (await messages.next()).value as Buffer
  await answer(await next(), async (picture) => {
    await print({ picture: picture.toString('base64') })
    return (await next()).toString()
  })
  process.stdin.destroy()
}

async function answer (message: Buffer, recognise?: (picture: Buffer) => Promise<string>) {
  let written = Promise.resolve()
  for await (const said of respond(message, recognise)) {
    written = print(said)
    // What waits to be written goes on only between answers.
    await (process.stdout.writableLength > AHEAD ? written : turn())
  }
  await written
}

function print (value: unknown): Promise<void> {
  return new Promise((resolve) => process.stdout.write(JSON.stringify(value) + '\n', () => resolve()))
}

if (import.meta.main) await runExtractChild()
/* c8 ignore stop */
