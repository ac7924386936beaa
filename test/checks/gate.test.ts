import t, { type Test } from 'tap'
import { publishGate } from '../../src/checks/index.ts'
import { QUESTION, talkative } from '../conversations/helper.ts'

/** An agent whose draft has another greeting than the live version, and a question about it. */
async function gated (t: Test, question: object = {}) {
  const built = await talkative(t, {}, { appearance: { welcomeMessage: 'Welcome!' }, publish_on_save: false })
  const { me, id } = built
  const at = `/v1/agents/${id}`
  const asked = (await me.post(`${at}/questions`, { text: 'Hello', expect: { says: ['welcome'] }, ...question })).json().data
  await me.put(at, { appearance: { welcomeMessage: 'Good day!' } })
  return { ...built, route: at, asked, agent: async () => (await me.get(at)).json().data }
}

// Planted fault: a gate that lets everything through.
t.test('a draft with which a question fails is not published, and which one is told', async (t) => {
  const { me, route, asked, agent } = await gated(t)
  await me.post(`${route}/questions`, { text: QUESTION, expect: { says: ['30 days'] } })
  const refused = await me.post(`${route}/publish`, { note: 'x' })
  t.equal(refused.statusCode, 409)
  t.match(refused.json().error, {
    code: 'questions_failed',
    message: /^1 of 2 blocking test questions/,
    fields: { run: 1, questions: [{ question: asked.id, text: 'Hello', verdict: 'fail', why: [{ code: 'not_said' }], message: /Good day/ }] }
  })
  t.equal(refused.json().error.fields.questions.length, 1)
  t.match(await agent(), { has_unpublished: true, live_version: 1 })
  await me.post(`${route}/publish`, {})
  t.equal((await me.get(`${route}/runs`)).json().data.length, 1, 'the same draft is not asked twice')
  const audited = async () => (await me.get('/v1/audit')).json().data.filter(({ action }: { action: string }) => action === 'publishAgent')
  t.strictSame(await audited(), [], 'what is refused was not done')

  await me.put(route, { appearance: { welcomeMessage: 'Welcome back!' } })
  const published = await me.post(`${route}/publish`, {})
  t.equal(published.statusCode, 201)
  t.match(published.json().data, { number: 2, force_reason: null, published_by: { id: me.id } })
  t.equal((await audited()).length, 1)
  t.match((await me.get(`${route}/runs`)).json().data, [{ cause: 'publish', of: 'draft', passed: 2 }, { failed: 1 }])
})

t.test('whoever publishes all the same says why, and it is kept with the version', async (t) => {
  const { me, route } = await gated(t)
  t.equal((await me.post(`${route}/publish`, { force: true })).statusCode, 400)
  t.equal((await me.post(`${route}/publish`, { force: true, reason: ' ' })).statusCode, 400)
  const forced = await me.post(`${route}/publish`, { force: true, reason: 'The greeting was changed on purpose' })
  t.equal(forced.statusCode, 201)
  t.match((await me.get(`${route}/versions/2`)).json().data, { force_reason: 'The greeting was changed on purpose' })
  t.match((await me.get('/v1/audit')).json().data[0], { action: 'publishAgent', fields: ['force', 'reason'] })
  await me.put(route, { appearance: { welcomeMessage: 'Welcome again!' } })
  const needless = await me.post(`${route}/publish`, { force: true, reason: 'To be sure' })
  t.match(needless.json().data, { number: 3, force_reason: null }, 'where nothing failed there is nothing to excuse')
})

t.test('questions that do not block, or are not asked, hold nothing up', async (t) => {
  for (const question of [{ blocking: false }, { enabled: false }]) {
    const { me, route } = await gated(t, question)
    t.equal((await me.post(`${route}/publish`, {})).statusCode, 201)
    t.strictSame((await me.get(`${route}/runs`)).json().data, [])
  }
})

t.test('what passed before another question, or other knowledge, is asked again', async (t) => {
  const { me, route, settled } = await gated(t)
  await me.put(route, { appearance: { welcomeMessage: 'Welcome, welcome!' } })
  const { data: run } = (await me.post(`${route}/runs`, {})).json()
  await settled()
  t.match((await me.get(`${route}/runs/${run.id}`)).json().data, { passed: 1 })
  const added = (await me.post(`${route}/questions`, { text: QUESTION, expect: { says: ['60 days'] } })).json().data
  t.equal((await me.post(`${route}/publish`, {})).json().error.code, 'questions_failed')
  await me.patch(`${route}/questions/${added.id}`, { expect: { says: ['30 days'] } })
  await me.post(`${route}/knowledge_sources`, { plain_text: 'Zebras are striped.' })
  await settled()
  t.equal((await me.post(`${route}/publish`, {})).statusCode, 201)
  t.equal((await me.get(`${route}/runs`)).json().data.length, 3)
})

t.test('a draft that moves while its questions are asked is not published', async (t) => {
  const { me, route, id, stores, agent } = await gated(t)
  await me.put(route, { appearance: { welcomeMessage: 'Welcome, welcome!' } })
  const { note } = stores.checks.store
  stores.checks.store.note = async (...args) => {
    stores.checks.store.note = note
    await stores.agents.update(me.id, id, (current) => ({ ...current, description: 'Meanwhile' }))
    return await note(...args)
  }
  const moved = await me.post(`${route}/publish`, {})
  t.match([moved.statusCode, moved.json().error.code], [412, 'precondition_failed'])
  const { draft_etag: draft } = await agent()
  stores.checks.store.note = async (...args) => {
    stores.checks.store.note = note
    await stores.agents.update(me.id, id, (current) => ({ ...current, description: 'Once more' }))
    return await note(...args)
  }
  t.equal((await me.post(`${route}/publish`, { if_draft: draft })).statusCode, 412)
  t.match(await agent(), { live_version: 1, has_unpublished: true })
  t.equal((await me.post(`${route}/publish`, {})).statusCode, 201)
})

t.test('of two who publish the same draft at once one does, and the retry of a request is answered as it was', async (t) => {
  const { me, route } = await gated(t)
  await me.put(route, { appearance: { welcomeMessage: 'Welcome, welcome!' } })
  const both = await Promise.all([1, 2].map(() => me.post(`${route}/publish`, {})))
  t.strictSame(both.map(({ statusCode }) => statusCode).sort(), [201, 409])
  await me.put(route, { appearance: { welcomeMessage: 'Welcome home!' } })
  const key = { 'idempotency-key': 'once' }
  const first = await me.post(`${route}/publish`, { note: 'x' }, key)
  const again = await me.post(`${route}/publish`, { note: 'x' }, key)
  t.strictSame([first.statusCode, again.statusCode, again.body], [201, 201, first.body])
})

t.test('where asking takes long, publishing says so and which run it is', async (t) => {
  const { me, id, stores } = await gated(t)
  const { store } = stores.checks
  const slow = () => new Promise<undefined>(() => {})
  const gate = publishGate({
    store, agents: stores.agents, patienceMs: 1, asks: { ...stores.checks, conduct: slow }
  })
  await t.rejects(gate(me.id, id, false), { code: 'questions_running', fields: { run: 1 } })
  const stopped = async () => { throw new Error('stopped') }
  const broken = publishGate({ store, agents: stores.agents, asks: { ...stores.checks, conduct: stopped } })
  await t.rejects(broken(me.id, id, true), { code: 'questions_running', fields: { run: 1 } })
  await stores.checks.conduct(me.id, 1, new AbortController().signal)
  t.match(await gate(me.id, id, true), { hasFailed: true })
  t.equal(await gate(me.id, 99, true), undefined)
})
