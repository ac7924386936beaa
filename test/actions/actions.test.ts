import t from 'tap'
import { SHOP_DOCUMENT, SHOP_KEY } from '../../scripts/example-shop.ts'
import { acting, CANCEL, openShop, openSystem, TRACK } from './helper.ts'

t.test('an action is made off, changed, given to agents and removed', async (t) => {
  const shop = await openShop(t)
  const { me, connection, id: agent } = await acting(t, shop.host)
  const made = await me.post('/v1/actions', { connection, ...TRACK })
  t.match([made.statusCode, made.json().data], [201, {
    enabled: false,
    version: 1,
    confirm: 'nobody',
    limits: { timeout_ms: 10_000 },
    parameters: [{ required: true, from: 'model' }]
  }])
  t.equal((await me.post('/v1/actions', { connection, ...CANCEL })).json().data.confirm, 'visitor')
  t.equal((await me.post('/v1/actions', { connection, ...TRACK })).json().error.code, 'taken')
  t.equal((await me.post('/v1/actions', { ...TRACK, connection: 99 })).json().error.details[0].field, 'connection')
  const { id } = made.json().data
  const at = `/v1/actions/${id}`
  const changed = await me.patch(at, { enabled: true, limits: { per_day: 5 } }, { 'if-match': made.headers.etag as string })
  const limits = { per_day: 5, timeout_ms: 10_000 }
  t.match(changed.json().data, { enabled: true, version: 2, limits, path: TRACK.path })
  t.equal((await me.patch(at, { title: 'x' }, { 'if-match': made.headers.etag as string })).statusCode, 412)
  t.equal((await me.patch(at, { effect: 'write', confirm: 'nobody' })).json().error.details[0].field, 'confirm')
  t.match((await me.get('/v1/actions')).json().data, [{ id }, { name: 'cancel_order' }])
  const given = await me.put(`/v1/agents/${agent}`, { behavior: { actionIds: [id, 77] } })
  t.match([given.statusCode, given.json().error.details], [400, [{ field: 'behavior.actionIds[1]' }]])
  t.equal((await me.put(`/v1/agents/${agent}`, { behavior: { actionIds: [id] } })).json().data.behavior.actionIds[0], id)
  t.equal((await me.delete(at)).json().error.code, 'in_use')
  await me.put(`/v1/agents/${agent}`, { behavior: { actionIds: [] } })
  t.equal((await me.delete(at)).statusCode, 200)
  for (const answer of [await me.get(at), await me.patch(at, { enabled: false }), await me.delete(at), await me.post(`${at}/test`, {})]) {
    t.equal(answer.statusCode, 404)
  }
})

t.test('a try shows the request with dots for the secret, and sends it only when it is told to', async (t) => {
  const shop = await openShop(t)
  const { me, action, calls } = await acting(t, shop.host)
  const [track, cancel] = [await action(TRACK), await action(CANCEL)]
  const tried = async (id: number, body: object) => (await me.post(`/v1/actions/${id}/test`, body))
  const shown = (await tried(cancel, { arguments: { number: '1001', reason: 'other' }, live: false })).json().data
  t.match(shown, {
    request: {
      method: 'POST',
      url: `http://${shop.host}/orders/1001/cancel`,
      headers: { authorization: 'Bearer ••••', 'idempotency-key': /^call_/ },
      body: '{"reason":"other"}'
    },
    state: null
  })
  t.strictSame(shop.asked, [])
  const live = await tried(track, { arguments: { number: '1001' }, live: true })
  t.match(live.json().data, { state: 'done', status: 200, result: '{"/status":"on its way","/eta":"2026-12-01"}' })
  t.notMatch(live.body + (await tried(track, { arguments: { number: '1001' } })).body, SHOP_KEY)
  t.match((await tried(track, { arguments: { number: '9999' }, live: true })).json().data, { state: 'failed', status: 404 })
  t.equal((await tried(track, { arguments: { number: 'x' } })).json().error.details[0].field, 'arguments.number')
  t.match(await calls(), [{ state: 'failed', conversation: null }, { state: 'done', conversation: null }])
})

