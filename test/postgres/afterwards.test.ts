import path from 'node:path'
import t, { type Test } from 'tap'
import { openPostgres } from '../../src/platform/storage/postgres/open.ts'
import { openDatabase, type Database } from '../../src/platform/storage/sqlite/database.ts'
import { settled } from '../../src/platform/storage/work.ts'
import { build } from '../helper.ts'
import { connected, emptyDatabase, skip } from './database.ts'

/** Empty tables, in each engine. */
const ENGINES: Record<string, (t: Test) => Promise<Database>> = {
  async 'a file' (t) {
    const db = openDatabase({ file: path.join(t.testdir({}), 'some.db') })
    t.teardown(() => db.close())
    return db
  },
  async PostgreSQL (t) {
    const opened = await openPostgres({ address: await emptyDatabase(t), directory: t.testdir({}) }, (tables) => tables)
    t.teardown(() => opened.close())
    return opened.db
  }
}

for (const [engine, open] of Object.entries(ENGINES)) {
  t.test(`${engine}: what comes after a commit is done before whoever wrote it goes on, in order, and never without one`, async (t) => {
    const db = await open(t)
    const done: string[] = []
    const write = (name: string) => db.atomically(function * () {
      yield * db.afterwards(() => done.push(`told of ${name}`))
      db.afterwards(() => done.push('what is not taken'))
      if (name === 'Bob') throw new Error('no')
      return name
    }).then(() => done.push(name), () => done.push(`not ${name}`))
    await Promise.all(['Ada', 'Bob', 'Cyd'].map(write))
    // How many are committed together depends on the moment.
    t.strictSame([...done].sort(), ['Ada', 'Cyd', 'not Bob', 'told of Ada', 'told of Cyd'])
    t.ok(done.indexOf('told of Ada') < done.indexOf('told of Cyd'))
    for (const name of ['Ada', 'Cyd']) t.ok(done.indexOf(`told of ${name}`) < done.indexOf(name))
    await t.rejects(
      db.read(() => db.afterwards(() => done.push('read'))), { message: /what is committed/ }, 'nothing comes after reading'
    )
    await db.atomically(() => settled(undefined))
    t.equal(done.length, 5, 'once')
  })
}

/** A server on PostgreSQL, and a separate connection with which a test locks rows. */
async function serving (t: Test) {
  const address = await emptyDatabase(t)
  const built = await build(t, { AGENTHALL_DATABASE: address })
  const client = await connected(address)
  t.teardown(() => client.end())
  /** Does something that writes while `row` is locked, lets `meanwhile` happen before it can be committed. */
  async function held<T> (row: string, writing: () => Promise<T>, meanwhile: () => Promise<unknown>): Promise<T> {
    await client.query('begin')
    await client.query(`select 1 from ${row} for update`)
    const written = writing()
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    while ((await client.query(waiting)).rowCount === 0) await new Promise(setImmediate)
    await meanwhile()
    await client.query('commit')
    return await written
  }
  return { ...built, held }
}

t.test('a key that is used while it is being revoked is refused from then on', { skip }, async (t) => {
  // Was wrong: it was looked up before the commit, and then cached for as long as the server ran.
  const { user, withKey, held } = await serving(t)
  const as = await user()
  const { id, key } = (await as.post('/v1/api_keys', { name: 'Shop' })).json().data
  const revoked = await held(
    `api_keys where id = ${id}`,
    () => as.delete(`/v1/api_keys/${id}`),
    async () => t.equal((await withKey(key).get('/v1/agents')).statusCode, 200, 'not yet')
  )
  t.equal(revoked.statusCode, 200)
  t.equal((await withKey(key).get('/v1/agents')).statusCode, 401)
})

t.test('a list that is read while one of its agents is being changed shows the change from then on', { skip }, async (t) => {
  // Was wrong: what was read before the commit was trusted after it.
  const { user, held } = await serving(t)
  const as = await user()
  const { id } = (await as.post('/v1/agents', { name: 'Old', systemPrompt: 'You help.' })).json().data
  const names = async () => (await as.get('/v1/agents')).json().data.map(({ name }: { name: string }) => name)
  await held(
    `users where id = ${as.id}`,
    () => as.put(`/v1/agents/${id}`, { name: 'New' }),
    async () => t.strictSame(await names(), ['Old'])
  )
  t.strictSame(await names(), ['New'])
})
