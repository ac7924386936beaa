import { drizzle } from 'drizzle-orm/better-sqlite3'
import pg from 'pg'
import type { Refusal } from '../../errors.ts'
import { whileTheyWait } from '../asking.ts'
import type { Commit, Database, Statement, Statements } from '../sqlite/database.ts'
import type { Asked, Work } from '../work.ts'
import { inPostgres, type Translated } from './dialect.ts'
import { driven, type Answered } from './driving.ts'
import { isAway, refusalOf, tookTooLong } from './refusals.ts'
import { turnsFor } from './turns.ts'
import { IN_VAIN_MS, writingIn } from './writing.ts'

const CONNECTIONS = 10
/** Maximum named (prepared) statements; any beyond are lists of varying length. */
const MOST_NAMED = 2000
const CONNECT_MS = 3000
/** Time limit of a statement in milliseconds, and of waiting for its response when the network is silent. */
const STATEMENT_MS = 4000
const ANSWER_MS = 4500
/** Queries cross the network: many rows are handled per query, and more of them before other writers get a turn. */
const PORTION = { rows: 25, times: 5 }
const SNAPSHOT = 'begin isolation level repeatable read read only'

/** Work that waits for one response. */
function * asking<T> (asked: Asked, of: (answered: Answered) => T): Work<T> {
  return of((yield asked) as Answered)
}

/** The query of a query builder, thrown where it would be run. */
class Captured extends Error {
  readonly asked: Asked
  constructor (asked: Asked) {
    super('A query is asked for outside of a transaction')
    this.asked = asked
  }
}

/**
 * A query builder that is passed its results: each query is built twice, first to get its text, then to map the
 * response.
 */
function builder () {
  let given: Answered | undefined
  const answered = (text: string, values: unknown[]) => {
    if (given === undefined) throw new Captured(askedOf(text, values))
    return given
  }
  const prepare = (text: string) => {
    const raw = {
      all: (...values: unknown[]) => answered(text, values).rows,
      get: (...values: unknown[]) => answered(text, values).rows[0]
    }
    return {
      raw: () => raw,
      all: (...values: unknown[]) => objectsOf(answered(text, values)),
      get: (...values: unknown[]) => objectsOf(answered(text, values))[0],
      run: (...values: unknown[]) => ({ changes: answered(text, values).count, lastInsertRowid: 0 })
    }
  }
  const orm = drizzle({ client: { prepare } as never })
  return {
    orm,
    * run<T> (query: () => T): Work<T> {
      const asked = capturedBy(query)
      const answer = (yield asked) as Answered
      given = answer
      try {
        return query()
      } finally {
        given = undefined
      }
    }
  }
}

function capturedBy (query: () => unknown): Asked {
  try {
    query()
  } catch (error) {
    if (error instanceof Captured) return error.asked
    if (error instanceof Error && error.cause instanceof Captured) return error.cause.asked
    throw error
  }
  throw new Error('A query was not run')
}

const objectsOf = ({ rows, names }: Answered) =>
  rows.map((row) => Object.fromEntries(row.map((value, at) => [names[at]!, value])))

const translated = new Map<string, Translated & { name: string }>()

/** A frequent statement gets a name, so that a connection knows it from the second time on. */
function askedOf (statement: string, values: unknown[]): Asked {
  const known = translated.get(statement) ?? { ...inPostgres(statement), name: `s${translated.size}` }
  if (translated.size < MOST_NAMED) translated.set(statement, known)
  const { text, names } = known
  const given = (names.length > 0 ? named(names, values) : values.flat()).map(valueOf)
  return translated.has(statement) ? { name: known.name, text, values: given } : { text, values: given }
}

/** Values by name, in the order in which the names first occur in the statement; those without a name come last. */
function named (names: readonly string[], values: unknown[]): unknown[] {
  const byName = values.find((value) => typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
  return names.map((name) => (byName as Record<string, unknown> | undefined)?.[name])
}

/** NUL, which PostgreSQL cannot store in texts, as itself and as escaped in JSON. */
const NUL = /\0|(?<!\\)((?:\\\\)*)\\u0000/g
const REPLACEMENT = '\ufffd'

/** A text as stored: characters that cannot be stored become the replacement character. */
export const textKept = (text: string): string =>
  text.includes('\0') || text.includes('\\u0000') ? text.replaceAll(NUL, `$1${REPLACEMENT}`) : text

function valueOf (value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'string') return textKept(value)
  return value instanceof Uint8Array && !Buffer.isBuffer(value) ? Buffer.from(value) : value ?? null
}

