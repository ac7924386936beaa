import type { Language } from './words/languages.ts'
import type { QueryWord } from './words/query.ts'
import { counted, type Span } from './words/words.ts'
import { WEIGHTS } from './index/blocks.ts'
import { lazily } from '../platform/lazily.ts'
import type { Passage } from './passage.ts'
import { conceptCounter, conceptKey } from './sense/held.ts'

/**
 * The scores of passages as they are summed up for one query. What a Map would do; but a query may score thousands of
 * passages, and growing a Map to that size and discarding it, for each query, was a quarter of a search.
 */
export class Scores {
  /** Ids in the order in which they came, and at the same place the sum of each. */
  readonly #ids: Float64Array
  readonly #sums: Float64Array
  /** Which words each holds, a bit for each. */
  readonly #held: Int32Array
  /** Places in these, from 1, by a hash of the id. */
  readonly #slots: Int32Array
  readonly #bits: number
  #size = 0

  /** For up to this many passages. */
  constructor (most: number) {
    // Twice as many slots at least, so that most ids are found where they are first looked for.
    this.#bits = 33 - Math.clz32(most)
    this.#ids = new Float64Array(most)
    this.#sums = new Float64Array(most)
    this.#held = new Int32Array(most)
    this.#slots = new Int32Array(2 ** this.#bits)
  }

  get size (): number {
    return this.#size
  }

  clear (): void {
    this.#slots.fill(0)
    this.#size = 0
  }

  /** Adds what a word gains a passage; `word` is its bit. */
  add (id: number, gain: number, word: number): void {
    const last = this.#slots.length - 1
    let slot = Math.imul(id, 0x9e3779b1) >>> (32 - this.#bits)
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & last) {
      const place = this.#slots[slot]! - 1
      if (this.#ids[place] !== id) continue
      this.#sums[place]! += gain
      this.#held[place]! |= word
      return
    }
    this.#ids[this.#size] = id
    this.#sums[this.#size] = gain
    this.#held[this.#size] = word
    this.#slots[slot] = ++this.#size
  }

  /** The id and the score at a place from 0. */
  id (place: number): number {
    return this.#ids[place]!
  }

  sum (place: number): number {
    return this.#sums[place]!
  }

  /** The bits of the words that the passage at this place holds. */
  held (place: number): number {
    return this.#held[place]!
  }
}

type Numbered = readonly [id: number, score: number, ...unknown[]]

/** The order of what is ranked, each an id and its score: the highest score first, equal ones by id. */
export function byScore ([a, one]: Numbered, [b, other]: Numbered): number {
  return other - one || a - b
}

/** A passage's id, its score, and the bits of the words it holds. */
export type Scored = [id: number, score: number, held: number]

/**
 * The highest scores, highest first, equal ones by id, without those in hidden ranges (from, to; in order, not touching
 * each other). Sorts only what may still be among them: a query may score tens of thousands of passages to show ten.
 */
export function best (scores: Scores, limit: number, hidden: [number, number][]): Scored[] {
  let kept: Scored[] = []
  let least = 0
  for (let place = 0; place < scores.size; place++) {
    const score = scores.sum(place)
    const id = scores.id(place)
    if (score < least || isWithin(hidden, id)) continue
    kept.push([id, score, scores.held(place)])
    if (kept.length < limit * 2 + 64) continue
    kept = kept.sort(byScore).slice(0, limit)
    least = kept.at(-1)?.[1] ?? Infinity
  }
  return kept.sort(byScore).slice(0, limit)
}

/** Whether an id is in one of these ranges (from, to), which come in order. */
export function isWithin (ranges: [number, number][], id: number): boolean {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ranges[middle]![1] <= id) low = middle + 1
    else high = middle
  }
  return low < ranges.length && ranges[low]![0] <= id
}

/** What a pair of neighbours adds, in units of what its less telling word is worth. */
const BONUS = 0.6
/** Words further apart than this in a query are no neighbours. */
const NEAR = 2

/** Two words near each other in a query, in this order, and how far apart. */
interface Pair { first: QueryWord, second: QueryWord, apart: number }

/** The neighbours among the words of a query. */
export function pairsOf (asked: QueryWord[]): Pair[] {
  const all = asked.flatMap((word) => word.places.map((place) => ({ word, place }))).sort((a, b) => a.place - b.place)
  return all.slice(1).flatMap(({ word, place }, at) => {
    const before = all[at]!
    const apart = place - before.place
    return apart > NEAR || before.word === word ? [] : [{ first: before.word, second: word, apart }]
  })
}

/** What a pair adds to the score of a passage in which it occurs together. */
const bonusOf = ({ first, second }: Pair, worths: Map<QueryWord, number>) =>
  BONUS * Math.min(worths.get(first) ?? 0, worths.get(second) ?? 0)

/** The most that pairs can add to the score of a passage, as far as it is known to hold their words. */
export function mostTogether (
  pairs: Pair[], worths: Map<QueryWord, number>, mayHold: (word: QueryWord) => boolean
): number {
  return pairs
    .filter(({ first, second }) => mayHold(first) && mayHold(second))
    .reduce((sum, pair) => sum + bonusOf(pair, worths), 0)
}

