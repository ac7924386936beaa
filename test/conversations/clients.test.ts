import '../bare-children.ts'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { DefaultChatTransport, generateText, readUIMessageStream, streamText, type UIMessage } from 'ai'
import { EventSource } from 'eventsource'
import OpenAI from 'openai'
import t from 'tap'
import { build } from '../helper.ts'
import { slowModel } from './slow-model.ts'

const RETURNS =
  'Returns are accepted within 30 days of delivery. Send the goods back unused and in their original packaging.'
const QUESTION = 'How many days do I have for returns?'

/** The production app on a socket, an agent that knows about returns, and a key. */
async function serving (t: import('tap').Test, env: Record<string, string> = {}) {
  const built = await build(t, env)
  const me = await built.user()
  const { id } = (await me.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })).json().data
  await me.post(`/v1/agents/${id}/knowledge_sources`, { title: 'Returns', plain_text: RETURNS })
  await built.settled()
  const url = await built.app.listen({ port: 0, host: '127.0.0.1' })
  return { ...built, me, id, url, key: me.key! }
}

t.test('openai, as it comes from npm, talks to an agent, plain and streamed', async (t) => {
  const { url, key, id } = await serving(t)
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })
  t.strictSame((await client.models.list()).data.map(({ id }) => id), [`agent-${id}`])
  t.match(await client.models.retrieve(`agent-${id}`), { id: `agent-${id}`, object: 'model', owned_by: 'agenthall' })
  for (const unknown of ['agent-9999', 'gpt-4o']) {
    await t.rejects(client.models.retrieve(unknown), { status: 404, code: 'not_found' })
  }
  const messages = [{ role: 'user' as const, content: QUESTION }]
  const whole = await client.chat.completions.create({ model: `agent-${id}`, messages })
  const { message, finish_reason: finish } = whole.choices[0]!
  t.match(message.content, /within 30 days of delivery.*\[1\]/s)
  t.equal(finish, 'stop')
  t.match(message.annotations, [{ type: 'url_citation', url_citation: { title: 'Returns' } }])
  // Was wrong: for a source that is not a page it was empty, and clients made a link to nowhere of it.
  const { url: cited } = message.annotations![0]!.url_citation
  t.equal(cited, `${url}/v1/agents/${id}/knowledge_sources/1`)
  const there = await fetch(cited, { headers: { authorization: `Api-Key ${key}`, connection: 'close' } })
  t.match(await there.json(), { data: { title: 'Returns' } })
  let text = ''
  for await (const chunk of await client.chat.completions.create({ model: `agent-${id}`, messages, stream: true })) {
    text += chunk.choices[0]?.delta.content ?? ''
  }
  t.equal(text, message.content)
})

t.test('openai streams what an answer cost, where it is asked to, and sees that one broke off', async (t) => {
  const model = await slowModel(t, async ({ say, end, cut, body }) => {
    await say('Within 30 days [1].')
    return body.messages.at(-1)?.content.includes('break') ? cut() : end()
  })
  const { url, key, id } = await serving(t, { AGENTHALL_MODEL_URL: model.url })
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })
  async function streamed (content: string) {
    const chunks = []
    const messages = [{ role: 'user' as const, content }]
    for await (const chunk of await client.chat.completions.create({
      model: `agent-${id}`, messages, stream: true, stream_options: { include_usage: true }
    })) { chunks.push(chunk) }
    return chunks
  }
  const chunks = await streamed(QUESTION)
  t.match(chunks.at(-2)?.choices, [{ finish_reason: 'stop' }])
  t.match(chunks.at(-1), { choices: [], usage: { total_tokens: Number } })
  await t.rejects(streamed(`${QUESTION} break`), {
    code: 'model_unavailable', type: 'server_error', message: /broke off/
  })
  for (const [content, finish] of [[QUESTION, 'stop'], [`${QUESTION} break`, 'length']] as const) {
    const { choices } = await client.chat.completions.create({
      model: `agent-${id}`, messages: [{ role: 'user', content }]
    })
    t.match(choices, [{ message: { content: /Within 30 days/ }, finish_reason: finish }], 'whole or not')
  }
})

