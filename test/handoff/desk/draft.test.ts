import t from 'tap'
import { conversing, QUESTION, talkative } from '../../conversations/helper.ts'

t.test('the agent drafts what it would answer, with its sources: said to nobody, and kept nowhere', async (t) => {
  const { me, at, say } = await talkative(t)
  const draft = async () => await me.post(`${at}/draft`)
  t.match((await draft()).json().error, { code: 'nothing_asked', message: /until they write/ })
  await me.post(`${at}/takeover`, {})
  await say(QUESTION)
  const before = (await me.get(at)).json().data
  const drafted = await draft()
  t.equal(drafted.statusCode, 200, drafted.body)
  const { text, citations, answered_by: by, unknown } = drafted.json().data
  t.match(text, /within 30 days/)
  t.notMatch(text, /AI assistant/, 'a person who sends it is none')
  t.match(citations, [{ n: 1, title: 'Returns' }])
  t.match([by, unknown], ['extract', false])
  t.strictSame((await me.get(at)).json().data, before, 'nothing of it is kept')
  t.equal((await me.post('/v1/conversations/conv_AAAAAAAAAAAAAAAAAAAAAA/draft')).statusCode, 404)
})

t.test('nothing is drafted for who asks for a person, and has one', async (t) => {
  const { me, at, say } = await talkative(t)
  await me.post(`${at}/takeover`, {})
  for (const text of ['I want to talk to a human', 'Are you a robot?']) {
    await say(text)
    // Was wrong: "I am an AI assistant and cannot connect you to a person here" was drafted for the person who answers.
    t.match((await me.post(`${at}/draft`)).json().error, { code: 'nothing_asked' }, text)
  }
})

t.test('a model that drafts is told what was said before, may do nothing, and what it takes counts', async (t) => {
  const { me, id, at, model, say, settled } = await conversing(t)
  await me.post(`${at}/takeover`, {})
  await say('Hello, here is Bo.')
  await me.post(`${at}/messages`, { text: 'Hello Bo, what is it?', role: 'person' })
  await say(QUESTION)
  const drafting = me.post(`${at}/draft`)
  const asked = await model.next()
  t.match(JSON.stringify(asked.body.messages), /Hello Bo, what is it/)
  await asked.say('You have thirty days [1].')
  asked.end()
  t.match((await drafting).json().data, { text: 'You have thirty days [1].', answered_by: 'model' })
  await settled()
  const { data } = (await me.get('/v1/usage')).json()
  t.match(JSON.stringify(data), /"(?:runs|answers|input_tokens)":[1-9]/, 'the ledger knows of it')
  await me.put(`/v1/agents/${id}`, { status: 'Inactive' })
  t.match((await me.post(`${at}/draft`)).json().error, { code: 'agent_inactive' })
})
