import type { Database } from 'better-sqlite3'
import type { Secrets } from '../platform/storage/secrets.ts'
import { TRAINING_COLUMNS, wordsIn, type GroupRow, type TrainingRow } from './groups.ts'
import { indexed } from './impact.ts'

/**
 * Wiping a passage costs some 0.5 ms where the index is in one piece, and 1.5 ms where new words lie beside old ones.
 * Putting the index together costs 0.005 ms for each passage there is, which pays when more than one in this many is to
 * be wiped.
 */
const PAYS_ONE_OF = 200
/** Trainings of which the secrets are destroyed in one go. */
const SECRETS_AT_ONCE = 50
/**
 * Pages of the index put together in one go: 3 to 6 ms. As much goes with each slice that is added, so that the index
 * stays in few pieces.
 */
const MERGED_PAGES = 32

/** Puts so much of the index together; a negative number of pages begins with all there is now. */
export function mergeStep (db: Database): (pages?: number) => void {
  const merge = db.prepare("INSERT INTO passage_index (passage_index, rank) VALUES ('merge', ?)")
  return (pages = MERGED_PAGES) => { merge.run(pages) }
}

/** Takes what was removed out of the file. Every method runs inside the caller's transaction, and is synchronous. */
export function erasing (db: Database, secrets: Secrets) {
  const unindex = db.prepare("INSERT INTO passage_index (passage_index, rowid, words) VALUES ('delete', ?, ?)")
  const nextRemoved = db.prepare<[], TrainingRow>(
    `SELECT ${TRAINING_COLUMNS} FROM trainings WHERE state = 'removed' LIMIT 1`
  )
  // Backwards: FTS5 puts off what goes forwards until the commit, where no clock could stop it.
  const lastGroup = db.prepare<[number, number], GroupRow>(`
    SELECT first, words, CASE WHEN words IS NULL THEN data END AS data FROM passage_groups WHERE first BETWEEN ? AND ? ORDER BY first DESC LIMIT 1`)
  const secretsOfRemoved = db.prepare<[number], { id: number, secret: number }>(
    "SELECT id, secret FROM trainings WHERE state = 'removed' AND secret IS NOT NULL LIMIT ?")
  const withoutSecret = db.prepare('UPDATE trainings SET secret = NULL WHERE id = ?')
  const dropGroup = db.prepare('DELETE FROM passage_groups WHERE first = ?')
  const dropVectors = db.prepare('DELETE FROM passage_vectors WHERE first = ?')
  const dropTraining = db.prepare('DELETE FROM trainings WHERE id = ?')
  const merge = mergeStep(db)
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck()
  const merges = db
    .prepare<[number], number>(
      `
    SELECT (SELECT coalesce(sum(passages), 0) FROM trainings WHERE state = 'removed') * ? > (SELECT coalesce(sum(passages), 0) FROM trainings)`
    )
    .pluck()

  function destroy (training: number, secret: number) {
    secrets.destroy(secret)
    withoutSecret.run(training)
  }

  function destroySome (): boolean {
    const doomed = secretsOfRemoved.all(SECRETS_AT_ONCE)
    for (const { id, secret } of doomed) destroy(id, secret)
    return doomed.length > 0
  }

  /** Takes a few passages of what was removed out of the index and the file. False: there is none left. */
  function cleanSome (): boolean {
    const training = nextRemoved.get()
    if (training === undefined) return false
    // Removed while others were being wiped.
    if (training.secret !== null) destroy(training.id, training.secret)
    const group = lastGroup.get(training.first, training.first + training.passages - 1)
    if (group === undefined) {
      if (training.words_secret !== null) secrets.destroy(training.words_secret)
      return dropTraining.run(training.id).changes > 0
    }
    const words = wordsIn(secrets, group, training)
    for (let i = words.length - 1; i >= 0; i--) unindex.run(group.first + i, indexed(training.agent, words[i]!))
    dropVectors.run(group.first)
    return dropGroup.run(group.first).changes > 0
  }

  return {
    /**
     * Destroys secrets of what was removed, after which nobody can open its passages, long before the last of them is
     * wiped. Whether there may be more.
     */
    destroySome,

    /** Whether it pays to put the index together before what was removed is wiped. */
    paysToMerge: (): boolean => merges.get(PAYS_ONE_OF) === 1,

    /**
     * Puts the index together, a step of a few milliseconds; `first` begins with all there is now. Whether there is
     * more to do.
     */
    merge (first: boolean): boolean {
      const before = changes.get()!
      merge(first ? -MERGED_PAGES : MERGED_PAGES)
      // As SQLite says it: fewer than two changes, nothing was left to do.
      return changes.get()! - before >= 2
    },

    /**
     * Wipes passages that were removed until `enough` says so, at least a few. Whether more remain; the few that go at
     * once take 4 to 12 ms.
     */
    clean (enough: () => boolean): boolean {
      while (cleanSome()) {
        if (enough()) return true
      }
      return false
    }
  }
}
