import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { Refusal } from '../../errors.ts'
import { afterwardsIn, joiningIn } from '../transactions.ts'
import { inContextNow, type Work } from '../work.ts'
import { connect, diskFailed, isBusy, isFull, PATIENCE, refusalOf, unavailable } from './connect.ts'
import { commitsOn, logSyncOf, type LogSync } from './disk/log-sync.ts'
import type { Space } from './disk/space.ts'

/** `AGH1`: marks a file as ours, so that no other program's database is ever migrated or overwritten. */
export const APPLICATION_ID = 0x41474831

/** How long writes wait for another process to release the file before they are refused. */
const WRITE_PATIENCE_MS = 5000
const RETRY_MS = 10
/** Pages in the WAL from which a commit moves them into the file. */
const PORTIONS = { usual: 1000, small: 200 }
/** One group never blocks the event loop much longer than this; the rest goes into the next. */
const GROUP_BUDGET_MS = 10
const GROUP_LIMIT = 512
const QUEUE_LIMIT = 20_000

/** One commit, for measuring: pieces in the group, how long the oldest waited, how long it took. */
export interface Commit { pieces: number, waitedMs: number, tookMs: number }

/**
 * How to open a database. `synchronous`, `grouped` and `logSync` differ from the default only in the benchmark and in
 * tests, of a disk that is slow or fails among others.
 */
export interface DatabaseOptions {
  file: string
  synchronous?: 'FULL' | 'NORMAL'
  grouped?: boolean
  logSync?: LogSync
  readonly?: boolean
  /** Called after every commit. */
  onCommit?: (commit: Commit) => void
  /** Called before each piece of writing to check whether there is room for it. */
  space?: Space
}

/** A prepared statement. */
export interface Statement<P extends unknown[], R> {
  get (...values: P): Work<R | undefined>
  all (...values: P): Work<R[]>
  /** How many rows it changed. */
  run (...values: P): Work<number>
}

/** The values of a statement, in order, or one object with a property for each name in it. */
type Values = unknown[] | object
/** The values of a prepared query, by name. */
type Given = Record<string, unknown>
type Listed<P extends Values> = P extends unknown[] ? P : [P]

/** Statements in SQL. */
export interface Statements {
  /**
   * A statement whose rows are arrays. SQLite replans at each call for some of the values bound to it, which takes
   * longer than most of them run: at a LIMIT, and at values that narrow down a join or `max()`. `+?` prevents that.
   */
  rows<P extends Values = any[], R extends unknown[] = unknown[]> (text: string): Statement<Listed<P>, R>
  /** A statement that returns only the first column of its rows. */
  column<P extends Values = any[], R = unknown> (text: string): Statement<Listed<P>, R>
  /** A statement whose rows are objects, or that has none. */
  objects<P extends Values = any[], R = unknown> (text: string): Statement<Listed<P>, R>
  /** Whether there is a table of this name, with a column of that name if one is given. */
  hasTable (name: string, column?: string): Work<boolean>
  /** Makes ordinary tables of those in which a virtual one stores its rows, and removes the virtual one. */
  disown (table: string): Work<void>
}

/**
 * `rows`: how many per statement. `times`: how many times as long as in a file a slice may take, where it does not
 * occupy the processor that others wait for.
 */
interface Portion { rows: number, times: number }

