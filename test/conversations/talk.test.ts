import t from 'tap'
import { partsIn, QUESTION, RETURNS, talkative } from './helper.ts'

t.test('a question is answered by a cited sentence of what the agent knows', async (t) => {
  const { me, at, conversation, say } = await talkative(t)
  const answer = await say(QUESTION)
  t.equal(answer.statusCode, 201, answer.body)
  const message = answer.json().data
  t.match(message, { role: 'agent', seq: 2, status: 'complete', answered_by: 'extract', conversation })
  t.match(message.text, /Returns are accepted within 30 days of delivery\..*\[1\]/s)
  t.match(message.citations, [{ n: 1, title: 'Returns', start: 0 }])
  const { quote, start, end } = message.citations[0]
  t.equal(RETURNS.slice(start, end), quote)
  t.notOk('attempts' in message)
  const read = (await me.get(`${at}/messages`)).json().data
  t.strictSame(read.map(({ seq, role }: { seq: number, role: string }) => [seq, role]), [[1, 'visitor'], [2, 'agent']])
  t.match((await me.get(at)).json().data, { messages: 2, subject: QUESTION, status: 'open', channel: 'api' })
})

t.test('what nothing answers is said to be unknown, with suggestions', async (t) => {
  const { say } = await talkative(t)
  const { data } = (await say('Who won the football world cup in Brazil?')).json()
  t.match(data, { text: /I do not know/, citations: [], suggestions: ['How do I return something?'] })
})

t.test('a stream shows the answer in the message format of ai, to its end', async (t) => {
  const { say } = await talkative(t)
  for (const [more, headers] of [[{ stream: true }, {}], [{}, { accept: 'text/event-stream' }]] as const) {
    const { body, headers: answered } = await say(QUESTION, more, headers)
    t.match(answered['content-type'], /text\/event-stream/)
    t.match(body, /data: \[DONE\]\n\n$/)
    t.strictSame(
      partsIn(body)
        .map(({ type }) => type)
        .filter((type) => type !== 'data-event'),
      ['start', 'text-start', 'text-delta', 'text-end', 'source-document', 'data-message', 'finish']
    )
  }
})

t.test('a hundred equal messages are one, and have one answer', async (t) => {
  const { me, at, say } = await talkative(t)
  const answers = await Promise.all(
    Array.from({ length: 100 }, async () => (await say(QUESTION, { client_id: 'c1' })).json().data.id)
  )
  t.equal(new Set(answers).size, 1)
  t.equal((await me.get(`${at}/messages`)).json().data.length, 2)
})

t.test('an Idempotency-Key makes a repeat the same message, and refuses another one', async (t) => {
  const { say } = await talkative(t)
  const key = { 'idempotency-key': 'k1' }
  const first = await say(QUESTION, {}, key)
  const again = await say(QUESTION, {}, key)
  t.equal(again.json().data.id, first.json().data.id)
  t.equal(again.headers['idempotency-replayed'], 'true')
  t.match((await say('Something else?', {}, key)).json().error, { code: 'idempotency_mismatch', status: 422 })
})

t.test('a message that is empty, too long or holds NUL is refused by name', async (t) => {
  const { say, at, me } = await talkative(t)
  for (const text of ['', '  \n ', 'x'.repeat(8001), 'a\0b']) {
    const { statusCode, json } = await say(text)
    t.equal(statusCode, 400, JSON.stringify(text).slice(0, 20))
    t.match(json().error.details, [{ field: 'text' }])
  }
  t.equal((await say('🙂'.repeat(4000))).statusCode, 201, 'characters are counted, not their halves')
  t.equal((await me.post(`${at}/messages`, { text: 'x', role: 'agent' })).statusCode, 400)
})

t.test('an inactive agent does not answer, and says so', async (t) => {
  const { me, id, say, at } = await talkative(t)
  await me.put(`/v1/agents/${id}`, { status: 'Inactive' })
  t.match((await say(QUESTION)).json().error, { code: 'agent_inactive', status: 409 })
  t.strictSame((await me.get(`${at}/messages`)).json().data, [])
})

