import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { Refusal } from '../../errors.ts'
import { whyNot } from '../../paths.ts'
import { nativeBinding } from '../../process/assets.ts'
import { commandLine } from '../../process/command-line.ts'
import { afterwardsIn } from '../afterwards.ts'
import { joiningIn } from '../joining.ts'
import { inContextNow, type Work } from '../work.ts'
import { storageFull, type Space } from './space.ts'

/** `AGH1`: marks a file as ours, so that no other program's database is ever migrated or overwritten. */
export const APPLICATION_ID = 0x41474831

/** The first SQLite in which a write racing a checkpoint cannot lose committed pages (WAL-reset bug). */
const OLDEST_SQLITE = [3, 51, 3]

/** How long writes wait for another process to let go of the file before they are refused. */
const WRITE_PATIENCE_MS = 5000
const RETRY_MS = 10
/**
 * Milliseconds that SQLite itself waits for a lock. It waits with the event loop held, so a server lets it wait only
 * for as long as another process's small commit takes, and waits beyond that in `flush`, without holding anything.
 */
export const PATIENCE = { alone: 5000, serving: 20 }
/** Pages in the WAL from which on a commit moves them into the file. */
const PORTIONS = { usual: 1000, small: 200 }
/** One group never holds the event loop much longer than this; what is left goes into the next. */
const GROUP_BUDGET_MS = 10
const GROUP_LIMIT = 512
const QUEUE_LIMIT = 20_000

/**
 * What happened in one commit, for whoever measures: pieces in the group, how long the oldest waited, how long it took.
 */
export interface Commit { pieces: number, waitedMs: number, tookMs: number }

/**
 * How to open a database. `synchronous` and `grouped` differ from the default only in the benchmark and in the tests of
 * the tests.
 */
export interface DatabaseOptions {
  file: string
  synchronous?: 'FULL' | 'NORMAL'
  grouped?: boolean
  readonly?: boolean
  /** Told of every commit. */
  onCommit?: (commit: Commit) => void
  /** Asked before each piece of writing whether there is room for it. */
  space?: Space
}

/** A statement that is written once and run often. */
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
   * A statement whose rows are arrays. SQLite looks at some of the values bound to it to plan anew at each call, which
   * takes longer than most of them run: at a LIMIT, at what a join or `max()` is narrowed down by. `+?` keeps it from
   * that.
   */
  rows<P extends Values = any[], R extends unknown[] = unknown[]> (text: string): Statement<Listed<P>, R>
  /** A statement of whose rows the first column is wanted. */
  column<P extends Values = any[], R = unknown> (text: string): Statement<Listed<P>, R>
  /** A statement whose rows are objects, or that has none. */
  objects<P extends Values = any[], R = unknown> (text: string): Statement<Listed<P>, R>
  /** Whether there is a table of this name, with a column of that name if one is given. */
  hasTable (name: string, column?: string): Work<boolean>
  /** Makes ordinary tables of those in which a virtual one keeps its rows; it is gone itself. */
  disown (table: string): Work<void>
}

/** The tables, whatever keeps them. */
export interface Database extends Statements {
  /** A builder of queries for `all`, `get` and `run`; the values are those of a prepared one. */
  readonly orm: BetterSQLite3Database
  all<R> (query: { all (values?: Given): R[] }, values?: Given): Work<R[]>
  get<R> (query: { get (values?: Given): R }, values?: Given): Work<R>
  /** How many rows it changed. */
  run (query: { run (values?: Given): unknown }, values?: Given): Work<number>
  /** Reads in one transaction, as things stand in this turn. */
  read<T> (work: () => Work<T>): Promise<T>
  /**
   * Runs writing work in a transaction and resolves once it is on disk. Rejects with `unavailable` when another process
   * holds the file for 5 s, with `storage_full` when the disk is. `frees`: the work deletes, so it is let through when
   * space is short. The body may be run again from its beginning.
   */
  atomically<T> (work: () => Work<T>, options?: { frees?: boolean }): Promise<T>
  /**
   * Inside `atomically`: what a store's method writes in a transaction of its own is written in the one that is open,
   * and its result returned; what it refuses is thrown. For who changes things of several features.
   */
  within<T> (method: () => Promise<T>): Work<T>
  /**
   * Inside `atomically`: is done once what is written there is committed, and never when it is not. For what a
   * transaction means outside of the tables: who waits is woken, what is remembered is forgotten. Before the commit
   * others still read what was, and would remember it for good.
   */
  afterwards (task: () => void): Work<void>
  /** A number that moves when another process has committed. Asked at most once a turn. */
  generation (): number
  /** Microseconds since 1970 by the database's own clock, where several processes go by it; else undefined. */
  sharedMicros (): number | undefined
  /** How many pieces wait to be written. */
  waiting (): number
  /** Writes with `atomically` in small portions, each soon done, so that nobody is held up by a large one. */
  inSmallPortions<T> (writing: () => Promise<T>): Promise<T>
  /** Moves what was committed to where it stays. False when somebody is reading: try again later. */
  checkpoint (): boolean
  /** Where the installation's own files lie: its key, and what is too large for memory. */
  readonly directory: string
  /** The file that everything is in; undefined where it is kept elsewhere. */
  readonly file?: string
  /** Reads while the stores are opened, before anybody else asks: in no turn of the event loop. */
  first<T> (work: () => Work<T>): Promise<T>
  /** Whether it has not been closed. */
  isOpen (): boolean
  /** Writes what is waiting and closes. */
  close (): void
}

/**
 * The one connection to the one file. All reads of one turn of the event loop share one read transaction. All work
 * handed in during one turn is committed together, each piece in its own savepoint: one that throws rolls back alone
 * and rejects its own promise.
 */
