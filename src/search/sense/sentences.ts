import { lazily, onceEach } from '../../platform/lazily.ts'
import { fold } from '../words/fold.ts'
import { kindsIn } from './kinds.ts'
import { tongues } from './lexicon.ts'

const segmenters = new Map<string, Intl.Segmenter>()

/** Making one takes as long as cutting a page. */
function segmenterOf (language: string): Intl.Segmenter {
  const known = segmenters.get(language) ?? new Intl.Segmenter(language, { granularity: 'sentence' })
  segmenters.set(language, known)
  return known
}

export interface Sentence { text: string, start: number, end: number }

/** The sentences of a text, without the white space around them. */
export function sentences (text: string, language: string | null): Sentence[] {
  const found: Sentence[] = []
  for (const { segment, index } of segmenterOf(language ?? 'und').segment(text)) {
    // A line that ends without a full stop, as in a list, is a sentence too.
    for (const line of segment.matchAll(/[^\r\n]+/g)) {
      const trimmed = line[0].trim()
      if (!/[\p{L}\p{N}]/u.test(trimmed)) continue
      const start = index + line.index + line[0].indexOf(trimmed)
      found.push({ text: trimmed, start, end: start + trimmed.length })
    }
  }
  return found
}

/** Whether a sentence asks. */
export function isQuestion (sentence: string): boolean {
  return /[?？؟][\s"'”’)]*$/u.test(sentence)
}

/**
 * A sentence or a whole row of a table; `asks`: it is the question that the next one answers; `isLabel`: a line of
 * its own that names what the following block says, as the term of a definition does.
 */
export interface Piece extends Sentence { isRow: boolean, asks: boolean, isLabel: boolean }

/** A cell with the name of its column; an item of a list is none, however it is written. */
const CELL = /^(?![-•*–] |\d{1,3}[.)] )[^:\n]{1,60}: /
/** Longer ones that end in a question mark are no headings of what follows. */
const LONGEST_QUESTION = 200

/** Maximum characters of a label, which is no item of a list. */
const LABEL = /^(?![-•*–] |\d{1,3}[.)] )[^\n|]{2,60}(?<![.!?:;,…。！？])$/u
/** What follows a label is a sentence. */
const SENTENCE = /^[\p{Lu}\p{Lo}\d][^\n]{8,}[.!…。！]$/u

/** What days and months are called, folded. */
const namesIn = onceEach((tongue: string) => {
  const named = [{ month: 'long' }, { weekday: 'long' }, { weekday: 'short' }] as const
  return named.map((one) => new Intl.DateTimeFormat(tongue, { ...one, timeZone: 'UTC' })).flatMap((format) =>
    Array.from({ length: 12 }, (_, at) =>
      fold(/^\p{L}*/u.exec(format.format(new Date(Date.UTC(2024, at, 1 + at))))![0])))
})
const NAMES = lazily(() => new Set(tongues().flatMap(namesIn)))

/** Makes ahead, a language at each step, what telling the first row of a table waits for. */
export function * prepareRows (): Generator<void> {
  for (const tongue of tongues()) {
    namesIn(tongue)
    yield
  }
  NAMES()
  yield
}

/** Whether a block is a row of a table: a line for each of its cells, most with the name of their column. */
export function isRow (block: string): boolean {
  const lines = block.split('\n')
  // A month with a price is the cell of a season.
  const isOfTime = (line: string) => NAMES().has(fold(/^\p{L}*/u.exec(line)![0])) && !kindsIn(line).has('price')
  // A day and its hours on each line are none, nor are sentences that begin with a name.
  if (/[.!]$/.test(lines[0]!) || isOfTime(block)) return false
  // The column of the names has no name itself in most lists of prices.
  const [first, ...cells] = lines
  if (LABEL.test(first!) && !CELL.test(first!) && cells.length > 0 &&
    cells.every((line) => CELL.test(line) && !isOfTime(line))) return true
  return lines.length > 1 && CELL.test(lines[0]!) && lines.filter((line) => CELL.test(line)).length * 2 > lines.length
}

/** What the first cell of a row says, which names what the row is about. */
const nameOfRow = (row: string): string => row.split('\n', 1)[0]!.replace(CELL, '')

/** What a row says without the names of its columns. */
export const valuesOfRow = (row: string): string => row.split('\n').map((cell) => cell.replace(CELL, '')).join('\n')

/** Whether a line is the head of the table that a row is of: it names the columns, and says nothing of anything. */
export function isHeadOf (line: string, row: string): boolean {
  const columns = line.split(' | ')
  const cells = row.split('\n')
  return columns.length > 1 && cells.every((cell) => columns.some((column) => cell.startsWith(`${column}: `)))
}

/** A row as a sentence: `Kettle: price 49 €, delivery 3 weeks`, of `Product: Kettle\nPrice: 49 €\n…`. */
export function sentenceOfRow (row: string): string {
  const [, ...cells] = row.split('\n')
  return `${nameOfRow(row)}: ${cells.map((cell) => cell.replace(/^([^:\n]{1,60}): /, '$1 ')).join(', ')}`
}

/** A full stop behind the number of an item, behind a single letter, as in `e. V.`, or behind the day of a date. */
function isNoEnd (before: string, next: string): boolean {
  if (/^\d{1,3}\.$|(?<![\p{L}\d]|['’])\p{Ll}\.$/u.test(before)) return true
  return /(?<!\d)\d{1,2}\.$/.test(before) && NAMES().has(fold(/^\p{L}*/u.exec(next)![0]))
}

/** What a passage can be quoted by: its sentences, and its rows whole. */
export function piecesOf (text: string, language: string | null): Piece[] {
  return [...text.matchAll(/[^\n]+(?:\n[^\n]+)*/g)].flatMap(({ 0: block, index }, at, blocks): Piece[] => {
    if (isRow(block)) {
      return [{ text: block, start: index, end: index + block.length, isRow: true, asks: false, isLabel: false }]
    }
    const isLabel = LABEL.test(block) && SENTENCE.test(blocks[at + 1]?.[0] ?? '')
    const cut: Piece[] = []
    for (const { text: one, start, end } of sentences(block, language)) {
      const before = cut.at(-1)
      const goesOn = before && (/^\p{Ll}/u.test(one) || isNoEnd(before.text, one)) &&
        !block.slice(before.end - index, start).includes('\n')
      // What goes on in small letters behind a mark within quotes, or behind an item's number, is the same sentence.
      if (goesOn) {
        before.end = end + index
        before.text = text.slice(before.start, before.end)
        before.asks = isQuestion(before.text)
      } else {
        const asks = isQuestion(one) && one.length < LONGEST_QUESTION
        cut.push({ text: one, start: start + index, end: end + index, isRow: false, asks, isLabel })
      }
    }
    return cut
  })
}