t.test('an answer is judged, and the judgement stays', async (t) => {
  const { me, at, say } = await talkative(t)
  const answer = (await say(QUESTION)).json().data
  const judged = await me.put(`${at}/messages/${answer.id}/feedback`, { score: -1, comment: 'Too short' })
  t.match(judged.json().data.feedback, { score: -1, comment: 'Too short' })
  t.match((await me.get(`${at}/messages?after=1`)).json().data, [{ feedback: { score: -1, comment: 'Too short' } }])
  const [question] = (await me.get(`${at}/messages`)).json().data
  t.equal((await me.put(`${at}/messages/${question.id}/feedback`, { score: 1 })).statusCode, 409)
  t.equal((await me.put(`${at}/messages/${answer.id}/feedback`, { score: 3 })).statusCode, 400)
  t.equal((await me.put(`${at}/messages/msg_${'x'.repeat(22)}/feedback`, { score: 1 })).statusCode, 404)
})

t.test('the last answer is written anew beside the old one', async (t) => {
  const { me, at, say } = await talkative(t)
  const answer = (await say(QUESTION)).json().data
  const anew = await me.post(`${at}/messages/${answer.id}/regenerate`)
  t.equal(anew.statusCode, 201, anew.body)
  t.match(anew.json().data, {
    seq: 3, replaces: answer.id, status: 'complete', text: answer.text.replace(/^.*\n\n/, '')
  })
  const keyed = () =>
    me.post(`${at}/messages/${anew.json().data.id}/regenerate`, undefined, { 'idempotency-key': 'again' })
  t.equal((await keyed()).json().data.id, (await keyed()).json().data.id, 'a repeat is the same answer')
  t.equal((await me.post(`${at}/messages/${answer.id}/regenerate`)).statusCode, 409, 'it is no longer the last')
  t.equal((await me.post(`${at}/messages/msg_${'x'.repeat(22)}/regenerate`)).statusCode, 404)
  t.match(
    (await me.post(`${at}/messages/${answer.id}/stop`)).json().data,
    { status: 'complete' },
    'what has ended is not stopped'
  )
  t.equal((await me.post(`${at}/messages/msg_${'x'.repeat(22)}/stop`)).statusCode, 404)
})

t.test('what a visitor wrote is not stopped', async (t) => {
  // Was wrong: it was answered with 200, "Answer stopped".
  const { me, at, say } = await talkative(t)
  await say(QUESTION)
  const [question] = (await me.get(`${at}/messages`)).json().data
  const stopped = await me.post(`${at}/messages/${question.id}/stop`)
  t.equal(stopped.statusCode, 409)
  t.match(stopped.json().error, { code: 'not_an_answer', message: 'Only an answer of the agent can be stopped.' })
})

t.test('an answer that is written anew is streamed to who asks for that', async (t) => {
  // Was wrong: stream and Accept were ignored here.
  for (const [more, headers] of [[{ stream: true }, {}], [{}, { accept: 'text/event-stream' }]] as const) {
    const { me, at, say } = await talkative(t)
    const answer = (await say(QUESTION)).json().data
    const anew = await me.post(
      `${at}/messages/${answer.id}/regenerate`, more, { ...headers, 'idempotency-key': 'once' }
    )
    t.match(anew.headers['content-type'], /text\/event-stream/)
    const [, , kept] = (await me.get(`${at}/messages`)).json().data
    t.match(kept, { replaces: answer.id, status: 'complete' })
    const told = (body: string) => partsIn(body).map(({ delta = '' }) => delta).join('')
    t.equal(told(anew.body), kept.text, 'the new answer, and nothing of the old one')
    t.match(anew.body, /data: \[DONE\]\n\n$/)
    const repeated = await me.post(
      `${at}/messages/${answer.id}/regenerate`, more, { ...headers, 'idempotency-key': 'once' }
    )
    t.equal(told(repeated.body), kept.text, 'sent again it is the same answer')
  }
})

t.test('messages are read forwards and backwards', async (t) => {
  const { me, at, say } = await talkative(t)
  for (const text of ['Hi', 'Thanks', 'Hello']) await say(text)
  const seqs = async (query: string) =>
    (await me.get(`${at}/messages?${query}`)).json().data.map(({ seq }: { seq: number }) => seq)
  t.strictSame(await seqs('limit=2'), [1, 2])
  t.strictSame(await seqs('after=2&limit=3'), [3, 4, 5])
  t.strictSame(await seqs('before=5&limit=2'), [3, 4])
  t.match((await me.get(`${at}/messages?before=5&after=1`)).json().error, { code: 'VALIDATION_ERROR' })
})
