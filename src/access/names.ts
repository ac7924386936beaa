import type { Id } from '../../schema/common.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'

/** Name of the user made at the first start until they set one. */
export const UNNAMED = 'Owner'
/** Its value before 0.5. */
const UNNAMED_BEFORE = 'First user'

/** Whether a name was chosen rather than given by the server. */
export const isNamed = (name: string) => name !== UNNAMED && name !== UNNAMED_BEFORE

/** Names of users who chose one; also read inside transactions. */
export function namesIn (db: Database): (user: Id) => Work<string | undefined> {
  const nameOf = db.column<[Id], string>('select name from users where id = ?')
  return function * (user) {
    const name = yield * nameOf.get(user)
    return name !== undefined && isNamed(name) ? name : undefined
  }
}
