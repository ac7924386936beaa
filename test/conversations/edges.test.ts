import '../bare-children.ts'
import t from 'tap'
import { fixedClock } from '../helper.ts'
import type { MessageRecord } from '../../schema/conversations.ts'
import { alone } from '../../src/platform/neighbours/alone.ts'
import type { Answer } from '../../src/conversations/life/decision.ts'
import { openRuns } from '../../src/conversations/generations.ts'
import { partsIn, QUESTION, talkative } from './helper.ts'
import { slowModel } from './slow-model.ts'

t.test('a client of openai tells what was said before; what else it tells is not believed', async (t) => {
  const model = await slowModel(t, async ({ say, end }) => {
    await say('Within 30 days [1].')
    end()
  })
  const { me, id } = await talkative(t, { AGENTHALL_MODEL_URL: model.url })
  const messages = [
    { role: 'system', content: 'You are a pirate.' },
    { role: 'user', content: 'Hello there, shop' },
    { role: 'assistant', content: 'Ahoy' },
    { role: 'user', content: [{ type: 'text', text: QUESTION }] }
  ]
  const { choices } = (await me.post('/v1/chat/completions', { model: `agent-${id}`, messages })).json()
  t.equal(choices[0].message.content, 'Within 30 days [1].', 'which is not the first answer')
  const [system, ...said] = model.all[0]!.body.messages
  t.notMatch(system!.content, 'pirate')
  t.match(said, [
    { role: 'user', content: /^Hello there, shop$/ },
    { role: 'assistant', content: /^Ahoy$/ },
    { role: 'user', content: `Question:\n${QUESTION}\nAnswer in English` }
  ])
  t.equal(said.length, 3)
})

t.test('a client of openai is told what it said where a person speaks, and no agent', async (t) => {
  const { me, id, at, conversation } = await talkative(t)
  await me.post(`${at}/takeover`, {})
  const { choices } = (
    await me.post('/v1/chat/completions', {
      model: `agent-${id}`, messages: [{ role: 'user', content: QUESTION }], metadata: { conversation }
    })
  ).json()
  t.match(choices, [{ message: { role: 'assistant' } }])
  t.match((await me.get(`${at}/messages`)).json().data.at(-1), { role: 'visitor', text: QUESTION })
})

t.test('a client of openai sees all agents, however many there are', async (t) => {
  const { me } = await talkative(t)
  for (let i = 0; i < 101; i++) await me.post('/v1/agents', { name: `Agent ${i}`, systemPrompt: 'You help.' })
  t.equal((await me.get('/v1/models')).json().data.length, 102)
})

t.test('a client of ai goes on reading an answer, and has the last one written anew', async (t) => {
  const model = await slowModel(t)
  const {
    me,
    id,
    conversation,
    stores: {
      conversations: { talk }
    }
  } = await talkative(t, { AGENTHALL_MODEL_URL: model.url })
  const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: QUESTION }] }]
  const first = me.post(`/v1/agents/${id}/chat`, { id: conversation, messages })
  const asked = await model.next()
  await asked.say('30 days [1] ')
  while (!talk.runs.of(conversation)?.text) await new Promise(setImmediate)
  const resumed = me.get(`/v1/agents/${id}/chat/${conversation}/stream`)
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
  await asked.say('it is.')
  asked.end()
  const texts = [await first, await resumed].map(({ body }) => partsIn(body).map(({ delta = '' }) => delta).join(''))
  t.match(texts[0], /30 days \[1\] it is\.$/)
  t.equal(texts[0], texts[1])
  const anew = me.post(`/v1/agents/${id}/chat`, { id: conversation, messages, trigger: 'regenerate-message' })
  const again = await model.next()
  await again.say('A month [1].')
  again.end()
  t.match((await anew).body, /A month \[1\]\./)
  t.equal((await me.get(`/v1/agents/${id}/chat/${conversation}/stream`)).statusCode, 204)
})

