import { parse } from 'csv-parse/sync'
import type { Recognised } from '../contract.ts'
import type { Document } from '../document.ts'
import { Draft } from '../draft.ts'
import { ExtractError } from '../error.ts'
import { isQuestions, textOfPairs, type Pair } from '../pairs.ts'

const WRONG =
  'Questions and answers are read from a CSV file with two columns, or from JSON: [{ "question": "…", "answer": "…" }]. Save them like this and upload the file again.'
/** The pairs of such a text, each kept separately and found by its question. Throws `no_text`. */
export function readPairs (text: string): Document {
  const draft = new Draft('text')
  const pairs = text.split('\n\n').filter((pair) => pair.trim())
  for (const [i, pair] of pairs.entries()) draft.addAlone(pair, pair.split('\n')[0] ?? '', i + 1)
  draft.rows = pairs.length
  return draft.finish()
}

/**
 * The pairs of a CSV or JSON file. A first row that names the columns is none. Throws `unsupported_format` for anything
 * else, `no_text`.
 */
export function pairsIn (file: Recognised): Document {
  const pairs = file.format === 'json' ? fromJson(file.value) : fromTable(file)
  const found = pairs.filter(({ question, answer }) => question.trim() && answer.trim())
  return { ...readPairs(textOfPairs(found)), format: file.format }
}

function fromJson (value: unknown): Pair[] {
  if (!Array.isArray(value)) throw new ExtractError('unsupported_format', WRONG)
  return value.map((one: unknown) => {
    const { question, answer } = Object(one) as Partial<Pair>
    if (typeof question !== 'string' || typeof answer !== 'string') throw new ExtractError('unsupported_format', WRONG)
    return { question, answer }
  })
}

function fromTable (file: Recognised): Pair[] {
  if (file.format !== 'csv' && file.format !== 'tsv') throw new ExtractError('unsupported_format', WRONG)
  const rows = parse(file.text, {
    delimiter: file.delimiter, bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true
  }) as string[][]
  if (rows.some((row) => row.length < 2)) throw new ExtractError('unsupported_format', WRONG)
  const pairs = isQuestions(rows[0]?.[0] ?? '') ? rows.slice(1) : rows
  return pairs.map(([question = '', answer = '']) => ({ question, answer }))
}
