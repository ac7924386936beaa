import t, { type Test } from 'tap'
import { isUnsure } from '../../src/reviews/rules.ts'
import { QUESTION, talkative } from '../conversations/helper.ts'

const answer = {
  role: 'agent' as const, status: 'complete' as const, unknown: false, answered_by: 'model' as const, citations: [], text: ''
}

t.test('an answer has little to rest on where it may help only, or says much without a source', async (t) => {
  const long = 'Yes. '.repeat(40)
  const is = (more: object) => isUnsure({ ...answer, ...more })
  t.ok(is({ text: long }))
  t.notOk(is({ text: 'Hello!' }), 'a greeting')
  t.notOk(is({ text: long, citations: [{ n: 1 }] }))
  t.notOk(is({ text: long, unknown: true }), 'what it does not know stands among the suggestions')
  t.notOk(is({ text: long, role: 'person' }))
  t.notOk(is({ text: long, status: 'failed' }))
  t.ok(is({ answered_by: 'extract', text: 'This may help:\n\nReturns are accepted.' }))
  t.notOk(is({ answered_by: 'extract', text: 'Returns are accepted.' }))
})

async function desk (t: Test, agent: object = {}) {
  const built = await talkative(t, {}, { behavior: { continuousLearning: true }, ...agent })
  const { me, at, say } = built
  const listed = async (query = '') => (await me.get(`/v1/reviews${query}`)).json().data as Array<Record<string, any>>
  return {
    ...built,
    listed,
    async dislike () {
      const one = (await say(QUESTION)).json().data
      await me.put(`${at}/messages/${one.id}/feedback`, { score: -1 })
      return one
    }
  }
}

t.test('answers that visitors disliked are listed with what was asked, until somebody has judged them', async (t) => {
  const { me, id, dislike, listed, conversation, user, settled } = await desk(t)
  const { id: message } = await dislike()
  const [one] = await listed()
  t.match(one, {
    reason: 'disliked',
    question: QUESTION,
    message,
    conversation,
    agent: id,
    verdict: null,
    agent_version: 1,
    citations: [{ title: 'Returns' }]
  })
  t.equal((await listed(`?agent=${id}`)).length, 1)
  const other = await user()
  t.strictSame((await other.get('/v1/reviews')).json().data, [], 'another account sees nothing')
  t.equal((await other.put(`/v1/reviews/${one!['id']}`, { verdict: 'right' })).statusCode, 404)
  t.equal((await me.put(`/v1/reviews/${one!['id']}`, { verdict: 'maybe' })).statusCode, 400)
  const judged = await me.put(`/v1/reviews/${one!['id']}`, { verdict: 'wrong' })
  t.match(judged.json().data, { verdict: 'wrong', person: me.id, question: QUESTION })
  t.strictSame(await listed(), [])
  await settled()
  t.match((await me.get(`/v1/agents/${id}/suggestions`)).json().data, [{ question: /returns/ }], 'and stands among the suggestions')
  t.equal((await me.put('/v1/reviews/999', { verdict: 'right' })).statusCode, 404)
})

t.test('an answer is listed once, whatever makes it a risk, and goes with its conversation', async (t) => {
  const { me, at, say, dislike, listed, settled } = await desk(t)
  await dislike()
  await me.post(`${at}/close`, { resolved: true })
  await say('Hello again, that did not work')
  t.strictSame((await listed()).filter(({ reason }) => reason !== 'unsure').map(({ reason }) => reason), ['disliked'])
  await me.delete(at)
  await settled()
  t.strictSame(await listed(), [])
})

t.test('visitors who come back make the last answer a risk', async (t) => {
  const { me, at, say, listed } = await desk(t)
  const { id } = (await say(QUESTION)).json().data
  await me.post(`${at}/close`, { resolved: true })
  t.strictSame(await listed(), [])
  await say(QUESTION)
  t.match(await listed(), [{ reason: 'reopened', message: id }])
})

t.test('answers whose source has changed since are listed; one that came after it is not', async (t) => {
  const { me, id, say, listed, clock, settled } = await desk(t)
  const { id: message } = (await say(QUESTION)).json().data
  const { data: [source] } = (await me.get(`/v1/agents/${id}/knowledge_sources`)).json()
  t.ok(source, 'there is one')
  clock.advance(1000)
  const trained = await me.post(`/v1/agents/${id}/knowledge_sources/${source.id}/train`, {})
  t.ok(trained.statusCode < 300, trained.body)
  await settled()
  await say(QUESTION)
  clock.advance(61_000)
  await settled()
  t.match(await listed(), [{ reason: 'source_changed', message }])
})