export interface SqliteDatabase extends Database {
  readonly raw: BetterSqlite3.Database
  readonly file: string
}

/** A step that is over as soon as it is taken: SQLite answers before anybody could wait. */
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

/** Runs work to its end, in the transaction that is open. */
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

/** Statements on a connection, for who reads a file on its own. */
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

/** Opens the file with the settings that durability needs and proves that they took. */
export function openDatabase ({
  file, synchronous = 'FULL', grouped = true, readonly = false, onCommit, space
}: DatabaseOptions): SqliteDatabase {
  const raw = connect(file, { synchronous, readonly })
  raw.pragma(`busy_timeout = ${PATIENCE.serving}`)
  const statement = (sql: string) => raw.prepare(sql)
  const begin = statement('BEGIN')
  const beginWriting = statement('BEGIN IMMEDIATE')
  const commit = statement('COMMIT')
  const rollback = statement('ROLLBACK')
  const savepoint = statement('SAVEPOINT piece')
  const release = statement('RELEASE piece')
  const undo = statement('ROLLBACK TO piece')
  const dataVersion = statement('PRAGMA data_version').pluck()
  const freePages = statement('PRAGMA freelist_count').pluck()
  const pageSize = raw.pragma('page_size', { simple: true }) as number
  const reusable = () => (freePages.get() as number) * pageSize

  let reading = false
  let writing = false
  let generation = 0
  let scheduled = false
  const joining = joiningIn(() => writing)
  let queue: Piece[] = []
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
    if (queue.length === 0) return
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
    writing = true
    try {
      for (const piece of queue) {
        group.push(piece)
        settled.push(runPiece(piece))
        if (!grouped || group.length === GROUP_LIMIT || performance.now() - started > GROUP_BUDGET_MS) break
      }
      commit.run()
    } catch (error) {
      // The commit failed, or SQLite gave the whole transaction up in the middle of it: nothing of the group happened.
      if (raw.inTransaction) rollback.run()
      after.drop()
      // With the ballast given up, another try finds room for what frees space; `space` refuses the rest.
      if (isFull(error) && group.some(({ frees }) => frees) && space?.relieve()) return
      queue = queue.slice(group.length)
      rejectAll(group, error)
      return
    } finally {
      writing = false
    }
    queue = queue.slice(group.length)
    onCommit?.({ pieces: group.length, waitedMs: started - oldest, tookMs: performance.now() - started })
    after.committed()
    for (const settle of settled) settle()
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
      // On a full disk the whole group is given up: what it wrote so far does not fit either.
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
    // The one process that serves has a clock of its own.
    sharedMicros: () => undefined,
    first: async (work) => finish(work()),
    generation () {
      enterTurn()
      return generation
    },
    waiting: () => queue.length,
    isOpen: () => raw.open,
    async inSmallPortions (writing) {
      raw.pragma(`wal_autocheckpoint = ${PORTIONS.small}`)
      return await writing().finally(() => {
        if (raw.open) raw.pragma(`wal_autocheckpoint = ${PORTIONS.usual}`)
      })
    },
    checkpoint () {
      leaveTurn()
      const [{ busy }] = raw.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }]
      return busy === 0
    },
    close () {
      while (queue.length && raw.open) flush()
      leaveTurn()
      try {
        if (!readonly) raw.pragma('wal_checkpoint(TRUNCATE)')
      } catch (error) {
        // What is in the WAL is on disk and stays there until there is room for a checkpoint.
        if (!isFull(error)) throw error
      } finally {
        raw.close()
      }
    }
  }
}

function rejectAll (pieces: Piece[], error: unknown) {
  for (const piece of pieces) piece.reject(refusalOf(error))
}

/**
 * Opens a connection with our settings, in the order in which they must be given. Refuses with `unavailable` when one
 * does not take, and with `conflict`, naming the file and the permission that is missing, when this user may not open
 * it.
 */
export function connect (file: string, options: Pick<DatabaseOptions, 'synchronous' | 'readonly'> = {}) {
  try {
    return open(file, options)
  } catch (error) {
    throw notAllowed(file, error, options) ?? error
  }
}

/**
 * The Refusal for a file that this user may not open, naming the permission that is missing; undefined for any other
 * error.
 */
export function notAllowed (file: string, error: unknown, { readonly = false } = {}): Refusal | undefined {
  if (!(error instanceof BetterSqlite3.SqliteError) || !/^SQLITE_(CANTOPEN|READONLY|PERM)/.test(error.code)) {
    return undefined
  }
  // A file with a log is read through a third file beside it, which SQLite makes.
  const reason = whyNot(file, readonly ? 'read' : 'write') ?? whyNot(`${file}-shm`, 'write')
  return reason === undefined
    ? undefined
    : new Refusal('conflict', `The data file ${file} cannot be opened. ${reason}`, { cause: error })
}

function open (
  file: string, { synchronous = 'FULL', readonly = false }: Pick<DatabaseOptions, 'synchronous' | 'readonly'> = {}
) {
  // The patience is set first, so that everything below waits its turn.
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

/** Refuses a SQLite that can lose committed pages. */
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

function isFull (error: unknown) {
  return error instanceof BetterSqlite3.SqliteError && error.code === 'SQLITE_FULL'
}

function isBusy (error: unknown) {
  return error instanceof BetterSqlite3.SqliteError && error.code.startsWith('SQLITE_BUSY')
}

function unavailable (message: string, cause?: unknown) {
  return new Refusal('unavailable', `${message}; try again in a few seconds.`, {
    headers: { 'retry-after': '5' }, cause
  })
}

/** What the database could not do, as a Refusal where the caller can act on it; anything else as it is. */
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
