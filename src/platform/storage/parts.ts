import type { Database } from './sqlite/database.ts'
import type { Work } from './work.ts'
import { nextTurn } from '../work/turns.ts'

/** A list with hidden rows, read from the newest on. */
interface Listing<Row, Shown> {
  /** This many rows before this place, newest first. */
  read (before: number, limit: number): Work<Row[]>
  /** The place of a row. */
  placeOf (row: Row): number
  /** Returns which rows are hidden, as of this turn. */
  hiding (): Work<(row: Row) => Work<boolean>>
  /** The visible form of a row, in the turn in which it was read. */
  show (row: Row): Work<Shown>
}

/** Rows checked before others have their turn, if there are hidden ones in between: 5 ms. */
const LOOKED_AT = 1000

/**
 * A part of a list, at most `limit` items, and where the next one begins; null at the end. However many rows are
 * hidden, nobody waits for more than a few at a time.
 */
export async function partOf<Row, Shown> (
  db: Pick<Database, 'read'>, { read, placeOf, hiding, show }: Listing<Row, Shown>, before: number | undefined, limit: number
): Promise<{ items: Shown[], next: string | null }> {
  const items: Shown[] = []
  let last: string | null = null
  let from = before ?? Number.MAX_SAFE_INTEGER

  /** Adds the visible rows; true when the part is full and there is more. */
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
    await nextTurn()
  }
}
