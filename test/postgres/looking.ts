import { existsSync, readFileSync } from 'node:fs'
import { dataFile } from '../../src/data-file.ts'
import type { TestStores } from './database.ts'

/* Queries of tests that do not know where the tables are: in a data file, or in PostgreSQL. */

type Raw = TestStores['db']['raw']

/** Whether the tables are in a data file; otherwise they are in PostgreSQL (raw.ts). */
export const isFile = (raw: Raw): boolean => !('address' in raw)

/** The names of all tables. */
export const tablesOf = (raw: Raw): string[] => raw
  .prepare<[], string>(isFile(raw)
    ? "select name from sqlite_schema where type = 'table'"
    : "select table_name from information_schema.tables where table_schema = 'public'")
  .pluck().all()

/** The columns of a table, except those, as written in a statement. */
export const columnsOf = (raw: Raw, table: string, but: string[] = []): string[] => raw
  .prepare(`select * from "${table}"`).columns()
  .filter(({ name }) => !but.includes(name)).map(({ name }) => `"${name}"`)

/** All bytes that an app stores in its tables: those of the data file and its log, or else of every row. */
export function keptBytes ({ stores: { db: { raw } }, directory }: { stores: TestStores, directory: string }): Buffer {
  if (isFile(raw)) {
    const files = ['', '-wal'].map((end) => dataFile(directory) + end)
    return Buffer.concat(files.filter((file) => existsSync(file)).map((file) => readFileSync(file)))
  }
  const rows = tablesOf(raw).flatMap((table) => raw.prepare<[], unknown[]>(`select * from "${table}"`).raw().all())
  return Buffer.concat(rows.flat().map((value) => Buffer.isBuffer(value) ? value : Buffer.from(String(value))))
}

/** Returns how many rows were changed so far, cascades included, committed or not. */
export function changedRows (raw: Raw): () => number {
  if (isFile(raw)) {
    const changes = raw.prepare<[], number>('select total_changes()').pluck()
    return () => changes.get()!
  }
  // A sequence's value is visible everywhere at once.
  raw.prepare('create sequence changed_rows').run()
  raw.prepare(`create function count_changed_row() returns trigger language plpgsql as
    'begin perform nextval(''changed_rows''); return null; end'`).run()
  for (const table of tablesOf(raw)) {
    raw.prepare(`create trigger count_changed after insert or update or delete on "${table}"
      for each row execute function count_changed_row()`).run()
  }
  const changes = raw.prepare<[], number>('select case when is_called then last_value else 0 end from changed_rows').pluck()
  return () => changes.get()!
}
