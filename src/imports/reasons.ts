import { IMPORT_REASONS, type ImportReason } from '../../schema/import-reasons.ts'
import type { ImportItem } from '../../schema/imports.ts'
import { entriesOf } from '../../schema/typed.ts'

/** A sentence in pieces: fixed texts, and the names of the placeholders in between. */
interface Template { code: ImportReason, written: string[], names: string[] }

const whole = new Map<string, ImportReason>()
const templates: Template[] = []
for (const [code, sentences] of entriesOf(IMPORT_REASONS)) {
  for (const sentence of sentences) {
    const pieces = sentence.split(/[{}]/)
    if (pieces.length === 1) whole.set(sentence, code)
    else {
      templates.push({
        code, written: pieces.filter((_one, n) => n % 2 === 0), names: pieces.filter((_one, n) => n % 2 === 1)
      })
    }
  }
}
// Most fixed text first: a placeholder's value may contain another sentence's fixed text.
templates.sort((a, b) => b.written.join('').length - a.written.join('').length)

/** The code of a reason, with its placeholder values; null if it has none. */
export function reasonOf (why: string | undefined): ImportItem['reason'] {
  if (why === undefined) return null
  const code = whole.get(why)
  if (code !== undefined) return { code, values: {} }
  for (const { code, written, names } of templates) {
    const values = valuesIn(why, written)
    if (values) return { code, values: Object.fromEntries(names.map((name, n) => [name, values[n]!])) }
  }
  return null
}

/** The placeholder values of a sentence; undefined if it does not match. */
function valuesIn (why: string, written: readonly string[]): string[] | undefined {
  const [first, ...rest] = written as [string, ...string[]]
  const last = rest.pop()!
  if (!why.startsWith(first) || !why.endsWith(last) || why.length < first.length + last.length) return undefined
  const values: string[] = []
  const end = why.length - last.length
  let at = first.length
  for (const piece of rest) {
    const next = why.indexOf(piece, at)
    if (next < 0 || next > end) return undefined
    values.push(why.slice(at, next))
    at = next + piece.length
  }
  return [...values, why.slice(at, end)]
}
