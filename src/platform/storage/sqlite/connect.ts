import BetterSqlite3 from 'better-sqlite3'
import { Refusal } from '../../errors.ts'
import { whyNot } from '../../paths.ts'
import { nativeBinding } from '../../process/assets.ts'
import { commandLine } from '../../process/command-line.ts'
import { storageFull } from './disk/space.ts'

/** The first SQLite in which a write racing a checkpoint cannot lose committed pages (WAL-reset bug). */
const OLDEST_SQLITE = [3, 51, 3]

/**
 * Milliseconds that SQLite itself waits for a lock. It blocks the event loop meanwhile, so a server lets it wait only
 * for as long as another process's small commit takes, and waits beyond that in `flush`, without blocking.
 */
export const PATIENCE = { alone: 5000, serving: 20 }

/** `synchronous`: whether a commit itself waits for the disk. */
interface ConnectionOptions { synchronous?: 'FULL' | 'NORMAL', readonly?: boolean }

/**
 * Opens a connection with our settings, in the required order. Refuses with `unavailable` when one does not take
 * effect, and with `conflict`, naming the file and the missing permission, when this user may not open it.
 */
export function connect (file: string, options: ConnectionOptions = {}) {
  try {
    return open(file, options)
  } catch (error) {
    throw notAllowed(file, error, options) ?? error
  }
}

/**
 * A connection for a transaction that writes much and takes long. What it writes goes to the log in passing, so that
 * the commit itself is short, and is moved into the file by others' commits.
 */
export function connectForLong (file: string, synchronous: 'FULL' | 'NORMAL') {
  const raw = connect(file)
  raw.pragma(`synchronous = ${synchronous}`)
  raw.pragma(`busy_timeout = ${PATIENCE.serving}`)
  raw.pragma('cache_size = -2000')
  raw.pragma('wal_autocheckpoint = 0')
  return raw
}

/** The Refusal for a file that this user may not open, naming the missing permission; undefined for any other error. */
export function notAllowed (file: string, error: unknown, { readonly = false } = {}): Refusal | undefined {
  if (!(error instanceof BetterSqlite3.SqliteError) || !/^SQLITE_(CANTOPEN|READONLY|PERM)/.test(error.code)) {
    return undefined
  }
  // A file with a log is read through a third file beside it, which SQLite creates.
  const reason = whyNot(file, readonly ? 'read' : 'write') ?? whyNot(`${file}-shm`, 'write')
  return reason === undefined
    ? undefined
    : new Refusal('conflict', `The data file ${file} cannot be opened. ${reason}`, { cause: error })
}

function open (
  file: string, { synchronous = 'FULL', readonly = false }: ConnectionOptions = {}
) {
  // The busy timeout is set first, so that everything below waits its turn.
  const raw = new BetterSqlite3(file, { readonly, timeout: PATIENCE.alone, ...nativeBinding() })
  if (!readonly) expect(raw.pragma('journal_mode = WAL', { simple: true }), 'wal', 'write-ahead log')
  raw.pragma(`synchronous = ${synchronous}`)
  raw.pragma('fullfsync = ON')
  raw.pragma('foreign_keys = ON')
  raw.pragma('journal_size_limit = 67108864')
  raw.pragma('trusted_schema = OFF')
  raw.pragma('cell_size_check = ON')
  raw.pragma('temp_store = MEMORY')
  raw.pragma('cache_size = -32000')
  raw.pragma('mmap_size = 0')
  raw.pragma('secure_delete = ON')
  expect(raw.pragma('synchronous', { simple: true }), synchronous === 'FULL' ? 2 : 1, 'durable commits')
  assertRecent(raw.prepare('select sqlite_version()').pluck().get() as string)
  return raw
}

function expect (actual: unknown, wanted: unknown, what: string) {
  if (actual !== wanted) {
    throw new Refusal(
      'unavailable',
      `The data directory's file system does not support what the database needs (${what}). Use a local disk.`
    )
  }
}

/** Refuses an SQLite version that can lose committed pages. */
export function assertRecent (version: string) {
  const parts = version.split('.').map(Number)
  const difference = OLDEST_SQLITE.map((part, i) => (parts[i] ?? 0) - part).find((d) => d !== 0) ?? 0
  if (difference < 0) {
    throw new Refusal(
      'unavailable',
      `SQLite ${version} can lose data; ${OLDEST_SQLITE.join('.')} or newer is needed. Reinstall the program.`
    )
  }
}

export function isFull (error: unknown) {
  return error instanceof BetterSqlite3.SqliteError && error.code === 'SQLITE_FULL'
}

export function isBusy (error: unknown) {
  return error instanceof BetterSqlite3.SqliteError && error.code.startsWith('SQLITE_BUSY')
}

export function unavailable (message: string, cause?: unknown) {
  return new Refusal('unavailable', `${message}; try again in a few seconds.`, {
    headers: { 'retry-after': '5' }, cause
  })
}

export function diskFailed (cause: unknown) {
  return new Refusal(
    'unavailable',
    'The disk failed while something was written. Nothing more is written until the server is restarted: check the disk first.',
    { headers: { 'retry-after': '60' }, cause }
  )
}

/** An error of the database, as a Refusal if the caller can act on it; anything else unchanged. */
export function refusalOf (error: unknown): unknown {
  if (!(error instanceof BetterSqlite3.SqliteError)) return error
  if (isFull(error)) return storageFull(error)
  if (isBusy(error)) return unavailable('The data file is busy', error)
  if (error.code.startsWith('SQLITE_IOERR') || error.code === 'SQLITE_CANTOPEN') {
    return unavailable('The data file could not be read or written', error)
  }
  if (error.code.startsWith('SQLITE_CORRUPT') || error.code === 'SQLITE_NOTADB') return damaged(error)
  return error
}

/** The file is not what was written. */
function damaged (cause: unknown) {
  return new Refusal(
    'unavailable',
    `The data file is damaged. Ask the operator to stop the server, run "${commandLine('doctor')}", and restore a backup.`,
    { cause }
  )
}