/** What words that are adjacent in the query add to a passage's score if they are adjacent there too. */
export function togetherness (
  pairs: Pair[], worths: Map<QueryWord, number>, spans: Span[], language: Language | null
): number {
  const places = new Map<string, number[]>()
  for (const { word, place } of spans) {
    const known = places.get(word)
    if (known) known.push(place)
    else places.set(word, [place])
  }
  const placesOf = ({ forms }: QueryWord) => (forms.get(language) ?? []).flatMap((form) => places.get(form) ?? [])
  let sum = 0
  for (const pair of pairs) {
    const { first, second, apart } = pair
    const [firsts, seconds] = [placesOf(first), new Set(placesOf(second))]
    const isThere = firsts.some((place) =>
      Array.from({ length: apart }, (_, at) => place + at + 1).some((next) => seconds.has(next))
    )
    if (isThere) sum += bonusOf(pair, worths)
  }
  return sum
}

/*
 * BM25, taken apart so that a search can stop early. What a word adds to a passage's score is its idf, known only when
 * searching, times a factor of how often it occurs there and how long the passage is, known when training. That factor,
 * rounded into a few weights, goes into the index.
 */

/** BM25's parameters as Robertson gave them: how fast repetition saturates, how much length counts. */
const K1 = 1.2
const B = 0.75
/**
 * Words of an ordinary passage: constants, so that a passage's weights do not depend on what else is trained. A script
 * without spaces gives more of them, cut by dictionary or into pairs, for as much that is said.
 */
const ORDINARY_LENGTH = 110
const ORDINARY_LENGTHS = lazily(() => [
  { letters: /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu, length: 250 },
  { letters: /\p{sc=Hangul}/gu, length: 290 },
  { letters: /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu, length: 155 }
])
/** Vietnamese has spaces between syllables. */
const ORDINARY_SYLLABLES = 140
/** Characters of a passage by which its script is detected. */
const SAMPLE = 300

/** How many words an ordinary passage in the script of this one has. */
function ordinaryLength (text: string, language: Language | null): number {
  if (language !== null) return language === 'vi' ? ORDINARY_SYLLABLES : ORDINARY_LENGTH
  const sample = text.slice(0, SAMPLE)
  const all = sample.match(LETTER())?.length ?? 0
  return ORDINARY_LENGTHS().reduce((sum, { letters, length }) =>
    sum + (length - ORDINARY_LENGTH) * (sample.match(letters)?.length ?? 0) / Math.max(all, 1), ORDINARY_LENGTH)
}
const LETTER = lazily(() => /\p{L}/gu)

/** Factors are between 0 and 1 + K1; each step of the scale is one weight, written as a digit up to `f`. */
const STEPS = WEIGHTS
const STEP = (1 + K1) / STEPS

/** The factor that a term of the index encodes: the middle of the step that is its weight. */
export function factorOf (term: number): number {
  return (term % STEPS + 0.5) * STEP
}

/**
 * The same factor of a word that occurs `times` in a passage of `length` words of a script with spaces, not rounded.
 */
export function factorAt (times: number, length: number): number {
  return times * (K1 + 1) / (times + K1 * (1 - B + B * length / ORDINARY_LENGTH))
}

/** The weight of a word that occurs `times` in a passage that is `length` times as long as an ordinary one. */
function weightOf (times: number, length: number): number {
  const factor = times * (K1 + 1) / (times + K1 * (1 - B + B * length))
  return Math.min(STEPS - 1, Math.floor(factor / STEP))
}

/** BM25's idf of a word that occurs in `holding` of `all` passages; never negative. */
export function idf (holding: number, all: number): number {
  return Math.log(1 + (Math.max(all, holding) - holding + 0.5) / (holding + 0.5))
}

/** A passage made ready for the index. */
export interface Entry extends Passage {
  /** The key of each of its words, and its weight there: `0k3x9q1z_9 7h2m0c4d_4`. */
  words: string
  /** How many words it has, repeated ones too. */
  length: number
  /** How its words are spelt, as far as no passage of the source before it has them. */
  spellings: number[]
}

/**
 * Makes passages of one source ready for the index: the costly half of training, pure, so that it can run in another
 * process. Words of the title and the headings are found in the passages below them; those of the title count twice,
 * since what a text is about weighs more than what it mentions. `spelt`: the spellings that passages of the source
 * before these have; it grows.
 */
export function entries (
  passages: Passage[], title: string, language: Language | null, spelt = new Set<number>()
): Entry[] {
  const conceptsOf = conceptCounter(language)
  return passages.map((passage) => {
    const { counts: found, words: length, spellings } = counted(
      `${title}\n${title}\n${passage.heading ?? ''}\n${passage.text}`, language
    )
    const share = length / ordinaryLength(passage.text, language)
    const digits = new Map<number, string>()
    const digit = (times: number) => {
      const known = digits.get(times) ?? weightOf(times, share).toString(STEPS)
      digits.set(times, known)
      return known
    }
    const words = found.map(({ key, times }) => `${key}_${digit(times)}`)
    // Concepts are found as words are, and are not counted into the length.
    for (const [concept, times] of conceptsOf(passage, title)) words.push(`${conceptKey(concept)}_${digit(times)}`)
    return {
      ...passage,
      words: words.join(' '),
      length,
      spellings: spellings.filter((spelling) => !spelt.has(spelling) && spelt.add(spelling))
    }
  })
}
