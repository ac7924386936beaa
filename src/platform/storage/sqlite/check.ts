import { existsSync, lstatSync, type Stats } from 'node:fs'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { nativeBinding } from '../../process/assets.ts'
import { commandLine } from '../../process/command-line.ts'
import { connect, notAllowed, refusalOf } from './connect.ts'
import { Refusal } from '../../errors.ts'
import {
  forerunner, knownMigrations, leftToTheServer, runMigration, migrationStatus, takenAway, type Migration,
  type MigrationStatus
} from './migrate.ts'

/** A file up to this size is checked at every start, which takes some 50 ms; a larger one after an unclean stop. */
const SMALL_BYTES = 64 * 2 ** 20

/** Lists errors in the sums a feature stores; empty when they are right. */
export type Accounting = (raw: BetterSqlite3.Database) => string[]

/**
 * Bytes of a file, 0 if there is none. Only reads the directory: opening the data file would drop SQLite's own locks on
 * it.
 */
export function sizeOf (file: string): number {
  return lstatSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/**
 * Refuses a data file that has a second name: SQLite finds the log of a file by its name, so opened under two names,
 * or moved from under a link, the file and its log part and committed data are lost.
 */
export function refuseLinks (file: string) {
  for (const name of [file, `${file}-wal`]) {
    const found = lstatSync(name, { throwIfNoEntry: false })
    if (found && (!found.isFile() || found.nlink > 1)) {
      throw new Refusal(
        'conflict',
        `${name} is ${kindOf(found)}. The database is safe only under one name: put the file itself there, or point --data at the directory it is in.`
      )
    }
  }
}

function kindOf (found: Stats): string {
  if (found.isSymbolicLink()) return 'a symbolic link'
  return found.isFile() ? 'a hard link: the file has another name too' : 'not a file'
}

/**
 * Checks a data file before anything is written to it: whether it is ours, of a version this program knows, and intact.
 * `thorough`: check all of it whatever its size. Undefined when there is no file yet. Refuses with `conflict` what is
 * not ours or too new, with `unavailable` what is damaged; the file is left unchanged.
 */
export function inspect (
  file: string, { thorough = false, known = knownMigrations() }: { thorough?: boolean, known?: Migration[] } = {}
): MigrationStatus | undefined {
  refuseLinks(file)
  const bytes = sizeOf(file)
  if (bytes === 0 && sizeOf(`${file}-wal`) > 0) {
    throw brokenFile(file, 'its log is there but the file itself is missing or empty')
  }
  if (bytes === 0 && existsSync(file)) throw brokenFile(file, 'it is empty, and not because of this program')
  if (bytes === 0) return undefined
  return readOnly(file, (raw) => {
    const found = migrationStatus(raw, known)
    if (thorough || bytes <= SMALL_BYTES) {
      const faults = faultsOf(raw, 'quick_check')
      if (faults.length) throw brokenFile(file, faults[0]!)
    }
    return found
  })
}

/**
 * Rolls back what a process had begun when it was killed while changing the mode of the file, as the first start and a
 * restore do. Reading alone cannot do that, so it is done before `inspect`, by the holder of the lock.
 */
export function rollBack (file: string) {
  refuseLinks(file)
  if (sizeOf(`${file}-journal`) === 0) return
  const raw = new BetterSqlite3(file, nativeBinding())
  try {
    raw.pragma('schema_version')
  } finally {
    raw.close()
  }
}

/**
 * Runs reading work on an untrusted file. Refuses with `unavailable` when SQLite cannot make sense of it, with the
 * sentence from `broken`.
 */
export function readOnly<T> (file: string, work: (raw: BetterSqlite3.Database) => T, broken = brokenFile): T {
  let raw: BetterSqlite3.Database | undefined
  try {
    raw = connect(file, { readonly: true })
    return work(raw)
  } catch (error) {
    const refusal = notAllowed(file, error, { readonly: true }) ?? refusalOf(error)
    if (error instanceof BetterSqlite3.SqliteError && error.code === 'SQLITE_READONLY_ROLLBACK') {
      throw new Refusal(
        'unavailable',
        'A command was killed while it changed the data file. Start the server, which undoes that, then try again.'
      )
    }
    if (!(error instanceof BetterSqlite3.SqliteError) || /BUSY|IOERR|CANTOPEN|READONLY/.test(error.code)) throw refusal
    throw broken(file, error.message)
  } finally {
    raw?.close()
  }
}

/** What SQLite finds wrong with the structure of a file, at most five findings. */
export function faultsOf (raw: BetterSqlite3.Database, check: 'quick_check' | 'integrity_check'): string[] {
  const found = raw.prepare<[], string>(`PRAGMA ${check}(5)`).pluck().all()
  return found.filter((line) => line !== 'ok').map((line) => line.replaceAll(/\s+/g, ' ').trim())
}

/** Everything wrong inside a readable file: structure, references, sums. */
export function allFaultsOf (raw: BetterSqlite3.Database, accounting: Accounting): string[] {
  const orphans = (raw.pragma('foreign_key_check') as Array<{ table: string }>).map(
    ({ table }) => `a row of ${table} refers to one that does not exist`
  )
  return [...faultsOf(raw, 'integrity_check'), ...orphans.slice(0, 5), ...accounting(raw)]
}

/** The sentence for a damaged file, with advice. */
function brokenFile (file: string, finding: string): Refusal {
  return new Refusal(
    'unavailable',
    `The data file ${file} is damaged (${finding}). Nothing was changed. Restore a backup with:\n  ${commandLine(`restore --data ${path.dirname(file)} BACKUP`)}`
  )
}

/**
 * Objects in a file that our migrations do not create, or that are missing, by kind and name: a view or trigger in a
 * file from elsewhere would run as soon as the file is used. Empty for a file of ours at this version.
 */
export function strangeSchema (raw: BetterSqlite3.Database, version: number, known = knownMigrations()): string[] {
  const ours = new BetterSqlite3(':memory:', nativeBinding())
  try {
    const made = forerunner(raw, version, known)?.was ?? known.slice(0, version)
    for (const { sql } of made) runMigration(ours, sql)
    const [wanted, found] = [schemaOf(ours), schemaOf(raw)]
    const dropped = new Set(leftToTheServer(made).map((name) => `table ${name}`))
    for (const name of takenAway(known.slice(version))) found.delete(`table ${name}`)
    return [
      ...[...found].filter(([name, sql]) => wanted.get(name) !== sql).map(([name]) => `${name} is not ours`),
      ...[...wanted.keys()].filter((name) => !found.has(name) && !dropped.has(name)).map((name) => `${name} is missing`)
    ]
  } finally {
    ours.close()
  }
}

function schemaOf (raw: BetterSqlite3.Database): Map<string, string> {
  // SQLite's own tables, and the indices behind primary keys, which have no SQL.
  const rows = raw
    .prepare(
      "select type, name, sql from sqlite_schema where sql is not null and name not in ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4')"
    )
    .all() as Array<{ type: string, name: string, sql: string }>
  return new Map(rows.map(({ type, name, sql }) => [`${type} ${name}`, sql.replaceAll(/\s+/g, ' ')]))
}
