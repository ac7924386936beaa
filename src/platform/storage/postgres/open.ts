import pg from 'pg'
import { Refusal } from '../../errors.ts'
import { makeDirectory } from '../../paths.ts'
import { fingerprintRemembered, shareKey } from '../fingerprints.ts'
import type { Commit } from '../sqlite/database.ts'
import { takeLock, type Lock } from '../sqlite/disk/lock.ts'
import { knownMigrations, type Migration } from '../sqlite/migrate.ts'
import type { OpenTables } from '../tables.ts'
import { postgresDatabase } from './database.ts'
import { openingRefusal } from './refusals.ts'
import { CHANGED } from './writing.ts'
import { upgrade } from './upgrade.ts'

/** Advisory lock of a process that serves the database. */
export const SERVING = 4_147_483
/** Advisory lock of the leading process, which does what only one process may do. */
const LEADING = 4_147_486
/** How long the connection that holds it waits for a response. */
const ANSWER_MS = 5000
const IN_USE =
  'Another Agenthall is using this database. Stop it first, choose another database with AGENTHALL_DATABASE, or let several serve it together with AGENTHALL_REDIS.'
const NOT_SHARED =
  'An Agenthall without AGENTHALL_REDIS is using this database alone. Stop it first; then all that serve it need AGENTHALL_REDIS.'
const POOLED =
  'A pooler between Agenthall and the database gives one connection to several in turn (as PgBouncer with pool_mode = transaction). Give it pool_mode = session for this database, or name the database itself in AGENTHALL_DATABASE.'
/** The oldest supported PostgreSQL. */
const OLDEST = 15
/** Delay before the lock of a cut connection is retaken, and how often a process that does not lead tries to. */
const RETAKE_MS = 1000
/** How often the database's clock is read. */
const CLOCK_MS = 10_000

/** How to open the tables of a PostgreSQL database. */
interface PostgresOptions {
  /** Where it is: `postgres://user:password@host:port/name`. */
  address: string
  /** Directory of the installation's own files. */
  directory: string
  /** This process serves: no other may, unless they are `shared`. */
  serving?: boolean
  /** Others may serve the same tables, if they all set this. */
  shared?: boolean
  /** Whether to create the tables if there are none (default: yes). */
  begin?: boolean
  known?: Migration[]
  /** Called after every commit. */
  onCommit?: ((commit: Commit) => void) | undefined
}

/**
 * Opens the tables, creating and upgrading them as needed, and passes them to `use`, whose result it returns; if `use`
 * fails, they are closed again. Refuses with `unavailable` when the database does not answer, with `not_found` when it
 * has no tables and none are to be created, and with `conflict` when another process serves it, its tables are of a
 * newer program, it is too old itself, or a pooler before it shares its connections; for shared tables also when this
 * directory's key differs from theirs.
 */
export async function openPostgres<T> (
  {
    address, directory, serving = false, shared = false, begin = true, known = knownMigrations(), onCommit
  }: PostgresOptions,
  use: (opened: OpenTables) => T | Promise<T>
): Promise<T> {
  makeDirectory(directory)
  const lock = serving ? mustLock(directory) : undefined
  const { pool, changed, yieldTo, setClock, ...db } = postgresDatabase({ address, directory, serving, onCommit })
  let holder: Holder | undefined
  function close () {
    holder?.end()
    db.close()
    lock?.release()
  }
  try {
    lock?.mark()
    await mustBeRecent(pool)
    await mustKeepConnections(pool)
    if (serving) holder = await hold(address, { shared, changed, lost: yieldTo, setClock })
    await upgrade(address, known, { begin, ...(shared && { mayChange: () => isAloneIn(pool) }) })
    if (shared) await shareKey(db, directory)
    return await use({
      db,
      space: undefined,
      fingerprint: await fingerprintRemembered(db),
      leads: () => holder?.leads() ?? false,
      changed,
      installation: await installationOf(pool),
      announce: (server) => lock?.announce(server),
      close
    })
  } catch (error) {
    close()
    throw openingRefusal(error)
  }
}

function mustLock (directory: string): Lock {
  const lock = takeLock(directory)
  if (lock) return lock
  throw new Refusal(
    'conflict',
    `Another Agenthall is using the data directory ${directory}. Stop it first, or choose another directory with --data.`
  )
}

async function mustBeRecent (pool: pg.Pool) {
  const { rows } = await pool.query<{ version: string }>(
    "select current_setting('server_version_num') as version"
  )
  const version = Math.floor(Number(rows[0]?.version) / 10_000)
  if (version >= OLDEST) return
  throw new Refusal('conflict', `This database is PostgreSQL ${version}; ${OLDEST} or newer is needed.`)
}

