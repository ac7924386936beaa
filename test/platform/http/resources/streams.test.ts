import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { fixedClock } from '../../../helper.ts'
import { alone } from '../../../../src/platform/neighbours/alone.ts'
import { eventStreams } from '../../../../src/platform/http/sse.ts'
import { openNotifier } from '../../../../src/platform/work/notifier.ts'
import { partsIn, QUESTION, talkative } from '../../../conversations/helper.ts'

interface Operation { responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }> }
const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation & { parameters?: Array<{ name: string }> }>>
  components: { schemas: Record<string, { anyOf?: object[] }> }
}
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'api', components: document.components })

/** Why an event of this name is invalid, in words; undefined if it is valid. */
function wrong (name: string, event: unknown): string | undefined {
  return ajv.validate({ $ref: `api#/components/schemas/${name}` }, event)
    ? undefined
    : `${JSON.stringify(event).slice(0, 300)}: ${ajv.errorsText()}`
}

/** The streams of the document, by the schema name of their events. */
const streams = Object.entries(document.paths).flatMap(([path, of]) =>
  Object.entries(of).flatMap(([method, operation]) =>
    [operation.responses[200]?.content?.['text/event-stream'] ?? []].flat()
      .map(({ schema }) => ({ at: `${method} ${path}`, name: schema.$ref?.split('/').at(-1), operation }))
  )
)

// Was wrong: a stream's content was a string.
t.test('every stream says what its events are: one of several, under a name', async (t) => {
  t.strictSame(Object.fromEntries(streams.map(({ at, name }) => [at, name])), {
    'get /v1/widget/conversations/{id}/events': 'ConversationPart',
    'get /v1/agents/{id}/events': 'KnowledgeEvent',
    'get /v1/agents/{id}/runs/{run}/events': 'CheckRunEvent',
    'get /v1/conversations/{id}/events': 'ConversationPart',
    'post /v1/conversations/{id}/messages': 'ConversationPart',
    'post /v1/conversations/{id}/messages/{message}/regenerate': 'ConversationPart',
    'post /v1/chat/completions': 'ChatCompletionChunk',
    'post /v1/agents/{id}/chat': 'ConversationPart',
    'get /v1/agents/{id}/chat/{conversation}/stream': 'ConversationPart',
    'get /v1/events': 'AccountEvent'
  })
  for (const { at, name, operation } of streams) {
    t.ok(document.components.schemas[name!]!.anyOf!.length > 1, at)
    if (at.endsWith('/events')) t.ok(operation.parameters?.some((one) => one.name === 'Last-Event-ID'), at)
  }
})

t.test('a route that streams and does not say what answers nothing', async (t) => {
  const notifier = openNotifier(() => 0, alone(fixedClock()))
  const { send } = eventStreams({ notifier, closing: new AbortController().signal })
  t.throws(
    () => send({ routeOptions: { config: {}, method: 'GET', url: '/v1/planted' } } as never, {} as never, {} as never),
    { message: 'GET /v1/planted does not say what it streams.' }
  )
})

t.test('what streams say is what the document says of them', async (t) => {
  const { me, id, at, say, close, settled } = await talkative(t, {}, { behavior: { expertHandoff: true } })
  const watch = (url: string) => me.get(url, undefined, { 'last-event-id': '0' })
  const watched = {
    KnowledgeEvent: watch(`/v1/agents/${id}/events`),
    ConversationPart: watch(`${at}/events`),
    AccountEvent: watch('/v1/events')
  }
  const answers: Array<[name: string, body: string]> = [['ConversationPart', (await say(QUESTION, { stream: true })).body]]
  const ask = { model: `agent-${id}`, messages: [{ role: 'user', content: QUESTION }], stream: true }
  const counted = { ...ask, stream_options: { include_usage: true } }
  answers.push(['ChatCompletionChunk', (await me.post('/v1/chat/completions', counted)).body])
  const chat = { id: 'mine', messages: [{ role: 'user', parts: [{ type: 'text', text: QUESTION }] }] }
  answers.push(['ConversationPart', (await me.post(`/v1/agents/${id}/chat`, chat)).body])
  const [, answer] = (await me.get(`${at}/messages`)).json().data
  await me.put(`${at}/messages/${answer.id}/feedback`, { score: 1, comment: '' })
  await me.post(`${at}/typing`, {})
  await me.post(`${at}/takeover`, {})
  await me.post(`${at}/notes`, { text: 'Regular' })
  await me.post(`${at}/messages`, { role: 'person', text: 'Hello' })
  await me.post(`/v1/agents/${id}/knowledge_sources`, { plain_text: 'Shipping takes two days.' })
  const [source] = (await me.get(`/v1/agents/${id}/knowledge_sources`)).json().data
  await me.delete(`/v1/agents/${id}/knowledge_sources/${source.id}`)
  await settled()
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  await close()
  for (const [name, stream] of Object.entries(watched)) answers.push([name, (await stream).body])
  for (const [name, body] of answers) {
    const events = partsIn(body)
    t.ok(events.length > 3, `${name}: ${events.length} events`)
    t.strictSame(events.flatMap((event) => wrong(name, event) ?? []), [], name)
  }
  const types = (name: string) => new Set(answers.flatMap(([of, body]) =>
    of === name ? partsIn(body).map(({ type }) => type) : []
  ))
  t.strictSame([...types('KnowledgeEvent')].toSorted(), ['removed', 'source'])
  t.ok(['start', 'text-delta', 'source-document', 'data-message', 'finish', 'data-event']
    .every((type) => types('ConversationPart').has(type)))
  t.ok(types('AccountEvent').has('typing'))
  t.match(wrong('KnowledgeEvent', { type: 'source', id: 1 }), /must have required property/)
})

t.test('what the stream of a run of test questions says is what the document says of it', async (t) => {
  const { me, id, settled } = await talkative(t)
  await me.post(`/v1/agents/${id}/questions`, { text: QUESTION, expect: { says: ['30 days'] } })
  const { id: run } = (await me.post(`/v1/agents/${id}/runs`, {})).json().data
  const [{ body }] = await Promise.all([me.get(`/v1/agents/${id}/runs/${run}/events`), settled()])
  const events = partsIn(body)
  t.strictSame(events.flatMap((event) => wrong('CheckRunEvent', event) ?? []), [])
  t.strictSame([events[0]!.type, events.at(-1)!.type], ['run', 'finished'])
  t.ok(wrong('CheckRunEvent', { ...events[0]!, type: 'finished' }), 'what goes on has not finished')
})
