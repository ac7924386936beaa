import type { Passage } from './passage.ts'
import type { Language } from './words/languages.ts'
import { counted } from './words/words.ts'

/*
 * BM25, taken apart so that a search can stop early. What a word adds to a passage's score is its idf, known only when
 * searching, times a factor of how often it stands there and how long the passage is, known when training. That factor,
 * rounded into a few weights, goes into the index.
 */

/** BM25's parameters as Robertson gave them: how fast repetition saturates, how much length counts. */
const K1 = 1.2
const B = 0.75
/** Words of an ordinary passage. A constant, so that a passage's weights do not depend on what else is trained. */
const ORDINARY_LENGTH = 110
/** Factors are between 0 and 1 + K1; each step of the scale is one weight, written as a digit up to `f`. */
const STEPS = 16
const STEP = (1 + K1) / STEPS

/** The factor that a term of the index stands for: the middle of the step its last character names. */
export function factorOf (term: string): number {
  return (parseInt(term.at(-1)!, STEPS) + 0.5) * STEP
}

/** The weight of a word that stands `times` in a passage of `length` words. */
function weightOf (times: number, length: number): number {
  const factor = times * (K1 + 1) / (times + K1 * (1 - B + B * length / ORDINARY_LENGTH))
  return Math.min(STEPS - 1, Math.floor(factor / STEP))
}

/** BM25's idf: how telling a word is that stands in `holding` of `all` passages; never negative. */
export function idf (holding: number, all: number): number {
  return Math.log(1 + (Math.max(all, holding) - holding + 0.5) / (holding + 0.5))
}

/** A passage made ready for the index. */
export interface Entry extends Passage {
  /** The key of each of its words, and its weight there: `0k3x9q1z_9 7h2m0c4d_4`. */
  words: string
  /** How many words it has, repeated ones too. */
  length: number
}

/**
 * Makes passages of one source ready for the index: the costly half of training, pure, so that it can run in another
 * process. Words of the title and the headings are found in the passages below them; those of the title count twice,
 * since what a text is about weighs more than what it mentions.
 */
export function entries (passages: Passage[], title: string, language: Language | null): Entry[] {
  return passages.map((passage) => {
    const found = counted(`${title}\n${title}\n${passage.heading ?? ''}\n${passage.text}`, language)
    const length = found.reduce((sum, { times }) => sum + times, 0)
    const digits: string[] = []
    const digit = (times: number) => {
      digits[times] ??= weightOf(times, length).toString(STEPS)
      return digits[times]
    }
    const words = found.map(({ key, times }) => `${key}_${digit(times)}`)
    return { ...passage, words: words.join(' '), length }
  })
}

/** The same keys as they stand in the index, with the agent in front: `42_0k3x9q1z_4 42_7h2m0c4d_2`. */
export function indexed (agent: number, weighed: string): string {
  return weighed === '' ? '' : `${agent}_${weighed.replaceAll(' ', ` ${agent}_`)}`
}
