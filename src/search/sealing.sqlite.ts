import type { Secrets } from '../platform/storage/secrets.ts'
import type { Statements } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'
import { findTraining, sealsOf } from './groups.ts'
import type { Kept } from './passage.ts'

/** Groups that are sealed in one go. */
const GROUPS_AT_ONCE = 8

/**
 * Seals what older versions stored unsealed, its words too: they are needed to reindex it, see index/rewriting. Every
 * method runs inside the caller's transaction.
 */
export function sealing (db: Statements, secrets: Secrets) {
  const find = findTraining(db)
  const giveSecrets = db.objects('UPDATE trainings SET secret = coalesce(secret, ?), words_secret = ? WHERE id = ?')
  const unsealed = db.objects<[number], { first: number, training: number, data: string }>(`
    SELECT first, training, data FROM passage_groups WHERE typeof(data) = 'text' AND training IN (SELECT id FROM trainings WHERE state <> 'removed') LIMIT ?`)
  const reseal = db.objects('UPDATE passage_groups SET data = ?, words = ?, spellings = ? WHERE first = ?')

  return {
    /** Seals groups that an older program kept open. Whether there may be more. */
    * sealSome (): Work<boolean> {
      const some = yield * unsealed.all(GROUPS_AT_ONCE)
      for (const { first, training, data } of some) {
        const { secret, words_secret: words } = (yield * find.get(training))!
        if (words === null) {
          const fresh = secret === null ? yield * secrets.create() : null
          yield * giveSecrets.run(fresh, yield * secrets.create(), training)
        }
        const sealing = (yield * find.get(training))!
        const group = JSON.parse(data) as Array<Kept & { words: string }>
        const [sealed, spellings] = (yield * sealsOf(secrets, sealing))(first, group)
        const kept = (yield * secrets.seal(sealing.words_secret!))!
          .close(`words ${first}`, group.map(({ words }) => words).join('\n'))
        yield * reseal.run(sealed, kept, spellings, first)
      }
      return some.length > 0
    },

    /** Whether an older program kept passages open. */
    * hasUnsealed (): Work<boolean> { return (yield * unsealed.all(1)).length > 0 }
  }
}
