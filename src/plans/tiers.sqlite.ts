import type { Id } from '../../schema/common.ts'
import type { Tier } from '../../schema/plans.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'

/** Tells the tier of an account; of one that is gone, the lowest. */
export function tiersIn (db: Pick<Database, 'raw' | 'read'>): (owner: Id) => Tier {
  const tierOf = db.raw.prepare<[Id], Tier>('select tier from users where id = ?').pluck()
  return (owner) => db.read(() => tierOf.get(owner)) ?? 'free'
}
