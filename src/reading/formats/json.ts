import type { Document } from '../document.ts'
import { Draft } from '../draft.ts'
import { ExtractError } from '../error.ts'

/** Values inside values; deeper is a puzzle, not a document. */
const MAX_DEPTH = 100

/** The value of a JSON text or the list of a JSON Lines text; undefined when it is neither an object nor a list. */
export function parseJson (text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  return parsed(text) ?? parsedLines(text)
}

function parsed (text: string): unknown {
  try {
    // Numbers longer than a double are kept as they are written: an order number must not change its last digits.
    return JSON.parse(text, /\d{16}/.test(text) ? exactly : undefined)
  } catch {
    return undefined
  }
}

// The compiler's library does not know the third argument yet.
const exactly = ((_: string, value: unknown, { source }: { source: string }) =>
  typeof value === 'number' ? source : value) as (key: string, value: unknown) => unknown

function parsedLines (text: string): unknown[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim())
  if (lines.length < 2) return undefined
  const values: unknown[] = []
  for (const line of lines) {
    const value = parsed(line)
    if (typeof value !== 'object' || value === null) return undefined
    values.push(value)
  }
  return values
}

/**
 * A JSON value as lines of `path: value`, so that each can be understood on its own. The values of one object stay
 * together; a list of plain values is one line. Throws `too_large` when it is nested too deeply, `no_text` when empty.
 */
export function readJson (value: unknown): Document {
  const draft = new Draft('json')
  let lines: string[] = []
  const flush = () => {
    draft.add(lines.join('\n'))
    lines = []
  }
  for (const line of linesOf('', value, 0)) {
    if (line === RECORD) flush()
    else lines.push(line)
  }
  flush()
  return draft.finish()
}

/** Marks where an element of a list begins or ends. */
const RECORD = ''

function * linesOf (path: string, value: unknown, depth: number): Generator<string> {
  if (depth > MAX_DEPTH) {
    throw new ExtractError('too_large', `The JSON is nested more than ${MAX_DEPTH} levels deep. Upload a flatter file.`)
  }
  if (value === null || value === '') return
  if (!isContainer(value)) return yield `${path}: ${value}`
  if (!Array.isArray(value)) {
    for (const [key, inner] of Object.entries(value)) yield * linesOf(path ? `${path}.${key}` : key, inner, depth + 1)
  } else if (value.length > 0 && !value.some(isContainer)) { yield `${path}: ${value.filter((item) => item !== null).join(', ')}` } else {
    for (const [i, inner] of value.entries()) {
      yield RECORD
      yield * linesOf(`${path}[${i}]`, inner, depth + 1)
      yield RECORD
    }
  }
}

function isContainer (value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
