import type { Language } from './words/languages.ts'
import type { QueryWord } from './words/query.ts'
import type { Span } from './words/words.ts'

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
