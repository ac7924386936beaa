import { Type, type Static } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { SandboxError, type Sandbox, type SandboxFault } from '../../platform/sandbox.ts'
import { FORMATS, type Block, type Document } from '../document.ts'
import { EXTRACT_ERRORS, ExtractError, type ExtractErrorCode } from './error.ts'
import type { Source } from './extract.ts'

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) => Type.Union([type, Type.Null()])
const oneOf = <T extends string>(values: readonly T[]) => Type.Unsafe<T>(Type.Union(values.map((value) => Type.Literal(value))))
const Count = nullable(Type.Integer({ minimum: 0 }))

const Answer = Type.Union([
  Type.Object({ blocks: Type.Array(Type.Object({ text: Type.String(), heading: nullable(Type.String()), page: Count, row: Count })) }),
  Type.Object({ about: Type.Object({ format: oneOf(FORMATS), title: nullable(Type.String()), pages: Count, rows: Count }) }),
  Type.Object({ error: Type.Object({ code: oneOf(Object.keys(EXTRACT_ERRORS) as ExtractErrorCode[]), message: Type.String() }) })
])
type Answer = Static<typeof Answer>
const answer = TypeCompiler.Compile(Answer)

const FAULTS: Record<SandboxFault, ExtractErrorCode> = { timeout: 'timeout', out_of_memory: 'out_of_memory', output_too_large: 'too_large', crashed: 'damaged' }
const MAX_OUTPUT = 512 * 2 ** 20

/** Everything about a document but its text. */
export type About = Omit<Document, 'blocks'>

/** How a file is read apart from the server. */
export interface Reading {
  sandbox: Sandbox
  /** The child that runs `runExtractChild`. */
  command: string[]
  memoryMiB: number
  deadlineMs: number
  signal?: AbortSignal
}

/**
 * Reads a stranger's file in a child process: first what it is, then its blocks, a few at a time, so that neither the file
 * nor its text is ever whole in the server's memory. Throws ExtractError, or the signal's reason.
 */
export async function * readApart (bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, source: Source, { sandbox, ...reading }: Reading): AsyncGenerator<About | Block[], void> {
  try {
    for await (const value of sandbox.run({ ...reading, input: message(bytes, source), maxOutput: MAX_OUTPUT })) {
      const said = understood(value)
      if ('error' in said) throw new ExtractError(said.error.code, said.error.message)
      yield 'about' in said ? said.about : said.blocks
    }
  } catch (error) {
    throw error instanceof SandboxError ? new ExtractError(FAULTS[error.code], undefined, { cause: error }) : error
  }
}

/** The same as one document, for files that are known to be small. */
export async function extractApart (bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, source: Source, reading: Reading): Promise<Document> {
  let document: Document | undefined
  for await (const piece of readApart(bytes, source, reading)) {
    if (Array.isArray(piece)) document?.blocks.push(...piece)
    else document = { ...piece, blocks: [] }
  }
  if (!document) throw new ExtractError('damaged')
  return document
}

async function * message (bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, { name, contentType, isPage }: Source) {
  yield JSON.stringify({ name, contentType, isPage }) + '\n'
  yield * bytes
}

/** A child is only as honest as the file it read. */
function understood (value: unknown): Answer {
  if (!answer.Check(value)) throw new SandboxError('crashed', 'It printed something else than an answer.')
  return value
}
