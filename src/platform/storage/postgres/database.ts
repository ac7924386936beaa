import { drizzle } from 'drizzle-orm/better-sqlite3'
import pg from 'pg'
import { Refusal } from '../../errors.ts'
import type { Commit, Database, Statement, Statements } from '../sqlite/database.ts'
import { storageFull } from '../sqlite/space.ts'
import { afterwardsIn } from '../afterwards.ts'
import { joiningIn } from '../joining.ts'
import { inContextNow, type Asked, type Work } from '../work.ts'
import { inPostgres, type Translated } from './dialect.ts'

/** Pieces of writing that are committed together, and those that may wait. */
const GROUP_LIMIT = 64
const QUEUE_LIMIT = 20_000
const CONNECTIONS = 10
/** Statements that are known by name; more are texts of lists whose length differs. */
const MOST_NAMED = 2000
const CONNECT_MS = 3000
/**
 * Milliseconds that a statement may take, and that its answer is waited for when the network says nothing. What has
 * waited in vain for so long that it cannot be done within ten seconds any more is refused with what was before it.
 */
const STATEMENT_MS = 4000
const ANSWER_MS = 4500
const IN_VAIN_MS = 3000
/** Lock of the database that whoever writes holds until it has committed. */
const WRITING = 4_147_485
const BEGIN_WRITING = `begin; select pg_advisory_xact_lock(${WRITING})`
/** What a process that does not serve calls to those that do, once it has written. */
export const CHANGED = 'agenthall_changed'
const SNAPSHOT = 'begin isolation level repeatable read read only'

/** What PostgreSQL answers: rows in the order of their columns, and how many there are or were changed. */
interface Answered { rows: unknown[][], names: string[], count: number }

const { builtins } = pg.types
/** All numbers are numbers, and truth is 0 and 1, as SQLite has them. */
const READ: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.INT8, Number], [builtins.NUMERIC, Number], [builtins.BOOL, (text) => Number(text === 't')]
])
/** How rows are read. */
export const reading = {
  getTypeParser: ((oid: number, format?: 'text') => READ.get(oid) ?? pg.types.getTypeParser(oid, format)) as never
}

/** Work that waits for one answer. */
function * asking<T> (asked: Asked, of: (answered: Answered) => T): Work<T> {
  return of((yield asked) as Answered)
}

/** What a query of the builder asks, thrown where it would be run. */
class Captured extends Error {
  readonly asked: Asked
  constructor (asked: Asked) {
    super('A query is asked for outside of a transaction')
    this.asked = asked
  }
}

/**
 * A builder of queries that is told what they find: it is run twice, first for what it asks, then for what it makes of
 * the answer.
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

/** A statement that is asked often has a name, by which a connection knows it from the second time on. */
function askedOf (statement: string, values: unknown[]): Asked {
  const known = translated.get(statement) ?? { ...inPostgres(statement), name: `s${translated.size}` }
  if (translated.size < MOST_NAMED) translated.set(statement, known)
  const { text, names } = known
  const given = (names.length > 0 ? named(names, values) : values.flat()).map(valueOf)
  return translated.has(statement) ? { name: known.name, text, values: given } : { text, values: given }
}

/** Values by their names, in the order in which a statement first has them; what follows without a name comes last. */
function named (names: readonly string[], values: unknown[]): unknown[] {
  const byName = values.find((value) => typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
  return names.map((name) => (byName as Record<string, unknown> | undefined)?.[name])
}

/** A sign that PostgreSQL keeps in no text, as itself and as JSON writes it. */
const NUL = /\0|(?<!\\)((?:\\\\)*)\\u0000/g
const REPLACEMENT = '\ufffd'

/** A text as it is kept: a sign that cannot be is the one that stands for it. */
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
  // No table here is a virtual one.
  * disown () {}
}

interface Piece {
  work: () => Work<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  since: number
}

/** Does work over a connection, from its first question to its last. */
async function driven<T> (client: pg.ClientBase, work: Work<T>): Promise<T> {
  const steps = work[Symbol.iterator]()
  let taken = steps.next()
  while (!taken.done) {
    let answered: Answered
    try {
      answered = await asked(client, taken.value)
    } catch (error) {
      taken = steps.throw!(error)
      continue
    }
    taken = steps.next(answered)
  }
  return taken.value
}

async function asked (client: pg.ClientBase, { name, text, values }: Asked): Promise<Answered> {
  try {
    const { rows, fields, rowCount } = await client.query({
      ...(name && { name }), text, values, rowMode: 'array', types: reading
    })
    return { rows, names: fields.map(({ name }) => name), count: rowCount ?? 0 }
  } catch (error) {
    throw Object.assign(error as Error, { statement: text })
  }
}

/** The tables, and what only who opened them does. */
interface OpenPostgres extends Database {
  pool: pg.Pool
  /** Somebody else has written. */
  changed (): void
  /** What the database's clock shows now, in microseconds since 1970. */
  setClock (micros: number): void
  /** Whoever wants to read or write is refused from now on, or no longer. */
  yieldTo (other: Refusal | undefined): void
}

/** How to open them. */
export interface PostgresDatabaseOptions {
  address: string
  /** Where the installation's own files lie. */
  directory: string
  /** This process serves, and hears of what others commit. */
  serving: boolean
  /** Told of every commit. */
  onCommit?: ((commit: Commit) => void) | undefined
}

