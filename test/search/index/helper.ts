import type { Database } from 'better-sqlite3'
import { BlockReader, keyOf, type Block } from '../../../src/search/index/blocks.ts'
import type { Secrets } from '../../../src/platform/storage/secrets.ts'
import { finish } from '../../../src/platform/storage/sqlite/database.ts'

/** The content of blocks: each term with its passages. */
export function termsIn (blocks: readonly Block[], low: number): Map<number, number[]> {
  const terms = new Map<number, number[]>()
  for (const block of blocks) {
    const reader = new BlockReader(block, low)
    while (reader.next()) {
      const ids = terms.get(reader.term) ?? []
      reader.ids(ids)
      terms.set(reader.term, ids)
    }
  }
  return terms
}

/** The keys of all words in segments of the file, whatever became of these. */
export function keysIn (db: Database): Set<string> {
  const rows = db.prepare<[], Block & { low: number }>(
    'SELECT term, first, data, low FROM blocks JOIN segments ON segments.id = blocks.segment').all()
  return new Set(rows.flatMap(({ low, ...block }) => [...termsIn([block], low).keys()].map(keyOf)))
}

/**
 * Puts an index of passages as programs up to 0.5 wrote it in place of the segments: an FTS5 table, and the words
 * sealed beside the passages.
 */
export function asBefore (db: Database, secrets: Secrets): void {
  const words = new Map<number, { agent: number, words: string[] }>()
  const segments = db.prepare<[], { agent: number, low: number, term: number, first: number, data: Buffer }>(
    'SELECT agent, low, term, first, data FROM blocks JOIN segments ON segments.id = blocks.segment')
  for (const { agent, low, ...block } of segments.all()) {
    for (const [term, ids] of termsIn([block], low)) {
      for (const id of ids) {
        const passage = words.get(id) ?? { agent, words: [] }
        passage.words.push(`${keyOf(term)}_${(term % 16).toString(16)}`)
        words.set(id, passage)
      }
    }
  }
  const insert = db.prepare('INSERT INTO passage_index (rowid, words) VALUES (?, ?)')
  for (const [id, { agent, words: said }] of words) insert.run(id, said.map((word) => `${agent}_${word}`).join(' '))
  const trainings = db.prepare<[], { id: number, first: number, passages: number }>('SELECT id, first, passages FROM trainings')
  const groups = db.prepare<[number, number], { first: number, passages: number }>(
    'SELECT first, passages FROM passage_groups WHERE first BETWEEN ? AND ?')
  for (const { id, first, passages } of trainings.all()) {
    const secret = finish(secrets.create())
    db.prepare('UPDATE trainings SET segmented = 0, words_secret = ? WHERE id = ?').run(secret, id)
    for (const group of groups.all(first, first + passages - 1)) {
      const said = Array.from({ length: group.passages }, (_, at) => words.get(group.first + at)?.words.join(' ') ?? '')
      const sealed = finish(secrets.seal(secret))!.close(`words ${group.first}`, said.join('\n'))
      db.prepare('UPDATE passage_groups SET words = ? WHERE first = ?').run(sealed, group.first)
    }
  }
  db.exec('DELETE FROM blocks; DELETE FROM segments')
}
