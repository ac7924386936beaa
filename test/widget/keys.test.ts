import t from 'tap'
import { draft } from '../helper.ts'
import { site, SHOP } from './helper.ts'
import { finish } from '../../src/platform/storage/sqlite/database.ts'

t.test('an owner makes, changes and deletes the keys that put an agent on sites', async (t) => {
  const { me, id, key } = await site(t)
  const at = `/v1/agents/${id}/widget_keys`
  t.match(key, /^agw_[\w-]{22}$/)
  const made = await me.post(at, { origins: ['https://Shop.Example:443', 'https://münchen.example', SHOP] })
  t.match(
    made.json().data,
    { name: 'Website', agent: id, identity_secrets: [], origins: [SHOP, 'https://xn--mnchen-3ya.example'] },
    'origins as browsers spell them, each once'
  )
  t.equal(made.headers.location, `${at}/${made.json().data.id}`)
  t.strictSame(
    Object.keys(made.json().data).sort(),
    ['agent', 'created_at', 'id', 'identity_secrets', 'name', 'origins', 'updated_at'],
    'and nothing that is secret'
  )
  const again = { 'idempotency-key': 'once' }
  const [first, second] = [await me.post(at, { name: 'Once' }, again), await me.post(at, { name: 'Once' }, again)]
  t.strictSame(first.json(), second.json())
  t.equal(second.headers['idempotency-replayed'], 'true')
  t.strictSame((await me.get(at)).json().data.map((one: { name: string }) => one.name), ['Shop', 'Website', 'Once'])

  t.match((await me.patch(`${at}/${key}`, { name: 'Both shops' })).json().data, { name: 'Both shops', origins: [SHOP] })
  t.match((await me.patch(`${at}/${key}`, { origins: [] })).json().data, { name: 'Both shops', origins: [] })
  t.strictSame((await me.delete(`${at}/${key}`)).json().data, { id: key })
  t.equal((await me.delete(`${at}/${key}`)).statusCode, 404)
  t.equal((await me.patch(`${at}/${key}`, { name: 'x' })).statusCode, 404)
})

t.test('an origin is a site alone: a path, a wildcard or another scheme is refused by its place', async (t) => {
  const { me, id } = await site(t)
  for (const origin of [
    'https://shop.example/',
    'https://*.shop.example',
    'https://shop.example/a',
    'shop.example',
    'ftp://shop.example',
    'https://u@shop.example',
    'https://shop.example?x',
    'https://shop.example:x',
    'null',
    '*'
  ]) {
    const { statusCode, body } = await me.post(`/v1/agents/${id}/widget_keys`, { origins: [SHOP, origin] })
    t.match([statusCode, JSON.parse(body)], [400, { error: { details: [{ field: 'origins[1]' }] } }], origin)
  }
})

t.test(
  "another's agents and keys are as absent as those that do not exist; changing needs the permission",
  async (t) => {
    const { me, id, key, user, stores } = await site(t)
    const other = await user()
    const { id: theirs } = (await other.post('/v1/agents', draft)).json().data
    const without = await user({ permissions: ['VIEW_ANALYTICS'] })
    const at = `/v1/agents/${id}/widget_keys`
    const all = [
      await other.get(at),
      await other.post(at, {}),
      await other.patch(`${at}/${key}`, { name: 'x' }),
      await other.delete(`${at}/${key}`),
      await other.post(`${at}/${key}/identity_secrets`),
      await other.delete(`${at}/${key}/identity_secrets/1`),
      await other.patch(`/v1/agents/${theirs}/widget_keys/${key}`, { name: 'x' })
    ]
    t.strictSame(
      all.map(({ statusCode }) => statusCode), [404, 404, 404, 404, 404, 404, 404]
    )
    t.equal(await stores.widget.face(other.id, id), undefined)
    for (const answer of [
      await without.post(at, {}),
      await without.patch(`${at}/${key}`, { name: 'x' }),
      await without.delete(`${at}/${key}`),
      await without.post(`${at}/${key}/identity_secrets`)
    ]) { t.equal(answer.statusCode, 403) }
    t.match((await me.get(at)).json().data, [{ id: key, name: 'Shop' }])
  }
)

t.test('an agent has 20 keys, and a key two secrets for identities, which are shown once', async (t) => {
  const { me, id, key } = await site(t)
  const at = `/v1/agents/${id}/widget_keys`
  const made = [
    await me.post(`${at}/${key}/identity_secrets`),
    await me.post(`${at}/${key}/identity_secrets`),
    await me.post(`${at}/${key}/identity_secrets`)
  ]
  t.strictSame(made.map(({ statusCode }) => statusCode), [201, 201, 409])
  t.match(made[0]!.json().data, { id: 1, secret: /^[\w-]{43}$/ })
  t.equal(made[0]!.headers['cache-control'], 'no-store')
  const listed = await me.get(at)
  t.match(listed.json().data[0].identity_secrets, [{ id: 1 }, { id: 2 }])
  t.notMatch(listed.body, made[0]!.json().data.secret)
  t.equal((await me.delete(`${at}/${key}/identity_secrets/1`)).statusCode, 200)
  t.equal((await me.delete(`${at}/${key}/identity_secrets/1`)).statusCode, 404)
  t.match((await me.post(`${at}/${key}/identity_secrets`)).json().data, { id: 3 }, 'a number is not given twice')
  for (let i = 1; i < 20; i++) await me.post(at, {})
  t.match((await me.post(at, {})).json().error, { code: 'limit_reached', message: /^An agent may have 20 widget keys/ })
})

t.test('what a key is sealed with is destroyed with it, and with its agent', async (t) => {
  const { me, id, key, stores, settled } = await site(t)
  const secretOf = () => stores.db.raw.prepare('select secret from widget_keys where id = ?').pluck().get(key) as number
  const secret = secretOf()
  await me.delete(`/v1/agents/${id}/widget_keys/${key}`)
  t.strictSame(stores.db.raw.prepare('select secret from doomed_secrets').pluck().all().includes(secret), true)
  const other = (await me.post(`/v1/agents/${id}/widget_keys`, {})).json().data.id as string
  const next = stores.db.raw.prepare('select secret from widget_keys where id = ?').pluck().get(other) as number
  const opens = () => finish(stores.secrets.seal(next)) !== undefined
  t.equal(opens(), true)
  await me.delete(`/v1/agents/${id}`)
  await settled()
  t.equal(opens(), false)
})

t.test('a secret that is asked for again with the same Idempotency-Key is the same one', async (t) => {
  // Was wrong: the response to the first request was lost, and the second created another, of which there may be two.
  const { me, id, key } = await site(t)
  const make = () =>
    me.post(`/v1/agents/${id}/widget_keys/${key}/identity_secrets`, undefined, { 'idempotency-key': 'once' })
  const [first, again] = [await make(), await make()]
  t.strictSame(
    [again.statusCode, again.headers['idempotency-replayed'], again.json()], [201, 'true', first.json()]
  )
})
