import type { Id } from '../../schema/common.ts'
import type { Tier } from '../../schema/plans.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'

/** Returns the tier of an account, inside a transaction; the lowest for a deleted one. */
export function tiersIn (db: Database): (owner: Id) => Work<Tier> {
  const tierOf = db.column<[Id], Tier>('select tier from users where id = ?')
  return function * (owner) { return (yield * tierOf.get(owner)) ?? 'free' }
}
