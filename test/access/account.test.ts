import Fastify from 'fastify'
import t from 'tap'
import { PERMISSIONS } from '../../schema/access.ts'
import { identifier, identify, permit } from '../../src/access/index.ts'
import { build, draft } from '../helper.ts'
import { joined } from './people.ts'

t.test('who acts for another account manages its agents, under its tier, its limits and its features', async (t) => {
  // Was wrong: the user was the account, so nobody could act for another account.
  const { stores, user, withKey } = await build(t, { AGENTHALL_RATE_LIMITS: '{"free":5}' })
  const [boss, person] = [
    await user({ tier: 'free', name: 'Boss' }), await user({ tier: 'enterprise', name: 'Member' })
  ]
  joined(stores, boss.id, person.id, [...PERMISSIONS])
  const { answer } = await stores.access.createKey(
    person.id, () => ({ name: 'x', permissions: [...PERMISSIONS], expires_at: null }), undefined, boss.id
  )
  const member = { ...withKey(answer.key), id: person.id }
  const { id } = (await boss.post('/v1/agents', draft)).json().data
  const { user: shown, tier, usage } = (await member.get('/v1/me')).json().data
  t.strictSame([shown.id, tier, usage.agents], [member.id, 'free', 1])
  const { data, features } = (await member.get('/v1/agents')).json()
  t.strictSame([data.length, data[0].id, data[0].owner, features.WHITE_LABELING], [1, id, boss.id, false])
  t.equal(
    (await member.post('/v1/agents', { ...draft, is_white_label: true })).json().error.code, 'feature_unavailable'
  )
  const made = (await member.post('/v1/agents', draft)).json().data
  t.equal(made.owner, boss.id)
  const limited = await boss.get('/v1/agents')
  t.strictSame(
    [limited.statusCode, limited.json().error.fields],
    [429, { tier: 'free', limit: 5 }],
    'one limit for all who act for it'
  )
})

t.test(
  'a route under a permit that nobody checks does not boot, nor one for keys that is open to other sites',
  async (t) => {
    // Was wrong: any string in place of a list of permissions let every key in.
    const { stores, clock } = await build(t)
    const app = Fastify()
    await app.register(identify, { callers: identifier({ ...stores, clock, baseUrl: '', failuresPerMinute: 0 }) })
    await app.register(permit)
    for (const wanted of ['anyone', 'visitor', undefined]) {
      t.throws(
        () => app.get(`/${wanted}`, { config: { permit: wanted as 'anyone' } }, async () => 'x'),
        new RegExp(`GET /${wanted} is for "${wanted}", which nothing here checks`)
      )
    }
    t.throws(
      () => app.get('/open', { config: { permit: 'any user', cors: 'any origin' } }, async () => 'x'),
      /GET \/open must not be open to other sites/
    )
    app.get('/known', { config: { permit: 'any user' } }, async () => 'x')
    t.equal((await app.inject('/known')).statusCode, 401)
  }
)

t.test('a repeat under Bearer is answered with the secret that the first answer under Api-Key gave', async (t) => {
  const { withKey, user } = await build(t)
  const { key } = await user()
  const ask = async (scheme: string) =>
    await withKey(key, scheme).post('/v1/api_keys', { name: 'x' }, { 'idempotency-key': 'k' })
  const [first, second] = [await ask('Api-Key'), await ask('Bearer')]
  t.strictSame(
    [second.statusCode, second.headers['idempotency-replayed'], second.json().data], [201, 'true', first.json().data]
  )
})
