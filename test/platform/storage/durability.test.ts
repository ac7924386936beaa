import { hash } from 'node:crypto'
import {
  copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, symlinkSync,
  writeFileSync
} from 'node:fs'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { assertRecent, connect, refusalOf } from '../../../src/platform/storage/sqlite/connect.ts'
import { finish, openDatabase } from '../../../src/platform/storage/sqlite/database.ts'
import { faultsOf, inspect } from '../../../src/platform/storage/sqlite/check.ts'
import { beginFile } from '../../../src/platform/storage/sqlite/migrate.ts'
import { lockFile, servedBy, takeLock } from '../../../src/platform/storage/sqlite/disk/lock.ts'
import { freeBytes, watchSpace } from '../../../src/platform/storage/sqlite/disk/space.ts'
import type { Work } from '../../../src/platform/storage/work.ts'
import { inSlices } from '../../../src/platform/work/slices.ts'
import { dataFile } from '../../../src/data-file.ts'
import { openFileStores, type StoresOptions } from '../../../src/stores.ts'
import { trainingBytesFaults } from '../../../src/agents/index.ts'
import { fixedClock } from '../../helper.ts'

const clock = fixedClock()
const noRoom = { floor: 0, ballast: 0 }
const serve = (directory: string, options: Partial<StoresOptions> = {}) =>
  openFileStores({ directory, clock, serving: true, room: noRoom, ...options })
const sumsIn = (directory: string) =>
  new Map(
    ['', '-wal']
      .map((end) => dataFile(directory) + end)
      .filter(existsSync)
      .map((file) => [file, hash('sha256', readFileSync(file))])
  )

/** A data directory as a killed server leaves it: nothing checkpointed, the lock's note not removed. */
async function killed (t: Tap, write = async (_stores: Awaited<ReturnType<typeof serve>>) => {}) {
  const [life, death] = [t.testdir({ life: {}, death: {} })].flatMap((root) => [`${root}/life`, `${root}/death`]) as [
    string,
    string
  ]
  const stores = await serve(life)
  await write(stores)
  stores.db.raw.pragma('wal_checkpoint(PASSIVE)')
  await stores.access.createUser({ name: 'After the checkpoint' })
  for (const name of ['agenthall.db', 'agenthall.db-wal', 'agenthall.lock']) {
    writeFileSync(path.join(death, name), readFileSync(path.join(life, name)))
  }
  await stores.close()
  return death
}

t.test('every connection waits for the disk with a SQLite that loses nothing, or does not open', async (t) => {
  const directory = t.testdir({})
  const { db, close } = await serve(directory)
  t.equal(db.raw.pragma('journal_mode', { simple: true }), 'wal')
  t.equal(db.raw.pragma('synchronous', { simple: true }), 1, 'a server waits beside its event loop: see log-sync')
  const alone = connect(dataFile(directory))
  t.equal(alone.pragma('synchronous', { simple: true }), 2)
  alone.close()
  t.equal(db.raw.pragma('trusted_schema', { simple: true }), 0)
  t.equal(statSync(dataFile(directory)).mode & 0o077, 0, 'only its owner may read it')
  close()
  t.throws(() => assertRecent('3.51.2'), { code: 'unavailable', message: /can lose data/ })
  t.throws(() => assertRecent('3.50.9'))
  t.doesNotThrow(() => assertRecent('3.51.3'))
  t.doesNotThrow(() => assertRecent('4.0'))
  t.throws(() => connect(':memory:'), { message: /write-ahead log/ }, 'where there is no log, it is refused')
})

t.test('a data file with two names is refused in a sentence', async (t) => {
  const directory = t.testdir({ real: {}, linked: {}, hard: {}, folder: { 'agenthall.db': {} } })
  const real = path.join(directory, 'real')
  await (await serve(real)).close()
  symlinkSync(dataFile(real), dataFile(path.join(directory, 'linked')))
  await t.rejects(serve(path.join(directory, 'linked')), { code: 'conflict', message: /symbolic link/ })
  linkSync(dataFile(real), dataFile(path.join(directory, 'hard')))
  await t.rejects(serve(path.join(directory, 'hard')), { code: 'conflict', message: /hard link/ })
  await t.rejects(serve(real), { code: 'conflict', message: /hard link/ })
  await t.rejects(serve(path.join(directory, 'folder')), { code: 'conflict', message: /not a file/ })
})

