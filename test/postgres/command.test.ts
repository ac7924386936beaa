import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { dataFile } from '../../src/data-file.ts'
import { openPostgres } from '../../src/platform/storage/postgres/open.ts'
import { connect } from '../../src/platform/storage/sqlite/connect.ts'
import { beginFile, knownMigrations, migrate } from '../../src/platform/storage/sqlite/migrate.ts'
import { takeLock } from '../../src/platform/storage/sqlite/disk/lock.ts'
import { agenthall } from '../cli/helper.ts'
import { connected, emptyDatabase, skip } from './database.ts'

/** Commands on a database and its data directory. */
async function commands (t: Test) {
  const address = await emptyDatabase(t)
  const directory = t.testdir({})
  const client = await connected(address)
  t.teardown(() => client.end())
  const env = { AGENTHALL_DATABASE: address }
  const run = async (...args: string[]) => await agenthall([...args, '--data', directory], { env })
  return { address, directory, client, env, run }
}

t.test('doctor looks through what PostgreSQL keeps, and changes nothing', async (t) => {
  const { address, directory, client, run } = await commands(t)
  t.match(await run('doctor'), { exitCode: 1, out: /database\s+WRONG\s+There are no Agenthall tables/ })
  await openPostgres({ address, directory, known: knownMigrations().slice(0, -1) }, ({ close }) => close())
  t.match(await run('doctor'), { exitCode: 0, out: /version\s+ok\s+\d+; the next start upgrades it to \d+/ })
  t.equal((await run('users', 'create', '--name', 'Ada')).exitCode, 0)
  t.equal((await run('agents', 'create', '--name', 'Shop', '--prompt', 'You help.')).exitCode, 0)
  const well = await run('doctor', '--thorough')
  t.match(well, { exitCode: 0, out: /database\s+ok\s+PostgreSQL \d\d/ })
  t.match(well.out, /content\s+ok\s+sums agree, and everything that is stored can be opened/)
  await client.query('update agents set total_training_usage_bytes = 7')
  t.match(await run('doctor'), { exitCode: 1, out: /content\s+WRONG\s+agent 1 is charged 7 training bytes and its sources have 0/ })
  await client.query('insert into vault_keys (id, fingerprint) values (1, \'x\') on conflict (id) do update set fingerprint = \'x\'')
  rmSync(path.join(directory, 'agenthall.key'), { force: true })
  t.match(await run('doctor'), { exitCode: 1, out: /key\s+WRONG\s+The file .*agenthall\.key is missing/ })
})

// Was wrong: a key that was never created was said to be in its file, and that others could read it was not reported.
t.test('doctor says of a key that is not made yet that it will be, and of one that others may read that they may', async (t) => {
  const { address, directory, client, run } = await commands(t)
  await openPostgres({ address, directory }, ({ close }) => close())
  t.match((await run('doctor')).out, /key\s+ok\s+agenthall\.key is made at the next start/)
  t.equal((await run('secrets', 'renew')).exitCode, 0)
  while ((await client.query('select 1 from vault_keys')).rowCount === 0) await new Promise(setImmediate)
  t.match((await run('doctor')).out, /key\s+ok\s+.*agenthall\.key; it is in no backup/)
  chmodSync(path.join(directory, 'agenthall.key'), 0o644)
  t.match(await run('doctor'), { exitCode: 1, out: /key\s+WRONG\s+Users other than its owner may read .* Run: chmod 600/ })
})

t.test('a new key is remembered before the command ends', async (t) => {
  const { client, run } = await commands(t)
  await run('users', 'create', '--name', 'Ada')
  t.equal((await run('secrets', 'renew')).exitCode, 0)
  const fingerprint = async () => (await client.query('select fingerprint from vault_keys')).rows[0]?.fingerprint as string
  while (!await fingerprint()) await new Promise(setImmediate)
  const before = await fingerprint()
  t.equal((await run('secrets', 'renew')).exitCode, 0)
  while (await fingerprint() === before) await new Promise(setImmediate)
  t.not(await fingerprint(), before)
})

