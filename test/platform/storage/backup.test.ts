import {
  chmodSync, chownSync, copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, readdirSync, statSync,
  truncateSync, utimesSync, writeFileSync
} from 'node:fs'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { knownMigrations } from '../../../src/platform/storage/sqlite/migrate.ts'
import { backup, inWords, verify } from '../../../src/platform/storage/sqlite/backup.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { partialOf, sweepPartials } from '../../../src/platform/files.ts'
import { refuseSource, restore, tidyUp } from '../../../src/platform/storage/sqlite/restore.ts'
import {
  backupApart, durationMs, scheduleBackups, type MakeBackup
} from '../../../src/platform/storage/sqlite/scheduled-backups.ts'
import { accounting, dataFile } from '../../../src/data-file.ts'
import { openStores } from '../../../src/stores.ts'
import { fixedClock } from '../../helper.ts'

const clock = fixedClock()
const fixture = path.join(import.meta.dirname, '../../fixtures/databases/0.1.0.db')
const judge = { accounting }
const micros = Date.UTC(2026, 0, 1) * 1000

/** A data directory with these users, and its file. */
async function directoryOf (t: Tap, names: string[], directory = t.testdir({})) {
  const stores = await openStores({ directory, clock })
  for (const name of names) await stores.access.createUser({ name })
  return { directory, file: dataFile(directory), stores }
}

async function usersIn (directory: string) {
  const stores = await openStores({ directory, clock })
  const names = (await stores.access.users()).map(({ name }) => name)
  await stores.close()
  return names
}

t.test('a backup made while others write holds everything acknowledged before it began', async (t) => {
  // Was wrong with a plain copy of the file: the content of the log was missing.
  const { directory, file, stores } = await directoryOf(t, ['Before'])
  const to = path.join(directory, 'copy.db')
  const writing = new AbortController()
  const writer = (async () => { while (!writing.signal.aborted) await stores.access.createUser({ name: 'During' }) })()
  const seen: number[] = []
  const verified = await backup({ file, to, ...judge, onProgress: (done) => { seen.push(done) } })
  writing.abort()
  await writer
  await stores.close()
  t.equal(seen.at(-1), 1)
  t.ok(verified.rows >= 2 && verified.bytes > 4096)
  t.same(readdirSync(directory).filter((name) => name.startsWith('copy')), ['copy.db'], 'one file')
  t.equal(statSync(to).mode & 0o077, 0)
  const raw = new BetterSqlite3(to, { readonly: true })
  t.equal(raw.prepare("select count(*) from users where name = 'Before'").pluck().get(), 1)
  raw.close()
  await t.rejects(backup({ file, to, ...judge }), { code: 'conflict', message: /--force/ })
  await backup({ file, to, ...judge, force: true })
})

t.test('a backup is never put where it would do harm', async (t) => {
  const { directory, file, stores } = await directoryOf(t, ['Ada'])
  const to = (name: string) => backup({ file, to: path.join(directory, name), ...judge, force: true })
  for (const name of ['agenthall.db', 'agenthall.db-wal', 'agenthall.lock', 'agenthall.ballast']) {
    await t.rejects(to(name), { code: 'conflict', message: /file of the server itself/ })
  }
  mkdirSync(path.join(directory, 'folder'))
  await t.rejects(to('folder'), { code: 'conflict', message: /is not a file/ })
  await t.rejects(to('none/file.db'), { code: 'not_found', message: /no folder/ })
  await t.rejects(backup({ file: path.join(directory, 'none.db'), to: path.join(directory, 'x'), ...judge }), {
    code: 'not_found'
  })
  t.match(inWords(Object.assign(new Error(), { code: 'ENOSPC' }), 'x'), { code: 'storage_full' })
  t.match(inWords(Object.assign(new Error(), { code: 'EIO', path: file, syscall: 'write' }), file), {
    code: 'conflict', message: /agenthall\.db cannot be used\. The system refuses it \(EIO\)/
  })
  await stores.close()
})

t.test('a backup whose sums do not agree is not called good, and leaves nothing behind', async (t) => {
  const { directory, file, stores } = await directoryOf(t, ['Ada'])
  await t.rejects(backup({ file, to: path.join(directory, 'copy.db'), accounting: () => ['the sums are off'] }), {
    code: 'unavailable', message: /the sums are off/
  })
  t.notOk(readdirSync(directory).some((name) => name.startsWith('copy')))
  await stores.close()
})

