import t from 'tap'
import { QUESTION, talkative } from '../conversations/helper.ts'

t.test('questions are added, listed, changed and removed, by who has read them', async (t) => {
  const { me, id } = await talkative(t)
  const at = `/v1/agents/${id}/questions`
  const made = await me.post(at, { text: QUESTION, expect: { says: ['30 days'] } })
  t.equal(made.statusCode, 201)
  t.equal(made.headers.location, `${at}/1`)
  t.match(made.json().data, {
    id: 1,
    agent: id,
    text: QUESTION,
    language: null,
    turns: [],
    enabled: true,
    blocking: true,
    from_message: null,
    recent: [],
    expect: { sources: [], says: ['30 days'], never: [], unknown: null, hands_off: null, action: null }
  })
  const { etag } = (await me.get(`${at}/1`)).headers
  const changed = await me.patch(`${at}/1`, { expect: { never: ['14 days'] }, blocking: false }, { 'if-match': etag as string })
  t.match(changed.json().data, { blocking: false, expect: { says: ['30 days'], never: ['14 days'] } })
  t.equal((await me.patch(`${at}/1`, { enabled: false }, { 'if-match': etag as string })).statusCode, 412)
  t.equal((await me.patch(`${at}/1`, { expect: { says: [], never: [] } })).statusCode, 400, 'one must expect something')
  t.equal((await me.post(at, { text: QUESTION, expect: {} })).statusCode, 400)
  t.match((await me.get(at)).json().data, [{ id: 1 }])
  t.equal((await me.delete(`${at}/1`)).statusCode, 200)
  for (const call of [me.get(`${at}/1`), me.patch(`${at}/1`, { enabled: true }), me.delete(`${at}/1`)]) {
    t.equal((await call).statusCode, 404)
  }
  t.strictSame((await me.get(at)).json().data, [])
})

t.test('an answer in the inbox becomes a test question by one call', async (t) => {
  const { me, id, at, say, stores, withKey, settled } = await talkative(t)
  const visitor = (await me.post('/v1/visitors', { agent: id, name: 'Ada Byron' })).json().data.id
  const answer = (await say(QUESTION, {}, {})).json().data
  const made = await me.post(`${at}/messages/${answer.id}/question`)
  t.equal(made.statusCode, 201, made.body)
  t.equal(made.headers.location, `/v1/agents/${id}/questions/1`)
  t.match(made.json().data, {
    text: QUESTION, from_message: answer.id, expect: { sources: [1], unknown: false }
  })
  const { data: run } = (await me.post(`/v1/agents/${id}/runs`, {})).json()
  await settled()
  t.match((await me.get(`/v1/agents/${id}/runs/${run.id}`)).json().data, { passed: 1 }, 'and passes')

  const named = (await me.post(`/v1/agents/${id}/conversations`, { visitor })).json().data.id
  const other = (await me.post(`/v1/conversations/${named}/messages`, { text: 'I am Ada Byron. How many days for returns?' })).json().data
  const masked = (await me.post(`/v1/conversations/${named}/messages/${other.id}/question`)).json().data
  t.notMatch(masked.text, /Ada|Byron/)
  const question = (await me.get(`${at}/messages`)).json().data[0]
  t.equal((await me.post(`${at}/messages/${question.id}/question`)).json().error.code, 'not_an_answer')
  t.equal((await me.post(`${at}/messages/msg_${'x'.repeat(22)}/question`)).statusCode, 404)
  const key = await stores.access.createKey(me.id, () => ({ name: 'x', permissions: ['MANAGE_AGENTS'], expires_at: null }))
  const widget = stores.db.raw.prepare("update conversations set channel = 'widget' where id = ?")
  widget.run(named)
  t.equal((await withKey(key.answer.key).post(`/v1/conversations/${named}/messages/${other.id}/question`)).statusCode, 403,
    'who may not read what visitors say makes no question of it')
})

t.test('a table of questions is written and read, all or nothing', async (t) => {
  const { me, id } = await talkative(t)
  const at = `/v1/agents/${id}/questions`
  const read = (csv: string) => me.post(`${at}/import`, { csv })
  t.match((await read('text,says,blocking\nHow long?,30 days|thirty,false\nWhere?,here,')).json().data, { added: 2, changed: 0 })
  t.match((await read('text,says\nhow LONG?,14 days\nWhen?,now')).json().data, { added: 1, changed: 1 })
  t.equal((await read('text,says\nOne?,x\nTwo?,')).statusCode, 400)
  t.equal((await read('nothing')).statusCode, 400)
  const questions = (await me.get(at)).json().data
  t.match(questions, [{ text: 'how LONG?', expect: { says: ['14 days'] }, blocking: false }, { text: 'Where?' }, { text: 'When?' }])
  const table = await me.get(`/v1/agents/${id}/questions.csv`)
  t.match(table.headers['content-type'], /^text\/csv/)
  t.match((await read(table.body)).json().data, { added: 0, changed: 3 })
  t.equal((await me.get('/v1/agents/9/questions.csv')).statusCode, 404)
  const full = Array.from({ length: 1000 }, (_, i) => `Number ${i}?,x`).join('\n')
  t.equal((await read(`text,says\n${full}`)).json().error.code, 'limit_reached')
  t.equal((await me.get(at)).json().data.length, 3)
})

t.test('an agent of others has no questions and no runs', async (t) => {
  const { id, user, me } = await talkative(t)
  const at = `/v1/agents/${id}`
  await me.post(`${at}/questions`, { text: QUESTION, expect: { says: ['30 days'] } })
  await me.post(`${at}/runs`, {})
  const other = await user()
  for (const path of ['/questions', '/questions/1', '/questions.csv', '/runs', '/runs/1', '/runs/1/events']) {
    t.equal((await other.get(at + path)).statusCode, 404, path)
  }
  t.equal((await other.post(`${at}/questions`, { text: 'x', expect: { says: ['x'] } })).statusCode, 404)
  t.equal((await other.post(`${at}/questions/import`, { csv: 'text,says\nx,x' })).statusCode, 404)
  t.equal((await other.post(`${at}/runs`, {})).statusCode, 404)
  t.equal((await other.post(`${at}/runs/1/cancel`)).statusCode, 404)
})

t.test('what is asked and answered in tests goes with its agent, and with its question', async (t) => {
  const { me, id, stores, settled } = await talkative(t)
  const at = `/v1/agents/${id}`
  for (const text of [QUESTION, 'What else?']) await me.post(`${at}/questions`, { text, expect: { says: ['30 days'] } })
  await me.post(`${at}/runs`, {})
  await settled()
  const count = (table: string) => stores.db.raw.prepare(`select count(*) from ${table}`).pluck().get()
  t.equal(count('question_results'), 2)
  await me.delete(`${at}/questions/2`)
  t.equal(count('question_results'), 1)
  t.match((await me.get(`${at}/runs/1`)).json().data, { total: 2, results: [{ question: 1 }] })
  const secrets = stores.db.raw.prepare<[], number>('select secret from questions union all select secret from question_runs').pluck().all()
  await me.delete(at)
  await settled()
  t.strictSame(['questions', 'question_runs', 'question_results', 'question_sources'].map(count), [0, 0, 0, 0])
  for (const secret of secrets) t.equal(await stores.db.read(() => stores.secrets.seal(secret)), undefined)
})
