import { mkdirSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { examineDatabase } from '../../src/cli/operating/database-doctor.ts'
import { readConfig } from '../../src/config.ts'
import { startServer } from '../../src/server.ts'
import { skip } from './redis.ts'
import { asking, several, until } from './servers.ts'

const DRAFT = { name: 'Ada', systemPrompt: 'You help.' }
const EACH = [0, 1, 2]

t.test('what is made at one server is there at all; a key of requests makes one agent', { skip }, async (t) => {
  const { ask } = await several(t)
  const made = await Promise.all(Array.from({ length: 9 }, (_, at) =>
    ask(at, 'POST', '/v1/agents', DRAFT, { 'idempotency-key': 'once' })))
  t.strictSame([...new Set(made.map(({ status }) => status))], [201])
  t.equal(new Set(made.map(({ body }) => body.data.id)).size, 1)
  const { id } = made[0]!.body.data
  for (const at of EACH) {
    await Promise.all(EACH.map((one) => ask(one, 'GET', '/v1/agents')))
    t.equal((await ask(at, 'PUT', `/v1/agents/${id}`, { name: `Ada ${at}` })).status, 200)
    for (const other of EACH) {
      // Was wrong without notification: a server shows the list that it has cached.
      const took = await until(async () => (await ask(other, 'GET', '/v1/agents')).body.data[0].name === `Ada ${at}`)
      t.ok(took < 1000, `seen at server ${other} after ${Math.round(took)} ms`)
    }
  }
})

t.test('a key that is revoked at one server is refused at all within a second, Redis or no Redis', { skip }, async (t) => {
  const { servers, ask, redis } = await several(t)
  for (const isHung of [false, true]) {
    const { body: { data } } = await ask(0, 'POST', '/v1/api_keys', { name: 'Short', permissions: ['MANAGE_AGENTS'] })
    const short = asking(servers, data.key)
    for (const at of EACH) t.equal((await short(at, 'GET', '/v1/agents')).status, 200)
    if (isHung) redis.hang()
    t.match((await ask(0, 'DELETE', `/v1/api_keys/${data.id}`)).status, /^20/)
    const took = await Promise.all(EACH.map(async (at) =>
      await until(async () => (await short(at, 'GET', '/v1/agents')).status === 401)))
    t.ok(Math.max(...took) < 1000, took.map(Math.round).join(', '))
  }
  redis.goOn()
})

const LIMITED = { AGENTHALL_RATE_LIMITS: '{"enterprise":100}' }

/** How many of 130 requests at once, over all servers, are let through. */
async function passed (t: Test, ask: Awaited<ReturnType<typeof several>>['ask']): Promise<number> {
  const answers = await Promise.all(Array.from({ length: 130 }, (_, at) => ask(at, 'GET', '/v1/me')))
  t.ok(answers.every(({ status }) => status === 200 || status === 429))
  return answers.filter(({ status }) => status === 200).length
}

t.test('100 requests a minute are 100 over three servers', { skip }, async (t) => {
  const { ask } = await several(t, { env: LIMITED })
  t.equal(await passed(t, ask), 100)
})

// Nothing was asked of these before: on a busy machine a server counts alone what Redis does not answer in time.
t.test('100 requests a minute are a share each while Redis is away', { skip }, async (t) => {
  const { ask, redis } = await several(t, { env: LIMITED })
  await redis.kill()
  await new Promise((resolve) => setTimeout(resolve, 800))
  t.equal(await passed(t, ask), 102, '34 each')
})

t.test('a server that serves alone and those that share are kept apart, in a sentence', { skip }, async (t) => {
  const { settings, servers, home } = await several(t, { count: 1 })
  const alone = { ...settings, AGENTHALL_REDIS: '', AGENTHALL_DATA: `${home}/alone` }
  await t.rejects(startServer(readConfig(alone), { log: false }), { code: 'conflict', message: /AGENTHALL_REDIS/ })
  await servers[0]!.close()
  const first = await startServer(readConfig(alone), { log: false })
  const shared = { ...settings, AGENTHALL_DATA: `${home}/shared` }
  await t.rejects(startServer(readConfig(shared), { log: false }), { code: 'conflict', message: /alone/ })
  await first.close()
  t.throws(() => readConfig({ AGENTHALL_REDIS: 'redis://127.0.0.1' }), { message: /AGENTHALL_DATABASE/ })
})

t.test('who brings another key than that of all servers is refused; the first to come may make it', { skip }, async (t) => {
  const { settings, home } = await several(t, { count: 1 })
  const other = { ...settings, AGENTHALL_DATA: `${home}/other` }
  await t.rejects(startServer(readConfig(other), { log: false }), { code: 'conflict', message: /missing.*same file/s })
  mkdirSync(`${home}/other`, { recursive: true })
  writeFileSync(`${home}/other/agenthall.key`, `${'A'.repeat(43)}\n`)
  await t.rejects(startServer(readConfig(other), { log: false }), { code: 'conflict', message: /is not the key.*same file/s })
})

t.test('who is there at one server is there for all: visitors, consoles, who types, who has seen what', { skip }, async (t) => {
  const { ask, servers, key } = await several(t)
  const { id } = (await ask(0, 'POST', '/v1/agents', DRAFT)).body.data
  const conversation = (await ask(0, 'POST', `/v1/agents/${id}/conversations`, {})).body.data.id
  const cut = new AbortController()
  t.teardown(() => cut.abort())
  const watching = await fetch(`${servers[1]!.address}/v1/events`, {
    headers: { authorization: `Api-Key ${key}` }, signal: cut.signal
  })
  let told = ''
  const read = async () => {
    for await (const text of watching.body!.pipeThrough(new TextDecoderStream())) told += text
  }
  read().catch(() => {})
  t.equal((await ask(2, 'POST', `/v1/conversations/${conversation}/typing`, {})).status < 300, true)
  t.ok(await until(() => told.includes('typing'), 3000) < 3000, 'who types at one is seen at another')
  // Was wrong: only watchers at the same server were notified of it.
  t.equal((await ask(0, 'POST', `/v1/conversations/${conversation}/messages`, { text: 'Hello?' })).status, 201)
  t.equal((await ask(2, 'PUT', `/v1/conversations/${conversation}/seen`, { up_to: 1 })).status, 200)
  t.ok(await until(() => told.includes('"type":"seen"'), 3000) < 3000, 'who has seen it at one is told at another')
})

t.test('doctor asks Redis too', { skip }, async (t) => {
  const { settings, redis } = await several(t, { count: 1 })
  const config = readConfig({ ...settings, AGENTHALL_DATA: `${t.testdirName}/data-0` })
  const looked = async () => (await examineDatabase(config, { thorough: false })).find(({ check }) => check === 'redis')
  t.match(await looked(), { ok: true, finding: /^Redis \d/ })
  await redis.kill()
  t.match(await looked(), { ok: false, finding: /AGENTHALL_REDIS/ })
})
