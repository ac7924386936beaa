import { copyFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import t from 'tap'
import type { LiveCheck } from '../../schema/going-live.ts'
import { answersAt, asked, liveChecks, remembering } from '../../src/going-live/index.ts'
import { keyCopies } from '../../src/platform/storage/key-copies.ts'
import { liveFacts } from '../../src/live-facts.ts'
import { egress } from '../../src/platform/net/egress.ts'
import { agenthall } from '../cli/helper.ts'
import { build, draft } from '../helper.ts'

const findings = (checks: LiveCheck[]) => Object.fromEntries(checks.map(({ check, finding }) => [check, finding]))

t.test('a new account is told what is left, line by line, and each step makes its line true', async (t) => {
  const folder = t.testdir({ data: {}, elsewhere: {} })
  const { user, settled, stores, clock, config, directory } =
    await build(t, {}, { directory: path.join(folder, 'data') })
  const me = await user({ name: 'Anna' })
  const look = async () => {
    clock.advance(20_000)
    return (await me.get('/v1/going_live')).json().data
  }
  const first = await look()
  t.strictSame(findings(first.checks), {
    address: 'address_unset',
    https: 'https_unset',
    mail_out: 'mail_out_unset',
    mail_in: 'mail_in_unset',
    mail_from: 'mail_from_unset',
    model: 'model_none',
    knowledge: 'agent_none',
    business: 'business_unnamed',
    duty: 'duty_always',
    backup: config.DATABASE === '' ? 'backup_unset' : 'backup_postgres',
    key: 'key_uncopied',
    privacy: 'agent_none',
    version: 'version_ok'
  })
  t.equal(first.left, first.checks.filter((one: LiveCheck) => !one.ok).length)
  const { id } = (await me.post('/v1/agents', draft)).json().data.agent ?? (await me.get('/v1/agents')).json().data[0]
  t.match(findings((await look()).checks), { knowledge: 'knowledge_none', privacy: 'retention_unset' })
  await me.post(`/v1/agents/${id}/knowledge_sources`, { title: 'Returns', plain_text: 'Returns within 30 days.' })
  await settled()
  await me.put(`/v1/agents/${id}`, { gdpr_settings: { data_retention_days: 30 } })
  t.match(findings((await look()).checks), { knowledge: 'knowledge_ok', privacy: 'notice_unset' })
  await me.put(`/v1/agents/${id}`, { privacy_url: 'https://lamps.shop/privacy' })
  await me.put('/v1/business', { name: 'Lamps & Co.', hours: { monday: [{ from: '09:00', to: '17:00' }] } })
  const copy = path.join(folder, 'elsewhere/agenthall.key')
  await stores.vault.prepare()
  copyFileSync(path.join(directory, 'agenthall.key'), copy)
  await keyCopies({ ...stores, clock }).seen(copy)
  const { checks } = await look()
  t.match(findings(checks), { privacy: 'privacy_ok', business: 'business_ok', duty: 'duty_ok', key: 'key_ok' })
  t.match(checks.find((one: LiveCheck) => one.check === 'duty').message, /Anna/)
  await stores.db.atomically(function * () { return stores.vault.renew() })
  t.match(findings((await look()).checks), { key: 'key_uncopied' }, 'a key that is made anew has no copy')
})

t.test('a proxy that is not trusted is noticed by what it says', async (t) => {
  const env = { AGENTHALL_BASE_URL: 'https://chat.invalid' }
  const { user, stores, config, clock } = await build(t, { ...env, AGENTHALL_TRUST_PROXY: '10.0.0.1' })
  const me = await user()
  const { data } = (await me.get('/v1/going_live', undefined, { 'x-forwarded-for': '203.0.113.9' })).json()
  t.match(findings(data.checks), { https: 'proxy_other', address: 'address_private' })
  const out = async () => ({ addressAnswers: true as const, takes: true as const, opens: true as const })
  const facts = await liveFacts({ config, stores, clock }, out)(me.id, null)
  t.match(findings(liveChecks(facts)), { https: 'https_ok' })
})

t.test('an address at which nobody answers is told with the reason', async (t) => {
  const { user } = await build(t, { AGENTHALL_BASE_URL: 'https://chat.lamps.example' })
  const { data } = (await (await user()).get('/v1/going_live')).json()
  const address = data.checks.find((one: LiveCheck) => one.check === 'address')
  t.match(address, { ok: false, finding: 'address_silent', message: /chat\.lamps\.example/ })
})

t.test('doctor --live says the same by the same rules', async (t) => {
  const directory = t.testdir({})
  const { user, close, config, stores, clock } = await build(t, {}, { directory })
  const me = await user({ name: 'Anna' })
  const page = (await me.get('/v1/going_live')).json().data
  t.strictSame(liveChecks(await liveFacts({ config, stores, clock })(me.id, null)), page.checks)
  await close()
  const { out, exitCode, note } = await agenthall(['doctor', '--live', '--json', '--data', directory])
  t.strictSame(JSON.parse(out).checks, page.checks)
  t.equal(exitCode, 1)
  t.match(note, /are left to do before customers come/)
  t.match((await agenthall(['doctor', '--live', '--data', directory])).out, /AGENTHALL_BASE_URL/)
  t.match((await agenthall(['doctor', '--live', '--account', '99', '--data', directory])).note, /no such account/)
})

t.test('a copy of the key is one that lies elsewhere', async (t) => {
  const folder = t.testdir({ data: {}, elsewhere: {} })
  const directory = path.join(folder, 'data')
  const { close, stores } = await build(t, {}, { directory })
  await stores.vault.prepare()
  await close()
  const data = ['--data', directory]
  const key = path.join(directory, 'agenthall.key')
  t.match((await agenthall(['secrets', 'copied', key, ...data])).note, /beside the data/)
  const elsewhere = path.join(folder, 'elsewhere/other.key')
  writeFileSync(elsewhere, `${Buffer.alloc(32, 1).toString('base64url')}\n`)
  t.match((await agenthall(['secrets', 'copied', elsewhere, ...data])).note, /is not the key/)
  t.equal((await agenthall(['secrets', 'copied', '/tmp/no-such-key', ...data])).exitCode, 1)
  copyFileSync(key, elsewhere)
  t.match(await agenthall(['secrets', 'copied', elsewhere, ...data]), { exitCode: 0, out: `${elsewhere} is a copy of agenthall.key.` })
})

t.test('an address is asked whether Agenthall answers there', async (t) => {
  let type = 'application/json'
  const server = createServer((_request, reply) => { reply.writeHead(200, { 'content-type': type }).end('{"status":"ok"}') })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const out = egress({ allowedHosts: ['127.0.0.1'], userAgent: 'Test' })
  t.teardown(async () => await out.close())
  const ask = async () => await answersAt(out, address, AbortSignal.timeout(5000))
  t.equal(await ask(), true)
  type = 'text/html'
  t.equal(await ask(), 'Something else answers there.')
  const late = async () => { throw new DOMException('x', 'TimeoutError') }
  t.equal(await asked(late), 'It took too long to answer.')
  t.equal(await asked(async () => { throw new Error('') }), 'It cannot be reached.')
})

t.test('what was found is told again for a while, and a failure is not', async (t) => {
  let [now, asks] = [0, 0]
  const find = remembering(() => now, 10, async (key) => {
    asks += 1
    if (key === 'bad') throw new Error(`${asks}`)
    return asks
  })
  t.strictSame(await Promise.all([find('a'), find('a')]), [1, 1])
  now = 9
  t.equal(await find('a'), 1)
  now = 10
  t.equal(await find('a'), 2)
  await t.rejects(find('bad'), { message: '3' })
  await t.rejects(find('bad'), { message: '4' })
})
