import type { Database } from 'better-sqlite3'
import { Refusal } from '../platform/errors.ts'
import type { Secrets } from '../platform/storage/secrets.ts'
import { factorOf, idf } from './impact.ts'
import { wordKeyOf, type Dialect } from './words/key.ts'
import type { Language } from './words/languages.ts'
import { best } from './best.ts'
import { hitOf } from './hits.ts'
import type { Hit } from './hits.ts'
import { openGroup, type Kept } from './passage.ts'
import { Scores } from './scores.ts'
import { queryWords, type QueryWord } from './words/query.ts'

/** Longest query that is read, in UTF-16 units. */
const LONGEST_QUERY = 4000
/** Words of a query that are looked up, in how many languages all together, and those of them, the most telling ones, that are searched for. */
const LOOKED_UP = 64
const KEYS_LOOKED_UP = 192
const SEARCHED = 32
/** Postings counted and read for one query: what bounds its time. Counting takes some 25 ns each, reading 150 ns. */
const COUNTED = 60_000
const READ = 15_000

/** How many times as many passages are ranked as are asked for, since some repeat others. */
const SPARE = 3

/** A passage's id and its score. */
export type Ranked = [id: number, score: number]

/** What is asked of an agent. */
interface Asked { agent: number, words: QueryWord[], dialects: Dialect[] }

/** Where one word stands with one weight, and what it adds to the score of a passage there. */
interface Postings { term: string, holding: number, gain: number }

/** A passage's group, and what its training says of it. */
interface PassageRow { source: number, ordinal: number, language: Language | null, secret: number | null, first: number, data: Buffer | string }

/**
 * Ranks an agent's passages by BM25, reading the postings that add most first until the budget is used up, so that a
 * search takes about as long in a large agent as in a small one, and as long whatever other agents there are.
 */
export function sqliteSearch (db: Database, secrets: Secrets, { read = READ, counted = COUNTED } = {}) {
  const terms = db.prepare<[string, string], [string, number]>('SELECT term, doc FROM passage_terms WHERE term >= ? AND term < ?').raw()
  const holders = db.prepare<[string, number], number>('SELECT rowid FROM passage_index WHERE passage_index MATCH ? LIMIT ?').pluck()
  const dialects = db.prepare<[number], Dialect & { passages: number }>(`
    SELECT language, form, sum(passages) AS passages FROM trainings WHERE agent = ? AND state = 'live' AND selected = 1 GROUP BY language, form`)
  const all = db.prepare<[number], number>('SELECT coalesce(sum(passages), 0) FROM trainings WHERE agent = ?').pluck()
  const hidden = db.prepare<[number], [number, number]>(`
    SELECT first, first + passages FROM trainings WHERE agent = ? AND NOT (state = 'live' AND selected = 1) ORDER BY first`).raw()
  const passage = db.prepare<{ id: number, agent: number }, PassageRow>(`
    SELECT t.source, :id - t.first AS ordinal, t.language, t.secret, g.first, g.data FROM passage_groups g JOIN trainings t ON t.id = g.training
    WHERE g.first = (SELECT max(first) FROM passage_groups WHERE first <= :id) AND t.agent = :agent AND t.state = 'live' AND t.selected = 1`)

  const sums = new Scores(read)

  /** What is asked of an agent: each word in each of the dialects that its passages are in. */
  function ask (agent: number, query: string): Asked {
    const spoken = dialects.all(agent)
    const words = queryWords(query.slice(0, LONGEST_QUERY), spoken.map(({ language, passages }) => [language, passages]))
    return { agent, words, dialects: spoken }
  }

  /** All postings of a query's words, those that add most first. */
  function postingsOf ({ agent, words, dialects }: Asked): Postings[] {
    const total = all.get(agent)!
    const found: { worth: number, postings: Postings[] }[] = []
    let [sum, keysLeft] = [0, KEYS_LOOKED_UP]
    // Long words tend to be rare: looked up first, so that the frequent ones do not use up the budget.
    const longestFirst = words.toSorted((a, b) => b.plain.length - a.plain.length).slice(0, LOOKED_UP)
    for (const { forms, weight } of longestFirst) {
      const keys = new Set(dialects.map((dialect) => wordKeyOf(forms.get(dialect.language)!, dialect)))
      // The weight is one character after the last `_`; the character after `_` closes the range.
      const rows = [...keys].flatMap((key) => terms.all(`${agent}_${key}_`, `${agent}_${key}\``))
      // A word that no passage holds takes no place from one that leads somewhere.
      if (rows.length === 0) continue
      const holding = rows.reduce((holding, [, passages]) => holding + passages, 0)
      const worth = idf(holding, total) * weight
      found.push({ worth, postings: rows.map(([term, holding]) => ({ term, holding, gain: worth * factorOf(term) })) })
      sum += holding
      keysLeft -= keys.size
      if (sum > counted || keysLeft <= 0) break
    }
    return found.sort((a, b) => b.worth - a.worth).slice(0, SEARCHED).flatMap((word) => word.postings).sort((a, b) => b.gain - a.gain)
  }

  /** The scores of the passages that hold words of the query, within the budget. Good until the next query. */
  function scores (postings: Postings[]): Scores {
    sums.clear()
    let left = read
    for (const { term, gain } of postings) {
      // Only letters, digits and `_` are in a term; quoted, none of them is query syntax.
      const ids = holders.all(`"${term}"`, left)
      for (const id of ids) sums.add(id, gain)
      left -= ids.length
      if (left <= 0) break
    }
    return sums
  }

  /** An agent's best passages for a query with their scores, best first, only of the sources it uses. */
  function rank (agent: number, query: string, limit: number): Ranked[] {
    return best(scores(postingsOf(ask(agent, query))), limit, hidden.all(agent))
  }

  /** The passage itself; undefined where it is damaged, which keeps nobody from the others. */
  function passageIn ({ secret, first, data }: PassageRow, id: number): Kept | undefined {
    try {
      const { text, start, heading, page, row, lastRow } = openGroup(secret === null ? undefined : secrets.seal(secret), first, data)[id - first]!
      return { text, start, heading, page, row, lastRow }
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }

  /**
   * Ranked passages as a person reads them, without those that repeat a better one; at most `limit`. What the agent may
   * not use is left out here too.
   */
  function show (agent: number, query: string, ranked: Ranked[], limit: number): Hit[] {
    return hitOf(ask(agent, query).words, limit, (function * () {
      for (const [id, score] of ranked) {
        const row = passage.get({ id, agent })
        if (row === undefined) continue
        const found = passageIn(row, id)
        const { source, ordinal, language } = row
        if (found !== undefined) yield { id, source, ordinal, language, ...found, score }
      }
    }()))
  }

  return {
    rank,
    show,
    /** What a search by words shows. */
    search: (agent: number, query: string, limit: number): Hit[] => show(agent, query, rank(agent, query, limit * SPARE), limit)
  }
}