t.test(
  'one server a directory: the second is refused, commands are not, and the lock ends with its holder',
  async (t) => {
    // Was wrong without the lock: the second opened.
    const directory = t.testdir({})
    const first = await serve(directory)
    await t.rejects(serve(directory), { code: 'conflict', message: /Another Agenthall is using the data directory/ })
    t.equal(readFileSync(lockFile(directory)).readUInt32BE(60), process.pid, 'the lock says who serves')
    const command = await openFileStores({ directory, clock })
    await command.access.createUser({ name: 'Beside' })
    await command.close()
    t.equal((await first.access.users()).length, 1)
    await first.close()
    const second = await serve(directory)
    await second.close()
    mkdirSync(path.join(directory, 'agenthall', 'agenthall.lock'), { recursive: true })
    t.throws(() => takeLock(path.join(directory, 'agenthall')), {
      code: 'conflict', message: /is not the lock that Agenthall makes/
    })
  }
)

t.test('a lock file with garbage in it is called a damaged lock, not a damaged data file', async (t) => {
  const directory = t.testdir({})
  await (await serve(directory)).close()
  for (const garbage of ['garbage', 'garbage '.repeat(5000)]) {
    writeFileSync(lockFile(directory), garbage)
    t.equal(servedBy(directory), undefined, 'and tells of no server')
    await t.rejects(serve(directory), {
      code: 'conflict',
      message: `${lockFile(directory)} is not the lock that Agenthall makes there. The data itself is not touched. Make sure that no server runs on this directory, remove agenthall.lock, and try again.`
    })
  }
  rmSync(lockFile(directory))
  await (await serve(directory)).close()
})

t.test('an empty data file without a log is a damaged one, not a new installation', async (t) => {
  const directory = t.testdir({ 'agenthall.db': '' })
  await t.rejects(serve(directory), {
    code: 'unavailable', message: /agenthall\.db is damaged \(it is empty, and not because of this program\)/
  })
  t.equal(statSync(dataFile(directory)).size, 0, 'and it stays as it was')
  const begun = t.testdir({ begun: {} }) + '/begun'
  beginFile(dataFile(begun))
  await (await serve(begun)).close()
  t.strictSame(
    readdirSync(begun).filter((name) => name === 'snapshots' || name.includes('partial')),
    [],
    'a beginning that was cut short goes on, and nothing was there to be kept'
  )
})

t.test('after a kill the file is looked through: what is whole is served, with everything acknowledged', async (t) => {
  const directory = await killed(t)
  const stores = await serve(directory)
  t.equal((await stores.access.users()).length, 1)
  await stores.close()
  const lock = takeLock(directory)!
  t.equal(lock.unclean, 0, 'a clean stop takes the note back')
  lock.release()
})

t.test('a damaged file is refused with the way out, and neither it nor its log changes', async (t) => {
  // Was wrong without `quick_check`: nobody noticed the page in the middle.
  const directory = await killed(t, async ({ access }) => {
    for (let i = 0; i < 50; i++) await access.createUser({ name: `User ${i} ${'x'.repeat(150)}` })
  })
  const bytes = readFileSync(dataFile(directory))
  bytes.fill(0x5a, 4096 * 10, 4096 * 11)
  writeFileSync(dataFile(directory), bytes)
  const before = sumsIn(directory)
  await t.rejects(serve(directory), {
    code: 'unavailable', message: new RegExp(`${directory}.* is damaged .*restore --data ${directory} BACKUP`, 's')
  })
  await t.rejects(openFileStores({ directory, clock }), { message: /is damaged/ }, 'to commands too')
  t.same(sumsIn(directory), before)
  t.not(takeLock(directory)!.unclean, 0, 'the next start looks again')
})

t.test('a log without its file is not thrown away', async (t) => {
  const directory = await killed(t)
  renameSync(dataFile(directory), path.join(directory, 'moved'))
  const before = sumsIn(directory)
  await t.rejects(serve(directory), { message: /its log is there but the file itself is missing/ })
  t.same(sumsIn(directory), before)
})

