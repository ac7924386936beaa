import type BetterSqlite3 from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { PAUSE, type Work } from '../work.ts'
import { refusalOf, unavailable } from './connect.ts'

/** A prepared statement. */
export interface Statement<P extends unknown[], R> {
  get (...values: P): Work<R | undefined>
  all (...values: P): Work<R[]>
  /** How many rows it changed. */
  run (...values: P): Work<number>
}

/** The values of a statement, in order, or one object with a property for each name in it. */
type Values = unknown[] | object
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

/** A part of long work ends here, and goes on later. */
const PAUSED = { done: false, value: PAUSE }

/**
 * A step that completes immediately: SQLite answers before anybody could wait. Only long work may pause before it.
 */
class Taken<T> {
  readonly done = true
  value: T | undefined = undefined
  readonly #take: () => T
  readonly #connections: Connections
  constructor (take: () => T, connections: Connections) {
    this.#take = take
    this.#connections = connections
  }

  [Symbol.iterator] () {
    return this
  }

  next () {
    if (this.#connections.isPauseDue()) return PAUSED
    this.value = this.#take()
    return this
  }
}

/** Makes steps that run on the connection in use. */
export const takenOn = (connections: Connections) =>
  <T>(take: () => T) => new Taken(take, connections) as unknown as Work<T>

/** Runs work to its end, in the open transaction. */
export function finish<T> (work: Work<T>): T {
  const steps = work[Symbol.iterator]()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value as T
  }
}

/** Statements on a connection, for code that reads a file on its own. */
export const statementsOn = (raw: BetterSqlite3.Database): Statements => statementsOf(connectionsOf(raw))

/** Statements on the connection in use. */
export function statementsOf (connections: Connections): Statements {
  const taken = takenOn(connections)

  function statementOf<P extends unknown[], R> (
    prepare: (raw: BetterSqlite3.Database) => BetterSqlite3.Statement<any[], any>
  ): Statement<P, R> {
    const now = connections.prepared(prepare)
    return {
      get: (...values) => taken(() => now().get(...values) as R | undefined),
      all: (...values) => taken(() => now().all(...values) as R[]),
      run: (...values) => taken(() => now().run(...values).changes)
    }
  }

  return {
    rows: (text) => statementOf((raw) => raw.prepare(text).raw()),
    column: (text) => statementOf((raw) => {
      const prepared = raw.prepare(text)
      return prepared.reader ? prepared.pluck() : prepared
    }),
    objects: (text) => statementOf((raw) => raw.prepare(text)),
    hasTable: (name, column) => taken(() => connections.now().prepare(`
      select 1 from sqlite_schema, pragma_table_info(sqlite_schema.name) as kept
      where sqlite_schema.type = 'table' and sqlite_schema.name = ? and kept.name = coalesce(?, kept.name)`).get(name, column ?? null) !== undefined),
    disown: (table) => taken(() => disown(connections.now(), table))
  }
}

function disown (raw: BetterSqlite3.Database, table: string) {
  raw.unsafeMode(true)
  try {
    raw.pragma('writable_schema = ON')
    raw.exec(`delete from sqlite_schema where name = '${table}'`)
    raw.pragma(`schema_version = ${Number(raw.pragma('schema_version', { simple: true })) + 1}`)
    raw.pragma('writable_schema = RESET')
  } finally {
    raw.unsafeMode(false)
  }
}

/** A query builder on the connection in use. */
export function builderOn (connections: Connections) {
  const prepare = (text: string) => {
    const now = connections.prepared((raw) => raw.prepare(text))
    const raw = {
      all: (...values: unknown[]) => now().raw().all(...values),
      get: (...values: unknown[]) => now().raw().get(...values)
    }
    return {
      raw: () => raw,
      all: (...values: unknown[]) => now().all(...values),
      get: (...values: unknown[]) => now().get(...values),
      run: (...values: unknown[]) => now().run(...values)
    }
  }
  return drizzle({ client: { prepare } as never })
}

/** Milliseconds for which long work holds the event loop, then others get a turn. */
const TURN_MS = 8

