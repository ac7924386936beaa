import t from 'tap'
import { HEAD, inFiles, type Files } from './helper.ts'

const MANY = 30

/** New agents, each with a text. */
function many (more: Files = {}): Files {
  const agents = Array.from({ length: MANY }, (_none, i) => Object.entries({
    [`agents/a${i}/agent.yaml`]: `key: a${i}\nname: Agent ${i}\n`,
    [`agents/a${i}/prompt.md`]: 'You help.\n',
    [`agents/a${i}/knowledge/r.md`]: `Returns within ${i} days.\n`,
    [`agents/a${i}/sources.yaml`]: '- { key: r, title: Returns, text: knowledge/r.md }\n'
  })).flat()
  return { 'agenthall.yaml': HEAD, ...Object.fromEntries(agents), ...more }
}

/** What there is of agents and their sources, whether anybody sees it or not. */
const COUNTS = 'select (select count(*) from agents) as agents, (select count(*) from knowledge_sources) as sources'

// Was wrong: everybody else's writes waited until all of a configuration was written, 3.2 s for one of 1,000 agents.
t.test('while many agents are applied others write, and nobody sees some of them', async (t) => {
  const { apply, me, user, stores } = await inFiles(t)
  const other = await user()
  const { hide, show } = stores.agents
  let [hidden, answered, written, seen] = [0, 0, 0, -1]
  stores.agents.hide = function * (owner, id) {
    if (hidden++ === 0) {
      other.put('/v1/me/duty', { on: true }).then(({ statusCode }) => { answered = statusCode }, t.fail)
    }
    yield * hide(owner, id)
  }
  stores.agents.show = function * (owner, ids) {
    written = answered
    seen = stores.db.raw.prepare<[], number>('select count(*) from agents where owner_id is not null').pluck().get()!
    yield * show(owner, ids)
  }
  t.equal((await apply(many())).changes.length, 2 * MANY)
  t.strictSame([hidden, written, seen], [MANY, 200, 0])
  t.equal((await me.get('/v1/agents?limit=100')).json().data.length, MANY)
})

t.test('agents that are made ahead are those that files say, trained, in the audit log, and applied once', async (t) => {
  const { apply, planned, me, settled, stores } = await inFiles(t)
  const files = many({ 'agents/a0/agent.yaml': 'key: a0\nname: Agent 0\nvocabulary:\n  - { term: Aurora, means: [kettle] }\n' })
  const { training } = await apply(files)
  t.match(training, { sources: MANY })
  await settled()
  t.strictSame((await planned(files)).changes, [])
  const [first] = (await me.get('/v1/agents')).json().data
  t.match((await me.get(`/v1/agents/${first.id}`)).json().data, {
    name: 'Agent 0', knowledge_sources: [{ title: 'Returns', training_status: 'Success' }]
  })
  const log = (await me.get('/v1/audit?limit=100')).json().data as Array<{ action: string, target: string }>
  const of = (action: string) => log.filter((one) => one.action === action).map(({ target }) => target)
  t.strictSame(new Set(of('createAgent')).size, MANY)
  t.ok(of('createAgent').includes(`agents/${first.id}`))
  t.match(of('addKnowledgeSources').at(-1), /^agents\/\d+\/knowledge_sources\/\d+$/)
  t.equal(of('addKnowledgeSources').length, MANY)
  t.strictSame(of('replaceVocabulary'), [`agents/${first.id}/vocabulary`])
  t.equal(stores.db.raw.prepare("select count(*) from jobs where kind = 'agents.remove'").pluck().get(), 0)
})

t.test('what is refused once agents are made leaves nothing of them', async (t) => {
  const { me, plan, send, settled, stores } = await inFiles(t, { AGENTHALL_AGENT_LIMITS: '{"free":20}' })
  await stores.access.setTier(me.id, 'free')
  const tooMany = many()
  const { digests } = (await plan(tooMany)).json().data
  const before = stores.db.raw.prepare(COUNTS).get()
  t.equal((await send(tooMany, digests)).json().error.code, 'feature_unavailable')
  await settled()
  t.strictSame(stores.db.raw.prepare(COUNTS).get(), before)
})

t.test('what is refused while agents are made names its file, and leaves nothing of them', async (t) => {
  const { me, plan, send, settled, stores } = await inFiles(t, { AGENTHALL_TRAINING_LIMITS: '{"free":100}' })
  await stores.access.setTier(me.id, 'free')
  const tooLong = many({ [`agents/a${MANY - 1}/knowledge/r.md`]: 'Returns are accepted. '.repeat(50) })
  const { digests } = (await plan(tooLong)).json().data
  const before = stores.db.raw.prepare(COUNTS).get()
  const { error } = (await send(tooLong, digests)).json()
  t.match([error.code, JSON.stringify(error)], ['training_limit_exceeded', /a29/])
  await settled()
  t.strictSame(stores.db.raw.prepare(COUNTS).get(), before)
})
