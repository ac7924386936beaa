import { createHash } from 'node:crypto'
import { Refusal } from '../../errors.ts'

/** The value of a cell, as returned by both engines. */
export type Cell = string | number | Buffer | null

/** A table: its columns, and its key, which is the order of reading rows. */
export interface Table { name: string, columns: readonly Column[], key: readonly string[] }
export interface Column { name: string, type: 'integer' | 'real' | 'text' | 'blob' }

/** The source of a move. */
export interface Source {
  tables (): Promise<Table[]>
  /** The rows of a table in the order of its key, in batches. */
  rows (table: Table): AsyncIterable<Cell[][]>
  /** The greatest number that each table ever assigned, where it exceeds those in its rows. */
  given (): Promise<Map<string, number>>
}

/** The target of a move, in one transaction: empty tables. */
export interface Target extends Source {
  write (table: Table, rows: readonly Cell[][]): Promise<void>
  /** How a cell is stored there. */
  kept (cell: Cell): Cell
  /** Numbers assigned from now on are greater than these. */
  give (numbers: ReadonlyMap<string, number>): Promise<void>
}

/** What was moved of a table: the number of rows, and the sum of their bytes. */
export interface Moved { table: string, rows: number, sum: string }

/**
 * Moves all rows, counts them on both sides and compares the sums. Refuses with `internal_error` if they differ: the
 * caller then undoes all of it.
 */
export async function move (source: Source, target: Target, onTable: (moved: Moved) => void): Promise<Moved[]> {
  const tables = await source.tables()
  const there = new Map((await target.tables()).map((table) => [table.name, table]))
  const moved: Moved[] = []
  for (const table of tables) {
    const found = there.get(table.name)
    if (!found) throw new Refusal('internal_error', `There is no table ${table.name} to move rows to. Nothing was moved.`)
    const one = await moveTable(source, target, { ...table, columns: sameColumns(found, table) })
    moved.push(one)
    onTable(one)
  }
  await target.give(await source.given())
  return moved
}

/** The columns of the target; their order differs between files that have had different upgrades. */
function sameColumns (ours: Table, { name, columns }: Table): readonly Column[] {
  const theirs = new Set(columns.map((column) => column.name))
  if (theirs.size !== ours.columns.length || ours.columns.some((column) => !theirs.has(column.name))) {
    throw new Refusal('internal_error', `The table ${name} has different columns on the other side. Nothing was moved.`)
  }
  return ours.columns
}

async function moveTable (source: Source, target: Target, table: Table): Promise<Moved> {
  const sent = summing()
  for await (const rows of source.rows(table)) {
    const kept = rows.map((row) => row.map((cell) => target.kept(cell)))
    await target.write(table, kept)
    sent.add(kept)
  }
  const arrived = summing()
  for await (const rows of target.rows(table)) arrived.add(rows)
  const [before, after] = [sent.end(), arrived.end()]
  if (before.rows !== after.rows || before.sum !== after.sum) {
    throw new Refusal(
      'internal_error',
      `Of the table ${table.name}, ${before.rows} rows were read and ${after.rows} arrived, or with other contents. Nothing was moved.`
    )
  }
  return { table: table.name, ...after }
}

/** Counts rows and sums their bytes, cell by cell, each preceded by its type and length. */
function summing () {
  const hash = createHash('sha256')
  let count = 0
  return {
    add (rows: readonly Cell[][]) {
      count += rows.length
      for (const row of rows) for (const cell of row) addCell(hash, cell)
    },
    end: () => ({ rows: count, sum: hash.digest('hex').slice(0, 16) })
  }
}

function addCell (hash: ReturnType<typeof createHash>, cell: Cell) {
  if (cell === null) return hash.update('n')
  if (typeof cell === 'number') return hash.update(`#${cell};`)
  const bytes = Buffer.from(cell as string)
  return hash.update(`${typeof cell === 'string' ? 't' : 'b'}${bytes.length};`).update(bytes)
}
