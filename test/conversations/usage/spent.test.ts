import '../../bare-children.ts'
import t, { type Test } from 'tap'
import { conversing, NOTICE, QUESTION } from '../helper.ts'

/** A model's answer, partly visible, and what the ledger says. */
async function halfWritten (t: Test, env: Record<string, string> = {}) {
  const built = await conversing(t, {}, env)
  const waiting = built.say(QUESTION)
  const asked = await built.model.next()
  await asked.say('Returns are accepted within 30 days of delivery [1]. And so')
  await built.seen('And')
  const { id: message } = (await built.messages()).at(-1)!
  const ledger = async () => (await built.me.get('/v1/usage')).json().data
  return { ...built, waiting, asked, message, ledger }
}

/** What is counted of it: the prompt that was sent, and the words received. */
const HALF = { runs: 1, input_tokens: 300, output_tokens: 20 }

function isCounted (t: Test, { total }: { total: typeof HALF }, why: string) {
  t.equal(total.runs, HALF.runs, why)
  t.ok(total.input_tokens > HALF.input_tokens, `${why}: the prompt, ${total.input_tokens}`)
  t.equal(total.output_tokens, HALF.output_tokens, `${why}: what had come of the answer`)
}

t.test('a stopped answer is counted: what was sent, and what had come', async (t) => {
  // Was wrong: a stopped answer cost nothing in the ledger, and nobody reached a cap.
  const { me, at, message, ledger, waiting } = await halfWritten(t)
  const stopped = (await me.post(`${at}/messages/${message}/stop`)).json().data
  const usage = { output_tokens: HALF.output_tokens }
  t.match(stopped, { status: 'stopped', answered_by: 'model', model: /./, usage })
  isCounted(t, await ledger(), 'stopped')
  t.strictSame((await waiting).json().data, stopped)
})

t.test('a stopped answer keeps the citations of what was seen of it', async (t) => {
  // Was wrong: its numbers led nowhere.
  const { me, at, message } = await halfWritten(t)
  const { text, citations } = (await me.post(`${at}/messages/${message}/stop`)).json().data
  t.equal(text, `${NOTICE}Returns are accepted within 30 days of delivery [1]. And `)
  t.match(citations, [{ n: 1, title: 'Returns', quote: 'Returns are accepted within 30 days of delivery.' }])
  t.strictSame((await me.get(`${at}/messages`)).json().data.at(-1).citations, citations)
})

t.test('an answer that is begun anew is counted too, in what the further message writes', async (t) => {
  const { answer, model, ledger, waiting } = await halfWritten(t)
  const further = answer('Or less?')
  const anew = await model.next()
  isCounted(t, await ledger(), 'begun anew')
  await anew.say('No less [1].')
  anew.end()
  t.equal((await further).id, (await waiting).json().data.id)
  t.equal((await ledger()).total.runs, 2)
})

t.test('what a person takes over is counted, with the citations of what was seen', async (t) => {
  const { me, at, ledger, messages } = await halfWritten(t)
  t.equal((await me.post(`${at}/takeover`, {})).statusCode, 200)
  isCounted(t, await ledger(), 'taken over')
  const text = /30 days of delivery \[1\]\. And $/
  t.match((await messages())[1], { status: 'stopped', text, citations: [{ n: 1 }] })
})

t.test('deleting the conversation or the agent in mid-answer does not make the answer free', async (t) => {
  for (const which of ['conversation', 'agent'] as const) {
    const { me, id, at, asked, ledger, waiting } = await halfWritten(t)
    t.equal((await me.delete(which === 'agent' ? `/v1/agents/${id}` : at)).statusCode, 200)
    await asked.gone
    await waiting
    // It is written concurrently with the deletion.
    while ((await ledger()).total.runs === 0) await new Promise(setImmediate)
    isCounted(t, await ledger(), which)
  }
})

t.test('stopping again and again reaches the cap of the day', async (t) => {
  const { me, at, message, answer, model } = await halfWritten(t, { AGENTHALL_DAILY_TOKENS: '{"enterprise":100}' })
  await me.post(`${at}/messages/${message}/stop`)
  t.match(await answer(QUESTION), { answered_by: 'extract' }, 'no model is asked any more that day')
  t.equal(model.all.length, 1)
})

t.test('the cap of an agent is its own: another one of the account still asks its model', async (t) => {
  const { me, at, message, answer, model } = await halfWritten(t, {
    AGENTHALL_DAILY_AGENT_TOKENS: '{"enterprise":100}'
  })
  await me.post(`${at}/messages/${message}/stop`)
  t.match(await answer(QUESTION), { answered_by: 'extract' })
  const bob = (await me.post('/v1/agents', { name: 'Bob', systemPrompt: 'Returns are free.' })).json().data.id
  const other = (await me.post(`/v1/agents/${bob}/conversations`, {})).json().data.id
  const waiting = me.post(`/v1/conversations/${other}/messages`, { text: 'Are returns free?' })
  const asked = await model.next()
  await asked.say('Yes. ')
  asked.end()
  t.match((await waiting).json().data, { answered_by: 'model' })
})

t.test('a stop before the first word counts the question alone', async (t) => {
  const { say, model, me, at, messages } = await conversing(t)
  const waiting = say(QUESTION)
  await model.next()
  const { id } = (await messages()).at(-1)!
  const stopped = (await me.post(`${at}/messages/${id}/stop`)).json().data
  t.match(stopped, { status: 'stopped', text: '', citations: [], usage: { output_tokens: 0 } })
  t.match((await me.get('/v1/usage')).json().data.total, { runs: 1, output_tokens: 0 })
  await waiting
})

t.test('a model that writes and says nothing that can be shown is counted, though the sources answer', async (t) => {
  // Was wrong: its text was discarded, and its usage with it.
  const { answer, model, me } = await conversing(t)
  const waiting = answer(QUESTION)
  const asked = await model.next()
  await asked.say(' \n ')
  asked.end()
  t.match(await waiting, { answered_by: 'extract', model: null, usage: null })
  t.match((await me.get('/v1/usage')).json().data.total, { runs: 1 })
})

t.test('a provider that refuses took nothing', async (t) => {
  const { answer, model, me } = await conversing(t)
  const waiting = answer(QUESTION)
  ;(await model.next()).refuse(401)
  t.match(await waiting, { answered_by: 'extract' })
  t.match((await me.get('/v1/usage')).json().data.total, { runs: 0 })
})
