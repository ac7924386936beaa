import { closeSync, openSync, renameSync } from 'node:fs'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { partialOf, syncDirectory } from '../../files.ts'
import { giveToOwnerOf } from '../../paths.ts'
import { asset, assetsIn, nativeBinding } from '../../process/assets.ts'
import { PATIENCE } from './connect.ts'
import { APPLICATION_ID } from './database.ts'
import { Refusal } from '../../errors.ts'

/** One step from a version of the file to the next. */
export interface Migration { name: string, sql: string }

/** The migrations this program knows, oldest first. The file's `user_version` counts those applied. */
export function knownMigrations (): Migration[] {
  return migrationsIn('schema/sqlite/migrations')
}

function migrationsIn (folder: string): Migration[] {
  return assetsIn(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => ({ name: path.basename(file, '.sql'), sql: asset(file).toString() }))
}

/**
 * Two programs had the same version number, and the first one's file differs at the same `user_version`. `was`: what
 * created it; `becomes`: what turns it into the file that the second one would have written.
 */
interface Forerunner { was: Migration[], becomes: Migration }

/** Identifies an opened file of the first of two programs; undefined for every other file. */
export function forerunner (
  raw: BetterSqlite3.Database, version: number, known = knownMigrations()
): Forerunner | undefined {
  const those = migrationsIn('schema/sqlite/migrations/first-0.3.0')
  const becomes = those.find(({ name }) => name === 'becomes')!
  const [, at, table] = /^-- of a file at version (\d+) with a table (\w+)$/m.exec(becomes.sql)!
  const isOne = version === Number(at) &&
    raw.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table) !== undefined
  if (!isOne) return undefined
  return { becomes, was: known.slice(0, version).map((one) => those.find(({ name }) => name === one.name) ?? one) }
}

/**
 * Creates a data file that contains only our mark. It is moved into place as a whole, so that an empty file always
 * means lost content, and never an interrupted start.
 */
export function beginFile (file: string) {
  const partial = partialOf(file)
  // Only its owner may read it: it holds customers' data.
  closeSync(openSync(partial, 'wx', 0o600))
  giveToOwnerOf(path.dirname(file), partial)
  const raw = new BetterSqlite3(partial, nativeBinding())
  raw.pragma(`application_id = ${APPLICATION_ID}`)
  raw.close()
  renameSync(partial, file)
  syncDirectory(path.dirname(file))
}

/** What a file says about itself. `fresh`: nothing is in it yet. */
export interface MigrationStatus { version: number, fresh: boolean }

/** Returns a file's status, or refuses it, unchanged, when it is not ours or was written by a newer program. */
export function migrationStatus (raw: BetterSqlite3.Database, known = knownMigrations()): MigrationStatus {
  const applicationId = raw.pragma('application_id', { simple: true })
  const version = Number(raw.pragma('user_version', { simple: true }))
  const fresh =
    (applicationId === 0 || applicationId === APPLICATION_ID) &&
    version === 0 &&
    raw.prepare('select count(*) from sqlite_schema').pluck().get() === 0
  if (!fresh && applicationId !== APPLICATION_ID) {
    throw new Refusal('conflict', 'This file is a database of another program. Choose another data directory.')
  }
  if (version > known.length) {
    throw new Refusal(
      'conflict',
      `The database is newer than this program (it is at version ${version}, this program knows ${known.length}). Install the newer program again, or restore a backup from before the upgrade.`
    )
  }
  return { version, fresh }
}

/**
 * Brings a file to the newest version. Each migration is one transaction that also sets the version, so that a crash
 * leaves either the old file or the new one. Foreign keys are switched off around it, outside the transaction, because
 * a rebuilt table would otherwise delete its children, and are checked after it; so are the row counts of all tables.
 * `snapshot` is called once before the first change to a file with data in it. Returns the names of what was applied.
 * Refuses with `conflict` what `standing` refuses, and a migration that lost rows.
 */
