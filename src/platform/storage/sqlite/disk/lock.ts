import { existsSync, lstatSync, readFileSync } from 'node:fs'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { Refusal } from '../../../errors.ts'
import { giveToOwnerOf, whyNot } from '../../../paths.ts'
import { nativeBinding } from '../../../process/assets.ts'
import { refusalOf } from '../connect.ts'

/**
 * The right to serve, check, upgrade or replace the data file. The operating system releases it when the process dies.
 */
export interface Lock {
  /** Process id of a holder that served and never released the lock: it was killed, or the power failed. 0: none. */
  readonly unclean: number
  /** Records on disk that this process serves, until it releases the lock. */
  mark (): void
  /** Records in the lock's file where it serves and with what, for commands that run meanwhile. */
  announce (server: Announced): void
  /** Releases the lock. `clean: false` keeps the record, so that the next holder checks the file thoroughly. */
  release (options?: { clean?: boolean }): void
}

/** What a listening server publishes about itself. None of it is secret. */
export interface Announced {
  /** Where clients reach it, without a trailing slash. */
  address: string
  /** The host and port it listens on, as this machine reaches them. */
  listens: string
  /** The language models of the installation: their names, the setting they come from, and their address. */
  models: Array<{ models: string[], from: string, url: string }>
}

/** A running server: its process, and what it published once it listened. */
interface Served { process: number, announced: Announced | undefined }

/** The lock file in a data directory. */
export const lockFile = (directory: string) => path.join(path.resolve(directory), 'agenthall.lock')

/**
 * Takes the lock of a data directory; undefined when another process has it, which is waited for `patienceMs`.
 * Refuses with `conflict` a lock's file that is none, or that this user may not use.
 *
 * It is a second SQLite file, locked for as long as the connection lives, so nothing stale is left by kill -9. Its
 * `user_version` is the process that serves. (A lock on the data file itself would also keep out readers and backups.)
 */
export function takeLock (directory: string, { patienceMs = 250 } = {}): Lock | undefined {
  const file = lockFile(directory)
  refuseOtherThanFile(file)
  let raw: BetterSqlite3.Database | undefined
  try {
    const isNew = !existsSync(file)
    raw = new BetterSqlite3(file, { timeout: patienceMs, ...nativeBinding() })
    if (isNew) giveToOwnerOf(directory, file)
    raw.pragma('locking_mode = EXCLUSIVE')
    raw.exec('BEGIN EXCLUSIVE')
    const unclean = Number(raw.pragma('user_version', { simple: true }))
    // In this locking mode the end of a transaction keeps the lock.
    raw.exec('ROLLBACK')
    return heldBy(raw, unclean)
  } catch (error) {
    raw?.close()
    if (error instanceof BetterSqlite3.SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined
    throw refusalOfLock(file, error)
  }
}

/**
 * The server running on a data directory; undefined if there is none. If this user may not try the lock, its file is
 * trusted.
 */
export function servedBy (directory: string): Served | undefined {
  const file = lockFile(directory)
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return undefined
  const lock = triedLock(directory)
  lock?.release({ clean: false })
  return lock ? undefined : noteIn(file)
}

function triedLock (directory: string): Lock | undefined {
  try {
    return takeLock(directory, { patienceMs: 0 })
  } catch {
    return undefined
  }
}

/**
 * The contents of the lock file. SQLite cannot query it while it is held, so its bytes are read into a separate
 * database.
 */
function noteIn (file: string): Served | undefined {
  let raw: BetterSqlite3.Database | undefined
  try {
    raw = new BetterSqlite3(readFileSync(file), nativeBinding())
    const process = Number(raw.pragma('user_version', { simple: true }))
    if (process === 0) return undefined
    const isThere = raw.prepare("select 1 from sqlite_schema where name = 'announced'").get()
    const said = isThere && raw.prepare('select server from announced where process = ?').pluck().get(process)
    return { process, announced: said ? JSON.parse(said as string) as Announced : undefined }
  } catch {
    return undefined
  } finally {
    raw?.close()
  }
}

/** Reading a pipe in its place would never end. */
function refuseOtherThanFile (file: string) {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found && !found.isFile()) throw noLock(file)
}

/** An error in the lock file says nothing about the data file, and is corrected without a backup. */
function refusalOfLock (file: string, error: unknown): unknown {
  const code = error instanceof BetterSqlite3.SqliteError ? error.code : ''
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) return noLock(file, error)
  if (!/^SQLITE_(CANTOPEN|READONLY|PERM)/.test(code)) return refusalOf(error)
  const reason =
    whyNot(file, 'write') ?? 'Nothing can be created in this directory. Choose one on a local disk with --data.'
  return new Refusal('conflict', `The data directory ${path.dirname(file)} cannot be used. ${reason}`, { cause: error })
}

function noLock (file: string, cause?: unknown): Refusal {
  return new Refusal(
    'conflict',
    `${file} is not the lock that Agenthall makes there. The data itself is not touched. Make sure that no server runs on this directory, remove ${path.basename(file)}, and try again.`,
    { cause }
  )
}

function heldBy (raw: BetterSqlite3.Database, unclean: number): Lock {
  let marked = false
  return {
    unclean,
    mark () {
      marked = true
      raw.pragma(`user_version = ${process.pid}`)
    },
    announce (server) {
      raw.exec('create table if not exists announced (process integer not null, server text not null)')
      raw.transaction(() => {
        raw.exec('delete from announced')
        raw.prepare('insert into announced values (?, ?)').run(process.pid, JSON.stringify(server))
      })()
    },
    release ({ clean = true } = {}) {
      if (marked && clean) raw.pragma('user_version = 0')
      raw.close()
    }
  }
}