/** The tables, whichever engine they are in. */
export interface Database extends Statements {
  /** A builder of queries for `all`, `get` and `run`; the values are those of a prepared one. */
  readonly orm: BetterSQLite3Database
  all<R> (query: { all (values?: Given): R[] }, values?: Given): Work<R[]>
  get<R> (query: { get (values?: Given): R }, values?: Given): Work<R>
  /** How many rows it changed. */
  run (query: { run (values?: Given): unknown }, values?: Given): Work<number>
  /** Reads in one transaction, as of this turn. */
  read<T> (work: () => Work<T>): Promise<T>
  /**
   * Runs writing work in a transaction and resolves once it is on disk. Rejects with `unavailable` when another process
   * holds the file for 5 s, with `storage_full` when the disk is full. `frees`: the work deletes, so it is admitted
   * when space is short. The body may be run again from its beginning.
   */
  atomically<T> (work: () => Work<T>, options?: { frees?: boolean }): Promise<T>
  /**
   * Inside `atomically`: what a store's method writes in a separate transaction is written in the open one, and its
   * result returned; what it refuses is thrown. For callers that change things of several features.
   */
  within<T> (method: () => Promise<T>): Work<T>
  /**
   * Inside `atomically`: runs once its writes are committed, and never if they are not. For effects of a transaction
   * outside the tables: waiters are woken, caches are dropped. Before the commit others still read the old state, and
   * would cache it for good. `isAwaited`: the caller still waits for the result; false if it was refused meanwhile for
   * taking too long.
   */
  afterwards (task: (isAwaited: boolean) => void): Work<void>
  /** A number that changes when another process has committed. Queried at most once a turn. */
  generation (): number
  /** Microseconds since 1970 by the database's own clock, if several processes share it; else undefined. */
  sharedMicros (): number | undefined
  /** How many pieces wait to be written. */
  waiting (): number
  /** How much to delete at once when there is much of it. */
  readonly portion: Portion
  /** Writes with `atomically` in small portions, each finished soon, so that nobody is blocked by a large one. */
  inSmallPortions<T> (writing: () => Promise<T>): Promise<T>
  /** Moves commits to their final place. False when somebody is reading: try again later. */
  checkpoint (): boolean
  /** Directory of the installation's own files: its key, and what is too large for memory. */
  readonly directory: string
  /** The data file; undefined if the tables are elsewhere. */
  readonly file?: string
  /** Reads while the stores are opened, before any requests: outside the turns of the event loop. */
  first<T> (work: () => Work<T>): Promise<T>
  /** Why nothing is written any more until the next start; undefined while it is. */
  failure (): Refusal | undefined
  /** Whether it has not been closed. */
  isOpen (): boolean
  /** Writes what is waiting and closes. */
  close (): void
}

/**
 * The only connection to the data file. All reads of one turn of the event loop share one read transaction. All work
 * submitted during one turn is committed together, each piece in its own savepoint: one that throws rolls back alone
 * and rejects its own promise.
 */
export interface SqliteDatabase extends Database {
  readonly raw: BetterSqlite3.Database
  readonly file: string
}

/** A step that completes immediately: SQLite answers before anybody could wait. */
class Taken<T> {
  readonly done = true
  value: T | undefined = undefined
  readonly #take: () => T
  constructor (take: () => T) {
    this.#take = take
  }

  [Symbol.iterator] () {
    return this
  }

  next () {
    this.value = this.#take()
    return this
  }
}

const taken = <T>(take: () => T) => new Taken(take) as unknown as Work<T>

/** Runs work to its end, in the open transaction. */
export function finish<T> (work: Work<T>): T {
  return work[Symbol.iterator]().next().value as T
}

function statementOf<P extends unknown[], R> (prepared: BetterSqlite3.Statement<any[], any>): Statement<P, R> {
  return {
    get: (...values) => taken(() => prepared.get(...values) as R | undefined),
    all: (...values) => taken(() => prepared.all(...values) as R[]),
    run: (...values) => taken(() => prepared.run(...values).changes)
  }
}

/** Statements on a connection, for code that reads a file on its own. */
export function statementsOn (raw: BetterSqlite3.Database): Statements {
  return {
    rows: (text) => statementOf(raw.prepare(text).raw()),
    column (text) {
      const prepared = raw.prepare(text)
      return statementOf(prepared.reader ? prepared.pluck() : prepared)
    },
    objects: (text) => statementOf(raw.prepare(text)),
    hasTable: (name, column) => taken(() => raw.prepare(`
      select 1 from sqlite_schema, pragma_table_info(sqlite_schema.name) as kept
      where sqlite_schema.type = 'table' and sqlite_schema.name = ? and kept.name = coalesce(?, kept.name)`).get(name, column ?? null) !== undefined),
    disown: (table) => taken(() => disown(raw, table))
  }
}

function disown (raw: BetterSqlite3.Database, table: string) {
  raw.unsafeMode(true)
  try {
    raw.pragma('writable_schema = ON')
    raw.exec(`delete from sqlite_schema where name = '${table}'`)
    raw.pragma(`schema_version = ${raw.pragma('schema_version', { simple: true }) as number + 1}`)
    raw.pragma('writable_schema = RESET')
  } finally {
    raw.unsafeMode(false)
  }
}

