import { lazily } from '../platform/lazily.ts'
import type { Work } from '../platform/storage/work.ts'
import type { Language } from './words/languages.ts'
import type { Spans } from './words/words.ts'

/** A passage that a search found, as it is kept. */
export interface Found {
  id: number
  source: number
  /** Number of the passage within its source, from 0. */
  ordinal: number
  text: string
  /** Its position in the source's text, in UTF-16 units. */
  start: number
  heading: string | null
  page: number | null
  row: number | null
  lastRow: number | null
  language: Language | null
  score: number
  /** How sure it is that this passage is about what was asked, from 0 to 1. */
  confidence: number
  /** How it was judged (see `Judged`), and where the answering words are; not for every passage. */
  fit?: number
  worth?: number
  helps?: number
  right?: number
  quotes?: [start: number, end: number][]
}

/** A passage that a search opened, with the positions of the query's words in it, and its number of words. */
export interface Opened extends Omit<Found, 'confidence'>, Spans {}

/**
 * A stretch of a passage's text. Plain text, never markup: who shows it as HTML escapes each stretch and marks the
 * marked.
 */
interface Stretch { text: string, marked: boolean }

/** A found passage as a person sees it. In a table `row` is the row that holds most of what was asked. */
export interface Hit extends Omit<Found, 'lastRow'> {
  /**
   * The text of the passage, with the query's words marked. Joined, the stretches are `text`. Marked when it is first
   * asked for, which takes longer than finding the passage did, and not everybody shows it.
   */
  readonly highlight: Stretch[]
}

type Range = [start: number, end: number]

/**
 * Found passages, best first as `next` gives them, with highlights; those left out that repeat a better one: the same
 * text again, or a neighbour that only holds the overlap.
 */
export function * hitOf (limit: number, next: () => Work<(Opened & Found) | undefined>): Work<Hit[]> {
  const kept: Opened[] = []
  const hits: Hit[] = []
  while (hits.length < limit) {
    const one = yield * next()
    if (!one) break
    const { lastRow, spans, words, ...passage } = one
    const marks = lazily(() => marksIn(one))
    if (kept.some((better) => repeats(one, marks, better))) continue
    kept.push(one)
    const highlight = lazily(() => stretches(one.text, marks()))
    hits.push({ ...passage, row: rowOf(one, marks), get highlight () { return highlight() } })
  }
  return hits
}

/** Positions of the query's words; neighbours that overlap or touch, as pairs of syllables do, are merged. */
function marksIn ({ spans }: Opened): Range[] {
  const marks: Range[] = []
  for (const { start, end } of spans) {
    const last = marks.at(-1)
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end)
    else marks.push([start, end])
  }
  return marks
}

function repeats (one: Opened, marksOfIt: () => Range[], better: Opened): boolean {
  if (one.text === better.text) return true
  if (one.source !== better.source || Math.abs(one.ordinal - better.ordinal) !== 1) return false
  const marks = marksOfIt()
  if (marks.length === 0) return false
  const from = better.start - one.start
  return marks.every(([start, end]) => start >= from && end <= from + better.text.length)
}

function stretches (text: string, marks: Range[]): Stretch[] {
  const parts: Stretch[] = []
  let at = 0
  for (const [start, end] of marks) {
    if (start > at) parts.push({ text: text.slice(at, start), marked: false })
    parts.push({ text: text.slice(start, end), marked: true })
    at = end
  }
  if (at < text.length) parts.push({ text: text.slice(at), marked: false })
  return parts
}

/** Rows put together into one passage have an empty line between them. */
function rowOf ({ text, row, lastRow }: Opened, marks: () => Range[]): number | null {
  if (row === null || lastRow === row) return row
  const perRow = new Map<number, number>()
  for (const [start] of marks()) {
    const at = row + text.slice(0, start).split('\n\n').length - 1
    perRow.set(at, (perRow.get(at) ?? 0) + 1)
  }
  return [...perRow].sort(([, a], [, b]) => b - a)[0]?.[0] ?? row
}
