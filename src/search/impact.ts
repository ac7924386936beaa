import { WEIGHTS } from './index/blocks.ts'
import { lazily } from '../platform/lazily.ts'
import type { Passage } from './passage.ts'
import type { Language } from './words/languages.ts'
import { conceptCounter, conceptKey } from './sense/held.ts'
import { counted } from './words/words.ts'

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
