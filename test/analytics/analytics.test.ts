import t, { type Test } from 'tap'
import {
  figuresOf, ofConversation, ofEnd, ofFeedback, ofMessage, ofReturn, type Ended, type Increment
} from '../../src/analytics/figures.ts'
import { talkative, QUESTION } from '../conversations/helper.ts'
import { slowModel } from '../conversations/slow-model.ts'

const DAY_MS = 24 * 60 * 60_000

async function counted (t: Test, env: Record<string, string> = {}) {
  const built = await talkative(t, env)
  const { me, id, settled } = built
  const figures = async (query = '') => {
    await settled()
    return (await me.get(`/v1/analytics${query}`)).json().data
  }
  const begin = async (agent = id) =>
    `/v1/conversations/${(await me.post(`/v1/agents/${agent}/conversations`, {})).json().data.id}`
  return { ...built, figures, begin }
}

t.test('what happens is counted by day, and what stood out is named', async (t) => {
  const { me, id, at, say, begin, figures, clock, settled } = await counted(t)
  const answer = (await say(QUESTION)).json().data
  await me.put(`${at}/messages/${answer.id}/feedback`, { score: 1 })
  await say('What does the moon weigh in kilograms?')
  await say('What does the moon weigh in kilograms, please?')
  await me.patch(at, { status: 'closed' })
  clock.advance(DAY_MS)
  await settled()
  await me.post(`${await begin()}/messages`, { text: QUESTION })
  const { from, to, total, days, top_sources: sources, top_unknown: unknown } = await figures()
  t.strictSame([from, to, days.length], ['2025-12-04', '2026-01-02', 30])
  t.match(total, {
    conversations: 2,
    messages: { visitor: 4, agent: 4, person: 0 },
    unknown: 2,
    feedback: { up: 1, down: 0 },
    reopened: 0,
    first_answer_ms: null,
    cost: null,
    tokens: { input: 0, output: 0 }
  })
  t.strictSame(
    days
      .slice(-2)
      .map((day: { day: string, conversations: number, messages: { visitor: number } }) => [
        day.day, day.conversations, day.messages.visitor
      ]),
    [
      ['2026-01-01', 1, 3], ['2026-01-02', 1, 1]
    ]
  )
  t.match(sources, [{ title: 'Returns', answers: 2 }])
  t.match(unknown, [{ question: /moon/, times: 2 }])
  t.match((await me.get(`/v1/agents/${id}/analytics?from=2026-01-02&to=2026-01-02`)).json().data.total, {
    conversations: 1, messages: { visitor: 1 }
  })
  t.equal((await me.get('/v1/agents/999/analytics')).statusCode, 404)
  t.equal((await me.get('/v1/analytics?from=2026-01-02&to=2026-01-01')).statusCode, 400)
})

// Was wrong: figures knew of a hand-off only when it had ended, and nobody seemed to have had to answer.
t.test('hand-offs that are going on are told, of all agents and of one', async (t) => {
  const { me, id, begin, figures } = await counted(t)
  const open = async () => [
    (await figures()).open_handoffs, (await me.get(`/v1/agents/${id}/analytics`)).json().data.open_handoffs
  ]
  t.strictSame(await open(), [0, 0])
  const other = (await me.post('/v1/agents', { name: 'Other', systemPrompt: 'You help.' })).json().data.id
  const [one, two] = [await begin(), await begin(other)]
  for (const at of [one, two]) await me.post(`${at}/takeover`, {})
  t.strictSame(await open(), [2, 1])
  await me.patch(one, { status: 'closed' })
  t.strictSame(await open(), [1, 0])
})

t.test('a table comes where it is asked for, by the address or by the header', async (t) => {
  const { me, say } = await counted(t)
  await say(QUESTION)
  for (const answer of [
    await me.get('/v1/analytics?format=csv'), await me.get('/v1/analytics', undefined, { accept: 'text/csv' })
  ]) {
    t.match(answer.headers, {
      'content-type': 'text/csv; charset=utf-8', 'content-disposition': 'attachment; filename="analytics.csv"'
    })
    t.equal(answer.body.trimEnd().split('\r\n').length, 31)
    t.match(answer.body, /\r\n2026-01-01,1,1,1,0,/)
  }
  t.match(
    (await me.get('/v1/analytics?format=json', undefined, { accept: 'text/csv' })).headers['content-type'], /json/
  )
})

t.test('each account sees its own figures, and nobody else\'s words', async (t) => {
  const { say, user } = await counted(t)
  await say('What does the moon weigh in kilograms?')
  const { total, top_sources: sources, top_unknown: unknown } = (await (await user()).get('/v1/analytics')).json().data
  t.match(total, { conversations: 0, messages: { visitor: 0 } })
  t.strictSame([sources, unknown], [[], []])
})

t.test('figures made anew from the rows are the same, and stay when the conversations are removed', async (t) => {
  const model = await slowModel(t, async ({ say, end }) => {
    await say('Returns are accepted within 30 days of delivery [1].')
    end()
  })
  const { me, id, at, say, begin, figures, clock, settled, stores } = await counted(t, {
    AGENTHALL_MODEL_URL: model.url
  })
  await say(QUESTION)
  await me.patch(at, { status: 'closed' })
  clock.advance(DAY_MS)
  await say('And what about the packaging of returns?')
  const other = await begin()
  const answer = (await me.post(`${other}/messages`, { text: QUESTION })).json().data
  await me.put(`${other}/messages/${answer.id}/feedback`, { score: 1 })
  await me.put(`${other}/messages/${answer.id}/feedback`, { score: -1 })
  await me.post(`${other}/takeover`, {})
  await me.post(`${other}/messages`, { text: 'I am a person.', role: 'person' })
  await me.patch(other, { status: 'closed' })
  await settled()

  const again: Increment[] = []
  const ended = stores.db.raw.prepare<[string], Ended & { reopened_at: string | null }>(
    'select * from episodes where conversation = (select number from conversations where id = ?)'
  )
  const { store } = stores.conversations
  for (const conversation of (await store.list(me.id, {}, undefined, 100)).items) {
    const messages = await store.messages(me.id, conversation.id, {}, 100) ?? []
    again.push(...ofConversation(conversation))
    const first = messages.find(({ role }) => role === 'agent')
    for (const message of messages) {
      again.push(...ofMessage(message, message === first), ...(message.feedback ? ofFeedback(message, null) : []))
    }
    for (const episode of ended.all(conversation.id)) {
      again.push(...ofEnd(episode), ...(episode.reopened_at ? ofReturn(episode, episode.reopened_at) : []))
    }
  }
  const { total } = await figures()
  t.match(total, {
    conversations: 2,
    messages: { visitor: 3, person: 1 },
    reopened: 1,
    feedback: { up: 0, down: 1 },
    first_answer_ms: { p50: Number, p95: Number }
  })
  t.strictSame(figuresOf(again), total)

  await me.delete(at)
  await me.delete(other)
  await settled()
  t.strictSame((await figures()).total, total, 'sums stay')
  t.strictSame((await figures()).top_unknown, [], 'words do not')
  t.equal((await me.delete(`/v1/agents/${id}`)).statusCode, 200)
  t.equal((await figures()).total.conversations, 0, 'they go with the agent')
})