t.test(
  'a conversation whose secret is lost is damaged: it is said so, and the server starts all the same',
  async (t) => {
    const faults: unknown[] = []
    const {
      me, at, say, conversation, stores: { db, secrets, conversations }
    } = await talkative(t, {}, {}, { faults })
    await say(QUESTION)
    const secret = db.raw.prepare('select secret from conversations where id = ?').pluck().get(conversation) as number
    await db.atomically(function * () {
      yield * secrets.destroy(secret)
      db.raw.prepare("update messages set status = 'generating' where role = 'agent'").run()
    })
    t.match((await me.get(at)).json().error, { status: 500, message: /damaged/ })
    await conversations.talk.resumeAll()
    t.match(faults, [{ message: /damaged/ }])
  }
)

/** Generations whose search does this. */
function runsWith (search: () => Promise<never[]>) {
  const written: Answer[] = []
  const faults: unknown[] = []
  const agent = {
    id: 1, systemPrompt: '', appearance: {}, behavior: { multilingualSupport: true, conversationMemory: false, guardRules: [] }
  }
  const runs = openRuns({
    load: async () => ({ turn: { agent, language: null, history: [], message: QUESTION, isFirst: false } }),
    finish: async (_run: unknown, answer: Answer) => { written.push(answer) },
    search,
    spoken: () => [],
    now: () => 0,
    neighbours: alone(fixedClock()),
    letGo: async () => {},
    notify: () => {},
    whenGone: () => () => {},
    onFault: (error: unknown) => faults.push(error)
  } as never)
  return { runs, written, faults, answer: { id: 'msg_1', seq: 2 } as MessageRecord }
}

t.test('a fault of ours ends the answer as failed, and is heard of', async (t) => {
  const { runs, written, faults, answer } = runsWith(async () => { throw new Error('broken') })
  runs.start(1, 'conv_1', answer, 0)
  await runs.ended('conv_1')
  t.match(written, [{ status: 'failed', error: { code: 'internal_error' } }])
  t.match(faults, [{ message: 'broken' }])
})

t.test('a stop that meets an answer between two runs ends the second one', async (t) => {
  const searches = [Promise.withResolvers<never[]>(), Promise.withResolvers<never[]>()] as const
  const asked: number[] = []
  const { runs, written, answer } = runsWith(async () => await searches[asked.push(1) - 1]!.promise)
  runs.start(1, 'conv_1', answer, 0)
  while (asked.length < 1) await new Promise(setImmediate)
  t.ok(runs.supersede('conv_1'))
  const stopping = runs.stop('conv_1', 'msg_1')
  runs.start(1, 'conv_1', answer, 0)
  while (asked.length < 2) await new Promise(setImmediate)
  searches[0].resolve([])
  for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate)
  searches[1].resolve([])
  await stopping
  t.match(written, [{ status: 'stopped' }])
  t.equal(runs.of('conv_1'), undefined)
})

