import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { Id } from '../../../../schema/common.ts'
import { Refusal } from '../../errors.ts'
import { afterwardsIn, joiningIn } from '../transactions.ts'
import { inContextNow, type Work } from '../work.ts'
import { connect, connectForLong, diskFailed, isBusy, isFull, PATIENCE, refusalOf, unavailable } from './connect.ts'
import { commitsOn, logSyncOf, type LogSync } from './disk/log-sync.ts'
import type { Space } from './disk/space.ts'
import {
  builderOn, connectionsOf, finish, type LongPiece, longWorkOn, type Statements, statementsOf, takenOn
} from './statements.ts'

export { finish, statementsOn, type Statement, type Statements } from './statements.ts'

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
/** Long pieces that wait, and for how long they do. */
const LONG_QUEUE_LIMIT = 100
const LONG_PATIENCE_MS = 60_000

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

/** The values of a prepared query, by name. */
type Given = Record<string, unknown>
/**
 * `rows`: how many per statement. `times`: how many times as long as in a file a slice may take, where it does not
 * occupy the processor that others wait for.
 */
interface Portion { rows: number, times: number }

/** How something is written, see `atomically`. */
interface Writing { frees?: boolean, isLong?: boolean, of?: Id }

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
   * when space is short. `isLong`: it may write for seconds, in one transaction all the same; others read meanwhile,
   * and write once it has ended. `of`: the account to which belongs whatever the work decides by and changes, beside
   * jobs and secrets, so that those who write for others need not wait where the engine can write for several at once.
   * The body may be run again from its beginning.
   */
  atomically<T> (work: () => Work<T>, options?: Writing): Promise<T>
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

interface Piece extends LongPiece { frees: boolean }

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
  const pageSize = Number(raw.pragma('page_size', { simple: true }))
  return () => (freePages.get() as number) * pageSize
}

/** Pieces that are committed, when that began, and what tells those who wait. */
interface Written { group: Piece[], hasChanged: boolean, started: number, settle: () => void }

/**
 * Writes the first pieces of a queue in the open transaction, each in its own savepoint, and commits them. Undefined if
 * nothing of them was written.
 */
