import t from 'tap'
import type { OpenConnection } from '../../src/actions/contract.ts'
import { openSending } from '../../src/actions/sending/send.ts'
import { egress, type Lookup } from '../../src/platform/net/egress.ts'
import { slowModel } from '../conversations/slow-model.ts'
import { fixedClock } from '../helper.ts'
import { acting, CANCEL, openShop, openSystem, TRACK } from './helper.ts'
import { connected, older } from './mcp-server.ts'

/** Not routable (RFC 5737). */
const NOBODY = { address: '203.0.113.1', family: 4 }
const LOOPBACK = { address: '127.0.0.1', family: 4 }

t.test('a host that becomes another one between two calls is asked nothing there', async (t) => {
  // Was wrong with an egress that does not check what a name resolves to.
  const system = await openSystem(t, (_request, reply) => system.json(reply, { status: 'yours' }))
  const port = system.host.split(':')[1]!
  const connection: OpenConnection = {
    id: 1,
    owner: 1,
    name: 'x',
    kind: 'http',
    base_url: `http://rebind.test:${port}`,
    auth: 'bearer',
    auth_name: null,
    token_url: null,
    secret: null,
    allowed_hosts: [`rebind.test:${port}`],
    last_ok: null,
    last_error: null,
    last_error_code: null,
    created_at: '',
    updated_at: '',
    opened: () => 's'
  }
  const action = {
    ...CANCEL,
    parameters: [],
    path: '/x',
    result: { pick: [], max_bytes: 1000 },
    schema_digest: null,
    lookup: '/{key}',
    limits: { timeout_ms: 1000, per_conversation: 1, per_day: 1 }
  } as never
  for (const found of [[LOOPBACK], [NOBODY, LOOPBACK], [{ address: '::ffff:127.0.0.1', family: 6 }]]) {
    const lookup: Lookup = async () => found
    const out = egress({ allowedHosts: [], userAgent: 'x', lookup })
    t.teardown(() => out.close())
    const sending = openSending({ out, clock: fixedClock(), version: '0' })
    const asked = { connection, action, values: {}, key: 'k' }
    t.match(await sending.send(asked), { state: 'failed', status: null }, 'of what was not sent it is known that it was not done')
    t.match(await sending.lookUp(asked), { state: 'unknown' }, 'a look-up that does not arrive says nothing')
    t.match(await sending.check(connection), { state: 'failed' })
    t.match(await sending.send({ ...asked, connection: { ...connection, kind: 'mcp' } }), { state: 'failed' })
  }
  t.strictSame(system.asked, [])
})

/** The code of each failure below. */
const CODES = { 'cut off': 'unreachable', 'a fault': 'unreadable', 'no result': 'unreadable' } as const

t.test('a tool that was called and did not answer is not called again: it is looked up, or a person is told', async (t) => {
  for (const [name, status, isCut] of [['cut off', 0, true], ['a fault', 502, false], ['no result', 200, false]] as const) {
    for (const lookup of [null, '/requests/{key}']) {
      const server = await older(t, {
        instead: (method, reply) => {
          if (method !== 'tools/call') return false
          if (isCut) reply.destroy()
          else reply.writeHead(status, { 'content-type': 'application/json' }).end('{}')
          return true
        }
      })
      const { me, id: agent, conversation, make, on, settled, clock } = await connected(t, server.host)
      await me.put(`/v1/agents/${agent}`, { behavior: { expertHandoff: true } })
      await me.put('/v1/me/duty', { on: true })
      const [id] = await make('cancel_order') as [number]
      await on(id, { lookup })
      const at = `/v1/conversations/${conversation}`
      const call = (await me.post(`${at}/calls`, { action: id, arguments: { number: '1' } })).json().data
      await me.post(`${at}/calls/${call.id}/confirm`, { digest: call.digest })
      await settled()
      const read = async () => (await me.get(`${at}/calls/${call.id}`)).json().data
      t.match(await read(), { state: 'unknown', error: /It is not sent again/, error_code: CODES[name] }, name)
      clock.advance(5000)
      await settled()
      t.equal((await read()).state, lookup ? 'done' : 'unknown', name)
      t.equal((await me.get(at)).json().data.reason, lookup ? null : 'action_unknown')
      t.equal(server.called.filter((method) => method === 'tools/call').length, 1)
    }
  }
})

