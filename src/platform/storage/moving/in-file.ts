import type BetterSqlite3 from 'better-sqlite3'
import type { Cell, Column, Source, Table, Target } from './move.ts'

/** Rows read at once. */
const BATCH = 500
/** The index of older programs, which is rebuilt at the target. */
const GONE = /^passage_(?:index|terms)/

interface Named { name: string }
interface Told { name: string, type: string, pk: number }

/** The tables of an open data file, while nobody else writes it. */
export function sourceInFile (raw: BetterSqlite3.Database): Source {
  return {
    tables: async () => tablesIn(raw),
    async * rows (table) {
      yield * batchesOf(raw.prepare(selecting(table)).raw().iterate() as IterableIterator<Cell[]>)
    },
    async given () {
      const rows = raw.prepare<[], { name: string, seq: number }>('select name, seq from sqlite_sequence').all()
      return new Map(rows.filter(({ name }) => !GONE.test(name)).map(({ name, seq }) => [name, seq]))
    }
  }
}

/** The same for writing: in a transaction, without triggers and before its foreign keys are checked. */
export function targetInFile (raw: BetterSqlite3.Database): Target {
  return {
    ...sourceInFile(raw),
    kept: (cell) => cell,
    async write ({ name, columns }, rows) {
      const insert = raw.prepare(
        `insert into "${name}" (${listed(columns)}) values (${columns.map(() => '?').join(', ')})`)
      for (const row of rows) insert.run(...row)
    },
    async give (numbers) {
      const [had, put] = [
        raw.prepare('update sqlite_sequence set seq = max(seq, ?) where name = ?'),
        raw.prepare('insert into sqlite_sequence (seq, name) values (?, ?)')
      ]
      for (const [table, number] of numbers) {
        const isNumbered = /autoincrement/i.test(
          raw.prepare("select sql from sqlite_schema where type = 'table' and name = ?").pluck().get(table) as string ?? '')
        if (isNumbered && had.run(number, table).changes === 0) put.run(number, table)
      }
    }
  }
}

/** Runs `work` while a file has no triggers and foreign keys are not checked; they are checked before it ends. */
export async function withoutTriggers<T> (raw: BetterSqlite3.Database, work: () => Promise<T>): Promise<T> {
  const triggers = raw.prepare("select name, sql from sqlite_schema where type = 'trigger'").all() as Array<
    { name: string, sql: string }
  >
  raw.pragma('foreign_keys = OFF')
  raw.exec('begin immediate')
  try {
    for (const { name } of triggers) raw.exec(`drop trigger "${name}"`)
    const done = await work()
    for (const { sql } of triggers) raw.exec(sql)
    const [orphan] = raw.pragma('foreign_key_check') as Array<{ table: string }>
    if (orphan) throw new Error(`A row of ${orphan.table} refers to one that does not exist`)
    raw.exec('commit')
    return done
  } catch (error) {
    raw.exec('rollback')
    throw error
  } finally {
    raw.pragma('foreign_keys = ON')
  }
}

/** Removes the rows that creating the tables had inserted. */
export function emptied (raw: BetterSqlite3.Database) {
  for (const { name } of tablesIn(raw)) raw.exec(`delete from "${name}"`)
}

function tablesIn (raw: BetterSqlite3.Database): Table[] {
  const names = raw.prepare(`
    select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%' order by name`)
    .all() as Named[]
  return names.filter(({ name }) => !GONE.test(name)).map(({ name }) => {
    const columns = raw.prepare<[string], Told>('select name, type, pk from pragma_table_info(?)').all(name)
    return {
      name,
      columns: columns.map((one) => ({ name: one.name, type: one.type.toLowerCase() as Column['type'] })),
      key: keyOf(columns)
    }
  })
}

/** The primary key; all columns if there is none. */
function keyOf (columns: readonly Told[]): string[] {
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
  return (key.length > 0 ? key : columns).map(({ name }) => name)
}

const listed = (columns: readonly Named[]) => columns.map(({ name }) => `"${name}"`).join(', ')

const selecting = ({ name, columns, key }: Table) =>
  `select ${listed(columns)} from "${name}" order by ${key.map((one) => `"${one}"`).join(', ')}`

function * batchesOf (rows: Iterable<Cell[]>): Generator<Cell[][]> {
  let batch: Cell[][] = []
  for (const row of rows) {
    batch.push(row)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
