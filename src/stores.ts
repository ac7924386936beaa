import { sqliteAuditStore } from './audit/index.ts'
import { readConfig, usualAddress, type Config } from './config.ts'
import { openDataFile, type DataFileOptions } from './data-file.ts'
import { openFeatures } from './features.ts'
import type { Table } from './handoff/index.ts'
import { openKernel, type Kernel, type Living } from './kernel/index.ts'
import { knownOfPersons } from './persons.ts'
import { alone } from './platform/neighbours/alone.ts'
import type { Neighbours } from './platform/neighbours/contract.ts'
import { redisNeighbours } from './platform/neighbours/redis.ts'
import { sealedWith } from './platform/neighbours/sealed.ts'
import { audited } from './platform/storage/audit.ts'
import { openPostgres } from './platform/storage/postgres/open.ts'
import type { Database, SqliteDatabase } from './platform/storage/sqlite/database.ts'
import type { OpenTables } from './platform/storage/tables.ts'
import { vaultIn } from './platform/storage/vault.ts'
import type { JobQueue } from './platform/work/jobs.ts'
import { hidingAbout } from './privacy/index.ts'
import type { Outside } from './sources/index.ts'
import { VERSION } from './version.ts'

type Features = ReturnType<typeof openFeatures>
/** What of the kernel is worked with besides the features. */
type Shared = Pick<
  Kernel, 'neighbours' | 'leads' | 'notifier' | 'eventBus' | 'revisions' | 'outbox' | 'secrets' | 'vault' | 'senderOf'
>

/** Everything that is stored, behind contracts that name no database, and what works on it. */
export interface Stores<D extends Database = Database> extends
  Features, Shared, Pick<Living, 'work' | 'close'>, Pick<OpenTables<D>, 'space' | 'announce'> {
  kernel: Kernel
  /** For work on the tables themselves: readiness, backup, doctor. */
  db: D
  /** Work to be done in the background. */
  jobs: JobQueue
}

/** How to open the stores. All but the first three differ from their defaults only in tests and in the benchmark. */
export interface StoresOptions extends Omit<DataFileOptions, 'directory'> {
  /** The settings; defaults if omitted. */
  config?: Config
  /** Where the data is; the setting's directory if omitted. */
  directory?: string
  /** Overrides the hand-off state machine; tests only. */
  table?: Table | undefined
  /** Overrides for fetching and parsing sources; tests only. */
  outside?: Partial<Outside>
}

/**
 * Opens the stores of a data directory, creating and upgrading the file as needed. The one place that chooses the
 * database. Refuses as `openDataFile` does, with the file as it was; also with `invalid_request` when a list of models
 * cannot be read.
 */
export async function openStores (
  { config = readConfig({}), directory = config.DATA, table, outside = {}, ...options }: StoresOptions
): Promise<Stores> {
  const chosen = { ...options, table, outside }
  if (config.DATABASE === '') return await openFileStores({ config, directory, ...chosen })
  const isShared = options.serving === true && config.REDIS !== ''
  return await openPostgres(
    { ...options, shared: isShared, directory, address: config.DATABASE },
    (opened) => {
      const neighbours = isShared ? neighboursOf(config, opened, options) : alone(options.clock)
      return storesOn(config, opened, { ...chosen, neighbours })
    }
  )
}

/** Stores whose tables are in a data file. */
export type FileStores = Stores<SqliteDatabase>

/** The same, always in the directory's data file, whatever the settings say. */
export async function openFileStores (
  { config = readConfig({}), directory = config.DATA, ...options }: StoresOptions
): Promise<FileStores> {
  return await openDataFile({ ...options, directory }, (opened) => storesOn(config, opened, options))
}

/** The other processes that serve the same tables, connected through Redis. */
const neighboursOf = (
  config: Config, { db, fingerprint, installation, changed }: OpenTables, { clock }: StoresOptions
) => redisNeighbours({
  address: config.REDIS, installation, sealing: sealedWith(vaultIn(db.directory, fingerprint)), clock, onAway: changed
})

/** Opens the kernel and the features on open tables. */
function storesOn<D extends Database> (
  config: Config, opened: OpenTables<D>,
  { clock, serving = false, table, outside = {}, neighbours = alone(clock) }:
  Pick<StoresOptions, 'clock' | 'serving' | 'table' | 'outside'> & { neighbours?: Neighbours }
): Stores<D> {
  const audit = sqliteAuditStore({ db: opened.db, clock })
  const db = audited(opened.db, audit)
  const known = knownOfPersons(db)
  const { work, close, ...kernel } = openKernel({ ...opened, db }, {
    config,
    clock,
    serving,
    neighbours,
    address: () => usualAddress(config),
    userAgent: `Agenthall/${VERSION}`,
    hiding: hidingAbout(db, { agents: known.persons.agents, keeps: known.keeps })
  })
  const { leads, notifier, eventBus, revisions, outbox, secrets, vault, senderOf, jobs } = kernel
  return {
    ...openFeatures(kernel, { audit, known, table, outside }),
    kernel,
    neighbours,
    leads,
    notifier,
    eventBus,
    revisions,
    outbox,
    secrets,
    vault,
    senderOf,
    jobs: jobs.queue,
    db,
    space: opened.space,
    announce: opened.announce,
    work,
    close
  }
}
