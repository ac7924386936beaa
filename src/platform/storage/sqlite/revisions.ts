import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTableWithColumns } from 'drizzle-orm/sqlite-core'
import type { Id } from '../../../../schema/common.ts'
import type { Neighbours } from '../../neighbours/contract.ts'
import { changesOf } from '../changes.ts'
import type { Database } from './database.ts'
import type { Work } from '../work.ts'

/** Version numbers of what an owner's lists show, and of the counts in them. */
export interface CallerGeneration { revision: number, tally: number }

/** Tracks changes, so that an answer can be reused while nothing it shows has changed. */
export interface Revisions {
  /** Version number of everything an owner's lists show now; undefined if there is no such owner. */
  of (owner: Id): Promise<number | undefined>
  /**
   * Advances it, inside the transaction of the change, and returns it. Unique across restores of a backup, because it
   * follows the time.
   */
  move (owner: Id, micros: number): Work<number>
  /** Version number of the counts in those lists, which change too often to rebuild what shows them each time. */
  tally (owner: Id): Promise<number | undefined>
  /** Both, if cached. Synchronous: every request needs it. */
  standing (owner: Id): CallerGeneration | undefined
  /** Advances the tally, inside the transaction of the change. */
  count (owner: Id, micros: number): Work<void>
}

/** A table whose rows have an id, a revision and a tally. */
type Owners = SQLiteTableWithColumns<any> & Record<'id' | 'revision' | 'tally', SQLiteColumn>

/** Limit of the cache; a miss costs a query. */
const LIMIT = 100_000

/** Revisions stored in the table of the owners and cached until this process or another changes them. */
export function revisionsOf (
  db: Database, owners: Owners, neighbours: Pick<Neighbours, 'tell' | 'hear'>, most = LIMIT
): Revisions {
  const table = getTableName(owners)
  const read = db.objects<[Id], CallerGeneration>(`select revision, tally from ${table} where id = ?`)
  const write = db.column<[number, Id], number>(
      `update ${table} set revision = max(revision + 1, ?) where id = ? returning revision`
  )
  const count = db.objects(`update ${table} set tally = max(tally + 1, ?) where id = ?`)
  const remembered = new Map<Id, CallerGeneration>()
  // A changed number is looked up again once the change is committed.
  const changes = changesOf<Id>(db, neighbours, 'revisions', (owner) => remembered.delete(owner))
  let generation = -1

  function standing (owner: Id): CallerGeneration | undefined {
    if (generation !== db.generation()) {
      generation = db.generation()
      remembered.clear()
    }
    return remembered.get(owner)
  }

  async function lookUp (owner: Id): Promise<CallerGeneration | undefined> {
    const before = changes.generation()
    const found = await db.read(() => read.get(owner))
    if (remembered.size >= most) remembered.clear()
    // What changed meanwhile is looked up again.
    if (found && before === changes.generation()) remembered.set(owner, found)
    return found
  }

  const standingOf = async (owner: Id) => standing(owner) ?? await lookUp(owner)

  return {
    of: async (owner) => (await standingOf(owner))?.revision,
    standing,
    * move (owner, micros) {
      yield * changes.moved(owner)
      return (yield * write.get(micros, owner))!
    },
    tally: async (owner) => (await standingOf(owner))?.tally,
    * count (owner, micros) {
      yield * changes.moved(owner)
      yield * count.run(micros, owner)
    }
  }
}