t.test('a process killed while it changed the mode of the file leaves no damage', async (t) => {
  // Was wrong, refused as damaged, when a restore was killed as it checkpointed the log.
  const directory = await killed(t)
  const raw = new BetterSqlite3(dataFile(directory))
  raw.pragma('journal_mode = DELETE')
  raw.pragma('cache_size = 1')
  raw.exec(
    "begin; create table begun (a); insert into begun select randomblob(90000); update users set name = 'Half'; insert into begun select randomblob(90000)"
  )
  const half = path.join(directory, 'half')
  mkdirSync(half)
  for (const end of ['', '-journal']) copyFileSync(dataFile(directory) + end, dataFile(half) + end)
  raw.close()
  t.throws(() => inspect(dataFile(half)), { code: 'unavailable', message: /Start the server/ })
  const stores = await serve(half)
  t.same((await stores.access.users()).map(({ name }) => name), ['After the checkpoint'])
  await stores.close()
})

t.test('what goes wrong inside the file is told in words', async (t) => {
  const error = (code: string) => refusalOf(new BetterSqlite3.SqliteError('inside', code)) as Error
  t.match(error('SQLITE_FULL'), { code: 'storage_full' })
  t.match(error('SQLITE_BUSY_SNAPSHOT'), { code: 'unavailable', headers: { 'retry-after': '5' } })
  t.match(error('SQLITE_IOERR_FSYNC'), { code: 'unavailable' })
  t.match(error('SQLITE_CORRUPT_VTAB'), { code: 'unavailable', message: /damaged/ })
  t.match(error('SQLITE_NOTADB'), { message: /agenthall (-- )?doctor/ })
  t.equal(error('SQLITE_CONSTRAINT').message, 'inside')
})

/** A data file on a disk that answers only when it is told to. */
function onSlowDisk (t: Tap) {
  const waiting: Array<(error?: unknown) => void> = []
  const db = openDatabase({
    file: path.join(t.testdir({}), 'slow.db'),
    logSync: { later: (done) => { waiting.push(done) }, now () { waiting.length = 0 }, close () {} }
  })
  db.raw.exec('create table kept (n)')
  const add = async (n: number) => { await db.atomically(() => db.column('insert into kept values (?)').run(n)) }
  const kept = () => db.raw.prepare('select count(*) from kept').pluck().get()
  const turns = async () => { for (let i = 0; i < 5; i++) await new Promise(setImmediate) }
  return { db, waiting, add, kept, turns }
}

t.test('a slow disk keeps those waiting who write, and nobody else', async (t) => {
  // Was wrong: everybody waited, for as long as the disk took to keep one commit.
  const { db, waiting, add, turns } = onSlowDisk(t)
  const done: number[] = []
  const write = (n: number) => add(n).then(() => done.push(n))
  const first = write(1)
  await turns()
  const later = [write(2), write(3)]
  await turns()
  t.equal(await db.read(() => db.column<[], number>('select count(*) from kept').get()), 1, 'it can be read meanwhile')
  t.same(done, [], 'nothing is acknowledged that is not on the disk')
  t.equal(waiting.length, 1, 'nothing is written behind it')
  waiting.shift()!()
  await first
  await turns()
  t.same([done, waiting.length], [[1], 1], 'what waited is written together')
  waiting.shift()!()
  await Promise.all(later)
  await db.atomically(() => db.column('update kept set n = 0 where n > 3').run())
  t.equal(waiting.length, 0, 'what changes nothing does not wait for the disk')
  const last = write(4)
  await turns()
  db.close()
  await last
  t.same(done, [1, 2, 3, 4], 'the end waits for it')
})

t.test('after the disk has failed nothing is written until the next start', async (t) => {
  // What is behind a part of the log that is not on the disk would be lost with it.
  const { db, waiting, add, kept, turns } = onSlowDisk(t)
  const [first, ran] = [add(1), [] as string[]]
  const told = db.atomically(function * () { yield * db.afterwards(() => ran.push('told')) })
  await turns()
  const behind = add(2)
  const refused = { code: 'unavailable', message: /disk failed.*restarted/ }
  const all = [first, told, behind].map((one) => t.rejects(one, refused))
  waiting.shift()!(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }))
  await Promise.all(all)
  await t.rejects(add(3), refused)
  t.same([kept(), ran], [1, []])
  t.match(db.failure(), refused)
  const beside = connect(db.file)
  beside.pragma('busy_timeout = 0')
  t.throws(() => beside.exec('insert into kept values (4)'), { code: 'SQLITE_BUSY' }, 'by no other process either')
  beside.close()
  db.close()
})