t.test('an action is tried as a visitor, whom its arguments cannot name', async (t) => {
  const shop = await openShop(t)
  const { me, action } = await acting(t, shop.host)
  const id = await action({
    ...TRACK, parameters: [...TRACK.parameters, { name: 'customer', in: 'query', type: 'string', from: 'visitor.external_id' }]
  })
  const tried = async (body: object) => (await me.post(`/v1/actions/${id}/test`, { live: true, ...body })).json()
  t.match((await tried({ arguments: { number: '1001' }, visitor: { external_id: 'c-7' } })).data, { state: 'done' })
  t.match((await tried({ arguments: { number: '1001' }, visitor: { external_id: 'c-8' } })).data, { state: 'failed' })
  t.match((await tried({ arguments: { number: '1001' } })).error, { code: 'not_verified' })
  t.match((await tried({ arguments: { number: '1001', customer: 'c-7' } })).error, { code: 'VALIDATION_ERROR' })
})

t.test('a document becomes a plan, and what of it is chosen becomes actions that are off', async (t) => {
  const shop = await openShop(t)
  const { me, connection } = await acting(t, shop.host)
  const plan = await me.post('/v1/actions/import', { connection, openapi: SHOP_DOCUMENT })
  t.match(plan.json().data, [
    { key: 'GET /orders/{number}', name: 'track_order', effect: 'read', can_import: true, action: null },
    { key: 'POST /orders/{number}/cancel', name: 'cancel_order', effect: 'write', can_import: true },
    { key: 'POST /returns', name: 'start_return' },
    { key: 'GET /stock/{article}', name: 'check_stock' }
  ])
  t.strictSame((await me.get('/v1/actions')).json().data, [], 'nothing is made by looking')
  const operations = ['GET /orders/{number}', 'POST /orders/{number}/cancel', 'POST /returns', 'GET /stock/{article}']
  const made = await me.post('/v1/actions/import', { connection, openapi: JSON.stringify(SHOP_DOCUMENT), operations })
  t.notOk(made.json().data.some(({ action }: { action: number | null }) => action === null), made.body)
  const actions = (await me.get('/v1/actions')).json().data
  t.match(actions, [
    { enabled: false, confirm: 'nobody', path: '/orders/{number}', parameters: [{ name: 'number', pattern: '^\\d{4}$' }, { name: 'customer' }] },
    { enabled: false, confirm: 'visitor', parameters: [{ name: 'number' }, { name: 'reason', in: 'body', enum: ['changed_mind', 'too_late', 'other'] }] },
    { enabled: false, parameters: [{ name: 'order', required: true }, { name: 'reason', required: false, max: 200 }] },
    { enabled: false, parameters: [{ enum: ['lamp', 'chair', 'table'] }] }
  ])
  const tried = await me.post(`/v1/actions/${actions[3].id}/test`, { arguments: { article: 'lamp' }, live: true })
  t.match(tried.json().data, { result: '{"article":"lamp","pieces":12}' })
  const again = await me.post('/v1/actions/import', { connection, openapi: SHOP_DOCUMENT, operations: operations.slice(0, 1) })
  t.match(again.json().data[0], { can_import: false, action: null, notes: [/already/] })
  const unknown = await me.post('/v1/actions/import', { connection, openapi: SHOP_DOCUMENT, operations: ['GET /x'] })
  t.equal(unknown.json().error.details[0].field, 'operations')
  t.equal((await me.post('/v1/actions/import', { connection: 99, openapi: SHOP_DOCUMENT })).json().error.details[0].field, 'connection')
  t.equal((await me.post('/v1/actions/import', { connection })).json().error.details[0].field, 'openapi')
})

