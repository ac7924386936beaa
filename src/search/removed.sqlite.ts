import type { Statements } from '../platform/storage/sqlite/database.ts'
import type { Secrets } from '../platform/storage/secrets.ts'
import type { Work } from '../platform/storage/work.ts'

/** Trainings of which the secrets are destroyed, or that are forgotten, in one go. */
const SECRETS_AT_ONCE = 50
const FORGOTTEN_AT_ONCE = 500

/**
 * What becomes of removed trainings before and after their passages are taken out of the file, see index/upkeep. Every
 * method runs inside the caller's transaction, and is short.
 */
export function removed (db: Statements, secrets: Secrets) {
  const secretsOfRemoved = db.objects<[number], { id: number, secret: number }>(
    "SELECT id, secret FROM trainings WHERE state = 'removed' AND secret IS NOT NULL LIMIT ?")
  const withoutSecret = db.objects('UPDATE trainings SET secret = NULL WHERE id = ?')
  const forgetEmptied = db.objects(
    "DELETE FROM trainings WHERE id IN (SELECT id FROM trainings WHERE state = 'removed' AND passages = 0 LIMIT ?)"
  )

  return {
    /**
     * Destroys secrets of what was removed, after which nobody can open its passages, long before the last of them is
     * wiped. Whether there may be more.
     */
    * destroySome (): Work<boolean> {
      const doomed = yield * secretsOfRemoved.all(SECRETS_AT_ONCE)
      for (const { id, secret } of doomed) {
        yield * secrets.destroy(secret)
        yield * withoutSecret.run(id)
      }
      return doomed.length > 0
    },

    /** Forgets trainings of which nothing is left. Whether there may be more. */
    * forget (): Work<boolean> { return (yield * forgetEmptied.run(FORGOTTEN_AT_ONCE)) > 0 }
  }
}
