import type { Database } from 'better-sqlite3'
import { keyOf, termOf, WEIGHTS } from './blocks.ts'
import type { Postings, Terms } from './terms.ts'

/** Whether the file still has the index that programs up to 0.5 wrote, a table of FTS5, or what that was kept in. */
export function hasIndexBefore (db: Database): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'passage_index_data'").pluck().get() === 1
}

/**
 * Where words stand that a program up to 0.5 indexed, until they are written anew (`rewriting`): each is a term of
 * FTS5, `42_0k3x9q1z_3`, by agent, key and weight.
 */
export function keptBefore (db: Database) {
  const isThere = db
    .prepare<[number], number>('SELECT 1 FROM trainings WHERE agent = ? AND segmented = 0 LIMIT 1')
    .pluck()
  const statements = () => ({
    counted: db
      .prepare<[string, string], [term: string, passages: number]>(
        'SELECT term, doc FROM passage_terms WHERE term >= ? AND term < ?')
      .raw(),
    holders: db
      .prepare<[string, number], number>('SELECT rowid FROM passage_index WHERE passage_index MATCH ? LIMIT +?')
      .pluck()
  })
  let prepared: ReturnType<typeof statements> | undefined

  return {
    /** Those of an agent; undefined where there are none. */
    of (agent: number): Postings | undefined {
      if (isThere.get(agent) === undefined) return undefined
      const { counted, holders } = prepared ??= statements()
      return {
        terms: (key) =>
          // The weight is one character after the last `_`; the character after `_` closes the range.
          counted.all(`${agent}_${key}_`, `${agent}_${key}\``)
            .map(([term, passages]): Terms[number] => [termOf(key) + parseInt(term.at(-1)!, WEIGHTS), passages]),

        holders (term, most) {
          // Only letters, digits and `_` are in a term; quoted, none of them is query syntax.
          return holders.all(`"${agent}_${keyOf(term)}_${(term % WEIGHTS).toString(WEIGHTS)}"`, most)
        }
      }
    }
  }
}