/** The usual connection to a file, and one for long work, which is used while a part of that runs. */
interface Connections {
  /** The connection in use. */
  now (): BetterSqlite3.Database
  /** Prepares a statement for the connection in use. */
  prepared<S> (prepare: (raw: BetterSqlite3.Database) => S): () => S
  /** Runs a part of long work. */
  aside<T> (run: () => T): T
  /** Whether the running part of long work is to end here; after true it goes on for as long again. */
  isPauseDue (): boolean
  /** The connection of long work, opened when first asked for. */
  long (): BetterSqlite3.Database
  /** Closes both. */
  close (): void
}

/** See Connections. */
export function connectionsOf (
  usual: BetterSqlite3.Database, open: () => BetterSqlite3.Database = () => usual
): Connections {
  let long: BetterSqlite3.Database | undefined
  let isAside = false
  let until = 0

  const now = () => isAside ? long! : usual

  return {
    now,
    prepared (prepare) {
      const [first, isForLong] = [prepare(now()), isAside]
      let other: ReturnType<typeof prepare> | undefined
      return () => {
        if (isAside === isForLong) return first
        other ??= prepare(now())
        return other
      }
    },
    aside (run) {
      isAside = true
      until = performance.now() + TURN_MS
      try {
        return run()
      } finally {
        isAside = false
      }
    },
    isPauseDue () {
      if (!isAside || performance.now() < until) return false
      until = performance.now() + TURN_MS
      return true
    },
    long () {
      long ??= open()
      return long
    },
    close () {
      long?.close()
      usual.close()
    }
  }
}

/** How long one piece may take, with all that others do meanwhile. */
const MOST_MS = 30_000

/** Long work that is to be written in one transaction. */
export interface LongPiece {
  work: () => Work<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  since: number
}

interface Parts<P> {
  connections: Connections
  /** Runs a part of the work, inside the transaction. */
  writing: <T>(run: () => T) => T
  /** Before the work of a piece, inside the transaction. */
  begun: (piece: P) => void
  /** Others have had a turn: called before the work goes on. */
  resumed: () => void
  /** A piece is committed, but may not be on the disk yet. `began`: when it began. */
  committed: (piece: P, value: unknown, began: number) => void
  /** Nothing of it was written. */
  undone: () => void
}

/** Work that is written in one transaction on a connection of its own, a few milliseconds at a time. */
interface LongWork<P> {
  /** Begins a piece. Throws if another process holds the file. */
  begin (piece: P): void
  isRunning (): boolean
  /** Milliseconds until the next piece may begin: for as long as one took, only others write after it. */
  restsFor (): number
  /** Undoes what is running and refuses it. */
  abort (): void
}

/** See LongWork. `parts.undone` or `parts.committed` is called once for each piece. */
export function longWorkOn<P extends LongPiece> (
  { connections, writing, begun, resumed, committed, undone }: Parts<P>
): LongWork<P> {
  let stop: ((error: unknown) => void) | undefined
  let restsUntil = 0

  function begin (piece: P) {
    const { work, reject } = piece
    const raw = connections.long()
    raw.exec('BEGIN IMMEDIATE')
    const began = performance.now()
    const end = () => {
      stop = undefined
      restsUntil = 2 * performance.now() - began
    }
    stop = (error) => {
      end()
      if (raw.inTransaction) raw.exec('ROLLBACK')
      undone()
      reject(refusalOf(error))
    }
    let steps: Iterator<unknown> | undefined
    goOn()

    function goOn () {
      let value: unknown
      try {
        if (performance.now() - began > MOST_MS) throw unavailable('This took too long, so nothing of it was done')
        const taken = writing(() => connections.aside(() => {
          if (steps === undefined) begun(piece)
          steps ??= work()[Symbol.iterator]()
          return steps.next()
        }))
        if (!taken.done) {
          if (taken.value !== PAUSE) throw new Error('SQLite is asked for nothing over a network')
          setImmediate(() => {
            if (stop === undefined) return
            resumed()
            goOn()
          })
          return
        }
        value = taken.value
        raw.exec('COMMIT')
      } catch (error) {
        stop?.(error)
        return
      }
      end()
      committed(piece, value, began)
    }
  }

  return {
    begin,
    isRunning: () => stop !== undefined,
    restsFor: () => Math.max(0, restsUntil - performance.now()),
    abort: () => stop?.(unavailable('The server is stopping'))
  }
}
