import t, { type Test } from 'tap'
import { QUESTION, talkative } from '../conversations/helper.ts'
import { slowModel } from '../conversations/slow-model.ts'
import { build } from '../helper.ts'

/** An agent that knows about returns, with its questions. */
async function checked (t: Test, env: Record<string, string> = {}, agent: object = {}) {
  const built = await talkative(t, env, agent)
  const { me, id, settled } = built
  const path = `/v1/agents/${id}`
  const source = (await me.get(`${path}/knowledge_sources`)).json().data[0].id as number
  const add = async (text: string, expect: object, more: object = {}) =>
    (await me.post(`${path}/questions`, { text, expect, ...more })).json().data
  const read = async (run: number) => (await me.get(`${path}/runs/${run}`)).json().data
  const run = async (body: object = {}) => {
    const { data } = (await me.post(`${path}/runs`, body)).json()
    await settled()
    return await read(data.id)
  }
  return { ...built, path, source, add, run, read }
}

t.test('questions are asked of the draft as a visitor asks them, and each is told why it is not right', async (t) => {
  const { add, run, source, me, path } = await checked(t, {}, { publish_on_save: false })
  const right = await add(QUESTION, { sources: [source], says: ['30 DAYS'], never: ['14 days'], unknown: false, hands_off: 'none' })
  await add('What is the airspeed of an unladen swallow?', { unknown: true })
  const wrong = await add(QUESTION.replace('?', ' please?'), { says: ['60 days'], sources: [source] })
  const gone = await add('How do I send goods back?', { sources: [4711] })
  await add('Not asked', { says: ['x'] }, { enabled: false })
  const done = await run()
  t.match(done, {
    of: 'draft', version: null, cause: 'asked', state: 'done', total: 4, passed: 2, failed: 1, flaky: 0, errors: 1
  })
  t.match(done.results, [
    { question: right.id, verdict: 'pass', why: [], sources: [source], tokens: 0, blocking: true },
    { verdict: 'pass' },
    { question: wrong.id, verdict: 'fail', why: [{ code: 'not_said' }], message: /30 days/ },
    { question: gone.id, verdict: 'error', why: [{ code: 'source_gone' }] }
  ])
  t.notMatch(done.results[0].message, /AI assistant/)
  t.strictSame((await me.get(`${path}/questions/${right.id}`)).json().data.recent, [{ run: done.id, verdict: 'pass' }])
  t.match((await run({ questions: [right.id] })), { total: 1, passed: 1 })
  t.match((await me.get(`${path}/runs?limit=1`)).json(), { data: [{ id: done.id + 1, total: 1 }] })
})

t.test('what is live, the draft and a version are asked each as it is', async (t) => {
  const { add, run, me, path } = await checked(t, {}, { appearance: { welcomeMessage: 'Welcome!' }, publish_on_save: false })
  await add('Hello', { says: ['good day'] })
  await me.put(path, { appearance: { welcomeMessage: 'Good day!' } })
  t.match(await run(), { of: 'draft', passed: 1 })
  t.match(await run({ of: 'live' }), { of: 'live', version: 1, failed: 1 })
  await me.post(`${path}/publish`, {})
  t.match(await run({ of: 'live' }), { version: 2, passed: 1, worse: 0 })
  t.match(await run({ version: 1 }), { of: 'version', version: 1, failed: 1 })
  t.equal((await me.post(`${path}/runs`, { version: 9 })).statusCode, 404)
})

t.test('who a person would be called for is told by the rules that call one, and nobody is', async (t) => {
  const { add, run, stores, me } = await checked(t, {}, { behavior: { expertHandoff: true, email: 'help@example.com' } })
  await me.post('/v1/webhooks', { url: 'https://example.com/hook', events: ['handoff.requested', 'message.completed', 'ticket.created'] })
  await me.put('/v1/me/duty', { on: true })
  const count = (table: string) => stores.db.raw.prepare(`select count(*) from ${table}`).pluck().get()
  const tables = ['conversations', 'messages', 'tickets', 'outbox', 'figures', 'episodes', 'candidates', 'model_runs', 'account_events', 'jobs']
  await add('I want to talk to a human', { hands_off: 'visitor_asked' })
  await add(QUESTION, { hands_off: 'visitor_asked' })
  await add('My friend likes swallows', { hands_off: 'any' })
  const before = tables.map(count)
  const agents = (await me.get('/v1/agents')).body
  const done = await run()
  t.match(done.results, [{ verdict: 'pass' }, { verdict: 'fail', why: [{ code: 'not_handed_off' }] }, {}])
  t.strictSame(tables.map(count), before, 'nothing is kept, counted, told or sent')
  t.equal((await me.get('/v1/agents')).body, agents)
})

