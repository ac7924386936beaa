import type { Database } from 'better-sqlite3'
import { idf } from './impact.ts'
import { FORM, wordKeyOf } from './words/key.ts'
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
  const holders = db
    .prepare<[string, string], number>('SELECT coalesce(sum(doc), 0) FROM passage_terms WHERE term >= ? AND term < ?')
    .pluck()
  const passages = db
    .prepare<[number], number>('SELECT coalesce(sum(passages), 0) FROM trainings WHERE agent = ?')
    .pluck()

  return (agent, language, words) => {
    const all = Math.max(passages.get(agent) ?? 0, FEW)
    const weights = new Map<string, number>()
    for (const word of [...new Set(words)].slice(0, LOOKED_UP)) {
      const keys = new Set([FORM, 0].map((form) => `${agent}_${wordKeyOf(word, { language, form })}`))
      // The weight is one character after the last `_`; the character after `_` closes the range.
      const holding = [...keys].reduce((sum, key) => sum + (holders.get(`${key}_`, `${key}\``) ?? 0), 0)
      weights.set(word, idf(holding, all))
    }
    return weights
  }
}
