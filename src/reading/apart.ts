import { Type, type Static } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { ASKS } from '../platform/process/step.ts'
import { frames } from '../platform/process/run.ts'
import { SandboxError, type Sandbox, type SandboxFault } from '../platform/process/sandbox.ts'
import type { Plain, Same } from '../../schema/common.ts'
import { FORMATS } from './formats.ts'
import type { Entry } from '../search/scores.ts'
import type { Prior } from '../search/words/guess.ts'
import type { Language } from '../search/words/languages.ts'
import type { MarkupReading as LinkReading } from './links.ts'
import type { MailReading } from './mail.ts'
import { ADDRESS_LIMITS } from './page-address.ts'
import { EXTRACT_ERRORS, ExtractError, ReaderError, type ExtractErrorCode } from './error.ts'
import type { Source } from './extract.ts'
import type { Recognise } from './recognition.ts'
import { keysOf } from '../../schema/typed.ts'

/**
 * The child's task for the bytes: read and cut them for the index, find where a page leads, or read a mail. `prior`:
 * the languages of what the agent already knows.
 */
export type Task =
  | ({ kind: 'learn', title: string | null, isText?: boolean, prior?: Prior } & Source)
  | { kind: 'links', address: string, contentType: string }
  | { kind: 'mail' }

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) => Type.Union([type, Type.Null()])
const oneOf = <T extends string>(values: readonly T[]) =>
  Type.Unsafe<T>(Type.Union(values.map((value) => Type.Literal(value))))
const Natural = Type.Integer({ minimum: 0 })
const Count = nullable(Natural)
const Addresses = Type.Array(Type.String({ maxLength: 2048 }), { maxItems: ADDRESS_LIMITS.locations.count })

const Failed = Type.Object({
  error: Type.Object({ code: oneOf(keysOf(EXTRACT_ERRORS)), message: Type.String() })
})

/** An Entry of scores.ts. */
const IndexEntry = Type.Object({
  text: Type.String(),
  start: Natural,
  end: Natural,
  heading: nullable(Type.String()),
  page: Count,
  row: Count,
  lastRow: Count,
  // Only words and their weights: this goes into the index unchanged.
  words: Type.RegExp(/^(?:[\p{L}\p{N}\p{M}]+_[0-9a-f](?: |$))*$/u),
  length: Natural,
  spellings: Type.Array(Type.Integer({ minimum: 1, maximum: 2 ** 32 - 1 }))
})
true satisfies Same<Plain<Static<typeof IndexEntry>>, Plain<Entry>>

const Learnt = Type.Union([
  Type.Object({ passages: Type.Array(IndexEntry) }),
  Type.Object({ text: Type.String({ minLength: 1 }) }),
  Type.Object({ picture: Type.String({ pattern: '^[A-Za-z0-9+/]*=*$' }) }),
  Type.Object({
    about: Type.Object({
      format: oneOf(keysOf(FORMATS)),
      title: nullable(Type.String()),
      pages: Count,
      rows: Count,
      language: Type.Unsafe<Language | null>(nullable(Type.String())),
      hidden: Natural,
      passages: Natural,
      bytes: Natural,
      chars: Natural
    })
  }),
  Failed
])
/** The recognised document: `bytes` in UTF-8 and `chars` of its text, `passages` to come. */
export type LearntAbout = Extract<Static<typeof Learnt>, { about: unknown }>['about']
/** One piece of the result of reading a document: first what it is, then its text in pieces, then its passages. */
export type Learnt = Exclude<Static<typeof Learnt>, { error: unknown } | { picture: unknown }>

const Links = Type.Union([
  Type.Object({
    links: Type.Union([
      Type.Object({
        kind: Type.Literal('page'),
        title: nullable(Type.String()),
        links: Addresses,
        canonical: nullable(Type.String()),
        textHash: Type.RegExp(/^[\da-f]{64}$/)
      }),
      Type.Object({ kind: Type.Literal('sitemap'), pages: Addresses, sitemaps: Addresses })
    ])
  }),
  Failed
])

const Line = Type.String({ maxLength: 1000 })
const MailRead = Type.Object({
  from: nullable(Line),
  fromName: nullable(Line),
  to: Type.Array(Line),
  subject: Line,
  messageId: nullable(Line),
  references: Type.Array(Line),
  text: Type.String({ maxLength: 100_000 }),
  attachments: Type.Array(Line),
  marks: Type.Record(Type.String(), Line),
  report: nullable(Type.Object({ action: Line, status: Line, detail: Line }))
})
true satisfies Same<Plain<Static<typeof MailRead>>, Plain<MailReading>>
const Mail = Type.Union([Type.Object({ mail: MailRead }), Failed])

const mails = TypeCompiler.Compile(Mail)
const learnt = TypeCompiler.Compile(Learnt)
const links = TypeCompiler.Compile(Links)