/**
 * The tables in a PostgreSQL database. What is written goes one after the other, as into a file, whichever process
 * writes it, and what was asked for meanwhile is committed together, each piece in a savepoint of its own. What is read
 * together is of one moment.
 */
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
  // Without a listener, a connection that is cut ends the process.
  pool.on('error', () => {})
  const { orm, run } = builder()
  const queue: Piece[] = []
  let isFlushing = false
  let flushing = Promise.resolve()
  let isOpen = true
  const joining = joiningIn(() => writing)
  let writing = false
  const after = afterwardsIn(() => writing)
  let generation = 0
  let taken: Refusal | undefined
  /** The database's clock less the monotonic one of this process, in microseconds. */
  let ahead: number | undefined

  /** Lends a connection to `use`; one that failed is not used again. */
  async function lent<T> (use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (taken) throw taken
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

  async function flush () {
    isFlushing = true
    await new Promise(setImmediate)
    while (queue.length > 0) {
      const group = queue.splice(0, GROUP_LIMIT)
      try {
        const settled = await lent((client) => together(client, group))
        for (const settle of settled) settle()
      } catch (error) {
        after.drop()
        // Whether it was committed nobody may know: nothing that is remembered is believed any more.
        generation += 1
        for (const { reject } of group) reject(refusalOf(error))
        if (isAway(error)) refuseOld(error)
      }
    }
    isFlushing = false
  }

  /** Pieces are in the order in which they came. */
  function refuseOld (error: unknown) {
    const old = performance.now() - IN_VAIN_MS
    while (queue.length > 0 && queue[0]!.since < old) queue.shift()!.reject(refusalOf(error))
  }

  async function together (client: pg.PoolClient, group: Piece[]): Promise<Array<() => void>> {
    const settled: Array<() => void> = []
    const started = performance.now()
    await client.query(BEGIN_WRITING)
    for (const { work, resolve, reject } of group) {
      await client.query('savepoint piece')
      writing = true
      const takeBack = after.begin()
      try {
        const value = await driven(client, work())
        await client.query('release savepoint piece')
        settled.push(() => resolve(value))
      } catch (error) {
        await client.query('rollback to savepoint piece')
        takeBack()
        settled.push(() => reject(refusalOf(error)))
      } finally {
        writing = false
      }
    }
    // A server believes what it remembers until somebody else has written.
    if (!serving) await client.query(`notify ${CHANGED}`)
    await client.query('commit')
    onCommit?.({ pieces: group.length, waitedMs: started - group[0]!.since, tookMs: performance.now() - started })
    after.committed()
    return settled
  }

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
        return await lent(async (client) => {
          await client.query(SNAPSHOT)
          const value = await driven(client, work())
          await client.query('commit')
          return value
        })
      } catch (error) {
        throw refusalOf(error)
      }
    },
    async atomically<T> (work: () => Work<T>) {
      const inContext = inContextNow(work)
      return await new Promise<T>((resolve, reject) => {
        const piece: Piece = {
          work: inContext, resolve: resolve as Piece['resolve'], reject, since: performance.now()
        }
        if (joining.takes(piece)) return
        if (queue.length >= QUEUE_LIMIT) return reject(unavailable('Too many writes are waiting'))
        queue.push(piece)
        if (!isFlushing) flushing = flush().catch(reject)
      })
    },
    within: joining.within,
    afterwards: after.afterwards,
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
    waiting: () => queue.length,
    isOpen: () => isOpen,
    inSmallPortions: async (writes) => await writes(),
    // What was committed is where it stays.
    checkpoint: () => true,
    close () {
      isOpen = false
      flushing.finally(() => pool.end()).catch(() => {})
    }
  }
}

function unavailable (message: string, cause?: unknown) {
  return new Refusal('unavailable', `${message}; try again in a few seconds.`, {
    headers: { 'retry-after': '5' }, cause
  })
}

/**
 * Codes of errors that say that the server is away, starts, ends, has no connection left, or that others held it up for
 * too long.
 */
const AWAY = /^(?:08(?!P01)|57P|57014|25P03|53300|40P01|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT|EHOSTUNREACH)/
const AWAY_IN_WORDS = /Connection terminated|connection error and is not queryable|Query read timeout|timeout exceeded when trying to connect/i

function isAway (error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string, message?: string }
  return AWAY.test(code) || AWAY_IN_WORDS.test(message)
}

/** PgBouncer passes on only what it is told to. */
const POOLER =
  'A pooler stands before the database and takes no time-outs. Where it is PgBouncer, give it pool_mode = session and ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout, and set both for the user of the database instead; or name the database itself in AGENTHALL_DATABASE.'

/** Codes of errors that say that somebody may not enter, or that what is to be opened is not there. */
const CLOSED = /^(?:28|3D000|3F000|42501)/

/** Why a database cannot be opened, as a Refusal where the operator can act on it. */
export function openingRefusal (error: unknown): unknown {
  const { code = '', message = '' } = error as { code?: string, message?: string }
  if (code === '08P01' && message.includes('startup parameter')) return new Refusal('conflict', POOLER, { cause: error })
  if (!CLOSED.test(code)) return refusalOf(error)
  return new Refusal('conflict', `The database cannot be opened: ${message}. Check AGENTHALL_DATABASE.`, { cause: error })
}

/** What the database could not do, as a Refusal where the caller can act on it; anything else as it is. */
export function refusalOf (error: unknown): unknown {
  if (error instanceof Refusal) return error
  if ((error as { code?: string }).code === '53100') return storageFull(error)
  return isAway(error) ? unavailable('The database does not answer', error) : error
}
