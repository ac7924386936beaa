import type { Database } from 'better-sqlite3'
import { idf } from './impact.ts'
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
  const termsOf = sqliteTerms(db)
  const passages = db
    .prepare<[number], number>('SELECT coalesce(sum(passages), 0) FROM trainings WHERE agent = ?')
    .pluck()

  return (agent, language, words) => {
    const all = Math.max(passages.get(agent) ?? 0, FEW)
    const weights = new Map<string, number>()
    const terms = termsOf(agent)
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

/** The terms of a word in the index, one for each weight that it has in some passage, and how many hold it. */
export type Terms = [term: string, passages: number][]

/** How many passages hold what these terms stand for. */
export function holdersOf (terms: Terms): number {
  return terms.reduce((sum, [, passages]) => sum + passages, 0)
}

/** What fewer passages hold is counted anew as quickly as it would be found here. */
const MANY = 500
/** Words kept, of all agents together. */
const MOST = 5000

/**
 * Counts, by the index, how many of an agent's passages hold a word, given by its key. What many hold is counted once
 * and kept in memory until the agent is trained anew or something of it is gone: counting was a third of a search.
 * While removed passages are wiped, they count as long as they count among the agent's passages.
 */
export function sqliteTerms (
  db: Database, { many = MANY, most = MOST } = {}
): (agent: number) => (key: string) => Terms {
  const stateOf = db
    .prepare<[number], string>(
      "SELECT count(*) || ':' || total(id) || ':' || total(words) FROM trainings WHERE agent = ?"
    )
    .pluck()
  const counted = db
    .prepare<[string, string], Terms[number]>('SELECT term, doc FROM passage_terms WHERE term >= ? AND term < ?')
    .raw()
  const agents = new Map<number, { state: string, words: Map<string, Terms> }>()
  let size = 0

  function keep (agent: number, state: string, key: string, found: Terms): void {
    const { words } = agents.get(agent) ?? { words: new Map<string, Terms>() }
    agents.set(agent, { state, words: words.set(key, found) })
    if (++size < most) return
    agents.clear()
    size = 0
  }

  return (agent) => {
    const state = stateOf.get(agent)!
    const known = agents.get(agent)
    if (known && known.state !== state) {
      size -= known.words.size
      agents.delete(agent)
    }
    return (key) => {
      const before = agents.get(agent)?.words.get(key)
      if (before) return before
      // The weight is one character after the last `_`; the character after `_` closes the range.
      const found = counted.all(`${agent}_${key}_`, `${agent}_${key}\``)
      if (holdersOf(found) >= many) keep(agent, state, key, found)
      return found
    }
  }
}
