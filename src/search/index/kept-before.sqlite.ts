import type { Statements } from '../../platform/storage/sqlite/database.ts'
import type { Work } from '../../platform/storage/work.ts'
import { keyOf, termOf, WEIGHTS, type Postings, type Terms } from './blocks.ts'

/** What the index that programs up to 0.5 wrote, a table of FTS5, was kept in: it is there as long as that is. */
const KEPT_IN = 'passage_index_data'

/** Whether the file still has that index. */
export const hasIndexBefore = (db: Statements): Work<boolean> => db.hasTable(KEPT_IN)

/**
 * Postings written by versions up to 0.5, until they are rewritten (`rewriting`): each is a term of FTS5,
 * `42_0k3x9q1z_3`, by agent, key and weight.
 */
export function keptBefore (db: Statements) {
  const isThere = db.column<[number], number>('SELECT 1 FROM trainings WHERE agent = ? AND segmented = 0 LIMIT 1')
  const statements = () => ({
    counted: db.rows<[string, string], [term: string, passages: number]>(
      'SELECT term, doc FROM passage_terms WHERE term >= ? AND term < ?'),
    holders: db.column<[string, number], number>(
      'SELECT rowid FROM passage_index WHERE passage_index MATCH ? LIMIT +?')
  })
  let prepared: ReturnType<typeof statements> | undefined

  return {
    /** Those of an agent; undefined where there are none. */
    * of (agent: number): Work<Postings | undefined> {
      if ((yield * isThere.get(agent)) === undefined) return undefined
      const { counted, holders } = prepared ??= statements()
      return {
        * terms (key) {
          // The weight is one character after the last `_`; the character after `_` closes the range.
          return (yield * counted.all(`${agent}_${key}_`, `${agent}_${key}\``))
            .map(([term, passages]): Terms[number] => [termOf(key) + parseInt(term.at(-1)!, WEIGHTS), passages])
        },

        // Only letters, digits and `_` are in a term; quoted, none of them is query syntax.
        holders: (term, most) =>
          holders.all(`"${agent}_${keyOf(term)}_${(term % WEIGHTS).toString(WEIGHTS)}"`, most)
      }
    }
  }
}
