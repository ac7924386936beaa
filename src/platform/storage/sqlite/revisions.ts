import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTableWithColumns } from 'drizzle-orm/sqlite-core'
import type { Id } from '../../../../schema/common.ts'
import type { Neighbours } from '../../neighbours/contract.ts'
import { changesOf } from '../changes.ts'
import type { Database } from './database.ts'
import type { Work } from '../work.ts'

/** The numbers that stand for what an owner's lists show, and for the counts in them. */
export interface Standing { revision: number, tally: number }

/** Says what changed, so that an answer can be reused while nothing it shows has changed. */
export interface Revisions {
  /** The number that stands for everything an owner's lists show now; undefined when there is no such owner. */
  of (owner: Id): Promise<number | undefined>
  /**
   * Moves it, inside the transaction of the change, and returns it. Unique across restores of a backup, because it
   * follows the time.
   */
  move (owner: Id, micros: number): Work<number>
  /**
   * The number that stands for the counts in those lists, which change too often for what shows them to be made anew
   * each time.
   */
  tally (owner: Id): Promise<number | undefined>
  /** Both, where they are remembered. At once: every request asks it. */
  standing (owner: Id): Standing | undefined
  /** Moves that one, inside the transaction of the change. */
  count (owner: Id, micros: number): Work<void>
}

/** A table whose rows have an id, a revision and a tally. */
type Owners = SQLiteTableWithColumns<any> & Record<'id' | 'revision' | 'tally', SQLiteColumn>

/** Bound on what is remembered; one more costs a query. */
const LIMIT = 100_000

/** Revisions kept in the table of the owners and remembered until this process or another changes them. */
export function revisionsOf (
  db: Database, owners: Owners, neighbours: Pick<Neighbours, 'tell' | 'hear'>, most = LIMIT
): Revisions {
  const table = getTableName(owners)
  const read = db.objects<[Id], Standing>(`select revision, tally from ${table} where id = ?`)
  const write = db.column<[number, Id], number>(
      `update ${table} set revision = max(revision + 1, ?) where id = ? returning revision`
  )
  const count = db.objects(`update ${table} set tally = max(tally + 1, ?) where id = ?`)
  const remembered = new Map<Id, Standing>()
  // What moves is looked up again once that is committed.
  const changes = changesOf<Id>(db, neighbours, 'revisions', (owner) => remembered.delete(owner))
  let generation = -1

  function standing (owner: Id): Standing | undefined {
    if (generation !== db.generation()) {
      generation = db.generation()
      remembered.clear()
    }
    return remembered.get(owner)
  }

  async function lookUp (owner: Id): Promise<Standing | undefined> {
    const before = changes.generation()
    const found = await db.read(() => read.get(owner))
    if (remembered.size >= most) remembered.clear()
    // What moved meanwhile is looked up again.
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
