import t from 'tap'
import { build, draft } from '../helper.ts'

const LIMITS = { AGENTHALL_AGENT_LIMITS: '{"free":2,"enterprise":1}' }

t.test('an account has no more agents than its tier allows, unless it has ADD_ON_AGENT', async (t) => {
  const { stores, user } = await build(t, LIMITS)
  const free = await user({ tier: 'free' })
  const create = async (body: object = draft, headers = {}) => await free.post('/v1/agents', body, headers)
  const knowing = { ...draft, knowledge_sources: [{ plain_text: 'Within 30 days.' }] }
  const first = await create(draft, { 'idempotency-key': 'k' })
  t.equal((await create(knowing)).statusCode, 201)
  for (const body of [draft, knowing]) {
    const refused = await create(body)
    t.equal(refused.statusCode, 403)
    t.match(refused.json().error, {
      code: 'feature_unavailable',
      message: /The free tier allows 2 agents.*Delete an agent, or ask the operator/,
      fields: { feature: 'ADD_ON_AGENT', tier: 'free', limit: 2 }
    })
  }
  t.equal((await create(draft, { 'idempotency-key': 'k' })).statusCode, 201, 'a repeat is answered as the first time')
  t.match((await free.get('/v1/me')).json().data, { limits: { max_agents: 2 }, usage: { agents: 2 } })
  await free.delete(`/v1/agents/${first.json().data.id}`)
  const made = await Promise.all(Array.from({ length: 3 }, () => create()))
  t.strictSame(made.map(({ statusCode }) => statusCode).sort(), [201, 403, 403], 'also when asked at once')
  await stores.access.setTier(free.id, 'enterprise')
  t.equal((await create()).statusCode, 201, 'with the feature the limit does not count')
  t.equal((await free.get('/v1/me')).json().data.limits.max_agents, 0)
  await stores.access.setTier(free.id, 'free')
  t.equal((await free.get('/v1/agents')).json().data.length, 3, 'nothing is lost on a lower tier')
  t.match((await create()).json().error, { code: 'feature_unavailable' })
})

t.test('a tier without a limit allows any number of agents, and one agent is said in the singular', async (t) => {
  const { user } = await build(t, { AGENTHALL_AGENT_LIMITS: '{"free":1,"pro":0}' })
  const [free, pro] = [await user({ tier: 'free' }), await user({ tier: 'pro' })]
  for (let made = 0; made < 4; made++) t.equal((await pro.post('/v1/agents', draft)).statusCode, 201)
  await free.post('/v1/agents', draft)
  t.match((await free.post('/v1/agents', draft)).json().error.message, 'allows one agent;')
})
