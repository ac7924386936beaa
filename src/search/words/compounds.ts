import { lazily } from '../../platform/lazily.ts'
import { isCommon, type Language } from './languages.ts'
import { fold } from './fold.ts'
import { germanWords } from './word-list.cjs'

/** What a part of a compound counts beside a word, in a text and in a question. */
export const PART = 0.5

/** Shorter parts are found in words that are not made of them. */
const SHORTEST = 4
/** Letters between two parts. A last part may end with them too: they are also endings of cases. */
const JOINTS = ['s', 'n', 'en', 'e', 'es', 'er']
/** What a word may lose where another follows: `Schule` in `Schulbuch`, `liefern` in `Lieferfrist`. */
const LOST = ['n', 'en', 'e']
/** Endings that are words too, and what stands before verbs: as parts they tell nothing. */
const NO_PARTS = new Set(
  (
    'schaft lich haft ling chen lein isch ische schen scher sche nische nischen ende enden sten erin iger cher iert ante anten ' +
    'unter untere gegen wider wieder weiter hinter zusammen zuruck ober nieder durch voll fehl'
  ).split(' ')
)

/** How frequent words are: the places they have in lists of the most frequent ones, from 1. Made in some 40 ms. */
const RANKS = lazily(() => {
  const ranks = new Map<string, number>()
  for (const list of germanWords()) {
    for (const [at, word] of list.entries()) {
      if (word.length < SHORTEST) continue
      const folded = /^[a-z]+$/.test(word) ? word : fold(word)
      const rank = ranks.get(folded)
      if (rank === undefined || rank > at + 1) ranks.set(folded, at + 1)
    }
  }
  return ranks
})

interface Part { word: string, rank: number }

/**
 * The words that a folded word is made of, none for most: those of `lieferfrist` are `liefern` and `frist`. German
 * alone. Of the ways to take it apart, and of leaving it whole, that of the most frequent words, by the geometric mean:
 * Koehn and Knight, Empirical Methods for Compound Splitting, 2003.
 */
export function partsOf (word: string, language: Language | null): string[] {
  if (language !== 'de' || word.length < 2 * SHORTEST || !/^[a-z]+$/.test(word)) return []
  const whole = RANKS().get(word) ?? Infinity
  const best = split(word, new Map())
  return best !== undefined && mean(best) < Math.log(whole) ? best.map(({ word }) => word) : []
}

function split (word: string, tried: Map<string, Part[] | undefined>): Part[] | undefined {
  if (tried.has(word)) return tried.get(word)
  let best: Part[] | undefined
  for (let at = SHORTEST; at <= word.length - SHORTEST; at++) {
    const first = partOf(word.slice(0, at), LOST)
    if (first === undefined) continue
    const end = word.slice(at)
    const last = partOf(end)
    for (const rest of [last && [last], split(end, tried)]) {
      if (rest && (best === undefined || mean([first, ...rest]) < mean(best))) best = [first, ...rest]
    }
  }
  tried.set(word, best)
  return best
}

/** The logarithm of the geometric mean of ranks. */
const mean = (parts: Part[]) => parts.reduce((sum, { rank }) => sum + Math.log(rank), 0) / parts.length

function known (word: string): Part | undefined {
  const rank = word.length < SHORTEST || NO_PARTS.has(word) || isCommon(word, 'de') ? undefined : RANKS().get(word)
  return rank === undefined ? undefined : { word, rank }
}

/** The word that letters of a compound stand for: as they are, with what it `lost`, or without a joint. */
function partOf (letters: string, lost: string[] = []): Part | undefined {
  if (NO_PARTS.has(letters)) return undefined
  const spellings = [
    letters,
    ...lost.map((end) => letters + end),
    ...JOINTS.filter((joint) => letters.endsWith(joint)).map((joint) => letters.slice(0, -joint.length))
  ]
  return spellings.map(known).find((part) => part !== undefined)
}