t.test('a restore puts the backup in place and keeps what was there, its log folded in', async (t) => {
  const { directory, file, stores } = await directoryOf(t, ['Old'])
  await stores.close()
  const before = await directoryOf(t, ['New'], path.join(directory, 'other'))
  const from = path.join(directory, 'backup.db')
  await backup({ file: before.file, to: from, ...judge })
  await before.stores.close()
  const restored = restore({ from, file, micros, ...judge })
  t.equal(restored.kept, `${file}.replaced-20260101T000000000Z`)
  t.same(await usersIn(directory), ['New'])
  t.same(
    restore({ from: restored.kept!, file, micros: micros + 1e6, ...judge }).rows,
    restored.rows,
    'what was kept is itself a backup'
  )
  t.same(await usersIn(directory), ['Old'])
  const fresh = path.join(directory, 'fresh')
  mkdirSync(fresh)
  t.equal(restore({ from, file: dataFile(fresh), micros, ...judge }).kept, undefined)
  t.same(await usersIn(fresh), ['New'])
})

t.test('a damaged file is replaced too, and kept with its log as it was', async (t) => {
  // Was wrong with the log left next to the restored file: SQLite would have replayed it into the new one.
  const { directory, file, stores: first } = await directoryOf(t, ['Folded in'])
  await first.close()
  const { stores } = await directoryOf(t, ['In the log'], directory)
  const ruin = path.join(directory, 'ruin')
  mkdirSync(ruin)
  copyFileSync(`${file}-wal`, `${dataFile(ruin)}-wal`)
  await stores.close()
  // Pages of tables other than the one in the log.
  writeFileSync(dataFile(ruin), readFileSync(file).fill(0x5a, 4096 * 9, 4096 * 15))
  const log = readFileSync(`${dataFile(ruin)}-wal`)
  const { kept } = restore({ from: fixture, file: dataFile(ruin), micros, ...judge })
  t.same(readFileSync(`${kept}-wal`), log)
  t.notOk(existsSync(`${dataFile(ruin)}-wal`))
  t.equal((await usersIn(ruin)).length, 2)
})

t.test('a hostile or strange backup is refused, and the data stays', async (t) => {
  // Was wrong without the comparison of schemas: views, triggers and altered tables went through.
  const { directory, file, stores } = await directoryOf(t, ['Mine'])
  await stores.close()
  const from = path.join(directory, 'from.db')
  const attempt = (change: (raw: BetterSqlite3.Database) => void) => {
    copyFileSync(fixture, from)
    const raw = new BetterSqlite3(from)
    change(raw)
    raw.close()
    return () => restore({ from, file, micros, ...judge })
  }
  const exec = (sql: string) => attempt((raw) => raw.exec(sql))
  t.throws(exec("create trigger evil after insert on agents begin update users set tier = 'enterprise'; end"), {
    code: 'conflict', message: /trigger evil is not ours/
  })
  t.throws(exec('create view evil as select * from api_keys'), { message: /view evil is not ours/ })
  t.throws(exec('drop table agents; create view agents as select * from users'), {
    message: /view agents is not ours.*table agents is missing/s
  })
  t.throws(exec('create table extra (a)'), { message: /table extra is not ours/ })
  t.throws(exec('create index extra on users (name)'), { message: /index extra is not ours/ })
  t.throws(exec('drop index api_keys_by_user'), { message: /api_keys_by_user is missing/ })
  t.throws(exec("alter table users add column evil text default 'x'"), { message: /table users is not ours/ })
  t.throws(exec('pragma application_id = 1'), { code: 'conflict', message: /another program/ })
  t.throws(exec('pragma user_version = 9999'), { code: 'conflict', message: /newer/ })
  t.throws(exec('update agents set total_training_usage_bytes = 7 where id = 2'), {
    code: 'unavailable', message: /charged 7/
  })
  t.throws(exec('pragma foreign_keys = off; delete from users where id = 1'), {
    code: 'unavailable', message: /refers to one that does not exist/
  })
  const bytes = readFileSync(fixture)
  writeFileSync(from, bytes.fill(0x5a, 4096 * 4, 4096 * 6))
  t.throws(() => restore({ from, file, micros, ...judge }), { code: 'unavailable', message: /damaged/ })
  writeFileSync(from, 'no database at all')
  t.throws(() => restore({ from, file, micros, ...judge }), { code: 'unavailable' })
  writeFileSync(from, '')
  t.throws(() => restore({ from, file, micros, ...judge }), { code: 'conflict', message: /empty database/ })
  t.throws(() => restore({ from: path.join(directory, 'none'), file, micros, ...judge }), { code: 'not_found' })
  writeFileSync(`${from}-wal`, 'x')
  t.throws(() => restore({ from, file, micros, ...judge }), { code: 'conflict', message: /in use and not a backup/ })
  const huge = path.join(directory, 'huge')
  writeFileSync(huge, '')
  truncateSync(huge, 2 ** 43)
  t.throws(() => restore({ from: huge, file, micros, ...judge }), { code: 'storage_full' })
  t.same(await usersIn(directory), ['Mine'])
  t.same(readdirSync(directory).filter((name) => /partial|replaced/.test(name)), [])
})