t.test('what files are for is refused in a sentence that says what does it', async (t) => {
  const { run } = await commands(t)
  for (const args of [['backup', '/tmp/x.db'], ['restore', '/tmp/x.db']]) {
    t.match(await run(...args), { exitCode: 1, note: /back up and restore with its tools: pg_dump/ })
  }
})

t.test('what cannot be moved is refused, and says why', async (t) => {
  const { address, directory, run } = await commands(t)
  t.match(await run('move', '--to', address), { exitCode: 1, note: /Everything is in PostgreSQL already/ })
  t.match(await run('move', '--to', t.testdir({})), { exitCode: 1, note: /no Agenthall tables/ })
  const file = t.testdir({ one: {}, two: {} })
  const plain = async (...args: string[]) => await agenthall([...args, '--data', `${file}/one`], { env: {} })
  t.match(await plain('move', '--to', `${file}/two`), { exitCode: 1, note: /Set AGENTHALL_DATABASE to the database/ })
  t.match(await plain('move', '--to', address), { exitCode: 1, note: /There is no Agenthall data in/ })
  await plain('users', 'create', '--name', 'Ada')
  await openPostgres({ address, directory }, ({ close }) => close())
  t.match(await plain('move', '--to', address), { exitCode: 1, note: /already has Agenthall tables/ })
  t.match(await run('move', '--to', `${file}/one`), { exitCode: 1, note: /There is already a data file in / })
  const lock = takeLock(`${file}/two`)!
  t.match(await run('move', '--to', `${file}/two`), { exitCode: 1, note: /A server is using .*two\. Stop it, then move/ })
  lock.release()
})

t.test('a file from an older version, and one whose index is being written anew, are not moved yet', async (t) => {
  const { address } = await commands(t)
  const directory = t.testdir({})
  const file = dataFile(directory)
  const move = async () => await agenthall(['move', '--to', address, '--data', directory], { env: {} })
  beginFile(file)
  const raw = connect(file)
  t.teardown(() => raw.close())
  await migrate(raw, { known: knownMigrations().slice(0, -1) })
  t.match(await move(), { exitCode: 1, note: /from an older version\. Run ".*serve" once/ })
  await migrate(raw)
  raw.pragma('foreign_keys = OFF')
  const values = { integer: 1, text: 'x', blob: Buffer.from('x') }
  const columns = (raw.pragma('table_info(trainings)') as Array<{ name: string, type: string }>)
    .map(({ name, type }) => [name, name === 'state' ? 'live' : name === 'segmented' ? 0 : values[type.toLowerCase() as 'text']])
  raw.prepare(`insert into trainings (${columns.map(([name]) => name).join(', ')}) values (${columns.map(() => '?').join(', ')})`)
    .run(...columns.map(([, value]) => value))
  t.match(await move(), { exitCode: 1, note: /still being rebuilt after an upgrade/ })
})

t.test('another key in the directory that is moved to stays, and nothing is made beside it', async (t) => {
  const { directory, run } = await commands(t)
  await run('users', 'create', '--name', 'Ada')
  writeFileSync(path.join(directory, 'agenthall.key'), 'one')
  const to = path.join(directory, 'to')
  mkdirSync(to)
  writeFileSync(path.join(to, 'agenthall.key'), 'another')
  t.match(await run('move', '--to', to), { exitCode: 1, note: /is not the same key as/ })
  t.strictSame(readdirSync(to).filter((name) => name.includes('.db')), [])
  t.equal(readFileSync(path.join(to, 'agenthall.key'), 'utf8'), 'another')
  t.equal((await run('users', 'list')).exitCode, 0, 'and the database is served as before')
})

t.test('nothing is moved while a server uses the database', { skip }, async (t) => {
  const { address, directory, run } = await commands(t)
  const serving = await openPostgres({ address, directory, serving: true }, (tables) => tables)
  t.match(await run('move', '--to', t.testdir({})), { exitCode: 1, note: /A server is using this database/ })
  serving.close()
})
