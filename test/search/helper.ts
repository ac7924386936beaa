import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Test } from 'tap'
import { atOnce, passagesOf, searchAtOnce } from '../../scripts/bench/collection.ts'
import { knownMigrations, runMigration } from '../../src/platform/storage/sqlite/migrate.ts'
import { secretsIn } from '../../src/platform/storage/sqlite/secrets.ts'
import { sqlitePassages } from '../../src/search/passages.sqlite.ts'
import { sqliteSearch, type Ranked } from '../../src/search/search.sqlite.ts'
import { languageOf } from '../../src/search/words/words.ts'

/** A file of its own with the tables, on what `before` puts there, and short ways to train and to ask. */
export function hall (t: Test, before: (file: string) => void = () => {}) {
  const file = join(t.testdir({}), 'hall.db')
  before(file)
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('secure_delete = ON')
  const version = db.pragma('user_version', { simple: true }) as number
  for (const { sql } of knownMigrations().slice(version)) runMigration(db, sql)
  t.teardown(() => { if (db.open) db.close() })
  const secrets = secretsIn(db)
  const index = sqlitePassages(db, secrets)
  const words = sqliteSearch(db, secrets)
  const search = searchAtOnce(words)
  const ask = (agent: number, query: string) => atOnce(words.ask(agent, query))
  const rank = (agent: number, query: string, limit: number) => [...words.rank(ask(agent, query), limit)]
  const show = (agent: number, query: string, ranked: Ranked[], limit: number) =>
    words.show(ask(agent, query), ranked, limit)
  const train = (agent: number, source: number, text: string, title = '') =>
    db.transaction(() =>
      index.replace({ agent, source, language: languageOf(text) }, title, passagesOf({ text, title }))
    )()
  const found = (agent: number, query: string, limit = 10) => search(agent, query, limit).map(({ source }) => source)
  const atomically = <T>(work: () => T): T => db.transaction(work)()
  /** Keeps the index in order, one step a transaction, and forgets what nothing is left of. How many steps. */
  const wipe = () => {
    const steps = index.upkeep()
    let many = 0
    while (!atomically(() => steps.next().done)) many++
    while (atomically(() => index.forget()));
    return many
  }
  /** Everything that is on disk, the journal too. */
  const bytes = () => Buffer.concat([readFileSync(file), readFileSync(`${file}-wal`)])
  return { db, secrets, index, train, found, wipe, bytes, ask, rank, show, search, words }
}
