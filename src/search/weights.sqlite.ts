import type { Database } from 'better-sqlite3'
import { idf } from './impact.ts'
import { postingsIn } from './index/postings.sqlite.ts'
import { holdersOf } from './index/terms.ts'
import { FORM, wordKeyOf } from './words/key.ts'
import type { Prior } from './words/guess.ts'
import type { Language } from './words/languages.ts'

/**
 * How telling each of these words, as a language has them, is among an agent's passages: BM25's idf. A word that no
 * passage holds is the most telling.
 */
export type Weigh = (agent: number, language: Language | null, words: Iterable<string>) => Map<string, number>

/** Words looked up for one question; more say nothing more. */
const LOOKED_UP = 64
/**
 * Fewer passages than this say little about how rare a word is: counted as so many, a word that none holds does not
 * outweigh all others.
 */
const FEW = 200

/** Weighs words by the index. */
export function sqliteWeights (db: Database): Weigh {
  const postingsOf = postingsIn(db)
  const passages = db
    .prepare<[number], number>('SELECT coalesce(sum(passages), 0) FROM trainings WHERE agent = ?')
    .pluck()

  return (agent, language, words) => {
    const all = Math.max(passages.get(agent) ?? 0, FEW)
    const weights = new Map<string, number>()
    const { terms } = postingsOf(agent)
    for (const word of [...new Set(words)].slice(0, LOOKED_UP)) {
      const keys = new Set([FORM, 0].map((form) => wordKeyOf(word, { language, form })))
      weights.set(word, idf(holdersOf([...keys].flatMap(terms)), all))
    }
    return weights
  }
}

/** How much of what an agent was taught is in which language. */
export function sqliteSpoken (db: Database): (agent: number) => Prior {
  const spoken = db.prepare<[number], [Language | null, number]>(`
    SELECT language, sum(passages) FROM trainings WHERE agent = ? AND state = 'live' GROUP BY language`).raw()
  return (agent) => spoken.all(agent)
}