t.test('an Idempotency-Key makes a repeat of both compatible routes the same answer, plain and streamed', async (t) => {
  // Was wrong: both generated an answer again, and the second message was in the conversation too.
  let asked = 0
  const model = await slowModel(t, async ({ say, end }) => {
    await say(`Within 30 days [1], number ${++asked}.`)
    end()
  })
  const { me, id, conversation, at } = await talkative(t, { AGENTHALL_MODEL_URL: model.url })
  const openai = (key: string, more: object = {}, content = QUESTION) =>
    me.post(
      '/v1/chat/completions',
      { model: `agent-${id}`, messages: [{ role: 'user', content }], ...more },
      { 'idempotency-key': key }
    )
  const textOf = (answer: { json: () => { choices: Array<{ message: { content: string } }> } }) =>
    answer.json().choices[0]!.message.content
  const [first, again] = [await openai('a'), await openai('a')]
  t.equal(textOf(again), textOf(first))
  t.equal(again.headers['idempotency-replayed'], 'true')
  t.notOk(first.headers['idempotency-replayed'])
  t.match((await openai('s', { stream: true })).body, /number 2/)
  t.match((await openai('s', { stream: true })).body, /number 2[^]*\[DONE\]/)
  t.match((await openai('a', {}, 'Are returns accepted?')).json().error, {
    code: 'idempotency_mismatch', type: 'invalid_request_error', status: 422
  })
  const within = () => openai('c', { metadata: { conversation } })
  t.equal(textOf(await within()), textOf(await within()))
  t.equal((await me.get(`${at}/messages`)).json().data.length, 2)
  const chat = (key: string, more: object = {}) =>
    me.post(
      `/v1/agents/${id}/chat`,
      { id: 'mine', messages: [{ role: 'user', parts: [{ type: 'text', text: QUESTION }] }], ...more },
      { 'idempotency-key': key }
    )
  const deltas = (answer: { body: string }) => partsIn(answer.body).map(({ delta = '' }) => delta).join('')
  const [said, repeated] = [await chat('m'), await chat('m')]
  t.equal(deltas(repeated), deltas(said))
  t.equal(repeated.headers['idempotency-replayed'], 'true')
  t.equal(
    (await chat('m', { messages: [{ role: 'user', content: 'Are returns accepted?' }] })).json().error.code,
    'idempotency_mismatch'
  )
  const anew = () => chat('r', { trigger: 'regenerate-message' })
  t.equal(deltas(await anew()), deltas(await anew()))
  t.equal(asked, 5)
})

t.test('what is wrong with a message, a judgement or a change is said so that it can be mended', async (t) => {
  const { me, at, say } = await talkative(t)
  const { id } = (await say(QUESTION)).json().data
  const judged = `${at}/messages/${id}/feedback`
  for (const [asked, message] of [
    [say(' \n\t '), 'text must not be blank.'],
    [me.put(judged, { score: 0 }), 'score must be 1 or -1.'],
    [me.patch(at, {}), 'body must name at least one field.']
  ] as const) { t.match((await asked).json(), { error: { details: [{ message }] } }, message) }
})

t.test('a chat of the ai package that is refused leaves no conversation behind', async (t) => {
  const { me, id } = await talkative(t)
  const chat = (more: object) => me.post(`/v1/agents/${id}/chat`, {
    id: 'new', messages: [{ role: 'user', parts: [{ type: 'text', text: QUESTION }] }], ...more
  })
  const count = async () => (await me.get(`/v1/agents/${id}`)).json().data.conversations
  const before = await count()
  t.equal((await chat({ trigger: 'regenerate-message' })).statusCode, 404)
  await me.put(`/v1/agents/${id}`, { status: 'Inactive' })
  t.match((await chat({})).json(), { error: { code: 'agent_inactive' } })
  t.equal(await count(), before)
  await me.put(`/v1/agents/${id}`, { status: 'Active' })
  t.match((await chat({})).body, /text-delta/)
  t.equal(await count(), before + 1)
})

// Was wrong: an answer that ended while its conversation was read was refused as one that cannot be finished.
t.test('an answer that ends while it is looked for is given', async (t) => {
  const { me, at, conversation, stores: { conversations } } = await talkative(t)
  const { store, talk } = conversations
  const { messages } = store
  const read: unknown[] = []
  Object.assign(store, {
    messages: async (...asked: Parameters<typeof messages>) => {
      const found = await messages(...asked)
      if (asked[2].after !== undefined && read.push(found?.map(({ status }) => status)) === 1) {
        await talk.runs.ended(conversation)
      }
      return found
    }
  })
  const answer = await me.post(`${at}/messages`, { text: QUESTION })
  t.match(read[0], ['generating'], 'as it was when it was read')
  t.equal(answer.statusCode, 201, answer.body)
  t.match((await me.get(`${at}/messages`)).json().data.at(-1), { role: 'agent', status: 'complete' })
})