function groupsOn ({ raw, transactions, after, space, reusable, grouped }: Pick<DatabaseOptions, 'space' | 'grouped'> & {
  raw: BetterSqlite3.Database
  transactions: ReturnType<typeof transactionsOn>
  after: ReturnType<typeof afterwardsIn>
  reusable: () => number
}): (queue: Piece[]) => Written | undefined {
  const { commit, rollback, savepoint, release, undo, changes } = transactions

  function runPiece ({ work, resolve, reject, frees }: Piece): () => void {
    savepoint.run()
    const takeBack = after.begin()
    try {
      space?.check({ frees, reusable })
      const value = finish(work())
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

  return (queue) => {
    const started = performance.now()
    const settled: Array<() => void> = []
    const group: Piece[] = []
    const before = changes.get()
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
      if (isFull(error) && group.some(({ frees }) => frees) && space?.relieve()) return undefined
      queue.splice(0, group.length)
      rejectAll(group, error)
      return undefined
    }
    queue.splice(0, group.length)
    const hasChanged = changes.get() !== before
    return { group, hasChanged, started, settle () { for (const settle of settled) settle() } }
  }
}

/** Opens the file with the settings that durability needs and proves that they took. */
export function openDatabase ({
  file, synchronous = 'FULL', grouped = true, logSync, readonly = false, onCommit, space
}: DatabaseOptions): SqliteDatabase {
  const raw = connect(file, { synchronous, readonly })
  raw.pragma(`busy_timeout = ${PATIENCE.serving}`)
  const transactions = transactionsOn(raw)
  const { begin, beginWriting, commit, dataVersion } = transactions
  const reusable = reusableIn(raw)

  // Its log begins with the first use of the file.
  raw.pragma('schema_version')
  // Whoever wants FULL gets it from `log`, which waits for the disk without blocking.
  const log = readonly || synchronous !== 'FULL' ? undefined : logSync ?? logSyncOf(file)
  if (log) raw.pragma('synchronous = NORMAL')
  const commits = commitsOn(log, () => { if (queue.length || longQueue.length) schedule() })

  let reading = false
  let writing = false
  let generation = 0
  let scheduled = false
  const joining = joiningIn(() => writing)
  const queue: Piece[] = []
  const longQueue: Piece[] = []
  /** Whether long work was written last: others come first then. */
  let wasLong = false
  /** Set once the disk has failed: what it kept of the log is unknown, so nothing may be added to it. */
  let broken: Refusal | undefined
  let guard: BetterSqlite3.Database | undefined
  const after = afterwardsIn(() => writing)
  const writeTogether = groupsOn({ raw, transactions, after, space, reusable, grouped })
  const connections = connectionsOf(raw, () => connectForLong(file, log ? 'NORMAL' : synchronous))
  const taken = takenOn(connections)
  const long = longWorkOn<Piece>({
    connections,
    writing: inside,
    begun ({ frees }) {
      after.begin()
      space?.check({ frees, reusable })
    },
    resumed () { rejectAll(takeExpired(queue, WRITE_PATIENCE_MS), unavailable('Something large is being written')) },
    committed (piece, value, began) {
      end({ group: [piece], hasChanged: true, started: began, settle: () => piece.resolve(value) })
      schedule()
    },
    undone () {
      after.drop()
      schedule()
    }
  })

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
    if (broken) return rejectAll([...queue.splice(0), ...longQueue.splice(0)], broken)
    if (commits.areSyncing() || long.isRunning()) return
    const restsFor = long.restsFor()
    if (longQueue.length > 0 && restsFor === 0 && !(wasLong && queue.length > 0)) return beginLong()
    if (queue.length === 0) {
      if (longQueue.length > 0) setTimeout(schedule, restsFor)
      return
    }
    leaveTurn()
    try {
      beginWriting.run()
    } catch (error) {
      if (areStillWaiting(error, queue, WRITE_PATIENCE_MS)) schedule(RETRY_MS)
      return
    }
    wasLong = false
    const written = inside(() => writeTogether(queue))
    if (written) end(written)
    if (queue.length || longQueue.length) schedule()
  }

  function beginLong () {
    wasLong = true
    try {
      long.begin(longQueue[0]!)
      longQueue.shift()
    } catch (error) {
      if (areStillWaiting(error, longQueue, LONG_PATIENCE_MS)) schedule(RETRY_MS)
    }
  }

  /** Runs a part of a transaction that writes. */
  function inside<T> (run: () => T): T {
    writing = true
    try {
      return run()
    } finally {
      writing = false
    }
  }

  /** Settles pieces that are committed once they are on the disk. */
  function end ({ group, hasChanged, started, settle }: Written) {
    const oldest = group[0]!.since
    commits.end(hasChanged, {
      end () {
        onCommit?.({ pieces: group.length, waitedMs: started - oldest, tookMs: performance.now() - started })
        after.committed()
        settle()
      },
      fail (error) {
        after.drop()
        broken = diskFailed(error)
        guard = nobodyWrites(file)
        rejectAll([...group, ...queue.splice(0), ...longQueue.splice(0)], broken)
      }
    })
  }

  return {
    raw,
    file,
    directory: path.dirname(file),
    orm: builderOn(connections),
    ...statementsOf(connections),
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
    atomically<T> (work: () => Work<T>, { frees = false, isLong = false }: Writing = {}) {
      const inContext = inContextNow(work)
      return new Promise<T>((resolve, reject) => {
        const piece = { work: inContext, resolve: resolve as Piece['resolve'], reject, since: performance.now(), frees }
        if (joining.takes(piece)) return
        const pieces = isLong ? longQueue : queue
        if (pieces.length >= (isLong ? LONG_QUEUE_LIMIT : QUEUE_LIMIT)) return reject(unavailable('Too many writes are waiting'))
        pieces.push(piece)
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
    waiting: () => queue.length + longQueue.length,
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
      if (long.isRunning()) return false
      leaveTurn()
      return foldIn(raw)
    },
    close () {
      long.abort()
      rejectAll(longQueue.splice(0), unavailable('The server is stopping'))
      for (commits.syncNow(); queue.length && raw.open; commits.syncNow()) flush()
      leaveTurn()
      try {
        if (!readonly) foldIn(raw)
      } finally {
        for (const one of [guard, connections, log]) one?.close()
      }
    }
  }
}

/** A transaction cannot begin: refuses who waits in vain; whether others still wait for another process. */
function areStillWaiting (error: unknown, pieces: Piece[], patienceMs: number): boolean {
  rejectAll(isBusy(error) ? takeExpired(pieces, patienceMs) : pieces.splice(0), error)
  return pieces.length > 0
}

/** Takes those who have waited this long: pieces are in order of arrival. */
function takeExpired (pieces: Piece[], patienceMs: number): Piece[] {
  const deadline = performance.now() - patienceMs
  const left = pieces.findIndex(({ since }) => since > deadline)
  return pieces.splice(0, left === -1 ? pieces.length : left)
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
