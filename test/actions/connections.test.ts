import t from 'tap'
import { SHOP_KEY } from '../../scripts/example-shop.ts'
import { build } from '../helper.ts'
import { acting, CANCEL, openShop, openSystem, TRACK } from './helper.ts'

t.test('a connection is kept with its secret sealed, which no answer shows, and tried', async (t) => {
  const shop = await openShop(t)
  const { me, connection, stores: { db } } = await acting(t, shop.host)
  const read = await me.get(`/v1/connections/${connection}`)
  t.match(read.json().data, {
    name: 'Our shop', kind: 'http', auth: 'bearer', allowed_hosts: [shop.host], has_secret: true, last_ok: null
  })
  t.notMatch(read.body + (await me.get('/v1/connections')).body, SHOP_KEY)
  const kept = db.raw.prepare('select secret from connections').pluck().get() as Buffer
  t.ok(kept.length > SHOP_KEY.length)
  t.notMatch(kept.toString('latin1'), SHOP_KEY, 'it is kept sealed')
  const tried = await me.post(`/v1/connections/${connection}/test`)
  t.match(tried.json().data, { ok: true, status: 404 })
  t.equal(shop.asked[0]!.headers.authorization, `Bearer ${SHOP_KEY}`)
  const after = await me.get(`/v1/connections/${connection}`)
  t.match(after.json().data.last_ok, /^2026/)
  const { data_hosts: hosts } = (await me.get('/v1/business')).json().data
  t.match(hosts, [{ host: '127.0.0.1', purposes: ['actions'] }], 'a business is told where visitors\' words go')
})

t.test('replaced without a secret the one before stays, but goes to no host that it was not entered for', async (t) => {
  const shop = await openShop(t)
  const other = await openSystem(t, (_request, reply) => reply.end('{}'))
  const { me, connection } = await acting(t, shop.host, { AGENTHALL_ALLOWED_HOSTS: `${shop.host},${other.host}` })
  const draft = { name: 'Shop', base_url: `http://${shop.host}`, auth: 'bearer' }
  const at = `/v1/connections/${connection}`
  t.match((await me.put(at, draft)).json().data, { name: 'Shop', has_secret: true })
  t.equal((await me.post(`${at}/test`)).json().data.status, 404, 'the secret is still taken')
  const stolen = [
    { ...draft, base_url: `http://${other.host}` },
    { ...draft, allowed_hosts: [shop.host, other.host] },
    { ...draft, auth: 'oauth_client', auth_name: 'x', token_url: `http://${other.host}/token` }
  ]
  for (const one of stolen) {
    const refused = await me.put(at, one)
    t.match([refused.statusCode, refused.json().error.details], [400, [{ field: 'secret' }]])
  }
  t.strictSame(other.asked, [])
  t.equal((await me.put(at, { ...draft, base_url: `http://${other.host}`, secret: 'another' })).statusCode, 200)
  t.match((await me.put(at, { ...draft, auth: 'none' })).json().data, { has_secret: false }, 'without proof none is kept')
})

