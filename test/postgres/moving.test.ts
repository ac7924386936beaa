import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { dataFile } from '../../src/data-file.ts'
import { moveToFile, moveToPostgres } from '../../src/platform/storage/moving/between.ts'
import { openFileStores, openStores } from '../../src/stores.ts'
import { readConfig } from '../../src/config.ts'
import { build, fixedClock } from '../helper.ts'
import { agenthall } from '../cli/helper.ts'
import { agentNamed } from '../stores.ts'
import { connected, emptyDatabase } from './database.ts'

const quiet = () => {}

t.test('everything is moved into PostgreSQL and back, and is answered from as before', async (t) => {
  const built = await build(t, { AGENTHALL_DATABASE: '' })
  const me = await built.user()
  const agent = (await me.post('/v1/agents', { name: 'Łukasz "Shop"', systemPrompt: 'You help.' })).json().data
  await me.post(`/v1/agents/${agent.id}/knowledge_sources`, { title: 'Returns', plain_text: 'You can return anything within 30 days.' })
  const gone = (await me.post('/v1/agents', { name: 'Gone', systemPrompt: 'You help.' })).json().data
  await me.delete(`/v1/agents/${gone.id}`)
  await built.settled()
  built.stores.db.raw.prepare('update agents set name = ? where id = ?').run('Łukasz\0 "Shop"', agent.id)
  built.stores.db.raw.exec(`
    with recursive more (n) as (select 1 union all select n + 1 from more where n < 1200)
    insert into doomed_secrets (secret) select 1000000 + n from more`)
  await built.close()
  const file = dataFile(built.directory)
  const address = await emptyDatabase(t)

  const there = await moveToPostgres(file, address, quiet)
  t.ok(there.some(({ table, rows }) => table === 'knowledge_sources' && rows === 1))
  await t.rejects(openFileStores({ directory: built.directory, clock: fixedClock() }), {
    code: 'conflict', message: /was moved to postgres:\/\/[^@]*\. Serve it from there/
  }, 'nobody serves the file, and nobody reads a password')
  const config = readConfig({ AGENTHALL_DATABASE: address })
  const stores = await openStores({ config, directory: built.directory, clock: fixedClock() })
  const [hit] = await stores.knowledge.search(1, agent.id, 'How long can I return something?', 3)
  t.match(hit?.text, /within 30 days/)
  t.equal((await stores.agents.get(1, agent.id))?.agent.name, 'Łukasz\ufffd "Shop"')
  const { answer } = await stores.agents.create(1, agentNamed('Next'))
  t.ok(answer.agent.id > gone.id, 'no number is given twice')
  await stores.close()

  const [directory, keys] = [path.join(built.directory, 'back'), path.join(built.directory, 'keys')]
  mkdirSync(keys)
  writeFileSync(path.join(keys, 'agenthall.key'), 'a key')
  const client = await connected(address)
  await client.query('create table strange (a integer primary key); insert into strange values (1)')
  await t.rejects(moveToFile(address, dataFile(directory), keys, quiet), { code: 'internal_error', message: /no table strange/ })
  t.notOk(existsSync(dataFile(directory)), 'what cannot be moved leaves nothing there')
  await client.query('drop table strange')
  await client.end()
  const back = await moveToFile(address, dataFile(directory), keys, quiet)
  t.equal(back.find(({ table }) => table === 'agents')?.rows, 2)
  t.equal(back.find(({ table }) => table === 'doomed_secrets')?.rows, 1200)
  t.equal(readFileSync(path.join(directory, 'agenthall.key'), 'utf8'), 'a key', 'the key goes with it')
  rmSync(path.join(directory, 'agenthall.key'))
  await t.rejects(openStores({ config, directory: built.directory, clock: fixedClock() }), { code: 'conflict', message: /was moved to/ })
  const again = await openFileStores({ directory, clock: fixedClock() })
  t.match((await again.knowledge.search(1, agent.id, 'How long can I return something?', 3))[0]?.text, /within 30 days/)
  await again.close()
})

t.test('what cannot be moved stays as it is', async (t) => {
  const built = await build(t, { AGENTHALL_DATABASE: '' })
  const file = dataFile(built.directory)
  const address = await emptyDatabase(t)
  built.stores.db.raw.exec('create table strange (a integer); insert into strange values (1)')
  await built.close()
  await t.rejects(moveToPostgres(file, address, quiet), { code: 'internal_error', message: /no table strange/ })
  const client = await connected(address)
  t.equal((await client.query("select 1 from pg_tables where schemaname = 'public'")).rowCount, 0, 'nor are there tables')
  await client.end()
  const stores = await openFileStores({ directory: built.directory, clock: fixedClock() })
  t.ok(stores, 'the file is served as before')
  await stores.close()
})

t.test('the command says what was moved and what to do next', async (t) => {
  const built = await build(t, { AGENTHALL_DATABASE: '' })
  await built.user()
  await built.close()
  const address = await emptyDatabase(t)
  const said = await agenthall(['move', '--to', address, '--data', built.directory])
  t.match(said.out, /^Moved \d+ rows in \d+ tables, counted and compared on both sides\. Start the server with AGENTHALL_DATABASE/)
})
