import '../bare-children.ts'
import t, { type Test } from 'tap'
import { startProvider } from '../models/provider.ts'
import { partsIn, QUESTION, talkative } from './helper.ts'
import { slowModel } from './slow-model.ts'

type Talkative = Awaited<ReturnType<typeof talkative>>
type Sending = Pick<Talkative['me'], 'get' | 'post' | 'put' | 'patch' | 'delete'>

/** Every way in which a visitor's words come in. */
const WAYS: Record<string, (
  built: Pick<Talkative, 'id' | 'at' | 'conversation'> & { me: Sending }, text: unknown
) => ReturnType<Sending['post']>> = {
  messages: ({ me, at }, text) => me.post(`${at}/messages`, { text }),
  stream: ({ me, at }, text) => me.post(`${at}/messages`, { text, stream: true }),
  completions: ({ me, id }, text) => me.post('/v1/chat/completions', {
    model: `agent-${id}`, messages: [{ role: 'user', content: text }]
  }),
  'completions in a conversation': ({ me, id, conversation }, text) => me.post('/v1/chat/completions', {
    model: `agent-${id}`, messages: [{ role: 'user', content: text }], metadata: { conversation }
  }),
  chat: ({ me, id, conversation }, text) => me.post(`/v1/agents/${id}/chat`, {
    id: conversation, messages: [{ role: 'user', parts: [{ type: 'text', text }] }]
  })
}

t.test('a message that is empty, too long, no text or holds NUL is refused on every way in', async (t) => {
  const built = await talkative(t)
  for (const [way, send] of Object.entries(WAYS)) {
    for (const text of ['', ' \n\t ', 'x'.repeat(8001), 'a\0b', 7, { text: 'x' }]) {
      const { statusCode, json } = await send(built, text)
      const what = `${way}: ${JSON.stringify(text).slice(0, 12)}`
      t.equal(statusCode, 400, what)
      t.match(json().error, { code: 'VALIDATION_ERROR', message: /\w/ }, what)
    }
  }
  t.strictSame((await built.me.get(`${built.at}/messages`)).json().data, [])
})

/** Every request about a conversation that has an answer. */
function aboutConversation (me: Sending, at: string, message: string) {
  return [
    me.get(at),
    me.patch(at, { status: 'closed' }),
    me.get(`${at}/messages`),
    me.get(`${at}/events`),
    me.post(`${at}/messages`, { text: 'x' }),
    me.post(`${at}/messages`, { text: 'x', stream: true }),
    me.post(`${at}/messages`, { text: 'x', role: 'person' }),
    me.post(`${at}/messages/${message}/stop`),
    me.post(`${at}/messages/${message}/regenerate`),
    me.put(`${at}/messages/${message}/feedback`, { score: 1 }),
    me.post(`${at}/handoff`, {}),
    me.post(`${at}/takeover`, {}),
    me.post(`${at}/release`, {}),
    me.post(`${at}/close`, {}),
    me.post(`${at}/typing`, {}),
    me.get(`${at}/notes`),
    me.delete(at)
  ]
}

t.test('somebody else\'s conversation and one that is not there are the same bytes, whatever is asked', async (t) => {
  const { me, at, say, user, id } = await talkative(t)
  const message = (await say(QUESTION)).json().data.id
  const other = await user()
  const theirs = (await other.post('/v1/agents', { name: 'Eve', systemPrompt: 'You help.' })).json().data.id
  const absent = `/v1/conversations/conv_${'x'.repeat(22)}`
  const [elses, none] = [aboutConversation(other, at, message), aboutConversation(other, absent, message)]
  for (const [index, answer] of elses.entries()) {
    const [{ statusCode, body, headers }, unknown] = [await answer, await none[index]!]
    const what = `${index}: ${body.slice(0, 60)}`
    t.equal(statusCode, 404, what)
    t.equal(body, unknown.body, what)
    t.strictSame(Object.keys(headers).sort(), Object.keys(unknown.headers).sort(), what)
  }
  const named = async (conversation: string) => await other.post('/v1/chat/completions', {
    model: `agent-${theirs}`, messages: [{ role: 'user', content: 'x' }], metadata: { conversation }
  })
  t.equal((await named(at.split('/').at(-1)!)).body, (await named(absent.split('/').at(-1)!)).body)
  const chatting = { id: 'my-chat', messages: [{ role: 'user', parts: [{ type: 'text', text: 'x' }] }] }
  const chat = async (agent: number) => [
    (await other.post(`/v1/agents/${agent}/chat`, chatting)).body,
    (await other.get(`/v1/agents/${agent}/chat/x/stream`)).body
  ]
  t.strictSame(await chat(id), await chat(999))
  const completing = async (agent: number) => {
    const { statusCode, body } = await WAYS['completions']!({ me: other, id: agent, at, conversation: '' }, 'x')
    return [statusCode, body.replaceAll(`agent-${agent}`, 'agent-N')]
  }
  t.strictSame(await completing(id), await completing(999))
  t.match((await me.get(`${at}/messages`)).json().data, [{ seq: 1 }, { seq: 2, feedback: null, status: 'complete' }])
})

t.test('an inactive agent answers on no way in, and says so with 409', async (t) => {
  // Was wrong: an openai client that keeps the history itself was answered all the same.
  const built = await talkative(t)
  const answered = (await built.say(QUESTION)).json().data
  await built.me.put(`/v1/agents/${built.id}`, { status: 'Inactive' })
  for (const [way, send] of Object.entries(WAYS)) {
    t.match((await send(built, QUESTION)).json().error, { code: 'agent_inactive', status: 409 }, way)
  }
  t.equal((await built.me.post(`${built.at}/messages/${answered.id}/regenerate`)).statusCode, 409)
  t.equal((await built.me.get(`${built.at}/messages`)).json().data.length, 2, 'nothing was kept')
})

