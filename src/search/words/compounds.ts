import { lazilyInSteps } from '../../platform/lazily.ts'
import { isCommon, type Language } from './languages.ts'
import { fold } from './fold.ts'
import { wordsOf, type Listed } from './word-list.ts'

/** The languages whose compounds are taken apart. */
export const COMPOUNDING = ['de', 'nl'] as const satisfies readonly Listed[]

/** The weight of a part of a compound relative to a word, in a text and in a question. */
export const PART = 0.5

/** Shorter parts are found in words that are not made of them; longer ones are compounds, mostly. */
const SHORTEST = 4
const LONGEST_PART = 18
/** How much rarer words count for each cut between them: `Rückgabe` and `Frist`, not `Ruck`, `Gabe` and `Frist`. */
const CUT = 2
/** How much rarer a part counts that is not spelt as the word is: `Grund` and `Steuer`, not `Grunds` and `teuer`. */
const CHANGED = 4

/** How compounds of a language are put together. */
interface Ways {
  /** Letters between two parts. A last part may end with them too: they are also endings of cases. */
  joints: readonly string[]
  /** What a word may lose where another follows: `Schule` in `Schulbuch`, `liefern` in `Lieferfrist`. */
  lost: readonly string[]
  /** Prefixes of verbs, and endings that are words too: there they are not meaningful parts. */
  neverFirst: ReadonlySet<string>
  neverLast: ReadonlySet<string>
}

const listed = (words: string) => words.split(' ')

const WAYS: Record<Listed, Ways> = {
  de: {
    joints: ['s', 'n', 'en', 'e', 'es', 'er'],
    lost: ['n', 'en', 'e'],
    neverFirst: new Set(listed('unter untere gegen wider wieder weiter hinter zusammen zuruck ober nieder durch voll fehl')),
    neverLast: new Set(listed(
      'schaft lich haft ling chen lein isch ische schen scher sche nische nischen ende enden sten erin iger cher iert ante anten'
    ))
  },
  nl: {
    joints: ['s', 'en', 'e', 'er'],
    lost: [],
    neverFirst: new Set(listed(
      'over onder voor door achter tegen terug samen weer boven buiten binnen tussen neer mede voort hier daar waar aller inter trans acht best vers even'
    )),
    neverLast: new Set(listed(
      'schap schappen heid heden lijk lijke lijks elijk loos loze baar isch ische ende enden eren eert erde eerde sten ters ding ingen ings ring ning ningen nissen sche tie ties atie iteit ling oren uren eten erge volle'
    ))
  }
}

/** Letters as `fold` has them, which takes ten times as long. */
const UMLAUT = /[äöüß]/g
const PLAIN: Record<string, string> = { ä: 'a', ö: 'o', ü: 'u', ß: 'ss' }

/** Words whose places are noted in one step, about a millisecond. */
const STEP = 1024
const OF_LETTERS = /^[a-z]+$/

/** How frequent words are: the places they have in lists of the most frequent ones, from 1. Made in some 40 ms. */
const ranksOf = (language: Listed) => lazilyInSteps(function * () {
  const ranks = new Map<string, number>()
  for (const list of wordsOf(language)) {
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
const RANKS = { de: ranksOf('de'), nl: ranksOf('nl') }

/** Makes ahead, in steps, what the first compound waits for. */
export function * prepareCompounds (languages: readonly (string | null)[]): Generator<undefined, void> {
  for (const language of COMPOUNDING) if (languages.includes(language)) yield * RANKS[language].ahead()
}

interface Part { word: string, rank: number }

/**
 * The words that a folded word is made of, none for most: those of `lieferfrist` are `liefern` and `frist`. German
 * and Dutch alone. Of the ways to take it apart, and of leaving it whole, that of the most frequent words, by the
 * geometric mean: Koehn and Knight, Empirical Methods for Compound Splitting, 2003. Cuts and changed letters count
 * against it.
 */
export function partsOf (word: string, language: Language | null): string[] {
  const tongue = COMPOUNDING.find((one) => one === language)
  if (tongue === undefined || word.length < 2 * SHORTEST || !OF_LETTERS.test(word)) return []
  const best = split(word, tongue, new Map())
  const whole = Math.log(RANKS[tongue].get().get(word) ?? Infinity)
  return best && rarity(best) < whole ? best.map(({ word }) => word) : []
}

function split (word: string, language: Listed, tried: Map<string, Part[] | undefined>): Part[] | undefined {
  if (tried.has(word)) return tried.get(word)
  const { neverFirst, neverLast, lost } = WAYS[language]
  let best: Part[] | undefined
  for (let at = SHORTEST; at <= Math.min(word.length - SHORTEST, LONGEST_PART); at++) {
    const first = partOf(word.slice(0, at), language, neverFirst, lost)
    if (first === undefined) continue
    const end = word.slice(at)
    const last = partOf(end, language, neverLast)
    for (const rest of [last && [last], split(end, language, tried)]) {
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

function wordOf (word: string, language: Listed): Part | undefined {
  const rank = word.length < SHORTEST || word.length > LONGEST_PART ? undefined : RANKS[language].get().get(word)
  return rank === undefined || isCommon(word, language) ? undefined : { word, rank }
}

/** The word that letters of a compound are: unchanged, with what it `lost`, or without a joint. */
function partOf (
  letters: string, language: Listed, never: ReadonlySet<string>, lost: readonly string[] = []
): Part | undefined {
  if (never.has(letters)) return undefined
  const asItIs = wordOf(letters, language)
  if (asItIs) return asItIs
  const others = [
    ...lost.map((end) => letters + end),
    ...WAYS[language].joints.filter((joint) => letters.endsWith(joint)).map((joint) => letters.slice(0, -joint.length))
  ]
  const part = others
    .filter((word) => !never.has(word))
    .map((word) => wordOf(word, language))
    .find((part) => part !== undefined)
  return part && { word: part.word, rank: part.rank * CHANGED }
}
