import type { Database } from './sqlite/database.ts'
import type { Work } from './work.ts'

/** A list of which some rows are not to be seen, read from the newest on. */
interface Listing<Row, Shown> {
  /** So many rows before this place, newest first. */
  read (before: number, limit: number): Work<Row[]>
  /** Where a row stands. */
  placeOf (row: Row): number
  /** Tells which rows are hidden, as things stand in this turn. */
  hiding (): Work<(row: Row) => Work<boolean>>
  /** What is seen of a row, in the turn in which it was read. */
  show (row: Row): Work<Shown>
}

/** Rows looked at before others have their turn, where those that are hidden stand between: 5 ms. */
const LOOKED_AT = 1000

/**
 * A part of a list, `limit` at most, and where the next one begins; null at the end. However many rows are hidden,
 * nobody waits for more than a few at a time.
 */
export async function partOf<Row, Shown> (
  db: Pick<Database, 'read'>, { read, placeOf, hiding, show }: Listing<Row, Shown>, before: number | undefined, limit: number
): Promise<{ items: Shown[], next: string | null }> {
  const items: Shown[] = []
  let last: string | null = null
  let from = before ?? Number.MAX_SAFE_INTEGER

  /** Takes what is to be seen of some rows; true when the part is full and there is more. */
  function * take (rows: Row[]): Work<boolean> {
    const isHidden = yield * hiding()
    for (const row of rows) {
      from = placeOf(row)
      if (yield * isHidden(row)) continue
      if (items.length === limit) return true
      last = String(from)
      items.push(yield * show(row))
    }
    return false
  }

  for (let asked = limit + 1; ; asked = LOOKED_AT) {
    const { isFull, isEnd } = await db.read(function * () {
      const rows = yield * read(from, asked)
      return { isFull: yield * take(rows), isEnd: rows.length < asked }
    })
    if (isFull || isEnd) return { items, next: isFull ? last : null }
    await new Promise(setImmediate)
  }
}
