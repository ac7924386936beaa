import type { Id } from '../../../schema/common.ts'
import type { BusinessStore } from '../../business/index.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { Work } from '../../platform/storage/work.ts'

/**
 * What visitors read a person is called who answers them: the name that they have said. Null where they have not, and
 * where the business says in its own words, which name nobody, that a person has come.
 */
export type NameForVisitors = (owner: Id, user: Id) => Promise<string | null>

/** Makes it. `nameOf`: what a person is called, where they have said it. */
export function namedToVisitors (
  { db, business, nameOf }:
  { db: Database, business: Pick<BusinessStore, 'of'>, nameOf: (user: Id) => Work<string | undefined> }
): NameForVisitors {
  return (owner, user) => db.read(function * () {
    const { taken } = (yield * business.of(owner)).notices
    return taken === '' || taken.includes('{{name}}') ? (yield * nameOf(user)) ?? null : null
  })
}
