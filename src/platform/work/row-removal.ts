import type { Id } from '../../../schema/common.ts'
import type { Database } from '../storage/sqlite/database.ts'
import { anyOf, type Work } from '../storage/work.ts'

/** Rows of a table that belong to something, and rows of others that go with each and may be many. */
export interface Owned {
  table: string
  /** Which rows: a condition with one question mark, for whom they belong to. */
  of: string
  /** The index that gives the order of removal, where the order matters. */
  order?: string
  /** Tables whose rows go with one of these: by this column of theirs, which names it by its own `key`. */
  along?: { tables: readonly string[], by: string, key: string }
}

/** What one slice of a removal takes, in milliseconds, and rows that it looks at, at most. */
const SLICE_MS = 5
export const AT_ONCE = 100

/** Rows until the milliseconds of a slice are up: at least one, so that each slice comes further. */
export function * whileThereIsTime<T> (rows: Iterable<T>, sliceMs: number): Generator<T> {
  const until = performance.now() + sliceMs
  for (const row of rows) {
    yield row
    if (performance.now() > until) return
  }
}

/**
 * Removes rows in this order, each table when the one before is empty: as many as the time of a slice allows, inside
 * the caller's transaction. Whether there were any.
 */
export function rowRemoval (db: Database, owned: readonly Owned[]): (owner: Id) => Work<boolean> {
  const tables = owned.map(({ table, of, order, along }) => ({
    next: db.rows<[Id], [row: unknown, key: Id]>(`select rowid, ${along?.key ?? 'null'} from ${table} where ${of}${order ? ` order by ${order}` : ''} limit ${AT_ONCE}`),
    remove: db.objects(`delete from ${table} where rowid = ?`),
    along: (along?.tables ?? []).map((other) => db.objects(`
      delete from ${other} where rowid in (select rowid from ${other} where ${along!.by} = ? limit ${AT_ONCE})`))
  }))

  /**
   * Removes some rows of a table: what cascades from one row goes with it, however much it is. Whether there were any.
   */
  function * removeSome ({ next, remove, along }: typeof tables[number], owner: Id): Work<boolean> {
    const until = performance.now() + SLICE_MS
    const isOver = () => performance.now() > until
    let isAny = false
    for (const [row, key] of yield * next.all(owner)) {
      isAny = true
      for (const some of along) while ((yield * some.run(key)) === AT_ONCE) if (isOver()) return true
      yield * remove.run(row)
      if (isOver()) return true
    }
    return isAny
  }

  return (owner) => anyOf(tables, (table) => removeSome(table, owner))
}
