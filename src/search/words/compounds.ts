import { lazilyInSteps } from '../../platform/lazily.ts'
import { isCommon, type Language } from './languages.ts'
import { fold } from './fold.ts'
import { germanWords } from './word-list.ts'

/** The language whose compounds are taken apart. */
export const COMPOUNDING = 'de' satisfies Language

/** The weight of a part of a compound relative to a word, in a text and in a question. */
export const PART = 0.5

/** Shorter parts are found in words that are not made of them; longer ones are compounds, mostly. */
const SHORTEST = 4
const LONGEST_PART = 18
/** Letters between two parts. A last part may end with them too: they are also endings of cases. */
const JOINTS = ['s', 'n', 'en', 'e', 'es', 'er']
/** How much rarer words count for each cut between them: `Rückgabe` and `Frist`, not `Ruck`, `Gabe` and `Frist`. */
const CUT = 2
/** How much rarer a part counts that is not spelt as the word is: `Grund` and `Steuer`, not `Grunds` and `teuer`. */
const CHANGED = 4
/** What a word may lose where another follows: `Schule` in `Schulbuch`, `liefern` in `Lieferfrist`. */
const LOST = ['n', 'en', 'e']
/** Prefixes of verbs, and endings that are words too: there they are not meaningful parts. */
const NEVER_FIRST = new Set(
  'unter untere gegen wider wieder weiter hinter zusammen zuruck ober nieder durch voll fehl'.split(' ')
)
const NEVER_LAST = new Set(
  'schaft lich haft ling chen lein isch ische schen scher sche nische nischen ende enden sten erin iger cher iert ante anten'
    .split(' ')
)

/** Letters of German as `fold` has them, which takes ten times as long. */
const UMLAUT = /[äöüß]/g
const PLAIN: Record<string, string> = { ä: 'a', ö: 'o', ü: 'u', ß: 'ss' }

/** Words whose places are noted in one step, about three milliseconds. */
const STEP = 4096
const OF_LETTERS = /^[a-z]+$/

/** How frequent words are: the places they have in lists of the most frequent ones, from 1. Made in some 40 ms. */
const RANKS = lazilyInSteps(function * () {
  const ranks = new Map<string, number>()
  for (const list of germanWords()) {
    yield
    for (const [at, word] of list.entries()) {
      if (at % STEP === STEP - 1) yield
      if (word.length < SHORTEST) continue
      const plain = word.replace(UMLAUT, (letter) => PLAIN[letter]!)
      const folded = OF_LETTERS.test(plain) ? plain : fold(word)
      const rank = ranks.get(folded)
      if (rank === undefined || rank > at + 1) ranks.set(folded, at + 1)
    }
  }
  return ranks
})

/** Makes ahead, in steps, what the first compound waits for. */
export function * prepareCompounds (languages: readonly (string | null)[]): Generator<undefined, void> {
  if (languages.includes(COMPOUNDING)) yield * RANKS.ahead()
}

interface Part { word: string, rank: number }

/**
 * The words that a folded word is made of, none for most: those of `lieferfrist` are `liefern` and `frist`. German
 * alone. Of the ways to take it apart, and of leaving it whole, that of the most frequent words, by the geometric mean:
 * Koehn and Knight, Empirical Methods for Compound Splitting, 2003. Cuts and changed letters count against it.
 */
export function partsOf (word: string, language: Language | null): string[] {
  if (language !== COMPOUNDING || word.length < 2 * SHORTEST || !OF_LETTERS.test(word)) return []
  const best = split(word, new Map())
  return best && rarity(best) < Math.log(RANKS.get().get(word) ?? Infinity) ? best.map(({ word }) => word) : []
}

function split (word: string, tried: Map<string, Part[] | undefined>): Part[] | undefined {
  if (tried.has(word)) return tried.get(word)
  let best: Part[] | undefined
  for (let at = SHORTEST; at <= Math.min(word.length - SHORTEST, LONGEST_PART); at++) {
    const first = partOf(word.slice(0, at), NEVER_FIRST, LOST)
    if (first === undefined) continue
    const end = word.slice(at)
    const last = partOf(end, NEVER_LAST)
    for (const rest of [last && [last], split(end, tried)]) {
      if (rest && (best === undefined || rarity([first, ...rest]) < rarity(best))) best = [first, ...rest]
    }
  }
  tried.set(word, best)
  return best
}

/** How rare words are: the logarithm of the geometric mean of their ranks, and of what their cuts cost. */
function rarity (parts: Part[]): number {
  return parts.reduce((sum, { rank }) => sum + Math.log(rank), 0) / parts.length + Math.log(CUT) * (parts.length - 1)
}

function wordOf (word: string): Part | undefined {
  const rank = word.length < SHORTEST || word.length > LONGEST_PART ? undefined : RANKS.get().get(word)
  return rank === undefined || isCommon(word, COMPOUNDING) ? undefined : { word, rank }
}

/** The word that letters of a compound are: unchanged, with what it `lost`, or without a joint. */
function partOf (letters: string, never: Set<string>, lost: string[] = []): Part | undefined {
  if (never.has(letters)) return undefined
  const asItIs = wordOf(letters)
  if (asItIs) return asItIs
  const others = [
    ...lost.map((end) => letters + end),
    ...JOINTS.filter((joint) => letters.endsWith(joint)).map((joint) => letters.slice(0, -joint.length))
  ]
  const part = others.filter((word) => !never.has(word)).map(wordOf).find((part) => part !== undefined)
  return part && { word: part.word, rank: part.rank * CHANGED }
}
