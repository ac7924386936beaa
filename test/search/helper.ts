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

/** A file of its own with the tables, and short ways to train and to ask. */
export function hall (t: Test) {
  const file = join(t.testdir({}), 'hall.db')
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('secure_delete = ON')
  for (const { sql } of knownMigrations()) runMigration(db, sql)
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
  /** Puts marked passages out of the index, and forgets what nothing is left of. */
  const finish = () => {
    if (index.hasMarks()) for (let first = true; atomically(() => index.putTogether(first)); first = false);
    while (atomically(() => index.forget()));
  }
  const wipe = () => {
    while (atomically(() => index.clean(() => false)));
    finish()
  }
  /** Everything that is on disk, the journal too. */
  const bytes = () => Buffer.concat([readFileSync(file), readFileSync(`${file}-wal`)])
  return { db, secrets, index, train, found, wipe, finish, bytes, ask, rank, show, search, words }
}