/** Failures caused by the file: it exceeds the resource limits. Any other end of a child is our fault. */
const FAULTS: Partial<Record<SandboxFault, ExtractErrorCode>> = {
  timeout: 'timeout', out_of_memory: 'out_of_memory', output_too_large: 'too_large'
}
/**
 * Bytes that the child may print: a text of 30 MiB with the words it is found by, addresses, or pictures of pages too.
 */
const MAX_OUTPUT = { learn: 1024 * 2 ** 20, links: 4 * 2 ** 20, mail: 2 ** 20, scans: 4096 * 2 ** 20 }

type Bytes = Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>

/** How a file is read in a separate process. */
export interface Reading {
  sandbox: Sandbox
  /** The same for texts, which no parser of untrusted files sees; if omitted they are read like files. */
  texts?: Sandbox
  /** The tenant, so that capacity is shared fairly. */
  holder?: unknown
  /** The child that runs `runExtractChild`. */
  command: string[]
  memoryMiB: number
  deadlineMs: number
  /** Reads scanned pages; if omitted they are not read. */
  recognise?: Recognise
  /** Called when a child crashes, with its last output: for the log. */
  onCrash?: (error: unknown) => void
  signal?: AbortSignal
}

/** Runs a task in the child. A child is only as trustworthy as the file it read, so each answer is validated. */
async function * answers<T> (
  bytes: Bytes,
  task: Task,
  check: { Check (value: unknown): boolean },
  { sandbox, texts = sandbox, onCrash, recognise, ...reading }: Reading
): AsyncGenerator<T, void> {
  const isText = 'isText' in task && task.isText
  const asks = recognise && task.kind === 'learn' && !isText ? new Asked() : undefined
  const step = asks
    ? {
        ...reading,
        command: [...reading.command, ASKS],
        input: asks.input(message(bytes, task)),
        maxOutput: MAX_OUTPUT.scans
      }
    : { ...reading, input: message(bytes, task), maxOutput: MAX_OUTPUT[task.kind] }
  try {
    for await (const value of (isText ? texts : sandbox).run(step)) {
      if (!check.Check(value)) throw new SandboxError('crashed', 'It printed something other than an answer.')
      if ('error' in (value as object)) {
        const { error } = value as Static<typeof Failed>
        throw new ExtractError(error.code, error.message)
      }
      if (!('picture' in (value as object))) yield value as T
      else if (recognise && asks) {
        asks.answer(await recognise(Buffer.from((value as { picture: string }).picture, 'base64'), reading.signal))
      }
    }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    const code = FAULTS[error.code]
    if (code) throw new ExtractError(code, undefined, { cause: error })
    onCrash?.(error)
    throw new ReaderError(error)
  } finally {
    asks?.end()
  }
}

/** The input of a child that asks: the message, then the answers as they are given, each in frames. */
class Asked {
  #given: string[] = []
  #hasEnded = false
  #wake = () => {}

  async * input (first: AsyncIterable<Uint8Array | string>) {
    yield * frames(first)
    while (!this.#hasEnded) {
      const answer = this.#given.shift()
      if (answer === undefined) await new Promise<void>((resolve) => { this.#wake = resolve })
      else yield * frames([answer])
    }
  }

  answer (text: string) {
    this.#given.push(text)
    this.#wake()
  }

  end () {
    this.#hasEnded = true
    this.#wake()
  }
}

async function * message (bytes: Bytes, task: Task) {
  yield JSON.stringify(task) + '\n'
  yield * bytes
}

/**
 * Reads an untrusted file and cuts it for the index in a child process: first what it is, then its text and its
 * passages, a few at a time, so that neither the file nor its text is ever whole in the server's memory. Throws
 * ExtractError if that is the file's fault, ReaderError if it is ours, or the signal's reason.
 */
export function learnApart (
  bytes: Bytes, task: Omit<Task & { kind: 'learn' }, 'kind'>, reading: Reading
): AsyncGenerator<Learnt, void> {
  return answers(bytes, { kind: 'learn', ...task }, learnt, reading)
}

/** Finds where a page or a sitemap leads, in a child process. Throws as `learnApart` does. */
export async function linksApart (
  bytes: Uint8Array, address: string, contentType: string, reading: Reading
): Promise<LinkReading> {
  const found: LinkReading[] = []
  for await (const said of answers<{ links: LinkReading }>(
    [bytes], { kind: 'links', address, contentType }, links, reading
  )) { found.push(said.links) }
  if (found[0]) return found[0]
  const silent = new SandboxError('crashed', 'It ended without an answer.')
  reading.onCrash?.(silent)
  throw new ReaderError(silent)
}

/** Reads a mail in a child process. Throws as `learnApart` does. */
export async function mailApart (bytes: Uint8Array, reading: Reading): Promise<MailReading> {
  const read: MailReading[] = []
  for await (const { mail } of answers<{ mail: MailReading }>([bytes], { kind: 'mail' }, mails, reading)) read.push(mail)
  if (read[0]) return read[0]
  const silent = new SandboxError('crashed', 'It ended without an answer.')
  reading.onCrash?.(silent)
  throw new ReaderError(silent)
}
