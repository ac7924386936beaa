import { createHash } from 'node:crypto'
import { Refusal } from '../../errors.ts'

/** What is kept in a cell, as both engines give it. */
export type Cell = string | number | Buffer | null

/** A table: its columns, and those that say which row is which, in whose order rows are read. */
export interface Table { name: string, columns: readonly Column[], key: readonly string[] }
export interface Column { name: string, type: 'integer' | 'real' | 'text' | 'blob' }

/** Where tables are moved from. */
export interface Source {
  tables (): Promise<Table[]>
  /** The rows of a table in the order of its key, some at a time. */
  rows (table: Table): AsyncIterable<Cell[][]>
  /** The greatest number that each table ever gave, where that is more than its rows tell. */
  given (): Promise<Map<string, number>>
}

/** Where they are moved to, in one transaction: tables in which nothing is. */
export interface Target extends Source {
  write (table: Table, rows: readonly Cell[][]): Promise<void>
  /** How a cell is kept there. */
  kept (cell: Cell): Cell
  /** Numbers that are given from now on are greater than these. */
  give (numbers: ReadonlyMap<string, number>): Promise<void>
}

/** What was moved of a table: how many rows, and what their bytes come to. */
export interface Moved { table: string, rows: number, sum: string }

/**
 * Moves all rows, counts them on both sides and compares what they come to. Refuses with `internal_error` where that
 * differs: whoever calls it undoes all of it then.
 */
export async function move (source: Source, target: Target, onTable: (moved: Moved) => void): Promise<Moved[]> {
  const tables = await source.tables()
  const there = new Map((await target.tables()).map((table) => [table.name, table]))
  const moved: Moved[] = []
  for (const table of tables) {
    const own = there.get(table.name)
    if (!own) throw new Refusal('internal_error', `There is no table ${table.name} to move rows to. Nothing was moved.`)
    const one = await moveTable(source, target, { ...table, columns: sameColumns(own, table) })
    moved.push(one)
    onTable(one)
  }
  await target.give(await source.given())
  return moved
}

/** The columns of the target; which come first differs between files that have had different upgrades. */
function sameColumns (own: Table, { name, columns }: Table): readonly Column[] {
  const theirs = new Set(columns.map((column) => column.name))
  if (theirs.size !== own.columns.length || own.columns.some((column) => !theirs.has(column.name))) {
    throw new Refusal('internal_error', `The table ${name} has other columns on the other side. Nothing was moved.`)
  }
  return own.columns
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
      `Of the table ${table.name}, ${before.rows} rows were moved and ${after.rows} arrived, or not the same. Nothing was moved.`
    )
  }
  return { table: table.name, ...after }
}

/** Counts rows and adds up their bytes, cell by cell, each with its kind and its length before it. */
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
