import type { Statements } from '../platform/storage/sqlite/database.ts'
import { flatMapped, type Work } from '../platform/storage/work.ts'
import { idf } from './scores.ts'
import { postingsIn } from './index/postings.sqlite.ts'
import { holdersOf } from './index/blocks.ts'
import { FORM, wordKeyOf } from './words/key.ts'
import type { Prior } from './words/guess.ts'
import type { Language } from './words/languages.ts'

/**
 * How telling each of these words, as a language has them, is among an agent's passages: BM25's idf. A word that no
 * passage holds is the most telling.
 */
type Weigh = (agent: number, language: Language | null, words: Iterable<string>) => Work<Map<string, number>>

/** Words looked up for one question; more say nothing more. */
const LOOKED_UP = 64
/**
 * Fewer passages than this say little about how rare a word is: counted as this many, a word that none holds does not
 * outweigh all others.
 */
const FEW = 200

/** Weighs words by the index. */
export function sqliteWeights (db: Statements): Weigh {
  const postingsOf = postingsIn(db)
  const passages = db.column<[number], number>('SELECT coalesce(sum(passages), 0) FROM trainings WHERE agent = ?')

  return function * (agent, language, words) {
    const all = Math.max((yield * passages.get(agent)) ?? 0, FEW)
    const weights = new Map<string, number>()
    const { terms } = yield * postingsOf(agent)
    for (const word of [...new Set(words)].slice(0, LOOKED_UP)) {
      const keys = new Set([FORM, 0].map((form) => wordKeyOf(word, { language, form })))
      weights.set(word, idf(holdersOf(yield * flatMapped(keys, terms)), all))
    }
    return weights
  }
}

/** How much of what an agent was taught is in which language. */
export function sqliteSpoken (db: Statements): (agent: number) => Work<Prior> {
  const spoken = db.rows<[number], [Language | null, number]>(`
    SELECT language, sum(passages) FROM trainings WHERE agent = ? AND state = 'live' GROUP BY language`)
  return (agent) => spoken.all(agent)
}
