import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTableWithColumns } from 'drizzle-orm/sqlite-core'
import type { Id } from '../../../../schema/common.ts'
import type { Database } from './database.ts'

/** Says what changed, so that an answer can be reused while nothing it shows has changed. */
export interface Revisions {
  /** The number that stands for everything an owner's lists show now; undefined when there is no such owner. */
  of (owner: Id): number | undefined
  /** Moves it, inside the transaction of the change, and returns it. Unique across restores of a backup, because it follows the time. */
  move (owner: Id, micros: number): number
}

/** A table whose rows have an id and a revision. */
type Owners = SQLiteTableWithColumns<any> & Record<'id' | 'revision', SQLiteColumn>

/** Bound on what is remembered; one more costs a query. */
const LIMIT = 100_000

/** Revisions kept in the table of the owners and remembered until this process or another changes them. */
export function revisionsOf (db: Database, owners: Owners, most = LIMIT): Revisions {
  const table = getTableName(owners)
  const read = db.raw.prepare<[Id], number>(`select revision from ${table} where id = ?`).pluck()
  const write = db.raw.prepare<[number, Id], number>(`update ${table} set revision = max(revision + 1, ?) where id = ? returning revision`).pluck()
  const remembered = new Map<Id, number>()
  let generation = -1

  return {
    of (owner) {
      if (generation !== db.generation()) {
        generation = db.generation()
        remembered.clear()
      }
      const known = remembered.get(owner)
      if (known !== undefined) return known
      const revision = db.read(() => read.get(owner))
      if (remembered.size >= most) remembered.clear()
      if (revision !== undefined) remembered.set(owner, revision)
      return revision
    },
    move (owner, micros) {
      remembered.delete(owner)
      return write.get(micros, owner)!
    }
  }
}