t.test('a closed conversation is taken up again by a message, and by no stop and no judgement', async (t) => {
  const { me, at, say } = await talkative(t)
  const first = (await say(QUESTION)).json().data
  await me.patch(at, { status: 'closed' })
  t.match((await me.post(`${at}/messages/${first.id}/stop`)).json().data, { status: 'complete' })
  t.equal((await me.put(`${at}/messages/${first.id}/feedback`, { score: 1 })).statusCode, 200)
  t.match((await me.get(at)).json().data, { status: 'closed' })
  t.equal((await say(QUESTION)).statusCode, 201)
  t.match((await me.get(at)).json().data, { status: 'open', episode: 2 })
})

t.test('a model that is not there: the sources answer, and the log names the setting that adds it', async (t) => {
  const model = await slowModel(t)
  const lines: string[] = []
  const models = JSON.stringify([{ match: 'small', provider: 'openai-compatible', url: model.url }])
  const directory = t.testdir({ 'models.json': models })
  const log = { write: (line: string) => { lines.push(line) } }
  const { say, settled } = await talkative(t, { AGENTHALL_MODELS: `${directory}/models.json` }, {
    model: { response_model: 'no-such' }
  }, { directory, log })
  await settled()
  t.match((await say(QUESTION)).json().data, { answered_by: 'extract', status: 'complete', error: null })
  t.match(lines.join(''), /No provider has the model \\"no-such\\".*AGENTHALL_MODELS/)
  t.equal(model.all.length, 0)
})

/** What a provider may do before its first visible word, and after it. */
const BEFORE = [
  '429', 'busy-long', '500', '401', '404', '400', 'too-long', 'redirect', 'page', 'reset', 'broken-at-once',
  'large-headers', 'only-thinking'
]
const AFTER = ['severed', 'unfinished', 'broken', 'error-inside']

/** An agent whose model does this. */
async function badly (t: Test) {
  const provider = await startProvider(t)
  const built = await talkative(t, { AGENTHALL_MODEL_URL: `${provider.origin}/v1` })
  const choose = async (name: string) => {
    // So long that no earlier failure is held against the provider.
    built.clock.advance(120_000)
    t.equal((await built.me.put(`/v1/agents/${built.id}`, { model: { response_model: name } })).statusCode, 200)
  }
  return { ...built, choose }
}

t.test('whatever a provider does before its first word, the sources answer, in none of its words', async (t) => {
  const built = await badly(t)
  for (const play of BEFORE) {
    await built.choose(play)
    const { statusCode, body, json } = await built.say(QUESTION)
    t.equal(statusCode, 201, play)
    t.match(json().data, { status: 'complete', answered_by: 'extract', error: null, text: /within 30 days/ }, play)
    t.notMatch(body, /SECRET|maximum context|Sign in/, play)
  }
})

t.test('what breaks off in mid-stream fails in our words on every way in, and no request hangs', async (t) => {
  const built = await badly(t)
  for (const play of AFTER) {
    await built.choose(play)
    for (const [way, send] of Object.entries(WAYS)) {
      built.clock.advance(120_000)
      const { body, statusCode } = await send(built, QUESTION)
      t.ok(statusCode < 300, `${play}, ${way}: ${statusCode}`)
      t.notMatch(body, /SECRET/, `${play}, ${way}`)
      t.match(body, /half/, `${play}, ${way}`)
    }
    const { data } = (await built.me.get(`${built.at}/messages?limit=1&before=1000`)).json()
    t.match(data, [{ status: 'failed', text: /half/, error: { code: /^model_/, message: /again/ } }], play)
  }
  const streamed = partsIn((await WAYS['stream']!(built, QUESTION)).body)
  t.match(streamed.find(({ type }) => type === 'error'), { errorText: /\w/ })
  t.match(streamed.filter(({ type }) => type === 'text-delta').map(({ delta }) => delta).join(''), /^half/)
})

t.test('a provider that is never done is ended by a stop, and who waits for it is answered', async (t) => {
  const model = await slowModel(t)
  const built = await talkative(t, { AGENTHALL_MODEL_URL: model.url })
  for (const says of ['', 'Within ', 'Within 30 days [1]. So']) {
    const waiting = built.say(QUESTION)
    const asked = await model.next()
    if (says) await asked.say(says)
    const { id } = (await built.me.get(`${built.at}/messages?limit=1&before=1000`)).json().data[0]
    t.equal((await built.me.post(`${built.at}/messages/${id}/stop`)).statusCode, 200)
    await asked.gone
    t.match((await waiting).json().data, { status: 'stopped', id })
  }
})

t.test('a premium model answers only where the tier has the feature; elsewhere the sources do', async (t) => {
  const model = await slowModel(t, async ({ say, end }) => {
    await say('Within 30 days [1].')
    end()
  })
  const offers = [{ match: '*', provider: 'openai-compatible', url: model.url, premium: true }]
  const directory = t.testdir({ 'models.json': JSON.stringify(offers) })
  const { user, say } = await talkative(t, { AGENTHALL_MODELS: `${directory}/models.json` }, {}, { directory })
  t.match((await say(QUESTION)).json().data, { answered_by: 'model' })
  const asked = model.all.length
  const small = await user({ tier: 'free' })
  const { id } = (await small.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })).json().data
  const conversation = (await small.post(`/v1/agents/${id}/conversations`, {})).json().data.id
  const { data } = (await small.post(`/v1/conversations/${conversation}/messages`, { text: QUESTION })).json()
  t.match(data, { answered_by: 'extract' })
  t.equal(model.all.length, asked)
})
