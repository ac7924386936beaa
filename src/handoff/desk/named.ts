import type { Id } from '../../../schema/common.ts'
import type { BusinessStore } from '../../business/index.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { Work } from '../../platform/storage/work.ts'

/**
 * The name under which visitors see the person who answers them: the one they set. Null if they set none, and if the
 * business announces people in a text of its own without a name.
 */
export type NameForVisitors = (owner: Id, user: Id) => Promise<string | null>

/** Creates it. `nameOf`: the name a person has set, if any. */
export function namedToVisitors (
  { db, business, nameOf }:
  { db: Database, business: Pick<BusinessStore, 'of'>, nameOf: (user: Id) => Work<string | undefined> }
): NameForVisitors {
  return (owner, user) => db.read(function * () {
    const { taken } = (yield * business.of(owner)).notices
    return taken === '' || taken.includes('{{name}}') ? (yield * nameOf(user)) ?? null : null
  })
}
