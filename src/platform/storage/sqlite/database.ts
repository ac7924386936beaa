import BetterSqlite3 from 'better-sqlite3'
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { Refusal } from '../../errors.ts'
import { whyNot } from '../../paths.ts'
import { nativeBinding } from '../../process/assets.ts'
import { commandLine } from '../../process/command-line.ts'
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

/** What `atomically` refuses at compile time: work that would go on after its transaction. */
type NotAPromise<T> = T extends PromiseLike<unknown> ? never : T

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

/** The one connection to the one file. */
export interface Database {
  /**
   * For statements that are prepared once. SQLite looks at some of the values bound to them to plan anew at each call,
   * which takes longer than most of them run: at a LIMIT, at what a join or `max()` is narrowed down by. `+?` keeps it
   * from that.
   */
  readonly raw: BetterSqlite3.Database
  readonly orm: BetterSQLite3Database
  readonly file: string
  /** Runs reading work; all reads of one turn of the event loop share one read transaction. */
  read<T> (work: () => NotAPromise<T>): T
  /**
   * Runs writing work in a transaction and resolves once it is on disk. All work handed in during one turn of the event
   * loop is committed together, each piece in its own savepoint: one that throws rolls back alone and rejects its own
   * promise. Rejects with `unavailable` when another process holds the file for 5 s, with `storage_full` when the disk
   * is. `frees`: the work deletes, so it is let through when space is short.
   */
  atomically<T> (work: () => NotAPromise<T>, options?: { frees?: boolean }): Promise<T>
  /**
   * Inside `atomically`: what a store's method writes in a transaction of its own is written in the one that is open,
   * at once, and its result returned; what it refuses is thrown. For who changes things of several features.
   */
  within<T> (method: () => Promise<T>): T
  /** A number that moves when another process has committed to the file. Asked of SQLite at most once a turn. */
  generation (): number
  /** How many pieces wait to be written. */
  waiting (): number
  /**
   * Writes with `atomically` so that the WAL is moved into the file often, and each time soon done: moving a thousand
   * pages that are spread over a large file holds everybody up for longer than anybody should wait.
   */
  inSmallPortions<T> (writing: () => Promise<T>): Promise<T>
  /** Moves what the WAL holds into the file and empties it. False when somebody is reading it: try again later. */
  checkpoint (): boolean
  /** Writes what is waiting, checkpoints the WAL and closes it. */
  close (): void
}

/** What came of work that joined a transaction. */
type Joined = { value: unknown } | { error: unknown }

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
}: DatabaseOptions): Database {
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
  let joining: ((done: Joined) => void) | undefined
  let queue: Piece[] = []

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
    for (const settle of settled) settle()
  }

  function runPiece ({ work, resolve, reject, frees }: Piece): () => void {
    savepoint.run()
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
    orm: drizzle({ client: raw }),
    read (work) {
      try {
        enterTurn()
        return work()
      } catch (error) {
        throw refusalOf(error)
      }
    },
    atomically (work, { frees = false } = {}) {
      if (joining) return join(work, joining)
      return new Promise((resolve, reject) => {
        if (queue.length >= QUEUE_LIMIT) return reject(unavailable('Too many writes are waiting'))
        queue.push({ work, resolve: resolve as Piece['resolve'], reject, since: performance.now(), frees })
        schedule()
      })
    },
    within<T> (method: () => Promise<T>): T {
      let done: Joined | undefined
      joining = (joined) => { done = joined }
      try {
        // What it refuses is thrown below.
        method().catch(() => undefined)
      } finally {
        joining = undefined
      }
      if (!writing || !done) throw new Error('Only what one transaction writes can be part of another')
      if ('error' in done) throw done.error
      return done.value as T
    },
    generation () {
      enterTurn()
      return generation
    },
    waiting: () => queue.length,
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

/** Does work in the transaction that is open; it is undone with that, or not at all. */
function join<T> (work: () => T, tell: (done: Joined) => void): Promise<T> {
  try {
    const value = work()
    tell({ value })
    return Promise.resolve(value)
  } catch (error) {
    tell({ error })
    return Promise.reject(error)
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
