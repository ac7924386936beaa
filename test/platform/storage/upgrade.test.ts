import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hash } from 'node:crypto'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { strangeSchema } from '../../../src/platform/storage/sqlite/check.ts'
import { accounting, dataFile } from '../../../src/data-file.ts'
import { knownMigrations, rowCounts, takenAway, type Migration } from '../../../src/platform/storage/sqlite/migrate.ts'
import { openFileStores } from '../../../src/stores.ts'
import { VERSION } from '../../../src/version.ts'
import { build, fixedClock } from '../../helper.ts'
import { readEverything } from './read-everything.ts'

const fixtures = path.join(import.meta.dirname, '../../fixtures/databases')
const clock = fixedClock()
const known = knownMigrations()
const next: Migration = {
  name: 'agents-get-a-tone', sql: "alter table agents add column tone text not null default 'calm';"
}

/** A data directory with this file in it. */
function directoryWith (t: Tap, from: string) {
  const directory = t.testdir({})
  copyFileSync(from, dataFile(directory))
  return directory
}

/** Everything in a file: table → rows. */
function contentOf (file: string) {
  const raw = new BetterSqlite3(file, { readonly: true })
  const content = new Map(
    [...rowCounts(raw).keys()].map((table) => [
      table, raw.prepare(`select * from "${table}"`).all() as Array<Record<string, unknown>>
    ])
  )
  raw.close()
  return content
}

const digest = (file: string) => hash('sha256', readFileSync(file))

/** Tables to which a migration declares that it adds rows. */
const added = new Set(
  known.flatMap(({ sql }) => [...sql.matchAll(/^-- changes rows of: (\w+)/gm)].map(([, table]) => table!))
)

/** Tables that a version had, and wrote nothing into except temporarily. */
const NEVER_FILLED: Record<string, string[]> = { '0.4.0.db': ['blob_pieces', 'doomed_secrets', 'outbox'] }
/** Columns that are converted, by table: they are read below, and what was fetched is fetched again. */
const REWRITTEN: Record<string, Record<string, string[]>> = {
  '0.2.0.db': { knowledge_sources: ['plain_text', 'fetched'], blob_pieces: ['data'] }
}

t.test('a file written by every released version is upgraded with everything in it', async (t) => {
  const released = readdirSync(fixtures).filter((name) => name.endsWith('.db'))
  for (const name of released) {
    await t.test(name, async (t) => {
      const fixture = path.join(fixtures, name)
      const before = contentOf(fixture)
      for (const table of [...takenAway(known), ...(name === '0.2.0.db' ? ['passages'] : [])]) before.delete(table)
      const empty = [...before].filter(([, rows]) => rows.length === 0).map(([table]) => table)
      t.strictSame(empty.sort(), NEVER_FILLED[name] ?? [], 'something is in every table of the fixture')
      const directory = directoryWith(t, fixture)
      const stores = await openFileStores({ directory, clock, known: [...known, next] })
      t.equal(stores.db.raw.pragma('user_version', { simple: true }), known.length + 1)
      t.same(stores.db.raw.pragma('integrity_check'), [{ integrity_check: 'ok' }])
      t.equal((await stores.agents.slice(1, {}, 0, 100)).length, before.get('agents')!.length)
      await stores.close()
      const after = contentOf(dataFile(directory))
      for (const [table, rows] of before) {
        for (const column of REWRITTEN[name]?.[table] ?? []) for (const row of rows) delete row[column]
        // New columns may have been added; what was there must be there.
        t.match(after.get(table)!.slice(0, rows.length), rows, table)
        if (added.has(table)) t.ok(after.get(table)!.length >= rows.length)
        else t.equal(after.get(table)!.length, rows.length)
      }
    })

    await t.test(`${name}, by every route that reads or lists`, async (t) => {
      const opened = await build(t, {}, { directory: directoryWith(t, path.join(fixtures, name)) })
      const { read, wrong } = await readEverything(opened, 1)
      t.strictSame(wrong, [])
      t.ok(read > 40, `${read} answers`)
    })
  }
})

