import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { fed } from './helper.ts'
import { sqliteFeedStore } from '../../src/feeds/store.sqlite.ts'
import { watching } from '../../src/feeds/looking/watching.ts'
import { alone } from '../../src/platform/neighbours/alone.ts'
import type { Database } from '../../src/platform/storage/sqlite/database.ts'
import { idempotencyIn } from '../../src/platform/storage/sqlite/idempotency.ts'
import { jobsIn } from '../../src/platform/storage/sqlite/jobs.ts'
import type { Work } from '../../src/platform/storage/work.ts'

async function until (holds: () => boolean) {
  for (const end = performance.now() + 60_000; !holds() && performance.now() < end;) await pause(20)
  return holds()
}

t.test('a folder that changes asks for a look once it is quiet, and again while one is under way', async (t) => {
  const root = t.testdir({ docs: {}, other: {} })
  const docs = path.join(root, 'docs')
  const asked: number[] = []
  const faults: unknown[] = []
  let folders = [{ feed: 1, owner: 1, path: docs }, { feed: 2, owner: 1, path: path.join(root, 'nowhere') }]
  let answer: () => Promise<boolean> = async () => asked.length > 1
  const watched = watching({
    folders: async () => folders,
    async hint (_owner, feed) {
      asked.push(feed)
      return await answer()
    }
  }, (error) => faults.push(error))
  t.teardown(() => watched.close())
  await watched.follow()
  await watched.follow()
  writeFileSync(path.join(docs, 'a.md'), 'a')
  mkdirSync(path.join(docs, 'deep'))
  t.ok(await until(() => asked.length >= 2), 'a look that runs is followed by another')
  t.strictSame([...new Set(asked)], [1])
  answer = async () => { throw new Error('down') }
  writeFileSync(path.join(docs, 'a.md'), 'b')
  t.ok(await until(() => faults.length > 0))

  answer = async () => true
  asked.splice(0)
  folders = [{ feed: 3, owner: 1, path: path.join(root, 'other') }]
  await watched.follow()
  writeFileSync(path.join(docs, 'a.md'), 'c')
  writeFileSync(path.join(root, 'other', 'b.md'), 'b')
  t.ok(await until(() => asked.length > 0))
  t.strictSame(asked, [3], 'what no feed names any more is not watched')
  rmSync(path.join(root, 'other'), { recursive: true })
  watched.close()
  await watched.follow()
})

t.test('a hint is heard once a look has ended, and of a feed that is paused, gone or another\'s nobody wants one', async (t) => {
  const { watch, stores, me, at } = await fed(t)
  const id = await watch()
  const { raw } = stores.db
  const { store } = stores.feeds
  const due = () => raw.prepare('select next_at from feeds where id = ?').pluck().get(id)
  const before = due()
  raw.prepare("update feeds set state = 'looking' where id = ?").run(id)
  t.equal(await store.hint(me.id, id), false)
  t.equal(due(), before)
  raw.prepare("update feeds set state = 'paused' where id = ?").run(id)
  t.equal(await store.hint(me.id, id), true)
  t.strictSame([await store.hint(me.id + 1, id), await store.hint(me.id, 99)], [true, true])
  t.equal(due(), before)
  raw.prepare("update feeds set state = 'idle' where id = ?").run(id)
  t.equal(await store.hint(me.id, id), true)
  t.not(due(), before)
  t.equal((await me.get(`${at}/feeds/${id}`)).statusCode, 200)
})

// Was wrong: they were read before the commit, as they had been, and a new folder was not watched until the next start.
t.test('folders are read again once a feed is committed, and not if it never is', async (t) => {
  const { stores, clock, me, id } = await fed(t)
  const { db, vault, eventBus } = stores
  const told: string[] = []
  const storeOn = (db: Database) => sqliteFeedStore({
    db,
    clock,
    vault,
    eventBus,
    idempotency: idempotencyIn(db, clock),
    jobs: jobsIn(db, clock, alone(clock)),
    sources: {} as never,
    checks: { address: () => undefined, isAllowed: () => true } as never,
    onFolders: () => { told.push('read again') }
  })
  const add = async (on: Database) => await storeOn(on).add(
    me.id, id, { name: 'Docs', kind: 'folder', config: { path: '/docs' } } as never)
  const cut = {
    ...db,
    atomically: (work: () => Work<unknown>) => db.atomically(function * () {
      yield * work()
      throw new Error('The connection was cut')
    })
  } as Database
  await t.rejects(add(cut), { message: /was cut/ })
  await new Promise(setImmediate)
  t.strictSame(told, [])
  await add(db)
  t.strictSame(told, ['read again'])
})
