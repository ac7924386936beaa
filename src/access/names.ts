import type { Id } from '../../schema/common.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'

/** What whoever is made at the first start is called until they say their name. */
export const UNNAMED = 'Owner'
/** What they were called before 0.5. */
const UNNAMED_BEFORE = 'First user'

/** Whether somebody chose a name, and was not given one by the server. */
export const isNamed = (name: string) => name !== UNNAMED && name !== UNNAMED_BEFORE

/** What users are called who have chosen a name; asked inside a transaction too. */
export function namesIn (db: Database): (user: Id) => Work<string | undefined> {
  const nameOf = db.column<[Id], string>('select name from users where id = ?')
  return function * (user) {
    const name = yield * nameOf.get(user)
    return name !== undefined && isNamed(name) ? name : undefined
  }
}