t.test('while another process holds the file, writes wait, reads go on and the event loop is free', async (t) => {
  // Was wrong with a timeout of 5 s inside SQLite: the loop was blocked for as long as the lock was held.
  const directory = t.testdir({})
  const { db, access, close } = await serve(directory)
  const foreign = connect(dataFile(directory))
  foreign.exec('BEGIN IMMEDIATE')
  const write = access.createUser({ name: 'Waits' })
  let [read, turns] = [0, 0]
  const started = performance.now()
  while (performance.now() - started < 400) {
    await new Promise(setImmediate)
    read += (await access.users()).length === 0 ? 1 : 0
    turns++
  }
  t.equal(read, turns)
  // However slow the machine: a loop that is blocked for the whole timeout takes one turn.
  t.ok(turns > 2, `${turns} turns`)
  t.equal(db.waiting(), 1)
  foreign.exec('ROLLBACK')
  foreign.close()
  t.equal((await write).user.name, 'Waits')
  await t.rejects(db.atomically(() => { throw new Error('alone') }), { message: 'alone' })
  await t.rejects(db.read(function * () { return db.raw.prepare('nonsense') }), { code: 'SQLITE_ERROR' })
  close()
})

t.test('a full disk refuses what grows and lets through what frees', async (t) => {
  const directory = t.testdir({})
  let free = 1000
  let now = 0
  const asked: number[] = []
  const space = watchSpace({
    directory,
    floor: 500,
    ballast: 100,
    now: () => now,
    free: () => {
      asked.push(now)
      return free
    }
  })
  const ballast = path.join(directory, 'agenthall.ballast')
  t.equal(statSync(ballast).size, 100)
  const grow = () => space.check({ frees: false, reusable: () => 0 })
  grow()
  grow()
  t.same(new Set(asked), new Set([0]), 'the file system is asked at most once a second')
  now = 1001
  free = 499
  t.throws(grow, { code: 'storage_full' })
  space.check({ frees: true, reusable: () => 0 })
  space.check({ frees: false, reusable: () => 1 })
  t.throws(() => space.check({ frees: false, reusable: () => 0 }), 'room inside the file is used before it grows')
  t.ok(existsSync(ballast))
  now = 1300
  free = 99
  t.throws(() => space.check({ frees: false, reusable: () => 1000 }), { code: 'storage_full' })
  t.notOk(existsSync(ballast), 'the ballast is given up before the disk is full')
  t.same(space.room(), { free: 99, ballast: false })
  t.notOk(space.relieve(), 'there is none to give up twice')
  now = 1600
  free = 600
  grow()
  t.same(space.room(), { free: 600, ballast: true }, 'and made again when there is room')
  t.ok(space.relieve())
  t.ok(freeBytes(directory) > 0)
})

t.test('half a ballast, which a kill leaves, is made whole or taken away', async (t) => {
  const directory = t.testdir({ 'agenthall.ballast': 'half' })
  watchSpace({ directory, floor: 500, ballast: 100, free: () => 550 })
  t.notOk(existsSync(path.join(directory, 'agenthall.ballast')))
  watchSpace({ directory, floor: 500, ballast: 100, free: () => 600 })
  t.equal(statSync(path.join(directory, 'agenthall.ballast')).size, 100)
  const full = watchSpace({ directory: path.join(directory, 'missing'), floor: 0, ballast: 1, free: () => 600 })
  t.equal(full.room().ballast, false, 'where it cannot be made, there is none')
})

t.test('when the disk fills up in the middle, the ballast lets deletes through and growth is refused', async (t) => {
  // The database is kept from growing, which SQLite reports exactly like a full disk.
  const directory = t.testdir({})
  const file = dataFile(directory)
  let ballast = true
  const db = openDatabase({
    file,
    space: {
      check: ({ frees, reusable }) => {
        if (!frees && !ballast && reusable() === 0) {
          throw refusalOf(new BetterSqlite3.SqliteError('full', 'SQLITE_FULL'))
        }
      },
      relieve () {
        const had = ballast
        ballast = false
        db.raw.pragma('max_page_count = 1000')
        return had
      },
      room: () => ({ free: 0, ballast })
    }
  })
  await db.atomically(function * () { db.raw.exec('create table t (b)') })
  db.raw.pragma(`max_page_count = ${db.raw.pragma('page_count', { simple: true })}`)
  const grow = function * () { db.raw.prepare('insert into t values (randomblob(20000))').run() }
  await t.rejects(db.atomically(grow), { code: 'storage_full' })
  t.ok(ballast, 'growth alone does not cost the ballast')
  const [grown, freed] = await Promise.allSettled([
    db.atomically(grow),
    db.atomically(
      function * () {
        yield * grow()
        return 'freed'
      },
      { frees: true }
    )
  ])
  t.match(grown, { status: 'rejected', reason: { code: 'storage_full' } })
  t.match(freed, { status: 'fulfilled', value: 'freed' })
  // Was wrong with a database that does not check: this one would fit.
  await t.rejects(db.atomically(grow), { code: 'storage_full' }, 'without the ballast nothing grows any more')
  db.close()
})