function statementOf<P extends unknown[], R> (text: string, rowsOf: (answered: Answered) => R[]): Statement<P, R> {
  return {
    get: (...values) => asking(askedOf(text, values), (answered) => rowsOf(answered)[0]),
    all: (...values) => asking(askedOf(text, values), rowsOf),
    run: (...values) => asking(askedOf(text, values), ({ count }) => count)
  }
}

const statements: Statements = {
  rows: (text) => statementOf(text, ({ rows }) => rows as never),
  column: (text) => statementOf(text, ({ rows }) => rows.map(([value]) => value) as never),
  objects: (text) => statementOf(text, (answered) => objectsOf(answered) as never),
  hasTable: (name, column) => asking(
    askedOf(`select 1 from information_schema.columns where table_schema = 'public' and table_name = ?
      and column_name = coalesce(?, column_name)`, [name, column ?? null]),
    ({ count }) => count > 0
  ),
  // No table here is virtual.
  * disown () {}
}

/** The tables, with methods for the code that opened them only. */
interface OpenPostgres extends Database {
  pool: pg.Pool
  /** Another process has written. */
  changed (): void
  /** The current time of the database's clock, in microseconds since 1970. */
  setClock (micros: number): void
  /** Reading and writing is refused from now on, or no longer. */
  yieldTo (other: Refusal | undefined): void
}

/** How to open them. */
interface PostgresDatabaseOptions {
  address: string
  /** Directory of the installation's own files. */
  directory: string
  /** This process serves, and listens for commits of others. */
  serving: boolean
  /** Called after every commit. */
  onCommit?: ((commit: Commit) => void) | undefined
}

/** The tables in a PostgreSQL database. Reads in one transaction see the same snapshot; `writingIn` writes. */
export function postgresDatabase (
  { address, directory, serving, onCommit }: PostgresDatabaseOptions
): OpenPostgres {
  const pool = new pg.Pool({
    connectionString: address,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    application_name: 'agenthall'
  })
  // Without a listener, a broken connection ends the process.
  pool.on('error', () => {})
  // The pool cannot tell a busy database from one that is away.
  const turns = turnsFor(CONNECTIONS)
  const { orm, run } = builder()
  let isOpen = true
  let generation = 0
  let taken: Refusal | undefined
  /** The database's clock minus this process's monotonic clock, in microseconds. */
  let ahead: number | undefined

  /** Lends a connection to `use`; one that failed is not used again. */
  async function lent<T> (use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    await turns.take()
    try {
      if (taken) throw taken
      return await lentNow(use)
    } catch (error) {
      if (isAway(error)) turns.refuse(error, IN_VAIN_MS)
      throw error
    } finally {
      turns.leave()
    }
  }

  async function lentNow<T> (use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    let broken: Error | undefined
    const onError = (error: Error) => { broken = error }
    client.on('error', onError)
    try {
      return await use(client)
    } catch (error) {
      if (isAway(error)) broken = error as Error
      else await client.query('rollback').catch((fault: Error) => { broken = fault })
      throw error
    } finally {
      client.off('error', onError)
      client.release(broken)
    }
  }

  const writing = writingIn({ lent, serving, onLost: () => { generation += 1 }, onCommit })

  return {
    pool,
    directory,
    orm,
    ...statements,
    all: (query, values) => run(() => query.all(values)),
    get: (query, values) => run(() => query.get(values)),
    run: (query, values) => run(() => (query.run(values) as { changes: number }).changes),
    async read (work) {
      try {
        return await whileTheyWait((asker) => lent(async (client) => {
          if (asker.hasGone()) throw tookTooLong()
          await client.query(SNAPSHOT)
          const value = await driven(client, work, asker)
          await client.query('commit')
          return value
        }), tookTooLong)
      } catch (error) {
        throw refusalOf(error)
      }
    },
    atomically: writing.atomically,
    within: writing.within,
    afterwards: writing.afterwards,
    first (work) {
      return this.read(work)
    },
    changed () {
      generation += 1
    },
    setClock (micros) {
      ahead = micros - performance.now() * 1000
    },
    sharedMicros: () => ahead === undefined ? undefined : Math.round(ahead + performance.now() * 1000),
    yieldTo (other) {
      taken = other
    },
    generation: () => generation,
    waiting: writing.waiting,
    isOpen: () => isOpen,
    failure: () => undefined,
    portion: PORTION,
    inSmallPortions: async (writes) => await writes(),
    // Commits are already in their final place.
    checkpoint: () => true,
    close () {
      isOpen = false
      writing.ended().finally(() => pool.end()).catch(() => {})
    }
  }
}
