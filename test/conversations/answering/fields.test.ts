import '../../bare-children.ts'
import t, { type Test } from 'tap'
import { QUESTION, talkative } from '../helper.ts'
import { slowModel } from '../slow-model.ts'

/** An agent with a model, whose settings are changed between one question and the next. */
async function changing (t: Test) {
  const model = await slowModel(t, async ({ say, end }) => {
    await say('Within 30 days [1].')
    end()
  })
  const { me, id } = await talkative(t, { AGENTHALL_MODEL_URL: model.url })
  /** What the agent answers in a new conversation. */
  const answer = async (...texts: string[]) => {
    const conversation = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
    let told
    for (const text of texts) told = await me.post(`/v1/conversations/${conversation}/messages`, { text })
    return told!
  }
  /** What the model was last sent for a question. */
  const sent = async (...texts: string[]) => {
    await answer(...texts, QUESTION)
    return model.all.at(-1)!.body as unknown as Record<string, unknown> & { messages: Array<{ content: string }> }
  }
  const system = async () => (await sent()).messages[0]!.content
  const set = async (change: object) => t.equal((await me.put(`/v1/agents/${id}`, change)).statusCode, 200)
  return { me, id, model, answer, sent, system, set }
}

t.test('systemPrompt is what the model is told of the business', async (t) => {
  const { system, set } = await changing(t)
  t.notMatch(await system(), 'You sell zebras.')
  await set({ systemPrompt: 'You sell zebras.' })
  t.match(await system(), 'Instructions of the business:\nYou sell zebras.')
})

t.test('behavior.guidelines are what the model always and never does', async (t) => {
  const { system, set } = await changing(t)
  t.notMatch(await system(), /Always:|Never:/)
  await set({ behavior: { guidelines: { dos: ['Be brief'], donts: ['Promise discounts'] } } })
  t.match(await system(), /Always:\n- Be brief\n\nNever:\n- Promise discounts/)
})

t.test('escalationPrompt says when to hand over, and that the model may', async (t) => {
  const { sent, system, set } = await changing(t)
  t.notMatch(await system(), 'Hand over complaints.')
  t.notMatch(JSON.stringify((await sent())['tools'] ?? ''), '"handoff"')
  await set({ behavior: { escalationPrompt: 'Hand over complaints.' } })
  t.match(await system(), 'Hand over complaints.')
  t.match(JSON.stringify((await sent())['tools']), '"handoff"')
})

t.test('suggestions begin a conversation, and come with what is not known', async (t) => {
  const { answer, set } = await changing(t)
  const offered = async (text: string) => (await answer(text)).json().data.suggestions
  const unknown = 'Who won the football world cup in Brazil?'
  await set({ behavior: { suggestions: [] } })
  t.strictSame([await offered('Hello'), await offered(unknown)], [[], []])
  await set({ behavior: { suggestions: ['What is a quagga?'] } })
  t.strictSame(
    [await offered('Hello'), await offered(unknown), await offered(QUESTION)],
    [['What is a quagga?'], ['What is a quagga?'], []]
  )
})

t.test('conversationMemory: what was said before goes along, or does not', async (t) => {
  const { sent, set } = await changing(t)
  const before = 'Are shoes taken back?'
  t.match((await sent(before)).messages.map(({ content }) => content), [/./, before, /30 days/, QUESTION])
  await set({ behavior: { conversationMemory: false } })
  t.match((await sent(before)).messages.map(({ content }) => content).slice(1), [QUESTION])
  t.equal((await sent(before)).messages.length, 2)
})

t.test('multilingualSupport: the visitor\'s language, or that of the system prompt', async (t) => {
  const { answer, sent, set } = await changing(t)
  const question = async () => (await sent()).messages.at(-1)!.content
  const german = async () => (await answer('Wer hat die Weltmeisterschaft in Brasilien gewonnen?')).json().data.text
  t.match(await question(), /Answer in English \(en\)/)
  t.match(await german(), /^Sie/)
  await set({ behavior: { multilingualSupport: false } })
  t.match(await question(), 'whatever language the visitor writes')
  t.match(await german(), /^You are talking to an AI assistant\./)
})

t.test('model.response_model is the model that is asked', async (t) => {
  const { answer, sent, set } = await changing(t)
  await set({ model: { response_model: 'other-2' } })
  t.match(await sent(), { model: 'other-2' })
  t.match((await answer(QUESTION)).json().data, { answered_by: 'model', model: 'other-2' })
})

t.test('model.temperature goes along as it is', async (t) => {
  const { sent, set } = await changing(t)
  for (const temperature of [0.1, 0.9]) {
    await set({ model: { temperature } })
    t.equal((await sent())['temperature'], temperature)
  }
})

t.test('model.token_length covers prompt and answer: a quarter is for the answer, 1,024 at most', async (t) => {
  const { sent, set, answer } = await changing(t)
  for (const [length, most] of [[2000, 500], [4000, 1000], [8000, 1024]]) {
    await set({ model: { token_length: length } })
    t.equal((await sent())['max_tokens'], most)
  }
  await set({ systemPrompt: 'Be kind. '.repeat(900), model: { token_length: 2000 } })
  t.match((await answer(QUESTION)).json().data, { answered_by: 'extract' }, 'a system prompt is never cut')
})

t.test('status: an inactive agent says 409, and asks no model', async (t) => {
  const { answer, model, set } = await changing(t)
  t.equal((await answer(QUESTION)).statusCode, 201)
  const asked = model.all.length
  await set({ status: 'Inactive' })
  t.match((await answer(QUESTION)).json().error, { code: 'agent_inactive', status: 409 })
  t.equal(model.all.length, asked)
})

t.test('status: an inactive agent keeps nobody from speaking with the person who has taken over', async (t) => {
  const { me, id, model, set } = await changing(t)
  const at = `/v1/conversations/${(await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id}`
  t.equal((await me.post(`${at}/takeover`, {})).statusCode, 200)
  await set({ status: 'Inactive' })
  t.equal((await me.post(`${at}/messages`, { text: QUESTION })).statusCode, 201)
  t.match((await me.get(`${at}/messages`)).json().data.at(-1), { role: 'visitor', text: QUESTION })
  t.equal(model.all.length, 0)
})
