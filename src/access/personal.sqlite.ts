import type { Id } from '../../schema/common.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'

/** Users as `privacy/` deletes them. */
export function usersAsPersons (db: Database) {
  const isKept = db.column<{ user: Id }, number>(`
    select exists (select 1 from members where user_id = :user) or exists (select 1 from passwords where user_id = :user)`
  )
  const forgetAddress = db.objects('update users set email = null where id = ?')
  return {
    /** Whether there is such a user that was not deleted. */
    * isKept (user: Id): Work<boolean> {
      return (yield * isKept.get({ user })) === 1
    },
    forgetAddress: (user: Id): Work<number> => forgetAddress.run(user)
  }
}

export type UsersAsPersons = ReturnType<typeof usersAsPersons>
