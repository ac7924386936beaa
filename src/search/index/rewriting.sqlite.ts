import type { Statements } from '../../platform/storage/sqlite/database.ts'
import type { Sliced, Work } from '../../platform/storage/work.ts'
import type { Secrets } from '../../platform/storage/secrets.ts'
import { TRAINING_COLUMNS, wordsIn, type GroupRow, type TrainingRow } from '../groups.ts'
import { hasIndexBefore } from './postings.sqlite.ts'
import { segmentsIn } from './segments.sqlite.ts'

/** Groups of passages that become one segment, and rows that go in one step. */
const GROUPS_AT_ONCE = 16
const ROWS_AT_ONCE = 32
/** The table of FTS5. */
const INDEX = 'passage_index'

/**
 * Rewrites what versions up to 0.5 indexed in a table of FTS5, agent by agent, from the words that they stored sealed
 * beside the passages; then drops that table, and the words. From the commit that ends with the last of an agent's
 * segments they are read, and FTS5 is no longer asked. Steps as those of `upkeep`.
 */
export function rewriting (db: Statements, secrets: Secrets) {
  const segments = segmentsIn(db)
  const isOpen = db.column<[], number>("SELECT 1 FROM passage_groups WHERE typeof(data) = 'text' LIMIT 1")
  const nextAgent = db.column<[], number>("SELECT agent FROM trainings WHERE segmented = 0 AND state = 'live' LIMIT 1")
  const nextOf = db.objects<[number, number], TrainingRow>(`
    SELECT ${TRAINING_COLUMNS} FROM trainings
    WHERE agent = ? AND segmented = 0 AND state = 'live' AND first > ? ORDER BY first LIMIT 1`)
  const groups = db.objects<[number, number, number], GroupRow & { passages: number }>(`
    SELECT first, passages, words FROM passage_groups WHERE first BETWEEN ? AND ? ORDER BY first LIMIT ?`)
  const makeLive = db.objects("UPDATE segments SET state = 'live' WHERE agent = ? AND state = 'staged'")
  const markAgent = db.objects('UPDATE trainings SET segmented = 1 WHERE agent = ? AND segmented = 0')
  const markRemoved = db.objects('UPDATE trainings SET segmented = 1 WHERE segmented = 0')
  const dropWords = db.objects(
    'UPDATE passage_groups SET words = NULL WHERE first IN (SELECT first FROM passage_groups WHERE words IS NOT NULL LIMIT ?)')
  const sealed = db.objects<[number], { id: number, secret: number }>(
    'SELECT id, words_secret AS secret FROM trainings WHERE words_secret IS NOT NULL LIMIT ?')
  const withoutSecret = db.objects('UPDATE trainings SET words_secret = NULL WHERE id = ?')

  let isThere = true

  function * stage (training: TrainingRow): Sliced<void> {
    const last = training.first + training.passages - 1
    for (let from = training.first; from <= last;) {
      const some = yield * groups.all(from, last, GROUPS_AT_ONCE)
      if (some.length === 0) return
      const words: string[] = []
      for (const group of some) {
        const known = yield * wordsIn(secrets, group, training)
        // Damaged ones have none, and their passages keep their numbers.
        words.push(...Array.from({ length: group.passages }, (_, at) => known[at] ?? ''))
      }
      yield * segments.add(training.agent, from, words, 'staged')
      from += words.length
      yield
    }
  }

  function * rewriteAgent (agent: number): Sliced<void> {
    for (let training = yield * nextOf.get(agent, 0); training; training = yield * nextOf.get(agent, training.first)) {
      yield * stage(training)
    }
    yield * makeLive.run(agent)
    yield * markAgent.run(agent)
    yield
  }

  function * dropSecrets (): Sliced<void> {
    for (let some = yield * sealed.all(ROWS_AT_ONCE); some.length > 0; some = yield * sealed.all(ROWS_AT_ONCE)) {
      for (const { id, secret } of some) {
        yield * secrets.destroy(secret)
        yield * withoutSecret.run(id)
      }
      yield
    }
  }

  /**
   * Half emptied, FTS5's own tables would look like a damaged index to integrity checks; dropped whole they would hold
   * everybody up for as long as it takes to wipe them. So they become ordinary ones first.
   */
  function * dropTable (): Sliced<void> {
    // Whoever begins again has this behind them: each time it would take as long as a whole slice.
    if (yield * db.hasTable(INDEX)) {
      yield * db.objects('DROP TABLE IF EXISTS passage_terms').run()
      yield * db.disown(INDEX)
      yield
    }
    const rows = db.objects('DELETE FROM passage_index_data WHERE id IN (SELECT id FROM passage_index_data LIMIT ?)')
    while ((yield * rows.run(ROWS_AT_ONCE)) > 0) yield
    for (const table of ['idx', 'config', 'data']) yield * db.objects(`DROP TABLE passage_index_${table}`).run()
    yield
  }

  // What is open is sealed first, its words too.
  function * isToBeRewritten (): Work<boolean> {
    isThere &&= yield * hasIndexBefore(db)
    return isThere && (yield * isOpen.get()) === undefined
  }

  function * rewrite (): Sliced<void> {
    if (!(yield * isToBeRewritten())) return
    for (let agent = yield * nextAgent.get(); agent !== undefined; agent = yield * nextAgent.get()) {
      yield * rewriteAgent(agent)
    }
    yield * markRemoved.run()
    while ((yield * dropWords.run(ROWS_AT_ONCE)) > 0) yield
    yield * dropSecrets()
    yield * dropTable()
  }

  return { rewrite, isToBeRewritten }
}
