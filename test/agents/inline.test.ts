import path from 'node:path'
import t from 'tap'
import { build, draft } from '../helper.ts'
import { heldApart } from '../linear/apart.ts'
import { fileAlone } from '../postgres/database.ts'

const texts = (number: number, about = 'Text') =>
  Array.from({ length: number }, (_none, i) => ({ title: `T${i}`, plain_text: `${about} ${i}` }))

// Was wrong when each text was written separately: 2,000 commits, longer than a request may take, and the agent was
// created after the 503.
t.test('an agent with 1,000 texts is created and answered, in few commits', async (t) => {
  const { user, stores } = await build(t)
  const as = await user()
  const { atomically } = stores.db
  let groups = 0
  let isOpen = false
  // What is submitted during one turn of the event loop is one commit.
  stores.db.atomically = (work, options) => {
    if (!isOpen) {
      groups++
      isOpen = true
      setImmediate(() => { isOpen = false })
    }
    return atomically(work, options)
  }
  const answer = await as.post('/v1/agents/', {
    ...draft, knowledge_sources: Array.from({ length: 1000 }, (_none, i) => ({ plain_text: `Text ${i}` }))
  })
  t.equal(answer.statusCode, 201)
  t.equal((await as.get('/v1/agents/1/knowledge_sources/')).json().pagination.total, 1000)
  t.ok(groups < 100, `${groups} commits`)
})

// Was wrong when all of them were written, read and answered at a stretch: 370 ms with 3,000.
t.test('an agent with 2,000 texts is created whole, and holds nobody up', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const body = JSON.stringify({ ...draft, name: 'Much', knowledge_sources: texts(2000) })
  const { statusCode, headers, json } = await as.post('/v1/agents', body, { 'content-type': 'application/json' })
  t.equal(statusCode, 201)
  const { message, data } = json()
  t.equal(message, 'Agent created successfully')
  t.equal(headers.location, `/v1/agents/${data.id}`)
  t.equal(data.knowledge_sources_total, 2000)
  t.same(data.knowledge_sources.map(({ title }: { title: string }) => title), texts(2000).map(({ title }) => title))
  t.equal(headers.etag, (await as.get(`/v1/agents/${data.id}`)).headers.etag)
  t.match((await as.get('/v1/audit?limit=1')).json().data, [{ action: 'createAgent', target: `agents/${data.id}` }])
  const held = heldApart(path.join(import.meta.dirname, 'created-whole.ts'), 20)
  t.ok(held <= 20, `${held} ms at one stretch`)
})

t.test('whatever an agent of many texts was made with is trained', async (t) => {
  const { user, settled } = await build(t)
  const as = await user()
  const { id } = (await as.post('/v1/agents', { ...draft, knowledge_sources: texts(120) })).json().data
  await settled()
  const { json } = await as.get(`/v1/agents/${id}/knowledge_sources/?training_status=Success`)
  t.equal(json().pagination.total, 120)
})

t.test('nobody sees an agent before all that it knows is there, and nothing is left of one that is refused', async (t) => {
  const { user, stores, settled } = await build(t, {
    AGENTHALL_AGENT_LIMITS: '{"free":2}', AGENTHALL_TRAINING_LIMITS: '{"free":4000}', AGENTHALL_RATE_LIMITS: '{"free":0}'
  })
  const [as, other] = [await user({ tier: 'free' }), await user({ tier: 'free' })]
  const { atomically } = stores.db
  const seen = new Set<number>()
  stores.db.atomically = async (...asked) => {
    const given = await atomically(...asked)
    seen.add((await as.get('/v1/agents')).json().data.length)
    return given
  }
  const make = (name: string, knowledge: object[], headers = {}) =>
    as.post('/v1/agents', { ...draft, name, knowledge_sources: knowledge }, headers)
  const key = { 'idempotency-key': 'one' }
  const [first, same] = await Promise.all([make('Twin', texts(60), key), make('Twin', texts(60), key)])
  t.equal(first.statusCode, 201)
  t.same(same.json(), first.json(), 'the same request at the same time makes one')
  t.equal((await make('Twin', texts(60), key)).headers['idempotency-replayed'], 'true')
  t.same([...seen], [0, 1])
  const [one, two] = await Promise.all([make('A', texts(60)), make('B', texts(60))])
  t.same([one.statusCode, two.statusCode].sort(), [201, 403], 'of two there is room for one')
  await other.post('/v1/agents', draft)
  const placed = texts(60).map((one) => ({ ...one, agent_knowledge_folder: 1 }))
  for (const [knowledge, status] of [[texts(60, 'x'.repeat(90)), 413], [placed, 400]] as const) {
    t.equal((await other.post('/v1/agents', { ...draft, knowledge_sources: knowledge })).statusCode, status)
  }
  await settled()
  const kept = () => stores.db.raw.prepare('select owner_id, count(*) as agents from agents group by owner_id').all()
  t.same(kept(), [{ owner_id: 1, agents: 2 }, { owner_id: 2, agents: 1 }], 'of those that were refused nothing is kept')
})

t.test('an agent whose server ended before it was whole is removed by the next one', async (t) => {
  const directory = t.testdir({})
  const { user, stores, close } = await build(t, {}, { directory })
  const as = await user()
  const { atomically } = stores.db
  let commits = 0
  let isStopped: () => void
  const stopped = new Promise<void>((resolve) => { isStopped = resolve })
  stores.db.atomically = async (work, options) => {
    // The texts are staged, the agent was begun, and one slice of its sources exists.
    const has = stores.db.raw.prepare('select count(*) from knowledge_sources').pluck().get()
    if (has && ++commits > 1) {
      isStopped()
      return await new Promise(() => {})
    }
    return await atomically(work, options)
  }
  as.post('/v1/agents', { ...draft, knowledge_sources: texts(60) }).catch(() => undefined)
  await stopped
  stores.db.atomically = atomically
  t.equal((await as.get('/v1/agents')).json().data.length, 0)
  await close()
  const next = await build(t, {}, { directory })
  await next.settled()
  for (const table of ['agents', 'knowledge_sources', 'knowledge_events', "jobs where kind = 'agents.remove'"]) {
    t.equal(next.stores.db.raw.prepare(`select count(*) from ${table}`).pluck().get(), 0, table)
  }
})

t.test('an agent whose texts were brought too late is not made, and may be sent again', { skip: fileAlone }, async (t) => {
  const { user, stores: { db }, settled } = await build(t)
  const as = await user()
  db.raw.exec("create trigger taken after insert on knowledge_sources begin delete from jobs where kind = 'agents.remove'; end")
  const late = await as.post('/v1/agents', { ...draft, knowledge_sources: texts(60) })
  t.match([late.statusCode, late.headers['retry-after'], late.json().error.message], [503, '1', /too busy to make the agent\. Send it again/])
  t.strictSame((await as.get('/v1/agents')).json().data, [])
  db.raw.exec('drop trigger taken')
  t.equal((await as.post('/v1/agents', { ...draft, knowledge_sources: texts(60) })).statusCode, 201)
  await settled()
})
