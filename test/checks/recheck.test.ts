import t, { type Test } from 'tap'
import { BETWEEN_MS, QUIET_MS } from '../../src/checks/recheck.ts'
import { QUESTION, RETURNS, talkative } from '../conversations/helper.ts'

/** An agent with a question that depends on its knowledge of returns, and passes. */
async function passing (t: Test) {
  const built = await talkative(t)
  const { me, id, settled, clock, stores } = built
  const at = `/v1/agents/${id}`
  const source = (await me.get(`${at}/knowledge_sources`)).json().data[0].id as number
  const question = (await me.post(`${at}/questions`, { text: QUESTION, expect: { sources: [source], says: ['30 days'] } })).json().data.id
  await me.post('/v1/webhooks', { url: 'https://example.com/hook', events: ['check.failed'] })
  const runs = async () => (await me.get(`${at}/runs`)).json().data
  /** Lets time pass, and runs what is due. */
  async function after (ms: number) {
    clock.advance(ms)
    await stores.jobs.ask([])
    await settled()
  }
  async function teach (days: number, of = source) {
    await me.put(`${at}/knowledge_sources/${of}`, { plain_text: RETURNS.replace('30', String(days)) })
    await settled()
  }
  await me.post(`${at}/runs`, { of: 'live' })
  await settled()
  t.match(await runs(), [{ of: 'live', passed: 1 }])
  const told = () => stores.db.raw.prepare<[], string>("select payload from outbox where payload ->> '$.type' = 'check.failed'").pluck().all()
  return { ...built, at, source, question, runs, after, teach, told }
}

t.test('a source that is trained anew has its questions asked of what is live, and what got worse is told', async (t) => {
  const { teach, after, runs, told, question, at, me } = await passing(t)
  await me.post(`${at}/questions`, { text: 'What is not concerned?', expect: { unknown: true } })
  await teach(14)
  t.equal((await runs()).length, 1, 'not at once')
  await after(QUIET_MS)
  const [run] = await runs()
  t.match(run, { of: 'live', version: 1, cause: 'knowledge', state: 'done', total: 1, failed: 1, worse: 1 })
  t.match((await me.get(`${at}/runs/${run.id}`)).json().data.results, [{ question, why: [{ code: 'not_said' }] }])
  t.match(told().map((payload) => JSON.parse(payload)), [{ refs: { run: run.id }, agent: 1 }])

  await teach(15)
  await after(BETWEEN_MS)
  t.match((await runs())[0], { failed: 1, worse: 0 }, 'what was wrong before did not get worse')
  t.equal(told().length, 1)
  await teach(30)
  await after(BETWEEN_MS)
  t.match((await runs())[0], { passed: 1, worse: 0 })
})

t.test('it begins ten minutes after the last change, and once an hour at most', async (t) => {
  const { teach, after, runs } = await passing(t)
  await teach(14)
  await after(QUIET_MS - 60_000)
  await teach(15)
  await after(QUIET_MS - 60_000)
  t.equal((await runs()).length, 1)
  await after(60_000)
  t.equal((await runs()).length, 2)
  await teach(30)
  await after(QUIET_MS)
  t.equal((await runs()).length, 2, 'the hour is not over')
  await after(BETWEEN_MS - QUIET_MS)
  t.match(await runs(), [{ cause: 'knowledge', passed: 1 }, { failed: 1 }, { passed: 1 }])
})

t.test('what rests on nothing that has changed is not asked, nor what is switched off or gone meanwhile', async (t) => {
  const { teach, after, runs, at, me, settled, question } = await passing(t)
  await me.post(`${at}/knowledge_sources`, { plain_text: 'Zebras are striped.' })
  await settled()
  await after(BETWEEN_MS)
  t.equal((await runs()).length, 1)
  await teach(14)
  await me.patch(`${at}/questions/${question}`, { enabled: false })
  await after(BETWEEN_MS)
  t.equal((await runs()).length, 1)
  await me.patch(`${at}/questions/${question}`, { enabled: true })
  await teach(15)
  await me.delete(`${at}/questions/${question}`)
  await after(BETWEEN_MS)
  t.equal((await runs()).length, 1)
})

t.test('an answer that cited a source rests on it too, expected or not', async (t) => {
  const { teach, after, runs, at, me, question, settled } = await passing(t)
  await me.patch(`${at}/questions/${question}`, { expect: { sources: [] } })
  await me.post(`${at}/runs`, { of: 'live' })
  await settled()
  await teach(14)
  await after(BETWEEN_MS)
  t.match((await runs())[0], { cause: 'knowledge', worse: 1 })
})

t.test('where too many runs are to be done it waits for them', async (t) => {
  const { teach, after, runs, at, me, stores } = await passing(t)
  await teach(14)
  const { goOn } = stores.checks.store
  stores.checks.store.goOn = async () => undefined
  for (let i = 0; i < 5; i++) await me.post(`${at}/runs`, {})
  await after(QUIET_MS)
  t.equal((await runs()).length, 6)
  stores.checks.store.goOn = goOn
  for (const { id } of (await runs()).slice(0, 5)) await me.post(`${at}/runs/${id}/cancel`)
  await after(QUIET_MS)
  t.match((await runs())[0], { cause: 'knowledge', failed: 1, worse: 1 })
})

t.test('a deleted agent is not asked any more', async (t) => {
  const { teach, after, at, me, stores } = await passing(t)
  await teach(14)
  await me.delete(at)
  await after(QUIET_MS)
  t.equal(stores.db.raw.prepare('select count(*) from question_runs').pluck().get(), 0)
})
