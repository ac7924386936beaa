import { drizzle } from 'drizzle-orm/better-sqlite3'
import pg from 'pg'
import { errorCode, errorMessage, Refusal } from '../../errors.ts'
import type { Commit, Database, Statement, Statements } from '../sqlite/database.ts'
import { storageFull } from '../sqlite/disk/space.ts'
import { afterwardsIn, joiningIn } from '../transactions.ts'
import { askedByNobody, whileTheyWait, type Asker } from '../asking.ts'
import { inContextNow, PAUSE, type Asked, type Work } from '../work.ts'
import { inPostgres, type Translated } from './dialect.ts'
import { turnsFor } from './turns.ts'

/** Maximum writing pieces committed together, and waiting. */
const GROUP_LIMIT = 64
const QUEUE_LIMIT = 20_000
const CONNECTIONS = 10
/** Maximum named (prepared) statements; any beyond are lists of varying length. */
const MOST_NAMED = 2000
const CONNECT_MS = 3000
/**
 * Time limit of a statement in milliseconds, and of waiting for its response when the network is silent. Work that has
 * waited so long in vain that it cannot finish within ten seconds is refused together with what was before it.
 */
const STATEMENT_MS = 4000
const ANSWER_MS = 4500
const IN_VAIN_MS = 3000
/** Advisory lock that a writer holds until its commit. */
const WRITING = 4_147_485
const BEGIN_WRITING = `begin; select pg_advisory_xact_lock(${WRITING})`
/** Notification that a process that does not serve sends to those that do, after writing. */
export const CHANGED = 'agenthall_changed'
/** Queries cross the network: many rows are handled per query, and more of them before other writers get a turn. */
const PORTION = { rows: 25, times: 5 }
const SNAPSHOT = 'begin isolation level repeatable read read only'

/** A response of PostgreSQL: rows in the order of their columns, and how many were returned or changed. */
interface Answered { rows: unknown[][], names: string[], count: number }

const { builtins } = pg.types
/** All numeric types become numbers, and booleans 0 and 1, as in SQLite. */
const READ: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.INT8, Number], [builtins.NUMERIC, Number], [builtins.BOOL, (text) => Number(text === 't')]
])
/** How rows are read. */
export const reading = {
  getTypeParser: ((oid: number, format?: 'text') => READ.get(oid) ?? pg.types.getTypeParser(oid, format)) as never
}

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

interface Piece {
  work: () => Work<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  since: number
  asker: Asker
}

/** Runs work over a connection, from its first query to its last, while its caller still waits. */
async function driven<T> (client: pg.ClientBase, work: Work<T>, asker: Asker): Promise<T> {
  const steps = work[Symbol.iterator]()
  let taken = steps.next()
  while (!taken.done) {
    let answered: Answered
    try {
      if (asker.hasGone()) throw tookTooLong()
      if (taken.value === PAUSE) {
        await new Promise(setImmediate)
        taken = steps.next()
        continue
      }
      answered = await asked(client, taken.value)
      asker.heard()
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

/**
 * The tables in a PostgreSQL database. Writes are serialised, as for a file, whichever process writes, and everything
 * requested meanwhile is committed together, each piece in a separate savepoint. Reads in one transaction see the
 * same snapshot.
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
  // Without a listener, a broken connection ends the process.
  pool.on('error', () => {})
  // The pool cannot tell a busy database from one that is away.
  const turns = turnsFor(CONNECTIONS)
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
        // Nobody can know whether it was committed: all caches are invalid.
        generation += 1
        for (const { reject } of group) reject(refusalOf(error))
        if (isAway(error)) refuseOld(error)
      }
    }
    isFlushing = false
  }

  /** Pieces are in order of arrival. */
  function refuseOld (error: unknown) {
    const old = performance.now() - IN_VAIN_MS
    while (queue.length > 0 && queue[0]!.since < old) queue.shift()!.reject(refusalOf(error))
  }

  async function together (client: pg.PoolClient, group: Piece[]): Promise<Array<() => void>> {
    const settled: Array<() => void> = []
    const started = performance.now()
    await client.query(BEGIN_WRITING)
    for (const { work, resolve, reject, asker } of group) {
      if (asker.hasGone()) continue
      await client.query('savepoint piece')
      writing = true
      const takeBack = after.begin(() => !asker.hasGone())
      try {
        const value = await driven(client, work(), asker)
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
    // A server relies on its caches until another process has written.
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
        return await whileTheyWait((asker) => lent(async (client) => {
          if (asker.hasGone()) throw tookTooLong()
          await client.query(SNAPSHOT)
          const value = await driven(client, work(), asker)
          await client.query('commit')
          return value
        }), tookTooLong)
      } catch (error) {
        throw refusalOf(error)
      }
    },
    async atomically<T> (work: () => Work<T>) {
      const inContext = inContextNow(work)
      return await whileTheyWait((asker) => new Promise<T>((resolve, reject) => {
        const piece: Piece = {
          work: inContext, resolve: resolve as Piece['resolve'], reject, since: performance.now(), asker
        }
        if (joining.takes(piece)) return
        if (queue.length >= QUEUE_LIMIT) return reject(unavailable('Too many writes are waiting'))
        queue.push(piece)
        if (!isFlushing) flushing = askedByNobody(flush).catch(reject)
      }), tookTooLong)
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
    failure: () => undefined,
    portion: PORTION,
    inSmallPortions: async (writes) => await writes(),
    // Commits are already in their final place.
    checkpoint: () => true,
    close () {
      isOpen = false
      flushing.finally(() => pool.end()).catch(() => {})
    }
  }
}

const tookTooLong = () => unavailable('The database does not answer')

function unavailable (message: string, cause?: unknown) {
  return new Refusal('unavailable', `${message}; try again in a few seconds.`, {
    headers: { 'retry-after': '5' }, cause
  })
}

/** Error codes for a server that is away, starting, stopping, out of connections, or blocked by others for too long. */
const AWAY = /^(?:08(?!P01)|57P|57014|25P03|53300|40P01|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT|EHOSTUNREACH)/
const AWAY_IN_WORDS = /Connection terminated|connection error and is not queryable|Query read timeout|timeout exceeded when trying to connect/i

function isAway (error: unknown): boolean {
  return AWAY.test(errorCode(error)) || AWAY_IN_WORDS.test(errorMessage(error))
}

/** PgBouncer passes on only what it is configured to. */
const POOLER =
  'A pooler in front of the database accepts no time-outs. If it is PgBouncer, give it pool_mode = session and ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout, and set both for the user of the database instead; or name the database itself in AGENTHALL_DATABASE.'

/** Error codes for denied access, or a database that does not exist. */
const CLOSED = /^(?:28|3D000|3F000|42501)/

/** Why a database cannot be opened, as a Refusal if the operator can act on it. */
export function openingRefusal (error: unknown): unknown {
  const [code, message] = [errorCode(error), errorMessage(error)]
  if (code === '08P01' && message.includes('startup parameter')) return new Refusal('conflict', POOLER, { cause: error })
  if (!CLOSED.test(code)) return refusalOf(error)
  return new Refusal('conflict', `The database cannot be opened: ${message}. Check AGENTHALL_DATABASE.`, { cause: error })
}

/** An error of the database, as a Refusal if the caller can act on it; anything else unchanged. */
export function refusalOf (error: unknown): unknown {
  if (error instanceof Refusal) return error
  if (errorCode(error) === '53100') return storageFull(error)
  return isAway(error) ? unavailable('The database does not answer', error) : error
}
