import { copyFileSync } from 'node:fs'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { dataFile } from '../../src/data-file.ts'
import { openStores } from '../../src/stores.ts'
import { build, fixedClock } from '../helper.ts'

t.test('two users cannot have one e-mail address, however it is written', async (t) => {
  const { stores: { access } } = await build(t)
  const { user } = await access.createUser({ name: 'Ada', email: 'Ada@Example.com' })
  await t.rejects(access.createUser({ name: 'Eve', email: 'ada@example.COM' }), {
    code: 'taken',
    message: `User ${user.id} already has the e-mail address ada@example.COM. Leave it out, or use another.`
  })
  await access.createUser({ name: 'Bob' })
  await access.createUser({ name: 'Bea' })
  t.strictSame(
    (await access.users()).map(({ name, email }) => [name, email]),
    [
      ['Ada', 'Ada@Example.com'], ['Bob', null], ['Bea', null]
    ]
  )
})

t.test(
  'of several users with one address the first keeps it when the file is upgraded, and nobody is lost',
  async (t) => {
    const directory = t.testdir({})
    copyFileSync(path.join(import.meta.dirname, '../fixtures/databases/0.3.0.db'), dataFile(directory))
    const raw = new BetterSqlite3(dataFile(directory))
    const add = raw.prepare(
      "insert into users (name, email, tier, revision, created_at, updated_at) values (?, ?, 'free', 1, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z')"
    )
    for (const [name, email] of [
      ['A', 'x@example.com'], ['B', 'X@example.com'], ['C', 'other@example.com'], ['D', 'x@EXAMPLE.com']
    ]) { add.run(name, email) }
    const before = raw.prepare('select count(*) from users').pluck().get()
    raw.close()
    const stores = await openStores({ directory, clock: fixedClock() })
    const users = await stores.access.users()
    t.equal(users.length, before)
    t.strictSame(
      users.slice(-4).map(({ name, email }) => [name, email]),
      [
        ['A', 'x@example.com'], ['B', null], ['C', 'other@example.com'], ['D', null]
      ]
    )
    await stores.close()
  }
)

t.test('a deleted user takes the keys along', async (t) => {
  const { stores: { privacy: { deletion } }, user } = await build(t)
  const gone = await user()
  t.equal((await gone.get('/v1/me')).statusCode, 200)
  t.equal(await deletion.user(gone.id), true)
  t.equal((await gone.get('/v1/me')).statusCode, 401)
  t.equal(await deletion.user(gone.id), false)
})
