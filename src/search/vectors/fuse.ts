import type { Work } from '../../platform/storage/work.ts'
import { inTurn, type Asked, type Ranked, type sqliteSearch } from '../search.sqlite.ts'

/** How many of the first places of both lists are compared. */
const FIRST = 10
/** By how many standard deviations both lists must agree beyond chance before the vectors have a say. */
const MARGIN = 3
/** The maximum weight of vectors relative to words. */
const HEAVIEST = 0.35
/** From this confidence on the words decide alone: where an answer is quoted without a doubt. */
const SURE = 0.65

/** How many of the best by words are asked how sure they are, and how many are ranked by words. */
const [SURE_OF, RANKED] = [10, 100]

/** An agent's passages for what is asked, by its words and by those near to it in meaning, in one order. */
export function * rankBothWays (
  { rank, show }: Pick<ReturnType<typeof sqliteSearch>, 'rank' | 'show'>, asked: Asked, near: Ranked[]
): Work<Ranked[]> {
  const next = yield * rank(asked, RANKED)
  const byWords: Ranked[] = []
  for (let one = yield * next(); one; one = yield * next()) byWords.push(one)
  const surest = yield * show(asked, inTurn(byWords), SURE_OF)
  return fuse(byWords, near, Math.max(0, ...surest.map(({ confidence }) => confidence)))
}

/**
 * One order of two, by words and by vectors. The scores of each list are brought between 0 and 1; what the vectors say
 * weighs the more the less sure the words are (`confidence`, of the best passage), and the more both lists agree,
 * beyond chance, on what belongs among the first: vectors of a weak model change nothing, and add what the words do not
 * find behind it. Where words find nothing, the vectors decide.
 */
export function fuse (words: Ranked[], near: Ranked[], confidence: number): Ranked[] {
  if (near.length === 0 || (words.length > 0 && confidence >= SURE)) return words
  const sums = new Map(levelled(words))
  const weight = words.length === 0 ? 1 : HEAVIEST * Math.min(1, 2 * agreement(words, near)) * (1 - confidence / SURE)
  for (const [id, score] of levelled(near)) sums.set(id, (sums.get(id) ?? 0) + weight * score)
  // What scores the same stays in its order, by words first.
  return [...sums].sort(([, a], [, b]) => b - a)
}

/**
 * The share of the first places that both lists give to the same passages, as far as it is more than chance: were the
 * second list in no order, it would have as many of the first by words in any other part of it.
 */
function agreement (words: Ranked[], near: Ranked[]): number {
  const first = new Set(words.slice(0, FIRST).map(([id]) => id))
  const held = (list: Ranked[]) => list.filter(([id]) => first.has(id)).length
  const byChance = held(near) * Math.min(FIRST, near.length) / near.length
  const beyond = held(near.slice(0, FIRST)) - byChance - MARGIN * Math.sqrt(byChance)
  return Math.max(0, beyond) / Math.min(FIRST, words.length, near.length)
}

/** The same with scores from 1, the best, to 0, the last; a list of one holds the best. */
function levelled (ranked: Ranked[]): Ranked[] {
  const best = ranked[0]?.[1] ?? 0
  const spread = best - (ranked.at(-1)?.[1] ?? 0)
  return ranked.map(([id, score]) => [id, spread === 0 ? 1 : 1 - (best - score) / spread])
}