t.test('of what is committed together, a piece that throws is undone alone, and none is acknowledged when the commit fails', async (t) => {
  // Was wrong without the rollback to the savepoint, and with pieces settled before the commit.
  const db = openDatabase({ file: dataFile(t.testdir({})) })
  await db.atomically(function * () {
    db.raw.exec(
      'create table parents (id integer primary key); create table children (parent integer references parents deferrable initially deferred)'
    )
  })
  const add = function * (id: number) { db.raw.prepare('insert into parents values (?)').run(id) }
  const kept = () => db.raw.prepare('select id from parents order by id').pluck().all()
  const together = (...pieces: Array<() => Work<void>>) => Promise.allSettled(
    pieces.map((piece) => db.atomically(piece))
  )
  const outcomes = async (...pieces: Array<() => Work<void>>) => (await together(...pieces)).map(({ status }) => status)
  t.same(
    await outcomes(
      () => add(1),
      function * () {
        yield * add(2)
        throw new Error('after its write')
      },
      () => add(3)
    ),
    ['fulfilled', 'rejected', 'fulfilled']
  )
  t.same(kept(), [1, 3])
  // A broken reference is found only on commit.
  t.same(
    await outcomes(
      () => add(4),
      function * () {
        db.raw.exec('insert into children values (99)')
      }
    ),
    ['rejected', 'rejected']
  )
  t.same([kept(), db.raw.inTransaction], [[1, 3], false])
  t.same(await outcomes(() => add(4)), ['fulfilled'], 'and the next is written')
  db.close()
})

t.test('sums that disagree are named', async (t) => {
  const { db, access, close } = await serve(t.testdir({}))
  await access.createUser({ name: 'Owner' })
  t.same(finish(trainingBytesFaults(db)), [])
  const columns = (db.raw.pragma('table_info(agents)') as Array<{ name: string }>).map(({ name }) => name)
  const values = columns.map((name) =>
    name === 'owner_id' ? 1 : name === 'id' ? 7 : name === 'total_training_usage_bytes' ? 12 : 0
  )
  db.raw.exec(`insert into agents (${columns}) values (${values})`)
  t.same(finish(trainingBytesFaults(db)), ['agent 7 is charged 12 training bytes and its sources have 0'])
  t.same(faultsOf(db.raw, 'integrity_check'), [])
  close()
})

t.test('a log that cannot be folded in on a full disk stays, and nothing is lost', async (t) => {
  const directory = t.testdir({})
  const db = openDatabase({ file: dataFile(directory) })
  await db.atomically(function * () { db.raw.exec('create table t (b); insert into t values (1)') })
  const pragma = db.raw.pragma.bind(db.raw)
  db.raw.pragma = ((text: string, options?: object) => {
    if (text.startsWith('wal_checkpoint')) throw new BetterSqlite3.SqliteError('full', 'SQLITE_FULL')
    return pragma(text, options as never)
  }) as typeof pragma
  db.close()
  t.notOk(db.raw.open)
  t.ok(readdirSync(directory).includes('agenthall.db'))
})

type Tap = Pick<typeof t, 'testdir'>

t.test('a long work moves what it writes into the file in small portions', async (t) => {
  // Was wrong: a thousand pages at a time, spread over a large file, blocked everybody for 90 ms and more.
  const db = openDatabase({ file: dataFile(t.testdir({})) })
  t.teardown(() => { db.close() })
  db.raw.exec('create table pages (id integer primary key, bytes blob)')
  const write = db.raw.prepare('insert into pages (bytes) values (zeroblob(400000))')
  const slice = inSlices(db, new AbortController().signal)
  for (let i = 0; i < 20; i++) {
    await slice(function * () {
      write.run()
      return true
    })
  }
  t.ok(statSync(`${db.file}-wal`).size < 400 * 4200, 'never 400 pages at once')
  t.equal(db.raw.pragma('wal_autocheckpoint', { simple: true }), 1000, 'others write as ever')
})