t.test('a connection that cannot be is refused by the field that is wrong', async (t) => {
  const { user } = await build(t)
  const me = await user()
  const good = { name: 'x', base_url: 'https://shop.example.com/api/' }
  const wrong: Array<[string, object]> = [
    ['base_url', { base_url: 'http://127.0.0.1:9/' }],
    ['base_url', { base_url: 'http://localhost/' }],
    ['base_url', { base_url: 'ftp://shop.example.com' }],
    ['allowed_hosts', { allowed_hosts: ['other.example.com'] }],
    ['allowed_hosts', { allowed_hosts: ['shop.example.com', '%%'] }],
    ['auth_name', { auth: 'basic', secret: 'x' }],
    ['auth_name', { auth: 'basic', secret: 'x', auth_name: 'a:b' }],
    ['auth_name', { auth: 'header', secret: 'x', auth_name: 'Host' }],
    ['token_url', { auth: 'oauth_client', secret: 'x', auth_name: 'a' }],
    ['token_url', { auth: 'oauth_client', secret: 'x', auth_name: 'a', token_url: 'http://127.0.0.1/t' }],
    ['secret', { auth: 'bearer' }]
  ]
  for (const [field, change] of wrong) {
    const refused = await me.post('/v1/connections', { ...good, ...change })
    t.match([refused.statusCode, refused.json().error?.details?.[0]?.field], [400, field], JSON.stringify(change))
  }
  const made = await me.post('/v1/connections', good)
  t.match(made.json().data, { base_url: 'https://shop.example.com/api', allowed_hosts: ['shop.example.com'] })
  for (let i = 1; i < 50; i++) await me.post('/v1/connections', good)
  t.equal((await me.post('/v1/connections', good)).json().error.code, 'limit_reached')
  t.equal((await me.delete('/v1/connections/1')).statusCode, 200)
  for (const [method, url] of [['get', '/v1/connections/1'], ['delete', '/v1/connections/1']] as const) {
    t.equal((await me[method](url)).statusCode, 404)
  }
  t.equal((await me.put('/v1/connections/1', good)).statusCode, 404)
  t.equal((await me.post('/v1/connections/1/test')).statusCode, 404)
})

t.test('a connection that is used stays, and so does one that somebody else has changed', async (t) => {
  const shop = await openShop(t)
  const { me, connection, action } = await acting(t, shop.host)
  const at = `/v1/connections/${connection}`
  const { etag } = (await me.get(at)).headers
  const id = await action(TRACK)
  t.equal((await me.delete(at)).json().error.code, 'in_use')
  t.equal((await me.delete(`/v1/actions/${id}`)).json().error.code, 'in_use', 'an agent has it')
  await me.put('/v1/agents/1', { behavior: { actionIds: [] } })
  t.equal((await me.delete(`/v1/actions/${id}`)).statusCode, 200)
  await me.post(`${at}/test`)
  t.equal((await me.get(at)).headers.etag?.slice(0, 14), etag?.slice(0, 14), 'a try is no change')
  await me.put(at, { name: 'Other', base_url: `http://${shop.host}` })
  t.equal((await me.delete(at, undefined, { 'if-match': etag! })).statusCode, 412)
  t.equal((await me.delete(at)).statusCode, 200)
})

t.test('who asks is proved as the connection says', async (t) => {
  const tokens: string[] = []
  const system = await openSystem(t, (request, reply) => {
    if (request.url !== '/token') return system.json(reply, {})
    tokens.push(String(request.headers.authorization))
    if (tokens.length === 3) return system.json(reply, { error: 'invalid_client' }, 401)
    if (tokens.length === 4) return reply.end('<html>Sign in</html>')
    system.json(reply, { access_token: `token-${tokens.length}`, expires_in: 60 })
  })
  const { me, connection, clock } = await acting(t, system.host)
  const base = `http://${system.host}`
  const asked = async (auth: object) => {
    await me.put(`/v1/connections/${connection}`, { name: 'x', base_url: base, ...auth })
    const { data } = (await me.post(`/v1/connections/${connection}/test`)).json()
    return { ...data, headers: system.asked.at(-1)!.headers }
  }
  t.equal((await asked({ auth: 'none' })).headers.authorization, undefined)
  t.equal((await asked({ auth: 'header', auth_name: 'X-Key', secret: 's' })).headers['x-key'], 's')
  t.equal((await asked({ auth: 'basic', auth_name: 'ada', secret: 's' })).headers.authorization, `Basic ${btoa('ada:s')}`)
  const client = { auth: 'oauth_client', auth_name: 'id', secret: 's', token_url: `${base}/token` }
  t.equal((await asked(client)).headers.authorization, 'Bearer token-1')
  const again = async () => (await me.post(`/v1/connections/${connection}/test`)).json().data
  await again()
  t.equal(tokens.length, 1, 'a token is kept')
  clock.advance(31_000)
  await again()
  t.equal(system.asked.at(-1)!.headers.authorization, 'Bearer token-2', 'until shortly before its end')
  clock.advance(31_000)
  t.match(await again(), { ok: false, status: null, message: /No token came from token_url/ })
  t.match(await again(), { ok: false, status: null, message: /It answered 200\./ }, 'a page is no token')
  t.strictSame(tokens, Array(4).fill(`Basic ${btoa('id:s')}`))
})