interface Piece {
  work: () => unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  since: number
  frees: boolean
}

/** A connection that keeps other processes from writing. Where they could not write anyway, there is none. */
function nobodyWrites (file: string): BetterSqlite3.Database | undefined {
  let guard: BetterSqlite3.Database | undefined
  try {
    guard = connect(file)
    guard.exec('BEGIN IMMEDIATE')
    return guard
  } catch {
    guard?.close()
    return undefined
  }
}

/** The statements that begin and end transactions, and tell of what they did. */
function transactionsOn (raw: BetterSqlite3.Database) {
  const statement = (sql: string) => raw.prepare(sql)
  return {
    begin: statement('BEGIN'),
    beginWriting: statement('BEGIN IMMEDIATE'),
    commit: statement('COMMIT'),
    rollback: statement('ROLLBACK'),
    savepoint: statement('SAVEPOINT piece'),
    release: statement('RELEASE piece'),
    undo: statement('ROLLBACK TO piece'),
    dataVersion: statement('PRAGMA data_version').pluck(),
    changes: statement('SELECT total_changes()').pluck()
  }
}

/** Bytes of the file that deleting has freed, and that can be written again. */
function reusableIn (raw: BetterSqlite3.Database): () => number {
  const freePages = raw.prepare('PRAGMA freelist_count').pluck()
  const pageSize = raw.pragma('page_size', { simple: true }) as number
  return () => (freePages.get() as number) * pageSize
}

