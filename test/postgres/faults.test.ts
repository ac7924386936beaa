import t from 'tap'
import { openPostgres } from '../../src/platform/storage/postgres/open.ts'
import type { Database } from '../../src/platform/storage/sqlite/database.ts'
import type { OpenTables } from '../../src/platform/storage/tables.ts'
import { connected, emptyDatabase, skip } from './database.ts'

/** The tables of an empty database, twice: as one process has them and as another. */
async function tables (t: import('tap').Test, { serving = false } = {}) {
  const address = await emptyDatabase(t)
  const directory = t.testdir({})
  const open = async (more: object = {}) => {
    const opened = await openPostgres({ address, directory, ...more }, (tables) => tables) as OpenTables
    t.teardown(() => opened.close())
    return opened.db
  }
  const db = await open({ serving })
  const insert = db.objects("insert into users (name, tier, revision, created_at, updated_at) values (?, 'free', 1, 'x', 'x')")
  const add = (name: string) => insert.run(name)
  const names = async (of: Database = db) => await of.read(() => of.column('select name from users order by id').all())
  return { db, open, add, names, address }
}

t.test('what is written together is committed together, and what is refused goes alone', async (t) => {
  const { db, add, names } = await tables(t)
  const done = await Promise.allSettled(['Ada', 'Bob', 'Cyd'].map((name) => db.atomically(function * () {
    yield * add(name)
    if (name === 'Bob') throw new Error('no')
    return name
  })))
  t.strictSame(done.map(({ status }) => status), ['fulfilled', 'rejected', 'fulfilled'])
  t.strictSame(await names(), ['Ada', 'Cyd'])
})

t.test('a statement that fails can be seen to in its own transaction', async (t) => {
  const { db, names, add } = await tables(t)
  await t.rejects(db.atomically(function * () {
    yield * add('Ada')
    yield * db.objects('insert into users (id, name) values (1, null)').run()
  }), /null value/)
  await db.atomically(() => add('Bob'))
  t.strictSame(await names(), ['Bob'])
})

t.test('two processes write in turn, and who serves hears that somebody else has written', { skip }, async (t) => {
  const { db, open, add, names } = await tables(t, { serving: true })
  const other = await open()
  const before = db.generation()
  const count = db.column<[], number>('select count(*) from users')
  const both = [db, other].flatMap((one) => Array.from({ length: 10 }, (_, i) => one.atomically(function * () {
    const there = (yield * count.get())!
    yield * add(`${there} ${i}`)
  })))
  await Promise.all(both)
  t.strictSame((await names()).map((name) => Number(String(name).split(' ')[0])), Array.from({ length: 20 }, (_, i) => i))
  while (db.generation() === before) await new Promise(setImmediate)
  t.not(db.generation(), before)
})

t.test('what is read together is of one moment', { skip }, async (t) => {
  const { db, add } = await tables(t)
  const count = db.column<[], number>('select count(*) from users')
  await db.read(function * () {
    const first = yield * count.get()
    const other = db.atomically(() => add('Ada'))
    other.catch(() => {})
    for (let i = 0; i < 20; i++) t.equal(yield * count.get(), first)
  })
})

t.test('while the database is away whoever asks is refused for some seconds, and nothing ends', { skip }, async (t) => {
  const { db, add, names, address } = await tables(t)
  await db.atomically(() => add('Ada'))
  const admin = await connected(address)
  t.teardown(() => admin.end())
  const cut = async () => await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()')
  await cut()
  await t.rejects(db.atomically(function * () {
    yield * add('Bob')
    yield * db.objects('select pg_terminate_backend(pg_backend_pid())').get()
  }), { code: 'unavailable', headers: { 'retry-after': '5' } })
  t.strictSame(await names(), ['Ada'], 'and is answered as soon as it is back')
})

t.test('a sign that PostgreSQL keeps in no text is one that stands for it', async (t) => {
  const { db, add, names } = await tables(t)
  await db.atomically(() => add('a\0b {"a":"\\u0000 \\\\u0000"}'))
  t.strictSame(await names(), ['a\ufffdb {"a":"\ufffd \\\\u0000"}'])
})

t.test('only what one transaction writes can be part of another', async (t) => {
  const { db, add, names } = await tables(t)
  await t.rejects(async () => db.within(async () => await db.atomically(() => add('x'))), /Only what one transaction writes/)
  t.equal(await db.atomically(function * () {
    yield * add('Ada')
    return yield * db.within(async () => await db.atomically(function * () {
      yield * add('Bob')
      return 2
    }))
  }), 2)
  await t.rejects(db.atomically(function * () {
    yield * db.within(async () => await db.atomically(function * () { throw new Error('refused') }))
  }), /refused/)
  t.strictSame(await names(), ['Ada', 'Bob'])
})

t.test('who may not enter is told which setting to look at, without the password', async (t) => {
  const { address } = await tables(t)
  const other = new URL(address)
  other.pathname = '/nowhere'
  const opened = openPostgres({ address: other.href, directory: t.testdir({}) }, ({ close }) => close())
  // The in-memory server has one database, whatever its name.
  await opened.catch((refusal: Error) => t.match(refusal, { code: 'conflict', message: /Check AGENTHALL_DATABASE/ }))
})

t.test('a server whose lock was taken meanwhile refuses whoever asks, until it has it again', { skip }, async (t) => {
  const { names, add, db, address } = await tables(t, { serving: true })
  await db.atomically(() => add('Ada'))
  const other = await connected(address)
  t.teardown(() => other.end())
  const holder = "select pid from pg_stat_activity where application_name = 'agenthall serves' and datname = current_database()"
  const before = db.generation()
  const { rows: [{ key }] } = await other.query("select objid as key from pg_locks where locktype = 'advisory' and pid in (" + holder + ')')
  await other.query(`select pg_terminate_backend(pid) from (${holder}) as holders`)
  await other.query('select pg_advisory_lock($1)', [Number(key)])
  const refusal = async () => await names().then(() => undefined, ({ message }: Error) => message)
  while (await refusal() === undefined) await new Promise(setImmediate)
  t.match(await refusal(), /Another Agenthall is using this database/)
  t.ok(db.generation() > before, 'what it remembers is believed no longer')
  await other.query('select pg_advisory_unlock($1)', [Number(key)])
  while (await refusal() !== undefined) await new Promise(setImmediate)
  t.strictSame(await names(), ['Ada'])
})

t.test('what cannot be committed is refused, all of it', { skip }, async (t) => {
  const { db, add, names } = await tables(t)
  const writing = ['Ada', 'Bob'].map((name) => db.atomically(function * () {
    yield * add(name)
    if (name === 'Bob') yield * db.objects('select pg_terminate_backend(pg_backend_pid())').get()
  }))
  const ended = await Promise.allSettled(writing)
  t.strictSame(ended.map(({ status }) => status), ['rejected', 'rejected'])
  t.strictSame(await names(), [])
})