t.test('an action that changes while a model chooses is done as it is now, or not at all', async (t) => {
  const shop = await openShop(t)
  let change: (() => Promise<unknown>) | undefined
  const model = await slowModel(t, async (one) => {
    const changing = change
    change = undefined
    await changing?.()
    if (changing) await one.call('track_order', { number: '1001' })
    else await one.say('none')
    one.end()
  })
  const { me, action, say, calls } = await acting(t, shop.host, { AGENTHALL_MODEL_URL: model.url })
  const id = await action(TRACK)
  for (const changed of [
    { enabled: false },
    { enabled: true, parameters: [...TRACK.parameters, { name: 'customer', in: 'query', type: 'string', required: true }] },
    { parameters: [{ ...TRACK.parameters[0], pattern: '9\\d{3}' }] }
  ]) {
    change = async () => await me.patch(`/v1/actions/${id}`, changed)
    await say('Where is my order 1001?')
    await me.patch(`/v1/actions/${id}`, { enabled: true })
  }
  t.ok(model.all.length > 6, 'what it chose is wrong by now: it chooses anew')
  t.strictSame(shop.asked, [])
  t.strictSame((await calls()).filter(({ state }) => state === 'done'), [])
})

t.test('of a hundred calls a minute each is made once, and as often as the action allows', async (t) => {
  const shop = await openShop(t)
  const { me, id: agent, action, calls } = await acting(t, shop.host)
  const id = await action({ ...TRACK, limits: { per_conversation: 8, per_day: 90 } })
  const conversations = await Promise.all(Array.from({ length: 20 }, async () =>
    (await me.post(`/v1/agents/${agent}/conversations`, {})).json().data.id as string))
  const made = await Promise.all(Array.from({ length: 100 }, async (_, i) =>
    await me.post(`/v1/conversations/${conversations[i % 20]}/calls`, { action: id, arguments: { number: '1001' } })))
  const codes = made.map((one) => one.statusCode === 201 ? one.json().data.state : one.json().error.code)
  t.equal(codes.filter((code) => code === 'done').length, 90)
  t.equal(codes.filter((code) => code === 'limit_reached').length, 10)
  t.equal(shop.asked.length, 90)
  t.equal((await calls()).filter(({ state }) => state === 'running').length, 0)
  const one = await Promise.all(Array.from({ length: 12 }, async () =>
    await me.post(`/v1/conversations/${conversations[0]}/calls`, { action: id, arguments: { number: '1002' } })))
  t.ok(one.every(({ statusCode }) => statusCode === 409 || statusCode === 429 || statusCode === 403), 'of the day nothing is left')
})

t.test('what is answered as something else than it is said to be is shown to nobody', async (t) => {
  let type = ''
  let body = ''
  const system = await openSystem(t, (_request, reply) => reply.writeHead(200, type ? { 'content-type': type } : {}).end(body))
  const { me, conversation, action } = await acting(t, system.host)
  const id = await action(TRACK)
  const result = async (as: string, text: string) => {
    ;[type, body] = [as, text]
    const { data } = (await me.post(`/v1/conversations/${conversation}/calls`, { action: id, arguments: { number: '1001' } })).json()
    return [data.state, data.result]
  }
  const SECRET = '{"status":"here","secret":"x"}'
  t.strictSame(await result('application/json; charset=utf-8', SECRET), ['done', '{"/status":"here"}'])
  for (const as of ['text/html', 'text/plain', 'image/png', 'application/octet-stream', '', 'application/json-seq']) {
    t.strictSame(await result(as, SECRET), ['failed', null], as || 'no type')
  }
  t.strictSame(await result('application/json', '["status"]'), ['done', '{}'], 'not what the schema says')
  t.strictSame(await result('application/json', '{"status":{"__proto__":1}}'), ['done', '{"/status":{"__proto__":1}}'])
  t.strictSame(await result('application/json', '\ufeff{"status":1}'), ['failed', null])
})