/** Opens the file with the settings that durability needs and proves that they took. */
export function openDatabase ({
  file, synchronous = 'FULL', grouped = true, logSync, readonly = false, onCommit, space
}: DatabaseOptions): SqliteDatabase {
  const raw = connect(file, { synchronous, readonly })
  raw.pragma(`busy_timeout = ${PATIENCE.serving}`)
  const { begin, beginWriting, commit, rollback, savepoint, release, undo, dataVersion, changes } = transactionsOn(raw)
  const reusable = reusableIn(raw)

  // Its log begins with the first use of the file.
  raw.pragma('schema_version')
  // Whoever wants FULL gets it from `log`, which waits for the disk without blocking.
  const log = readonly || synchronous !== 'FULL' ? undefined : logSync ?? logSyncOf(file)
  if (log) raw.pragma('synchronous = NORMAL')
  const commits = commitsOn(log, () => { if (queue.length) schedule() })

  let reading = false
  let writing = false
  let generation = 0
  let scheduled = false
  const joining = joiningIn(() => writing)
  let queue: Piece[] = []
  /** Set once the disk has failed: what it kept of the log is unknown, so nothing may be added to it. */
  let broken: Refusal | undefined
  let guard: BetterSqlite3.Database | undefined
  const after = afterwardsIn(() => writing)

  function enterTurn () {
    if (reading || writing) return
    begin.run()
    reading = true
    setImmediate(leaveTurn)
    generation = dataVersion.get() as number
  }

  function leaveTurn () {
    if (!reading) return
    reading = false
    commit.run()
  }

  function schedule (delay = 0) {
    if (scheduled) return
    scheduled = true
    if (delay) setTimeout(flush, delay)
    else setImmediate(flush)
  }

  function flush () {
    scheduled = false
    if (broken) return rejectAll(queue.splice(0), broken)
    if (commits.areSyncing() || queue.length === 0) return
    leaveTurn()
    try {
      beginWriting.run()
    } catch (error) {
      if (!isBusy(error)) return rejectAll(queue.splice(0), error)
      rejectAll(takeExpired(), error)
      if (queue.length) schedule(RETRY_MS)
      return
    }
    writeGroup()
    if (queue.length) schedule()
  }

  function writeGroup () {
    const started = performance.now()
    const oldest = queue[0]!.since
    const settled: Array<() => void> = []
    const group: Piece[] = []
    const before = changes.get()
    writing = true
    try {
      for (const piece of queue) {
        group.push(piece)
        settled.push(runPiece(piece))
        if (!grouped || group.length === GROUP_LIMIT || performance.now() - started > GROUP_BUDGET_MS) break
      }
      commit.run()
    } catch (error) {
      // The commit failed, or SQLite rolled the whole transaction back during it: nothing of the group happened.
      if (raw.inTransaction) rollback.run()
      after.drop()
      // With the ballast released, a retry finds room for what frees space; `space` refuses the rest.
      if (isFull(error) && group.some(({ frees }) => frees) && space?.relieve()) return
      queue = queue.slice(group.length)
      rejectAll(group, error)
      return
    } finally {
      writing = false
    }
    queue = queue.slice(group.length)
    commits.end(changes.get() !== before, {
      end () {
        onCommit?.({ pieces: group.length, waitedMs: started - oldest, tookMs: performance.now() - started })
        after.committed()
        for (const settle of settled) settle()
      },
      fail (error) {
        after.drop()
        broken = diskFailed(error)
        guard = nobodyWrites(file)
        rejectAll([...group, ...queue.splice(0)], broken)
      }
    })
  }

  function runPiece ({ work, resolve, reject, frees }: Piece): () => void {
    savepoint.run()
    const takeBack = after.begin()
    try {
      space?.check({ frees, reusable })
      const value = work()
      release.run()
      return () => resolve(value)
    } catch (error) {
      // On a full disk the whole group is rolled back: what it wrote so far does not fit either.
      if (!raw.inTransaction || isFull(error)) throw error
      undo.run()
      release.run()
      takeBack()
      return () => reject(refusalOf(error))
    }
  }

  function takeExpired () {
    const deadline = performance.now() - WRITE_PATIENCE_MS
    const expired = queue.filter((piece) => piece.since <= deadline)
    queue = queue.filter((piece) => piece.since > deadline)
    return expired
  }

  return {
    raw,
    file,
    directory: path.dirname(file),
    orm: drizzle({ client: raw }),
    ...statementsOn(raw),
    all: (query, values) => taken(() => query.all(values)),
    get: (query, values) => taken(() => query.get(values)),
    run: (query, values) => taken(() => (query.run(values) as { changes: number }).changes),
    async read (work) {
      try {
        enterTurn()
        return finish(work())
      } catch (error) {
        throw refusalOf(error)
      }
    },
    atomically<T> (work: () => Work<T>, { frees = false } = {}) {
      const inContext = inContextNow(work)
      return new Promise<T>((resolve, reject) => {
        if (joining.takes({ work: inContext, resolve: resolve as Piece['resolve'], reject })) return
        if (queue.length >= QUEUE_LIMIT) return reject(unavailable('Too many writes are waiting'))
        queue.push({
          work: () => finish(inContext()), resolve: resolve as Piece['resolve'], reject, since: performance.now(), frees
        })
        schedule()
      })
    },
    within: joining.within,
    afterwards: after.afterwards,
    // The only process that serves has a clock of its own.
    sharedMicros: () => undefined,
    first: async (work) => finish(work()),
    generation () {
      enterTurn()
      return generation
    },
    waiting: () => queue.length,
    isOpen: () => raw.open,
    failure: () => broken,
    // A statement costs next to nothing, and each row may be the last that there is time for.
    portion: { rows: 1, times: 1 },
    async inSmallPortions (writing) {
      raw.pragma(`wal_autocheckpoint = ${PORTIONS.small}`)
      return await writing().finally(() => {
        if (raw.open) raw.pragma(`wal_autocheckpoint = ${PORTIONS.usual}`)
      })
    },
    checkpoint () {
      leaveTurn()
      return foldIn(raw)
    },
    close () {
      for (commits.syncNow(); queue.length && raw.open; commits.syncNow()) flush()
      leaveTurn()
      try {
        if (!readonly) foldIn(raw)
      } finally {
        for (const one of [guard, raw, log]) one?.close()
      }
    }
  }
}

/** Moves what is in the log into the file, if nobody reads and there is room; otherwise it stays in the log. */
function foldIn (raw: BetterSqlite3.Database): boolean {
  try {
    const [{ busy }] = raw.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }]
    return busy === 0
  } catch (error) {
    if (!isFull(error)) throw error
    return false
  }
}

function rejectAll (pieces: Piece[], error: unknown) {
  for (const piece of pieces) piece.reject(refusalOf(error))
}