t.test('where a model answers, each question is asked until two answers agree, and nothing counts against a limit', async (t) => {
  let turn = 0
  const says = ['It is 30 days [1].', 'It is 30 days [1].', 'It is 30 days [1].', 'Two weeks [1].', 'Two weeks [1].']
  const model = await slowModel(t, async (asked) => {
    await asked.say(says[turn++ % says.length]!)
    asked.end()
  })
  const { add, run, stores } = await checked(t, { AGENTHALL_MODEL_URL: model.url })
  const first = await add(QUESTION, { says: ['30 days'] })
  t.match(await run({ questions: [first.id] }), { passed: 1 })
  t.equal(turn, 2, 'two that are right are enough')
  const { results: [flaky], ...done } = await run({ questions: [first.id] })
  t.match(done, { flaky: 1 })
  t.match(flaky, { verdict: 'flaky', why: [{ code: 'not_said' }], message: /Two weeks/ })
  t.equal(turn, 5)
  t.equal(stores.db.raw.prepare('select count(*) from model_runs').pluck().get(), 0)
})

t.test('a provider that is down is an error, never a pass', async (t) => {
  const model = await slowModel(t, (asked) => asked.refuse(500))
  const { add, run } = await checked(t, { AGENTHALL_MODEL_URL: model.url })
  await add(QUESTION, { says: ['30 days'] })
  t.match(await run(), { passed: 0, errors: 1, results: [{ verdict: 'error', why: [{ code: 'provider_down' }] }] })
})

t.test('a run that is cut off goes on at the next question, and one that is cancelled does not', async (t) => {
  const { add, path, me, stores, close, directory, clock } = await checked(t)
  for (let i = 0; i < 12; i++) await add(`${QUESTION} ${i}`, { says: ['30 days'] })
  const { note } = stores.checks.store
  const cut = new Promise<void>((resolve) => {
    let noted = 0
    stores.checks.store.note = async (...args) => {
      const isWanted = await note(...args)
      if (args[1] === 1 && ++noted === 5) resolve()
      return isWanted
    }
  })
  const run = (await me.post(`${path}/runs`, {})).json().data
  const other = (await me.post(`${path}/runs`, {})).json().data
  t.match((await me.post(`${path}/runs/${other.id}/cancel`)).json().data, { state: 'cancelled' })
  t.match((await me.post(`${path}/runs/${other.id}/cancel`)).json().data, { state: 'cancelled' }, 'once more changes nothing')
  await cut
  await close()
  const again = await build(t, {}, { directory, clock })
  const as = again.withKey(me.key)
  const half = (await as.get(`${path}/runs/${run.id}`)).json().data
  t.ok(half.results.length >= 5 && half.results.length < 12, `${half.results.length} of 12`)
  t.equal(half.state, 'running')
  await again.settled()
  const whole = (await as.get(`${path}/runs/${run.id}`)).json().data
  t.match(whole, { state: 'done', passed: 12 })
  const before = half.results.map(({ question }: { question: number }) => question)
  t.strictSame(
    whole.results.filter(({ question }: { question: number }) => before.includes(question)), half.results,
    'what was asked before is not asked again'
  )
  t.match((await as.get(`${path}/runs/${other.id}`)).json().data, { state: 'cancelled' })
})

t.test('a run is watched until it is done', async (t) => {
  const { add, path, me, settled } = await checked(t)
  await add(QUESTION, { says: ['30 days'] })
  const run = (await me.post(`${path}/runs`, {})).json().data
  const [stream] = await Promise.all([me.get(`${path}/runs/${run.id}/events`), settled()])
  const events = [...stream.body.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!))
  t.match(events.at(-1), { type: 'finished', state: 'done', passed: 1 })
  t.equal((await me.get(`${path}/runs/99/events`)).statusCode, 404)
  t.match((await me.get(`${path}/runs/${run.id}/events`)).body, /"state":"done"/, 'also of a run that is over')
})

t.test('five runs are to be done at most, and 50 are kept', async (t) => {
  const { add, path, me, run, stores } = await checked(t)
  await add(QUESTION, { says: ['30 days'] })
  const { goOn } = stores.checks.store
  stores.checks.store.goOn = async () => undefined
  const answers = []
  for (let i = 0; i < 6; i++) answers.push(await me.post(`${path}/runs`, {}))
  t.strictSame(answers.map(({ statusCode }) => statusCode), [202, 202, 202, 202, 202, 409])
  t.equal(answers[5]!.json().error.code, 'limit_reached')
  for (let i = 0; i < 5; i++) await me.post(`${path}/runs/${answers[i]!.json().data.id}/cancel`)
  for (let i = 0; i < 51; i++) {
    const { data } = (await me.post(`${path}/runs`, {})).json()
    await me.post(`${path}/runs/${data.id}/cancel`)
  }
  t.equal((await me.get(`${path}/runs?limit=100`)).json().data.length, 50)
  stores.checks.store.goOn = goOn
  t.match(await run(), { passed: 1 })
})

t.test('500 questions without a model are asked in less than 10 seconds', async (t) => {
  const { path, me, run } = await checked(t)
  const rows = Array.from({ length: 500 }, (_, i) => `How many days do I have for returns of thing ${i}?,30 days`)
  t.match((await me.post(`${path}/questions/import`, { csv: `text,says\n${rows.join('\n')}` })).json().data, { added: 500, changed: 0 })
  // CPU time: other tests run at the same time.
  const before = process.cpuUsage()
  const done = await run()
  const { user, system } = process.cpuUsage(before)
  const took = Math.round((user + system) / 1000)
  t.match(done, { total: 500, passed: 500 })
  t.ok(took < 10_000, `${took} ms`)
})
