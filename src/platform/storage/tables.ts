import type { Database } from './sqlite/database.ts'
import type { Announced } from './sqlite/lock.ts'
import type { Space } from './sqlite/space.ts'
import type { Fingerprint } from './vault.ts'

/** Tables that are open, whatever keeps them. */
export interface OpenTables<D extends Database = Database> {
  db: D
  /** Room on the disk; watched only by the process that serves, and only where the tables are a file of its own. */
  space: Space | undefined
  fingerprint: Fingerprint
  /** Whether this process may do what one of those that serve the tables does for all. */
  leads (): boolean
  /** Forgets what is remembered of the tables: others may have written. */
  changed (): void
  /** By what the processes that serve these tables know each other: no other installation is called so. */
  installation: string
  /** Tells commands that are run meanwhile where this process serves, and with what. */
  announce (server: Announced): void
  close (): void
}
