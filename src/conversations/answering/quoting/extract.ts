import { coverageBy, type Asked } from '../../../search/confidence.ts'
import { isQuestion, sentences, type Sentence } from '../../../search/sense/sentences.ts'
import { wordsIn } from '../../../search/words/words.ts'

/** A passage that may answer, as found by a search: best first. */
export interface Candidate {
  source: number
  title: string
  url: string | null
  page: number | null
  heading: string | null
  text: string
  /** Its position in the source's text, in UTF-16 units. */
  start: number
  /** When its source was last found to be unchanged. */
  checked_at?: string | null
  /** The date it is known to be from, if it may be outdated. */
  asOf?: string | null
}

/** The same with its score, which is comparable only within the same search. */
export interface Scored extends Candidate {
  score: number
  /** Where the answering words are, as far as a search has told. */
  quotes?: [start: number, end: number][]
  fit?: number | undefined
  /** How sure it is that the passage is about the question, from 0 to 1, as far as a search has told. */
  confidence?: number
  /** Its language, if known. */
  language?: string | null
}

/** Words of a source that answer best, and their position in the passage. */
export interface Quotation { passage: Candidate, text: string, start: number, end: number }

/**
 * Of a second sentence's score, the share for what it adds to the first; the rest is for its match with the question.
 * And the bonus for being next to the first.
 */
const [ADDED, NEIGHBOUR] = [0.6, 0.1]
/** Passages whose sentences are scored. */
const LOOKED_AT = 8
/** Most characters of a quotation. */
const LONGEST_QUOTATION = 600

/** A sentence of a passage: how much of the question it covers, and its words. */
interface Weighed extends Sentence { share: number, words: ReadonlySet<string> }

/**
 * The sentence that answers a question best, and the one of the same passage that goes with it: as one quotation if
 * adjacent, else the better one first. A sentence's score is the idf share of the question's words in it, and the score
 * of its passage relative to the best. Measured on a public set in English: the answer was in them for 87 % of the
 * questions (83 % by the share of a sentence and its neighbours and the place of the passage). Tuned on questions in
 * Arabic and Turkish.
 */
export function extract<Passage extends Scored> (
  passages: readonly Passage[], askedIn: (passage: Passage) => Asked
): Quotation[] {
  const looked = passages.slice(0, LOOKED_AT)
  const judged = looked.find(({ quotes = [] }) => quotes.length > 0)
  if (judged) {
    return judged.quotes!.map(([start, end]) => ({ passage: judged, text: judged.text.slice(start, end), start, end }))
  }
  const top = Math.max(0, ...looked.map(({ score }) => score))
  let best: { passage: Passage, asked: Asked, all: Weighed[], at: number } | undefined
  let most = -1
  for (const passage of looked) {
    const asked = askedIn(passage)
    const all = sentences(passage.text, asked.language).map((sentence) => {
      const there = wordsIn(sentence.text, asked.language)
      return { ...sentence, share: coverageBy(asked, there), words: there }
    })
    for (const [at, { share }] of all.entries()) {
      const worth = share + (top > 0 ? passage.score / top : 1)
      if (worth > most) [most, best] = [worth, { passage, asked, all, at }]
    }
  }
  return best ? quoted(best.passage, best.asked, best.all, best.at) : []
}

/**
 * Passages this close to the best are offered beside it, and from how many passages. Those that are not as close as the
 * third say something else, unless they are a good share as sure.
 */
const [NEARLY, OFFERED_BESIDE, ALIKE, AS_SURE] = [0.6, 2, 0.9, 0.3]

/**
 * Quotations from the next best passages, as judged by a search: for an unsure answer. `spoken`: the user's language.
 * Repeating it in a language that is neither this nor that of the best helps nobody.
 */
export function alternatives<Passage extends Scored> (
  passages: readonly Passage[], spoken: string | null = null
): Quotation[] {
  const [best, ...others] = passages.slice(0, LOOKED_AT).filter(({ quotes = [] }) => quotes.length > 0)
  return others
    .filter(({ language }) => language === best?.language || (spoken !== null && language === spoken))
    .slice(0, OFFERED_BESIDE)
    .filter(({ fit = 0, confidence = 0 }) => {
      const share = fit / (best?.fit ?? Infinity)
      return fit > 0 && share >= NEARLY && (share >= ALIKE || confidence >= (best?.confidence ?? 0) * AS_SURE)
    })
    .map((passage) => {
      const [start, end] = passage.quotes![0]!
      return { passage, text: passage.text.slice(start, end), start, end }
    })
}

/** The sentence at this index and its companion, as they are in the passage's text. */
function quoted (passage: Candidate, asked: Asked, all: Weighed[], place: number): Quotation[] {
  // A heading, or a repeat of the question, as in FAQ lists, is answered by what follows.
  const headings = new Set(passage.heading?.split(' › '))
  const asks = ({ text }: Sentence) => isQuestion(text) || headings.has(text)
  const body = all.findIndex((one, at) => at >= place && !headings.has(one.text))
  const isAsked = asks(all[place]!) && place + 1 < all.length
  const at = isAsked ? Math.max(place + 1, body) : place
  const first = all[at]!
  const second = isAsked ? following(all, at) : companion(asked, all, at, asks)
  const quote = (start: number, end: number): Quotation =>
    ({ passage, text: passage.text.slice(start, end), start, end })
  const alone = quote(first.start, Math.min(first.end, first.start + LONGEST_QUOTATION))
  if (!second) return [alone]
  const [from, to] = [Math.min(first.start, second.start), Math.max(first.end, second.end)]
  const both = Math.abs(all.indexOf(second) - at) === 1
    ? [quote(from, to)]
    : [alone, quote(second.start, second.end)]
  return both.reduce((sum, { text }) => sum + text.length, 0) > LONGEST_QUOTATION ? [alone] : both
}

/** What follows a sentence, unless it is a question. */
function following (all: Weighed[], at: number): Weighed | undefined {
  const next = all[at + 1]
  return next && !isQuestion(next.text) ? next : undefined
}

/** The sentence with most of what the one at `at` leaves out of the question, preferably a neighbour. */
function companion (
  asked: Asked, all: Weighed[], at: number, asks: (sentence: Sentence) => boolean
): Weighed | undefined {
  let [found, most]: [Weighed | undefined, number] = [undefined, -1]
  for (const [other, sentence] of all.entries()) {
    if (other === at || asks(sentence)) continue
    const added = coverageBy(asked, new Set([...sentence.words].filter((word) => !all[at]!.words.has(word))))
    const worth = ADDED * added + (1 - ADDED) * sentence.share + (Math.abs(other - at) === 1 ? NEIGHBOUR : 0)
    // Of two with equal scores, the following one.
    if (worth >= most) [most, found] = [worth, sentence]
  }
  return found
}