export async function migrate (raw: BetterSqlite3.Database, { known = knownMigrations(), snapshot }: {
  known?: Migration[]
  snapshot?: (version: number) => Promise<void>
} = {}): Promise<string[]> {
  const { version, fresh } = migrationStatus(raw, known)
  const due = known.slice(version)
  if (due.length === 0) return []
  if (!fresh) await snapshot?.(version)
  const patience = Number(raw.pragma('busy_timeout', { simple: true }))
  raw.pragma(`busy_timeout = ${PATIENCE.alone}`)
  raw.pragma('foreign_keys = OFF')
  try {
    const first = forerunner(raw, version, known)
    if (first) apply(raw, first.becomes, version, version)
    due.forEach((migration, i) => apply(raw, migration, version + i))
  } finally {
    raw.pragma('foreign_keys = ON')
    raw.pragma(`busy_timeout = ${patience}`)
  }
  return due.map(({ name }) => name)
}

function apply (raw: BetterSqlite3.Database, { name, sql }: Migration, from: number, to = from + 1) {
  raw.transaction(() => {
    // Another process may have come first between the look at the version and this lock.
    if (raw.pragma('user_version', { simple: true }) !== from) return
    const before = rowCounts(raw)
    runMigration(raw, sql)
    checkNothingLost(raw, name, before, new Set([...said(sql, 'changes rows of'), ...said(sql, 'takes away')]))
    raw.pragma(`application_id = ${APPLICATION_ID}`)
    raw.pragma(`user_version = ${to}`)
  }).immediate()
}

/**
 * How many rows each table has; without virtual tables and their shadow tables, which rearrange their rows as they
 * like.
 */
export function rowCounts (raw: BetterSqlite3.Database): Map<string, number> {
  const tables = raw
    .prepare("select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'")
    .pluck()
    .all() as string[]
  return new Map(tables.map((table) => [table, raw.prepare(`select count(*) from "${table}"`).pluck().get() as number]))
}

/**
 * Runs a migration's statements. SQLite does not allow writing the schema's own table; a migration that has to says so
 * in a comment.
 */
export function runMigration (raw: BetterSqlite3.Database, sql: string) {
  raw.unsafeMode(/^-- writes the schema itself$/m.test(sql))
  try {
    for (const statement of sql.split('--> statement-breakpoint')) raw.exec(statement)
  } finally {
    raw.unsafeMode(false)
  }
}

/**
 * The tables that a migration lists in a comment: it adds or drops their rows, or removes what was created outside the
 * migrations.
 */
function said (sql: string, what: 'changes rows of' | 'takes away' | 'leaves to the server'): string[] {
  return [...sql.matchAll(new RegExp(`^-- ${what}: (\\w+)$`, 'gm'))].map(([, table]) => table!)
}

/** Tables that a file may contain although no migration created them, because a later one removes them. */
export function takenAway (later: Migration[]): string[] {
  return later.flatMap(({ sql }) => said(sql, 'takes away'))
}

/** Tables that may be missing from a file although a migration created them, as the server drops unneeded ones. */
export function leftToTheServer (made: Migration[]): string[] {
  return made.flatMap(({ sql }) => said(sql, 'leaves to the server'))
}

function checkNothingLost (raw: BetterSqlite3.Database, name: string, before: Map<string, number>, meant: Set<string>) {
  const orphans = raw.pragma('foreign_key_check') as unknown[]
  const after = rowCounts(raw)
  const lost = [...before]
    .filter(([table, count]) => !meant.has(table) && after.get(table) !== count)
    .map(([table]) => table)
  if (orphans.length || lost.length) {
    throw new Refusal(
      'conflict',
      `The upgrade step "${name}" would have lost data and was undone; the file is as it was. Keep the program you had and report this.`,
      {
        cause: new Error(`orphans: ${orphans.length}, changed row counts: ${lost.join(', ')}`)
      }
    )
  }
}