t.test('a token is fetched once for all who need it, and anew where the system takes it no more', async (t) => {
  // Was wrong: two at once fetched one each, and one that was revoked was sent until its end.
  let [tokens, type] = [0, 'Bearer']
  const taken = new Set<string>()
  const system = await openSystem(t, async (request, reply) => {
    if (request.url !== '/token') {
      const isTaken = taken.has(String(request.headers.authorization))
      return system.json(reply, { status: 'here' }, isTaken ? 200 : 401)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    taken.add(`Bearer token-${++tokens}`)
    system.json(reply, { access_token: `token-${tokens}`, expires_in: 3600, token_type: type })
  })
  const { me, connection, action } = await acting(t, system.host)
  const client = {
    name: 'x', base_url: `http://${system.host}`, auth: 'oauth_client', auth_name: 'id', secret: 's', token_url: `http://${system.host}/token`
  }
  await me.put(`/v1/connections/${connection}`, client)
  const [track, cancel] = [await action(TRACK), await action(CANCEL)]
  const tried = async (id: number, given: object) =>
    (await me.post(`/v1/actions/${id}/test`, { arguments: given, live: true })).json().data
  const read = async () => await tried(track, { number: '1001' })
  const both = await Promise.all([read(), read(), read()])
  t.match(both, [{ state: 'done' }, { state: 'done' }, { state: 'done' }])
  t.equal(tokens, 1)
  taken.clear()
  t.match(await read(), { state: 'done' })
  t.equal(tokens, 2)
  taken.clear()
  t.match(await tried(cancel, { number: '1001', reason: 'other' }), { state: 'done' })
  const writes = system.asked.filter(({ line }) => line.startsWith('POST /orders')).map(({ headers }) => headers['idempotency-key'])
  t.match([writes.length, new Set(writes).size, tokens], [2, 1, 3], 'with the key of the first')
  type = 'mac'
  await me.put(`/v1/connections/${connection}`, { ...client, name: 'y' })
  t.match(await read(), { state: 'failed', message: /Its type is not supported/ })
  type = 'bearer'
  t.match(await read(), { state: 'done' })
})

t.test('a token that is not taken although it is new is not asked for again and again', async (t) => {
  const system = await openSystem(t, (request, reply) => request.url === '/token'
    ? system.json(reply, { access_token: 'x', expires_in: 3600 })
    : system.json(reply, {}, 401))
  const { me, connection, action } = await acting(t, system.host)
  await me.put(`/v1/connections/${connection}`, {
    name: 'x', base_url: `http://${system.host}`, auth: 'oauth_client', auth_name: 'id', secret: 's', token_url: `http://${system.host}/token`
  })
  const id = await action(TRACK)
  const { data } = (await me.post(`/v1/actions/${id}/test`, { arguments: { number: '1001' }, live: true })).json()
  t.match(data, { state: 'failed', status: 401, message: /does not accept the secret/ })
  t.equal(system.asked.length, 2)
})

t.test('a connection that does not answer says why, where it is listed too', async (t) => {
  let status = 200
  const system = await openSystem(t, (_request, reply) => reply.writeHead(status).end())
  const { me, connection } = await acting(t, system.host, { AGENTHALL_ALLOWED_HOSTS: `${system.host},127.0.0.1:9` })
  const tried = async () => (await me.post(`/v1/connections/${connection}/test`)).json().data
  t.match(await tried(), { ok: true })
  status = 403
  t.match(await tried(), { ok: false, message: /the secret is not accepted/ })
  status = 500
  t.match(await tried(), { ok: false, message: /It answered 500/ })
  await me.put(`/v1/connections/${connection}`, { name: 'x', base_url: 'http://127.0.0.1:9', auth: 'none' })
  t.match(await tried(), { ok: false, status: null, message: /cannot be reached/ })
  t.match((await me.get(`/v1/connections/${connection}`)).json().data, {
    last_error: /cannot be reached/, last_error_code: 'unreachable'
  })
})
