import type { Id } from '../../../schema/common.ts'
import type { Database } from '../storage/sqlite/database.ts'

/** Rows of a table that belong to something, and rows of others that go with each and may be many. */
export interface Owned {
  table: string
  /** Which rows: a condition with one question mark, for whom they belong to. */
  of: string
  /** The index that gives the order of removal, where the order matters. */
  order?: string
  /** Tables whose rows go with one of these, by this column. */
  along?: { tables: readonly string[], by: string }
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
export function rowRemoval ({ raw }: Pick<Database, 'raw'>, owned: readonly Owned[]): (owner: Id) => boolean {
  const tables = owned.map(({ table, of, order, along }) => ({
    next: raw
      .prepare<[Id], number>(`select rowid from ${table} where ${of}${order ? ` order by ${order}` : ''} limit ${AT_ONCE}`)
      .pluck(),
    remove: raw.prepare(`delete from ${table} where rowid = ?`),
    along: (along?.tables ?? []).map((other) => raw.prepare(`
      delete from ${other} where rowid in (select rowid from ${other} where ${along!.by} = ? limit ${AT_ONCE})`))
  }))

  /** The steps in which rows go: what cascades from one row is part of its step, however much it is. */
  function * stepsOf ({ next, remove, along }: typeof tables[number], owner: Id): Generator<void> {
    for (const row of next.all(owner)) {
      for (const some of along) while (some.run(row).changes === AT_ONCE) yield
      remove.run(row)
      yield
    }
  }

  return (owner) => tables.some((table) => {
    const steps = whileThereIsTime(stepsOf(table, owner), SLICE_MS)
    let isAny = false
    while (!steps.next().done) isAny = true
    return isAny
  })
}
