import type { Database } from '../platform/storage/sqlite/database.ts'

/**
 * Tells when what callers depend on may have changed: keys, sessions, members, users. Whoever remembers a caller
 * forgets it then.
 */
export interface Standing {
  /** Something of it changes, inside the transaction of the change. */
  moved (): void
  /** A number that moves whenever it may have changed, here or in another process. */
  generation (): number
}

/** The standing of all callers of one file. */
export function standingOf (db: Pick<Database, 'generation'>): Standing {
  let changes = 0
  return {
    moved () { changes++ },
    generation: () => db.generation() + changes * 2 ** 32
  }
}