t.test('the secret goes to the host of the connection alone: redirects of reads are followed within its hosts', async (t) => {
  const other = await openSystem(t, (_request, reply) => other.json(reply, { status: 'elsewhere' }))
  const third = await openSystem(t, (_request, reply) => third.json(reply, {}))
  const system = await openSystem(t, (request, reply) => {
    const to = request.url!.includes('1001') ? other.host : third.host
    reply.writeHead(307, { location: `http://${to}/there` }).end()
  })
  const hosts = [system.host, other.host, third.host]
  const { me, connection, action } = await acting(t, system.host, { AGENTHALL_ALLOWED_HOSTS: hosts.join(',') })
  await me.put(`/v1/connections/${connection}`, {
    name: 'x', base_url: `http://${system.host}`, auth: 'bearer', secret: 's', allowed_hosts: hosts.slice(0, 2)
  })
  const [track, cancel] = [await action(TRACK), await action({ ...CANCEL, lookup: null })]
  const tried = async (id: number, given: object) =>
    (await me.post(`/v1/actions/${id}/test`, { arguments: given, live: true })).json().data
  t.match(await tried(track, { number: '1001' }), { state: 'done', result: '{"/status":"elsewhere"}' })
  t.equal(other.asked[0]!.headers.authorization, undefined)
  t.match(await tried(track, { number: '1002' }), { state: 'failed', message: /not among the connection's allowed_hosts/ })
  t.strictSame(third.asked, [])
  t.match(await tried(cancel, { number: '1001', reason: 'other' }), { state: 'failed', status: 307 })
  t.equal(other.asked.length, 1, 'a write is not sent on')
})

t.test('of a write that was sent and not answered nobody says that it failed; a read is asked twice', async (t) => {
  let mode: (reply: import('node:http').ServerResponse) => unknown = () => undefined
  const system = await openSystem(t, (_request, reply) => mode(reply))
  const { me, connection, action } = await acting(t, system.host)
  const limits = { timeout_ms: 300 }
  const [track, cancel] = [await action({ ...TRACK, limits }), await action({ ...CANCEL, limits })]
  const tried = async (id: number) => {
    const before = system.asked.length
    const { data } = (await me.post(`/v1/actions/${id}/test`, {
      arguments: id === track ? { number: '1001' } : { number: '1001', reason: 'other' }, live: true
    })).json()
    return [data.state, data.status, system.asked.length - before]
  }
  const cases: Array<[string, typeof mode, read: unknown[], write: unknown[]]> = [
    ['no answer', () => undefined, ['failed', null, 1], ['unknown', null, 1]],
    ['broken off', (reply) => reply.destroy(), ['failed', null, 2], ['unknown', null, 1]],
    ['a fault', (reply) => reply.writeHead(500).end(), ['failed', 500, 2], ['unknown', 500, 1]],
    ['see other', (reply) => reply.writeHead(303, { location: '/x' }).end(), ['failed', 303, 8], ['unknown', 303, 1]],
    ['refused', (reply) => reply.writeHead(422).end(), ['failed', 422, 1], ['failed', 422, 1]],
    ['too often', (reply) => reply.writeHead(429).end(), ['failed', 429, 1], ['failed', 429, 1]],
    ['no entry', (reply) => reply.writeHead(401).end(), ['failed', 401, 1], ['failed', 401, 1]],
    ['no JSON', (reply) => reply.writeHead(200, { 'content-type': 'application/json' }).end('<html>'), ['failed', 200, 1], ['done', 200, 1]],
    ['2 MB', (reply) => reply.writeHead(200).end('x'.repeat(2 ** 21)), ['failed', null, 1], ['unknown', null, 1]],
    ['drop by drop', (reply) => {
      reply.writeHead(200)
      const drip = setInterval(() => reply.write('x'), 20)
      reply.on('close', () => clearInterval(drip))
    }, ['failed', null, 1], ['unknown', null, 1]]
  ]
  for (const [name, way, read, write] of cases) {
    mode = way
    t.strictSame(await tried(track), read, `a read: ${name}`)
    t.strictSame(await tried(cancel), write, `a write: ${name}`)
  }
  await me.put(`/v1/connections/${connection}`, { name: 'x', base_url: `http://${system.host}`, auth: 'none' })
  system.asked.length = 0
})

t.test('what cannot have been sent has failed', async (t) => {
  const { me, connection, action } = await acting(t, '127.0.0.1:9', { AGENTHALL_ALLOWED_HOSTS: '127.0.0.1:9' })
  const id = await action(CANCEL)
  const tried = async () => (await me.post(`/v1/actions/${id}/test`, {
    arguments: { number: '1001', reason: 'other' }, live: true
  })).json().data
  t.match(await tried(), { state: 'failed', message: /cannot be reached/ }, 'nobody listens')
  await me.put(`/v1/connections/${connection}`, { name: 'x', base_url: 'http://nobody.invalid', auth: 'none' })
  t.match(await tried(), { state: 'failed' }, 'there is no such host')
})