t.test('every released version has its file among these, and no two programs call themselves by one version', async (t) => {
  // Planted: package.json at 0.4.0 and 0.6.0, the fixture of 0.4.0 gone, one of 0.5.0 there before it is released.
  const sections = [...readFileSync('CHANGELOG.md', 'utf8').matchAll(/^## (\S+) (.*)$/gm)]
    .map(([, version, when]) => ({ version: version!, isReleased: when !== '(unreleased)' }))
  t.equal(VERSION, sections[0]!.version, 'what is written now is what the changelog begins with')
  const numbers = sections.map(({ version }) => version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0))
  t.strictSame(numbers, [...new Set(numbers)].sort((a, b) => b - a), 'each newer than the one below it')
  t.ok(sections.slice(1).every(({ isReleased }) => isReleased), 'only the newest is not released')
  t.strictSame(
    [...new Set(readdirSync(fixtures).map((name) => /^[\d.]+\d/.exec(name)![0]))].sort(),
    sections.filter(({ isReleased }) => isReleased).map(({ version }) => version).sort(),
    'node scripts/make-fixture.ts'
  )
})

t.test('of two programs that called themselves 0.3.0, the first one\'s texts, files and passages are there', async (t) => {
  // Was wrong: its file was refused as altered.
  const directory = directoryWith(t, path.join(fixtures, '0.2.0.db'))
  const raw = new BetterSqlite3(dataFile(directory), { readonly: true })
  t.strictSame(strangeSchema(raw, 3), [], 'it is as its program made it')
  raw.close()
  const opened = await build(t, {}, { directory, clock: fixedClock(Date.UTC(2026, 10, 23, 16)) })
  const { get, post } = await opened.withSession(1)
  t.strictSame(strangeSchema(opened.stores.db.raw, known.length), [])
  const at = '/v1/agents/1/knowledge_sources'
  const found = async (query: string) => new Set((await post('/v1/agents/1/search', { query })).json().data
    .map(({ source }: { source: number }) => source))
  const read = async () => {
    t.match((await get(`${at}/1/text`)).body, 'Anything can be returned within 30 days.\n\nÅngström 😀 売.')
    t.equal((await get(`${at}/1`)).json().data.plain_text, 'Anything can be returned within 30 days.\n\nÅngström 😀 売.')
    const { file } = (await get(`${at}/3`)).json().data
    t.equal((await get(file.replace(/^.*(?=\/media)/, ''))).body, '# Opening hours\n\nMonday to Friday, 9 to 17.')
    t.match((await get(`${at}/6/text`)).body, 'We deliver within three days')
    t.strictSame(await found('Can I return it?'), new Set([1]))
    t.strictSame(await found('delivery'), new Set([6, 7]))
    t.strictSame(await found('opening hours'), new Set([3]))
    t.strictSame(await found('nobody reads'), new Set(), 'it is not selected')
  }
  await read()
  await opened.settled()
  await read()
  t.strictSame(accounting(opened.stores.db.raw), [], 'also once it is sealed in the background')
})

t.test('the file as it was is kept in snapshots before an upgrade, the last three of them', async (t) => {
  const fixture = path.join(fixtures, '0.1.0.db')
  const directory = directoryWith(t, fixture)
  const snapshots = path.join(directory, 'snapshots')
  const steps = [...known]
  const first = new Set(readdirSync(directory))
  t.notOk(first.has('snapshots'))
  for (let step = 0; step < 5; step++) {
    steps.push({ name: `step-${step}`, sql: `alter table users add column extra_${step} text;` })
    const { close } = await openFileStores({ directory, clock, known: steps })
    close()
    clock.advance(1000)
  }
  const kept = readdirSync(snapshots)
  t.same(kept.map((name) => /before-v\d+/.exec(name)![0]), [2, 3, 4].map((n) => `before-v${known.length + n + 1}`))
  t.match(
    contentOf(path.join(snapshots, kept[0]!)).get('agents'),
    contentOf(fixture).get('agents')!,
    'all of it; new columns may have come'
  )
})

t.test('a rebuilt table keeps its children, and a step that loses rows is undone and leaves no snapshot', async (t) => {
  const fixture = path.join(fixtures, '0.1.0.db')
  const rebuild: Migration = {
    name: 'rebuild',
    sql: `create table copy as select * from users; --> statement-breakpoint
      drop table users; --> statement-breakpoint
      create table users (id integer primary key autoincrement not null, name text not null, email text, tier text not null, revision integer not null, created_at text not null, updated_at text not null, tally integer not null default 0); --> statement-breakpoint
      insert into users select * from copy; --> statement-breakpoint
      drop table copy;`
  }
  const directory = directoryWith(t, fixture)
  const { close } = await openFileStores({ directory, clock, known: [...known, rebuild] })
  close()
  t.match(
    contentOf(dataFile(directory)).get('agents'),
    contentOf(fixture).get('agents')!,
    'all of it; new columns may have come'
  )

  const before = contentOf(dataFile(directory))
  const loses = [...known, rebuild, { name: 'loses', sql: 'delete from idempotency_records;' }]
  await t.rejects(openFileStores({ directory, clock, known: loses }), {
    code: 'conflict', message: /"loses" would have lost data and was undone/
  })
  t.same(contentOf(dataFile(directory)), before)
  t.equal(readdirSync(path.join(directory, 'snapshots')).length, 1)
  const meant = [
    ...known,
    rebuild,
    { name: 'means-it', sql: '-- changes rows of: idempotency_records\ndelete from idempotency_records;' }
  ]
  const stores = await openFileStores({ directory, clock, known: meant })
  t.equal(stores.db.raw.prepare('select count(*) from idempotency_records').pluck().get(), 0)
  await stores.close()
})

t.test('a file of a newer program, or of another one, is refused and stays as it is', async (t) => {
  // Was wrong with the file opened for writing before its version was checked: the mode of another program's file
  // changed.
  const directory = directoryWith(t, path.join(fixtures, '0.1.0.db'))
  const file = dataFile(directory)
  const raw = new BetterSqlite3(file)
  raw.pragma('user_version = 9999')
  raw.close()
  const before = digest(file)
  await t.rejects(openFileStores({ directory, clock }), { code: 'conflict', message: /newer than this program.*9999/ })
  t.equal(digest(file), before)

  const other = t.testdir({ other: {} }) + '/other'
  mkdirSync(other, { recursive: true })
  const theirs = new BetterSqlite3(dataFile(other))
  theirs.exec('create table invoices (id)')
  theirs.close()
  const theirBytes = digest(dataFile(other))
  await t.rejects(openFileStores({ directory: other, clock }), { code: 'conflict', message: /another program/ })
  t.equal(digest(dataFile(other)), theirBytes)
  writeFileSync(dataFile(other), 'Not a database at all.'.repeat(500))
  await t.rejects(openFileStores({ directory: other, clock }), {
    code: 'unavailable', message: /damaged .*Nothing was changed.*restore --data/s
  })
  t.equal(readFileSync(dataFile(other), 'utf8').length, 'Not a database at all.'.length * 500)
})

t.test('beside a server of an older program nothing is upgraded', async (t) => {
  const directory = directoryWith(t, path.join(fixtures, '0.1.0.db'))
  const server = await openFileStores({ directory, clock, serving: true, room: { floor: 0, ballast: 0 } })
  const beside = await openFileStores({ directory, clock })
  t.equal((await beside.access.users()).length, 2, 'one of the same version works beside it')
  await beside.close()
  const waiting = openFileStores({ directory, clock, known: [...known, next] })
  await t.rejects(waiting, { code: 'conflict', message: /older version is serving/ })
  await server.close()
  const alone = await openFileStores({ directory, clock, known: [...known, next] })
  t.equal(alone.db.raw.pragma('user_version', { simple: true }), known.length + 1)
  await alone.close()
})

type Tap = Pick<typeof t, 'testdir'>
