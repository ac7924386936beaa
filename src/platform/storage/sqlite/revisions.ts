import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTableWithColumns } from 'drizzle-orm/sqlite-core'
import type { Id } from '../../../../schema/common.ts'
import type { Database } from './database.ts'

/** Says what changed, so that an answer can be reused while nothing it shows has changed. */
export interface Revisions {
  /** The number that stands for everything an owner's lists show now; undefined when there is no such owner. */
  of (owner: Id): number | undefined
  /**
   * Moves it, inside the transaction of the change, and returns it. Unique across restores of a backup, because it
   * follows the time.
   */
  move (owner: Id, micros: number): number
  /**
   * The number that stands for the counts in those lists, which change too often for what shows them to be made anew
   * each time.
   */
  tally (owner: Id): number | undefined
  /** Moves that one, inside the transaction of the change. */
  count (owner: Id, micros: number): void
}

/** A table whose rows have an id, a revision and a tally. */
type Owners = SQLiteTableWithColumns<any> & Record<'id' | 'revision' | 'tally', SQLiteColumn>

/** Bound on what is remembered; one more costs a query. */
const LIMIT = 100_000

/** Revisions kept in the table of the owners and remembered until this process or another changes them. */
export function revisionsOf (db: Database, owners: Owners, most = LIMIT): Revisions {
  const table = getTableName(owners)
  const read = db.raw.prepare<[Id], Standing>(`select revision, tally from ${table} where id = ?`)
  const write = db.raw
    .prepare<[number, Id], number>(
      `update ${table} set revision = max(revision + 1, ?) where id = ? returning revision`
    )
    .pluck()
  const count = db.raw.prepare(`update ${table} set tally = max(tally + 1, ?) where id = ?`)
  const remembered = new Map<Id, Standing>()
  let generation = -1

  function standing (owner: Id): Standing | undefined {
    if (generation !== db.generation()) {
      generation = db.generation()
      remembered.clear()
    }
    const known = remembered.get(owner)
    if (known) return known
    const found = db.read(() => read.get(owner))
    if (remembered.size >= most) remembered.clear()
    if (found) remembered.set(owner, found)
    return found
  }

  return {
    of: (owner) => standing(owner)?.revision,
    move (owner, micros) {
      remembered.delete(owner)
      return write.get(micros, owner)!
    },
    tally: (owner) => standing(owner)?.tally,
    count (owner, micros) {
      remembered.delete(owner)
      count.run(micros, owner)
    }
  }
}

interface Standing { revision: number, tally: number }