/**
 * Refuses a pooler that shares one connection among clients: locks, prepared statements and notifications belong to the
 * connection that made them. An in-memory server has only one connection, which is nobody else's.
 */
async function mustKeepConnections (pool: pg.Pool) {
  const [one, other] = await Promise.all([pool.connect(), pool.connect()])
  const served = async (client: pg.ClientBase) => (await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where pid = pg_backend_pid() and backend_type = 'client backend'"
  )).rows[0]?.pid
  try {
    const pid = await served(one)
    if (pid === undefined || pid !== await served(other)) return
  } finally {
    one.release()
    // One is enough at first: each open connection is one more that may be cut unnoticed.
    other.release(true)
  }
  throw new Refusal('conflict', POOLED)
}

/** Whether no other process serves these tables; called by one that does. */
async function isAloneIn (pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ serving: number }>(
    `select count(*)::integer as serving from pg_locks where locktype = 'advisory' and objid = $1 and granted
      and database = (select oid from pg_database where datname = current_database())`, [SERVING]
  )
  return rows[0]!.serving < 2
}

/** Identifies this database among all servers, as far as possible. */
async function installationOf (pool: pg.Pool): Promise<string> {
  const cluster = await pool.query<{ id: string }>('select system_identifier::text as id from pg_control_system()')
    .then(({ rows }) => rows[0]!.id, () => '')
  const { rows } = await pool.query<{ id: string }>(
    'select oid::text as id from pg_database where datname = current_database()'
  )
  return `${cluster}-${rows[0]!.id}`
}

/** Holds the lock of the serving process, and listens for writes of others. */
interface Holder { end: () => void, leads: () => boolean }

interface HoldNeeds {
  shared: boolean
  changed: () => void
  lost: (refusal?: Refusal) => void
  setClock: (micros: number) => void
}

const held = async (client: pg.Client, lock: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared', name: number) =>
  (await client.query<{ held: boolean }>(`select ${lock}($1) as held`, [name])).rows[0]!.held

/**
 * Takes the lock on a separate connection. When that is cut it is reopened, and `changed` is called, since another
 * process may have written meanwhile. `lost` is passed the refusal when another process has the lock by then, and none
 * when it is back. Where several processes serve, they share the lock, and one leads.
 */
async function hold (address: string, { shared, changed, lost, setClock }: HoldNeeds): Promise<Holder> {
  let isOver = false
  let isLeading = false
  let client = await taken()
  async function taken (): Promise<pg.Client> {
    const made = new pg.Client({
      connectionString: address, application_name: 'agenthall serves', keepAlive: true, query_timeout: ANSWER_MS
    })
    made.on('error', () => {})
    made.on('notification', changed)
    await made.connect()
    if (!await held(made, shared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock', SERVING)) {
      await made.end()
      throw new Refusal('conflict', shared ? NOT_SHARED : IN_USE)
    }
    await made.query(`listen ${CHANGED}`)
    if (shared) await goByItsClock(made)
    isLeading = !shared || await held(made, 'pg_try_advisory_lock', LEADING)
    made.once('end', again)
    return made
  }
  async function goByItsClock (of: pg.Client) {
    const before = performance.now()
    const { rows } = await of.query<{ micros: string }>(
      'select round(extract(epoch from clock_timestamp()) * 1000000)::text as micros'
    )
    setClock(Number(rows[0]!.micros) + (performance.now() - before) * 500)
  }
  function again () {
    isLeading = false
    changed()
    if (!isOver) setTimeout(retake, RETAKE_MS).unref()
  }
  async function retake () {
    try {
      client = await taken()
      lost()
    } catch (error) {
      if (error instanceof Refusal) lost(error)
      again()
    }
  }
  /** A connection that no longer responds is closed. */
  const trying = (work: () => Promise<unknown>) => { work().catch(() => { client.end().catch(() => {}) }) }
  const timers = shared
    ? [
        setInterval(() => {
          if (!isLeading) trying(async () => { isLeading = await held(client, 'pg_try_advisory_lock', LEADING) })
        }, RETAKE_MS).unref(),
        setInterval(() => trying(async () => await goByItsClock(client)), CLOCK_MS).unref()
      ]
    : []
  return {
    leads: () => isLeading,
    end () {
      isOver = true
      for (const timer of timers) clearInterval(timer)
      client.end().catch(() => {})
    }
  }
}
