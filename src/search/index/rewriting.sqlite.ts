import type { Database } from 'better-sqlite3'
import type { Secrets } from '../../platform/storage/secrets.ts'
import { TRAINING_COLUMNS, wordsIn, type GroupRow, type TrainingRow } from '../groups.ts'
import { hasIndexBefore } from './kept-before.sqlite.ts'
import { segmentsIn } from './segments.sqlite.ts'

/** Groups of passages that become one segment, and rows that go in one step. */
const GROUPS_AT_ONCE = 16
const ROWS_AT_ONCE = 32

/**
 * Writes anew what a program up to 0.5 indexed in a table of FTS5, agent by agent, from the words that it kept sealed
 * beside the passages; then drops that table, and the words. From the commit that ends with the last of an agent's
 * segments they are read, and FTS5 is no longer asked. Steps as those of `upkeep`.
 */
export function rewriting (db: Database, secrets: Secrets) {
  const segments = segmentsIn(db)
  const isOpen = db.prepare<[], number>("SELECT 1 FROM passage_groups WHERE typeof(data) = 'text' LIMIT 1").pluck()
  const nextAgent = db
    .prepare<[], number>("SELECT agent FROM trainings WHERE segmented = 0 AND state = 'live' LIMIT 1")
    .pluck()
  const nextOf = db.prepare<[number, number], TrainingRow>(`
    SELECT ${TRAINING_COLUMNS} FROM trainings
    WHERE agent = ? AND segmented = 0 AND state = 'live' AND first > ? ORDER BY first LIMIT 1`)
  const groups = db.prepare<[number, number, number], GroupRow & { passages: number }>(`
    SELECT first, passages, words FROM passage_groups WHERE first BETWEEN ? AND ? ORDER BY first LIMIT ?`)
  const makeLive = db.prepare("UPDATE segments SET state = 'live' WHERE agent = ? AND state = 'staged'")
  const markAgent = db.prepare('UPDATE trainings SET segmented = 1 WHERE agent = ? AND segmented = 0')
  const markRemoved = db.prepare('UPDATE trainings SET segmented = 1 WHERE segmented = 0')
  const dropWords = db.prepare(
    'UPDATE passage_groups SET words = NULL WHERE first IN (SELECT first FROM passage_groups WHERE words IS NOT NULL LIMIT ?)')
  const sealed = db.prepare<[number], { id: number, secret: number }>(
    'SELECT id, words_secret AS secret FROM trainings WHERE words_secret IS NOT NULL LIMIT ?')
  const withoutSecret = db.prepare('UPDATE trainings SET words_secret = NULL WHERE id = ?')

  let isThere = true

  function * stage (training: TrainingRow): Generator<undefined, void> {
    const last = training.first + training.passages - 1
    for (let from = training.first; from <= last;) {
      const some = groups.all(from, last, GROUPS_AT_ONCE)
      if (some.length === 0) return
      const words = some.flatMap((group) => {
        const known = wordsIn(secrets, group, training)
        // Damaged ones have none, and their passages keep their numbers.
        return Array.from({ length: group.passages }, (_, at) => known[at] ?? '')
      })
      segments.add(training.agent, from, words, 'staged')
      from += words.length
      yield
    }
  }

  function * rewriteAgent (agent: number): Generator<undefined, void> {
    for (let training = nextOf.get(agent, 0); training; training = nextOf.get(agent, training.first)) {
      yield * stage(training)
    }
    makeLive.run(agent)
    markAgent.run(agent)
    yield
  }

  function * dropSecrets (): Generator<undefined, void> {
    for (let some = sealed.all(ROWS_AT_ONCE); some.length > 0; some = sealed.all(ROWS_AT_ONCE)) {
      for (const { id, secret } of some) {
        secrets.destroy(secret)
        withoutSecret.run(id)
      }
      yield
    }
  }

  /**
   * Makes ordinary tables of those that FTS5 kept its index in. Half emptied they would be a damaged index to whoever
   * checks the file; dropped whole they would hold everybody up for as long as it takes to wipe them.
   */
  function letGo (): void {
    db.exec('DROP TABLE IF EXISTS passage_terms')
    db.unsafeMode(true)
    try {
      db.pragma('writable_schema = ON')
      db.exec("DELETE FROM sqlite_schema WHERE name = 'passage_index'")
      db.pragma(`schema_version = ${db.pragma('schema_version', { simple: true }) as number + 1}`)
      db.pragma('writable_schema = RESET')
    } finally {
      db.unsafeMode(false)
    }
  }

  function * dropTable (): Generator<undefined, void> {
    letGo()
    yield
    const rows = db.prepare('DELETE FROM passage_index_data WHERE id IN (SELECT id FROM passage_index_data LIMIT ?)')
    while (rows.run(ROWS_AT_ONCE).changes > 0) yield
    db.exec('DROP TABLE passage_index_idx; DROP TABLE passage_index_config; DROP TABLE passage_index_data')
    yield
  }

  // What is open is sealed first, its words too.
  const isToBeRewritten = () => (isThere &&= hasIndexBefore(db)) && isOpen.get() === undefined

  function * rewrite (): Generator<undefined, void> {
    if (!isToBeRewritten()) return
    for (let agent = nextAgent.get(); agent !== undefined; agent = nextAgent.get()) yield * rewriteAgent(agent)
    markRemoved.run()
    while (dropWords.run(ROWS_AT_ONCE).changes > 0) yield
    yield * dropSecrets()
    yield * dropTable()
  }

  return { rewrite, isToBeRewritten }
}
