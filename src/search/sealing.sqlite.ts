import type { Database } from 'better-sqlite3'
import type { Secrets } from '../platform/storage/secrets.ts'
import { findTraining, sealsOf } from './groups.ts'
import type { Kept } from './passage.ts'

/** Groups that are sealed in one go. */
const GROUPS_AT_ONCE = 8

/**
 * Seals what an older program kept open, its words too: they are needed to index it anew, see index/rewriting. Every
 * method runs inside the caller's transaction.
 */
export function sealing (db: Database, secrets: Secrets) {
  const find = findTraining(db)
  const giveSecrets = db.prepare('UPDATE trainings SET secret = coalesce(secret, ?), words_secret = ? WHERE id = ?')
  const unsealed = db.prepare<[number], { first: number, training: number, data: string }>(`
    SELECT first, training, data FROM passage_groups WHERE typeof(data) = 'text' AND training IN (SELECT id FROM trainings WHERE state <> 'removed') LIMIT ?`)
  const reseal = db.prepare('UPDATE passage_groups SET data = ?, words = ?, spellings = ? WHERE first = ?')

  return {
    /** Seals groups that an older program kept open. Whether there may be more. */
    sealSome (): boolean {
      const some = unsealed.all(GROUPS_AT_ONCE)
      for (const { first, training, data } of some) {
        const { secret, words_secret: words } = find.get(training)!
        if (words === null) giveSecrets.run(secret === null ? secrets.create() : null, secrets.create(), training)
        const sealing = find.get(training)!
        const group = JSON.parse(data) as Array<Kept & { words: string }>
        const [sealed, spellings] = sealsOf(secrets, sealing)(first, group)
        const kept = secrets.seal(sealing.words_secret!)!.close(`words ${first}`, group.map(({ words }) => words).join('\n'))
        reseal.run(sealed, kept, spellings, first)
      }
      return some.length > 0
    },

    /** Whether an older program kept passages open. */
    hasUnsealed: (): boolean => unsealed.all(1).length > 0
  }
}
