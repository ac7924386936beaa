import { copyFileSync } from 'node:fs'
import path from 'node:path'
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import t, { type Test } from 'tap'
import { openPostgres } from '../../../../src/platform/storage/postgres/open.ts'
import { openDatabase, type Database } from '../../../../src/platform/storage/sqlite/database.ts'
import { pausing, type Work } from '../../../../src/platform/storage/work.ts'
import { emptyDatabase, skip } from '../../../postgres/database.ts'

const kept = sqliteTable('kept', { n: integer('n') })

/** A data file with a table, and what is done with it. */
function opened (t: Test) {
  const file = path.join(t.testdir({}), 'some.db')
  const db = openDatabase({ file })
  t.teardown(() => { if (db.isOpen()) db.close() })
  db.raw.exec('create table kept (n)')
  return { db, file, ...using(db) }
}

function using (db: Database) {
  const insert = db.objects<[number | string]>('insert into kept values (?)')
  const count = db.column<[], number>('select count(*) from kept')
  return {
    insert,
    count: async () => await db.read(() => count.get()),
    /** How many it sees itself. */
    counted: count,
    /** Writes, and goes on once it is told to. */
    halted (before: () => Work<unknown>, after: () => Work<unknown> = function * () {}) {
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
      const gate = { isOpen: false }
      const written = db.atomically(function * () {
        yield * before()
        reach()
        while (!gate.isOpen) yield * pausing()
        yield * after()
        return yield * count.get()
      }, { isLong: true })
      return { reached, written, goOn () { gate.isOpen = true } }
    }
  }
}

t.test('while long work is written others read what was there before, and write once it has ended', async (t) => {
  // Was wrong: it held the event loop from its beginning to its end.
  const { db, insert, count, halted } = opened(t)
  const done: string[] = []
  const { reached, written, goOn } = halted(() => insert.run(1), () => insert.run(2))
  await reached
  t.equal(await count(), 0)
  const other = db.atomically(() => insert.run(3)).then(() => done.push('other'))
  t.equal(await count(), 0)
  goOn()
  t.equal(await written.then((n) => { done.push('long'); return n }), 2)
  await other
  t.strictSame([done, await count()], [['long', 'other'], 3])
})

t.test('long work pauses by itself between its statements', async (t) => {
  const { db, insert, count } = opened(t)
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  turn()
  await db.atomically(function * () {
    const began = performance.now()
    for (let n = 0; performance.now() - began < 100; n++) yield * insert.run(n)
  }, { isLong: true })
  isOver = true
  t.ok(turns > 4, `others had ${turns} turns`)
  t.ok((await count())! > 0)
})

t.test('what long work throws undoes all of it, and what was to come afterwards', async (t) => {
  const { db, insert, count, halted } = opened(t)
  const { reached, written, goOn } = halted(function * () {
    yield * insert.run(1)
    yield * db.afterwards(() => t.fail('nothing was committed'))
  }, function * () { throw new Error('no') })
  await reached
  goOn()
  await t.rejects(written, { message: 'no' })
  await db.atomically(() => insert.run(2))
  t.equal(await count(), 1)
})

t.test('of long work nothing is left when the server is killed in the middle of it', async (t) => {
  const { file, insert, count, halted } = opened(t)
  const { reached, written, goOn } = halted(function * () {
    // More than the connection keeps in memory: much of it is in the log already.
    for (let n = 0; n < 100; n++) yield * insert.run('x'.repeat(100_000))
  })
  await reached
  const copy = path.join(path.dirname(file), 'copy.db')
  for (const part of ['', '-wal']) copyFileSync(file + part, copy + part)
  const other = openDatabase({ file: copy })
  t.teardown(() => other.close())
  t.strictSame(
    [other.raw.pragma('integrity_check', { simple: true }), other.raw.prepare('select count(*) from kept').pluck().get()],
    ['ok', 0]
  )
  goOn()
  await written
  t.equal(await count(), 100)
})

t.test('a server that stops does not wait for long work', async (t) => {
  const { db, file, insert, halted } = opened(t)
  const { reached, written } = halted(() => insert.run(1))
  await reached
  const refused = [written, db.atomically(() => insert.run(2), { isLong: true })]
    .map((one) => t.rejects(one, { code: 'unavailable' }))
  const other = db.atomically(() => insert.run(3))
  db.close()
  await Promise.all([...refused, other])
  const again = openDatabase({ file })
  t.teardown(() => again.close())
  t.strictSame(again.raw.prepare('select n from kept').pluck().all(), [3])
})

t.test('whoever waits too long for long work is told to try again, and so is work that takes too long', async (t) => {
  const { db, insert, count, halted } = opened(t)
  const { now } = performance
  let ahead = 0
  t.intercept(performance, 'now', { value: () => now.call(performance) + ahead })
  const { reached, written } = halted(() => insert.run(1))
  await reached
  const waiting = db.atomically(() => insert.run(2))
  ahead = 5001
  await t.rejects(waiting, { code: 'unavailable', headers: { 'retry-after': '5' } })
  ahead = 31_000
  await t.rejects(written, { code: 'unavailable', message: /took too long/ })
  t.equal(await count(), 0)
})

t.test('a statement, a query of the builder and a prepared one all run where the long work does', async (t) => {
  const { db, insert, counted, count, halted } = opened(t)
  const prepared = db.orm.insert(kept).values({ n: 3 }).prepare()
  await db.atomically(() => db.run(prepared))
  const { reached, written, goOn } = halted(function * () {
    yield * insert.run(1)
    yield * db.run(db.orm.insert(kept).values({ n: 2 }))
    yield * db.run(prepared)
    t.strictSame(yield * db.all(db.orm.select().from(kept)), [{ n: 3 }, { n: 1 }, { n: 2 }, { n: 3 }])
    t.equal(yield * counted.get(), 4)
    t.equal((yield * db.get(db.orm.select().from(kept)))?.n, 3)
    // A step in a step: what a store's method would write by itself.
    yield * db.within(() => db.atomically(() => insert.run(4)))
  })
  await reached
  t.strictSame([await count(), await db.read(() => db.all(db.orm.select().from(kept)))], [1, [{ n: 3 }]])
  goOn()
  t.equal(await written, 5)
})

t.test('after long work others write for as long as it took, then the next begins', async (t) => {
  const { db, insert, count, halted } = opened(t)
  const order: string[] = []
  const first = halted(() => insert.run(1))
  await first.reached
  const second = db.atomically(() => insert.run(2), { isLong: true }).then(() => order.push('second long'))
  const other = db.atomically(() => insert.run(3)).then(() => order.push('other'))
  first.goOn()
  await Promise.all([first.written, second, other])
  t.strictSame([order, await count()], [['other', 'second long'], 3])
})

t.test('on PostgreSQL work that asks little lets others in too', { skip }, async (t) => {
  const { db } = await openPostgres({ address: await emptyDatabase(t), directory: t.testdir({}) }, (tables) => tables)
  t.teardown(() => db.close())
  await db.atomically(() => db.objects('create table kept (n bigint)').run())
  const { insert, count, halted } = using(db)
  const { reached, written, goOn } = halted(() => insert.run(1))
  await reached
  t.equal(await count(), 0)
  goOn()
  t.equal(await written, 1)
})
