import type { Database } from 'better-sqlite3'
import type { Secrets } from '../platform/storage/secrets.ts'
import { GROUP, TRAINING_COLUMNS, wordsIn, type GroupRow, type TrainingRow } from './groups.ts'
import { indexed } from './impact.ts'

/**
 * Taking a passage out where it stands costs 0.5 ms, and 4 ms in a full agent, whose words have long lists. Marking it
 * as deleted costs 0.1 ms; to be rid of the marks the index is put together, which costs 0.005 to 0.01 ms for each
 * passage there is. That pays when as many as are marked in one go are more than one in this many.
 */
const PAYS_ONE_OF = 200
/**
 * Groups of passages to be marked before the index is put together: what goes in doing so goes at one stretch, 10 ms
 * of so many.
 */
export const MARKED_AT_ONCE = 100
/** Trainings of which the secrets are destroyed, or that are forgotten, in one go. */
const SECRETS_AT_ONCE = 50
const FORGOTTEN_AT_ONCE = 500
/**
 * Pages of the index put together in one go: 3 to 6 ms. As much goes with each slice that is added, so that the index
 * stays in few pieces.
 */
const MERGED_PAGES = 32
/** The same where nobody waits for it: half as long at a stretch. */
const MERGED_PAGES_IN_PEACE = 16

/** Puts so much of the index together; a negative number of pages begins with all there is now. */
export function mergeStep (db: Database): (pages?: number) => void {
  const merge = db.prepare("INSERT INTO passage_index (passage_index, rank) VALUES ('merge', ?)")
  return (pages = MERGED_PAGES) => { merge.run(pages) }
}

/**
 * Takes what was removed out of the file: `chooseHow`, then in turns `clean`, and where it `hasMarks` `putTogether` to
 * the end, and `forget`. Every method runs inside the caller's transaction, and is synchronous. While FTS5's
 * `secure-delete` is off, passages in the index may be marked as deleted only, however often the program was killed
 * meanwhile; a training is forgotten after what it left was put out of the index.
 */
export function erasing (db: Database, secrets: Secrets) {
  const unindex = db.prepare("INSERT INTO passage_index (passage_index, rowid, words) VALUES ('delete', ?, ?)")
  const takesOut = db.prepare("INSERT INTO passage_index (passage_index, rank) VALUES ('secure-delete', CAST(? AS INTEGER))")
  const isMarking = db
    .prepare<[], number>("SELECT 1 FROM passage_index_config WHERE k = 'secure-delete' AND v = 0")
    .pluck()
  const nextRemoved = db.prepare<[], TrainingRow>(
    `SELECT ${TRAINING_COLUMNS} FROM trainings WHERE state = 'removed' AND passages > 0 LIMIT 1`
  )
  // The oldest first: in the list of a word it stands where FTS5 begins to look for it.
  const firstGroup = db.prepare<[number, number], GroupRow & { passages: number }>(`
    SELECT first, passages, words, CASE WHEN words IS NULL THEN data END AS data FROM passage_groups WHERE first BETWEEN ? AND ? ORDER BY first LIMIT 1`)
  const secretsOfRemoved = db.prepare<[number], { id: number, secret: number }>(
    "SELECT id, secret FROM trainings WHERE state = 'removed' AND secret IS NOT NULL LIMIT ?")
  const withoutSecret = db.prepare('UPDATE trainings SET secret = NULL WHERE id = ?')
  const shortenGroup = db.prepare('UPDATE passage_groups SET passages = ? WHERE first = ?')
  const dropGroup = db.prepare('DELETE FROM passage_groups WHERE first = ?')
  const dropVectors = db.prepare('DELETE FROM passage_vectors WHERE first = ?')
  const emptied = db.prepare('UPDATE trainings SET passages = 0, words_secret = NULL WHERE id = ?')
  const forgetEmptied = db.prepare(
    "DELETE FROM trainings WHERE id IN (SELECT id FROM trainings WHERE state = 'removed' AND passages = 0 LIMIT ?)"
  )
  const merge = mergeStep(db)
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck()
  const paysToMark = db
    .prepare<[number, number], number>(
      `
    SELECT min((SELECT coalesce(sum(passages), 0) FROM trainings WHERE state = 'removed'), ?) * ? > (SELECT coalesce(sum(passages), 0) FROM trainings)`
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

  /** Takes one passage out of the index and the file, or those of a group. False: there is none left. */
  function cleanSome (marks: boolean): boolean {
    const training = nextRemoved.get()
    if (training === undefined) return false
    // Removed while others were being wiped.
    if (training.secret !== null) destroy(training.id, training.secret)
    const group = firstGroup.get(training.first, training.first + training.passages - 1)
    if (group === undefined) {
      if (training.words_secret !== null) secrets.destroy(training.words_secret)
      return emptied.run(training.id).changes > 0
    }
    const left = marks ? 0 : group.passages - 1
    const words = wordsIn(secrets, group, training).slice(left, group.passages)
    for (const [i, one] of words.entries()) unindex.run(group.first + left + i, indexed(training.agent, one))
    if (left > 0) return shortenGroup.run(left, group.first).changes > 0
    dropVectors.run(group.first)
    return dropGroup.run(group.first).changes > 0
  }

  return {
    /**
     * Destroys secrets of what was removed, after which nobody can open its passages, long before the last of them is
     * wiped. Whether there may be more.
     */
    destroySome,

    /** Chooses how passages are wiped from now on: many are marked, and go together. */
    chooseHow (): void {
      if (paysToMark.get(MARKED_AT_ONCE * GROUP, PAYS_ONE_OF) === 1) takesOut.run(0)
    },

    /**
     * Wipes what was removed: marks groups of passages until `enough` says so, at least one, or takes one passage out.
     * Whether there may be more.
     */
    clean (enough: () => boolean): boolean {
      const marks = isMarking.get() === 1
      while (cleanSome(marks)) {
        if (!marks || enough()) return true
      }
      return false
    },

    /** Whether passages may be marked that have to be put out of the index. */
    hasMarks: (): boolean => isMarking.get() === 1,

    /**
     * Puts the index together, and what is marked out of it, a step of 2 to 3 ms; `first` begins with all there is now.
     * Whether there is more to do.
     */
    putTogether (first: boolean): boolean {
      const before = changes.get()!
      merge(first ? -MERGED_PAGES_IN_PEACE : MERGED_PAGES_IN_PEACE)
      // As SQLite says it: fewer than two changes, nothing was left to do.
      return changes.get()! - before >= 2
    },

    /** Forgets trainings of which nothing is left. Whether there may be more. */
    forget (): boolean {
      if (isMarking.get() === 1 && nextRemoved.get() === undefined) takesOut.run(1)
      return forgetEmptied.run(FORGOTTEN_AT_ONCE).changes > 0
    }
  }
}