t.test('openai names a conversation to go on with, which keeps what is said', async (t) => {
  const { url, key, id, me } = await serving(t)
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })
  const conversation = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
  const answer = await client.chat.completions.create({
    model: `agent-${id}`, messages: [{ role: 'user', content: QUESTION }], metadata: { conversation }
  })
  const kept = (await me.get(`/v1/conversations/${conversation}/messages`)).json().data
  t.strictSame(kept.map(({ text }: { text: string }) => text), [QUESTION, answer.choices[0]!.message.content])
})

t.test('openai reads our refusals in its own shape', async (t) => {
  const { url, key, id } = await serving(t)
  const asking = async (apiKey: string, model: string, content = 'x') => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })
    const refused = await client.chat.completions.create({ model, messages: [{ role: 'user', content }] }).then(
      () => undefined, (error: unknown) => error
    )
    const { status, type, code, param } = refused as {
      status: number, type: string, code: string, param: string | null
    }
    return { status, type, code, param }
  }
  t.strictSame(await asking('agh_wrong', `agent-${id}`), {
    status: 401, type: 'authentication_error', code: 'authentication_required', param: null
  })
  t.strictSame(await asking(key, 'agent-999'), {
    status: 404, type: 'invalid_request_error', code: 'not_found', param: null
  })
  t.match(await asking(key, 'gpt-4o'), { status: 400, param: 'model' })
  t.match(await asking(key, `agent-${id}`, 'x'.repeat(8001)), { status: 400, param: 'messages' })
})

t.test('ai over @ai-sdk/openai-compatible generates and streams', async (t) => {
  const { url, key, id } = await serving(t)
  const model = createOpenAICompatible({ name: 'agenthall', baseURL: `${url}/v1`, apiKey: key })(`agent-${id}`)
  const { text } = await generateText({ model, prompt: QUESTION, maxRetries: 0 })
  t.match(text, /within 30 days/)
  let streamed = ''
  for await (const piece of streamText({ model, prompt: QUESTION, maxRetries: 0 }).textStream) streamed += piece
  t.equal(streamed, text)
})

t.test('the chat transport of ai sends, reads the sources, and finds nothing to resume when all is said', async (t) => {
  const { url, key, id, me } = await serving(t)
  const transport = new DefaultChatTransport({
    api: `${url}/v1/agents/${id}/chat`, headers: { authorization: `Bearer ${key}` }
  })
  const messages: UIMessage[] = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: QUESTION }] }]
  const stream = await transport.sendMessages({
    trigger: 'submit-message', chatId: 'my-chat', messageId: undefined, messages, abortSignal: undefined
  })
  let last: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream })) last = message
  t.match(
    last!.parts.find(({ type }) => type === 'text'), { text: /within 30 days of delivery.*\[1\]/s, state: 'done' }
  )
  t.match(last!.parts.find(({ type }) => type === 'source-document'), { title: 'Returns' })
  t.equal(await transport.reconnectToStream({ chatId: 'my-chat' }), null)
  const { data } = (await me.get(`/v1/agents/${id}/conversations`)).json()
  t.match(data, [{ channel: 'compatible', messages: 2 }])
})

t.test('eventsource watches a conversation', async (t) => {
  const { url, key, id, me } = await serving(t)
  const conversation = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
  const source = new EventSource(`${url}/v1/conversations/${conversation}/events`, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init!.headers, authorization: `Bearer ${key}` } })
  })
  t.teardown(() => source.close())
  await new Promise((resolve) => { source.onopen = resolve })
  let text = ''
  const done = new Promise((resolve) => {
    source.onmessage = ({ data }) => {
      const part = JSON.parse(data)
      if (part.type === 'text-delta') text += part.delta
      if (part.type === 'finish') resolve(undefined)
    }
  })
  const said = (await me.post(`/v1/conversations/${conversation}/messages`, { text: QUESTION })).json().data
  await done
  t.equal(text, said.text)
})