t.test('a restore is refused while another command has the file open', async (t) => {
  const { directory, file, stores } = await directoryOf(t, ['Mine'])
  t.throws(() => restore({ from: fixture, file, micros, ...judge }), { code: 'conflict', message: /Another command/ })
  await stores.close()
  t.same(await usersIn(directory), ['Mine'])
})

t.test('a restored file keeps the mode of the old one; a stranger may not replace it', async (t) => {
  const { file, stores } = await directoryOf(t, ['Mine'])
  await stores.close()
  chmodSync(file, 0o640)
  t.throws(() => restore({ from: fixture, file, micros, uid: 4711, ...judge }), {
    code: 'conflict',
    message: /belongs to the user \d+, and this is the user 4711\. Restore as that user, or as root\./
  })
  restore({ from: fixture, file, micros, ...judge })
  t.equal(statSync(file).mode & 0o777, 0o640)
})

t.test(
  'what root restores belongs to whom the old file belonged',
  { skip: process.getuid?.() !== 0 && 'only root can give a file to somebody' },
  async (t) => {
    const { directory, file, stores } = await directoryOf(t, ['Mine'])
    await stores.close()
    chownSync(file, 12345, 12346)
    restore({ from: fixture, file, micros, ...judge })
    const { uid, gid } = statSync(file)
    t.strictSame([uid, gid], [12345, 12346])
    const fresh = path.join(directory, 'fresh')
    mkdirSync(fresh)
    chownSync(fresh, 12345, 12346)
    restore({ from: fixture, file: path.join(fresh, 'agenthall.db'), micros, ...judge })
    t.strictSame(
      [statSync(path.join(fresh, 'agenthall.db')).uid, statSync(path.join(fresh, 'agenthall.db')).mode & 0o777],
      [12345, 0o600],
      'where there was none, to the owner of the directory'
    )
    await (await openStores({ directory: fresh, clock })).close()
    t.strictSame(
      readdirSync(fresh).filter((name) => statSync(path.join(fresh, name)).uid !== 12345),
      [],
      'and what a command of the superuser makes beside it, too'
    )
  }
)

t.test('a backup that may not be read is named with what is missing', async (t) => {
  const { directory, file, stores } = await directoryOf(t, ['Mine'])
  await stores.close()
  const from = path.join(directory, 'from.db')
  copyFileSync(fixture, from)
  t.throws(() => refuseSource(from, (name) => name !== from), {
    code: 'conflict',
    message: `The backup cannot be read. The user of this process (${process.getuid?.()}) may not read ${from}: give it the permission to (r).`
  })
  t.throws(() => refuseSource(path.join(file, 'x')), { code: 'not_found', message: /agenthall\.db is not a directory/ })
  t.throws(() => refuseSource(directory), { code: 'not_found', message: /is not a file/ })
})

