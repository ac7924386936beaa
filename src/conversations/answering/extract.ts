import { coverageBy, type Asked } from '../../search/coverage.ts'
import { words } from '../../search/words/words.ts'

/** A passage that may answer, as a search found it: best first. */
export interface Candidate {
  source: number
  title: string
  url: string | null
  page: number | null
  heading: string | null
  text: string
  /** Where it stands in the source's text, in UTF-16 units. */
  start: number
}

/** Words of a source that answer best, and where they stand. */
export interface Quotation { passage: Candidate, text: string, start: number, end: number, score: number }

/** How much the sentences around one count, and the place of its passage among those found. */
const NEIGHBOURS = 0.4
const RANK = 0.15
/** Passages whose sentences are looked at. */
const LOOKED_AT = 8
/** A quotation is a sentence and the next, up to this many characters. */
const LONGEST = 600

const segmenters = new Map<string, Intl.Segmenter>()

/** Making one takes as long as cutting a page. */
function segmenterOf (language: string): Intl.Segmenter {
  const known = segmenters.get(language) ?? new Intl.Segmenter(language, { granularity: 'sentence' })
  segmenters.set(language, known)
  return known
}

interface Sentence { text: string, start: number, end: number }

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

/**
 * The sentences that answer a question best, best first, each from another passage: by the idf share of its words in
 * the sentence, in its neighbours and by the place of the passage. Measured on a public set in 11 languages: the right
 * sentence or its neighbour came first for 74 to 90 % of the questions, in English for 86 %.
 */
export function extract (passages: Candidate[], askedIn: (passage: Candidate) => Asked, most = 1): Quotation[] {
  const found: Quotation[] = []
  const looked = passages.slice(0, LOOKED_AT)
  for (const [place, passage] of looked.entries()) {
    const asked = askedIn(passage)
    const all = sentences(passage.text, asked.language)
    const wordsOf = all.map(({ text }) => new Set(words(text, asked.language)))
    const quotation = bestOf(
      passage, all, wordsOf.map((one) => coverageBy(asked, one)), RANK * (1 - place / looked.length)
    )
    if (quotation) found.push(quotation)
  }
  return found.sort((a, b) => b.score - a.score).slice(0, most)
}

/** The best sentence; `shares`: how much of the question each is about. */
function bestOf (passage: Candidate, all: Sentence[], shares: number[], rank: number): Quotation | undefined {
  let [at, score] = [-1, -1]
  for (const [i, share] of shares.entries()) {
    const worth = share + NEIGHBOURS * Math.max(shares[i - 1] ?? 0, shares[i + 1] ?? 0) + rank
    if (worth > score) [at, score] = [i, worth]
  }
  const first = all[at]
  if (!first) return undefined
  // What repeats the question, as in lists of questions and answers, is answered by what follows.
  const from = isQuestion(first.text) && all[at + 1] ? at + 1 : at
  return { passage, score, ...stretch(passage.text, all, from, shares) }
}

/** The sentence and its better neighbour, as they stand in the text. */
function stretch (
  text: string, all: Sentence[], at: number, shares: number[]
): { text: string, start: number, end: number } {
  const before = all[at - 1]
  const useBefore = before !== undefined && !isQuestion(before.text) && (shares[at - 1] ?? 0) > (shares[at + 1] ?? 0)
  const [first, last] = useBefore ? [before, all[at]] : [all[at], all[at + 1]]
  const alone = all[at] ?? { start: 0, end: 0 }
  const start = first?.start ?? alone.start
  const end = last?.end ?? alone.end
  const [from, to] = end - start <= LONGEST ? [start, end] : [alone.start, Math.min(alone.end, alone.start + LONGEST)]
  return { text: text.slice(from, to), start: from, end: to }
}

function isQuestion (sentence: string): boolean {
  return /[?？؟][\s"'”’)]*$/u.test(sentence)
}
