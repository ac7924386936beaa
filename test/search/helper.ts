import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Test } from 'tap'
import { answering, atOnce, passagesOf, searchAtOnce } from '../../scripts/bench/collection.ts'
import { knownMigrations, runMigration } from '../../src/platform/storage/sqlite/migrate.ts'
import { secretsIn } from '../../src/platform/storage/sqlite/secrets.ts'
import { sqlitePostings } from '../../src/search/index/postings.sqlite.ts'
import { sqlitePassages } from '../../src/search/passages.sqlite.ts'
import { inTurn, sqliteSearch, type Asked, type Ranked, type Ranking } from '../../src/search/search.sqlite.ts'
import { languageOf } from '../../src/search/words/words.ts'
import { finish, statementsOn } from '../../src/platform/storage/sqlite/database.ts'

/** An agent's best passages for a query. */
export function rankedBy (
  { rank }: Pick<ReturnType<typeof sqliteSearch>, 'rank'>, asked: Asked, limit: number
): Ranked[] {
  return listed(finish(rank(asked, limit)))
}

function listed (ranking: Ranking): Ranked[] {
  const found: Ranked[] = []
  for (let next = finish(ranking()); next; next = finish(ranking())) found.push(next)
  return found
}

/** Positions of words, answered synchronously. */
export function postingsAtOnce (...about: Parameters<typeof sqlitePostings>) {
  const postingsOf = sqlitePostings(...about)
  return (agent: number) => answering(finish(postingsOf(agent)))
}

/** A separate file with the tables, on top of what `before` creates, and short ways to train and to search. */
export function hall (t: Test, before: (file: string) => void = () => {}) {
  const file = join(t.testdir({}), 'hall.db')
  before(file)
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('secure_delete = ON')
  const version = db.pragma('user_version', { simple: true }) as number
  for (const { sql } of knownMigrations().slice(version)) runMigration(db, sql)
  t.teardown(() => { if (db.open) db.close() })
  const tables = statementsOn(db)
  const secrets = secretsIn(tables)
  const index = answering(sqlitePassages(tables, secrets), ['upkeep'])
  const words = sqliteSearch(tables, secrets)
  const search = searchAtOnce(words)
  const ask = (agent: number, query: string) => atOnce(words.ask(agent, query))
  const rank = (agent: number, query: string, limit: number) => rankedBy(words, ask(agent, query), limit)
  const show = (agent: number, query: string, ranked: Ranked[], limit: number) =>
    finish(words.show(ask(agent, query), inTurn(ranked), limit))
  const train = (agent: number, source: number, text: string, title = '') =>
    db.transaction(() =>
      index.replace({ agent, source, language: languageOf(text) }, title, passagesOf({ text, title }))
    )()
  const found = (agent: number, query: string, limit = 10) => search(agent, query, limit).map(({ source }) => source)
  const atomically = <T>(work: () => T): T => db.transaction(work)()
  /**
   * Maintains the index, one step a transaction, and drops trainings without remaining passages. Returns how many
   * steps.
   */
  const wipe = () => {
    const steps = index.upkeep()
    let many = 0
    while (!atomically(() => steps.next().done)) many++
    while (atomically(() => index.forget()));
    return many
  }
  /** Everything on disk, including the journal. */
  const bytes = () => Buffer.concat([readFileSync(file), readFileSync(`${file}-wal`)])
  return { db, tables, secrets, index, train, found, wipe, bytes, ask, rank, show, search, words }
}