t.test('what killed processes left is removed, and a restore killed half way did not happen', async (t) => {
  const { directory, file, stores } = await directoryOf(t, ['Mine'])
  await stores.close()
  writeFileSync(partialOf(file), '')
  writeFileSync(`${file}.agenthall-4194304.partial-wal`, '')
  writeFileSync(`${file}.agenthall-1.partial`, '')
  sweepPartials(directory)
  t.same(
    readdirSync(directory).filter((name) => name.includes('partial')),
    ['agenthall.db.agenthall-1.partial'],
    'only those of living processes stay'
  )
  const kept = `${file}.replaced-20260101T000000000Z`
  linkSync(file, kept)
  writeFileSync(`${kept}-wal`, 'log')
  tidyUp(file)
  t.notOk(existsSync(kept))
  t.equal(readFileSync(`${file}-wal`, 'utf8'), 'log')
  linkSync(file, path.join(directory, 'own-link'))
  tidyUp(file)
  t.ok(existsSync(path.join(directory, 'own-link')), 'a name that is not ours is left alone')
})

t.test('scheduled backups are made when due, kept in number, and their failures counted', async (t) => {
  // The schedule alone does not keep a process alive.
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(alive))
  t.equal(durationMs('30m'), 1_800_000)
  t.equal(durationMs('7d'), 604_800_000)
  const directory = t.testdir({})
  const folder = path.join(directory, 'backups')
  const lines: string[] = []
  let told = () => {}
  const log = {
    info: (_: object, text: string) => {
      lines.push(text)
      told()
    },
    error: (_: object, text: string) => {
      lines.push(text)
      told()
    }
  }
  const next = () => new Promise<void>((resolve) => { told = () => setImmediate(resolve) })
  const real = systemClock()
  const schedule = (make: MakeBackup, everyMs = 3_600_000) =>
    scheduleBackups({ everyMs, keep: 2, folder, make, clock: real, log })
  const writes: MakeBackup = async (to) => writeFileSync(to, 'backup')

  let made = next()
  const first = schedule(writes)
  await made
  await first.stop()
  t.match(first.status, { succeeded: 1, failed: 0, failing: false, last_success: /Z$/ })
  const second = schedule(async () => { throw new Error('never due') })
  await new Promise((resolve) => setTimeout(resolve, 20))
  await second.stop()
  t.equal(second.status.failed, 0, 'a start of the server is no reason for another')

  const [name] = readdirSync(folder) as [string]
  utimesSync(path.join(folder, name), new Date(Date.now() + 1e8), new Date(Date.now() + 1e8))
  made = next()
  const third = schedule(writes, 5)
  await made
  await next()
  await next()
  await third.stop()
  t.equal(readdirSync(folder).length, 2, 'only the newest are kept')

  made = next()
  const failing = schedule(async () => { throw new Error('no room') }, 1)
  await made
  await next()
  t.match(failing.status, { failing: true, last_failure: /Z$/ })
  t.ok(failing.status.failed >= 2)
  await failing.stop()
  t.ok(lines.includes('a scheduled backup failed; it is tried again'))
  t.equal(readdirSync(folder).length, 2, 'a failure costs no older backup')
})

t.test('a scheduled backup runs in a process of its own, which a stop ends', async (t) => {
  const { directory, stores } = await directoryOf(t, ['Ada'])
  const to = path.join(directory, 'apart.db')
  await backupApart(directory)(to, new AbortController().signal)
  t.equal(verify(to, judge).version, knownMigrations().length)
  await t.rejects(backupApart(path.join(directory, 'none'))(to, new AbortController().signal), {
    message: /There is no Agenthall data in .*none/
  })
  const silent = backupApart(directory, [process.execPath, '-e', 'process.exit(3)'])
  await t.rejects(silent(to, new AbortController().signal), { message: /ended with 3/ })
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(alive))
  const stop = new AbortController()
  const slow = scheduleBackups({
    everyMs: 1000,
    keep: 1,
    folder: path.join(directory, 'b'),
    clock: systemClock(),
    log: {
      info () {},
      error: (_, text) => {
        t.fail(text)
      }
    },
    make: (_to, signal) => {
      started()
      return backupApart(directory, [process.execPath, '-e', 'setTimeout(() => {}, 60000)'])(to, signal)
    }
  })
  function started () { setImmediate(() => stop.abort()) }
  await new Promise((resolve) => stop.signal.addEventListener('abort', resolve))
  await slow.stop()
  await stores.close()
})

type Tap = Pick<typeof t, 'testdir'>
