import type { Database } from './sqlite/database.ts'
import type { Announced } from './sqlite/disk/lock.ts'
import type { Space } from './sqlite/disk/space.ts'
import type { Fingerprint } from './vault.ts'

/** Open tables, whichever engine they are in. */
export interface OpenTables<D extends Database = Database> {
  db: D
  /** Free disk space; watched only by the process that serves, and only if the tables are in a data file. */
  space: Space | undefined
  fingerprint: Fingerprint
  /** Whether this process may do the work that only one of the serving processes does. */
  leads (): boolean
  /** Drops all caches of the tables: others may have written. */
  changed (): void
  /** Identifies the processes that serve these tables to each other; unique to this installation. */
  installation: string
  /** Publishes where this process serves, and with what, to commands that run meanwhile. */
  announce (server: Announced): void
  close (): void
}
