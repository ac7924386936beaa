import type { Id } from '../../../schema/common.ts'
import type { Database } from '../storage/sqlite/database.ts'
import { listOf } from '../storage/list.ts'
import { anyOf, type Work } from '../storage/work.ts'

/** Rows of a table that belong to something, and rows of other tables that are deleted with each and may be many. */
export interface Owned {
  table: string
  /** Which rows: a condition with one question mark, for their owner. */
  of: string
  /** The index that gives the order of removal, where the order matters. */
  order?: string
  /** Tables whose rows are deleted with one of these: `by` is their column that refers to its `key`. */
  along?: { tables: readonly string[], by: string, key: string }
}

/** Time limit of one slice of a removal in a file, in milliseconds, and the most rows that it reads. */
const SLICE_MS = 5
export const AT_ONCE = 100

/** Rows until the time of a slice is up: at least one, so that each slice makes progress. */
export function * whileThereIsTime<T> (rows: Iterable<T>, sliceMs: number): Generator<T> {
  const until = performance.now() + sliceMs
  for (const row of rows) {
    yield row
    if (performance.now() > until) return
  }
}

/**
 * Removes rows in this order, each table when the one before is empty: as many as the time of a slice allows, inside
 * the caller's transaction. Returns whether there were any.
 */
export function rowRemoval (db: Database, owned: readonly Owned[]): (owner: Id) => Work<boolean> {
  const list = listOf(db)
  const { times } = db.portion
  const atOnce = AT_ONCE * times
  const tables = owned.map(({ table, of, order, along }) => ({
    next: db.rows<[Id], [row: unknown, key: Id]>(`select rowid, ${along?.key ?? 'null'} from ${table} where ${of}${order ? ` order by ${order}` : ''} limit ${AT_ONCE}`),
    remove: db.objects(`delete from ${table} where rowid in (${list.marks})`),
    along: (along?.tables ?? []).map((other) => db.objects(`
      delete from ${other} where rowid in (select rowid from ${other} where ${along!.by} in (${list.marks}) limit ${atOnce})`))
  }))

  /** Removes some rows of a table, each with all that cascades from it. Returns whether there were any. */
  function * removeSome ({ next, remove, along }: typeof tables[number], owner: Id): Work<boolean> {
    const until = performance.now() + SLICE_MS * times
    const isOver = () => performance.now() > until
    let isAny = false
    for (const some of list.parts(yield * next.all(owner))) {
      isAny = true
      const [rows, keys] = [some.map(([row]) => row), some.map(([, key]) => key)]
      for (const clear of along) {
        while ((yield * clear.run(...list.values(keys))) === atOnce) if (isOver()) return true
      }
      yield * remove.run(...list.values(rows))
      if (isOver()) return true
    }
    return isAny
  }

  return (owner) => anyOf(tables, (table) => removeSome(table, owner))
}
