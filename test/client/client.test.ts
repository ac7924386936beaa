import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { readDocument } from '../../scripts/build/client.ts'
import { secondsIn } from '../../src/client/errors.ts'
import { eventsIn } from '../../src/client/events.ts'
import { readIdentity } from '../../src/widget/identity.ts'
import { signature } from '../../src/webhooks/webhook.ts'
import { build } from '../helper.ts'

await readDocument()
const { Agenthall, ApiError, signVisitor, verifyWebhook, WebhookError } = await import('../../src/client/index.ts')

/** A server that listens, a user with a key, and an agent that knows about returns. */
async function serving (t: Test) {
  const served = await build(t)
  const me = await served.user()
  const url = await served.app.listen({ port: 0 })
  const client = new Agenthall({ url, key: me.key! })
  const { data: agent } = await client.post('/v1/agents', { body: { name: 'Ada', systemPrompt: 'You help.' } })
  await client.post('/v1/agents/{id}/knowledge_sources', {
    path: { id: agent.id },
    body: { title: 'Returns', plain_text: 'Returns are accepted within 30 days of delivery.' }
  })
  await served.settled()
  return { ...served, url, key: me.key!, client, agent }
}

interface Asked { n: number, url: string, method: string, headers: IncomingHttpHeaders }

/** In front of a server: `onRequest` answers in its place, or says after what to cut its answer off. */
async function proxy (
  t: Test, url: string,
  onRequest: (asked: Asked) => RegExp | { status: number, headers?: Record<string, string> } | undefined
) {
  let n = 0
  const server = createServer((incoming, outgoing) => {
    const asked = { n: n++, url: incoming.url!, method: incoming.method!, headers: incoming.headers }
    const what = onRequest(asked)
    if (what && 'status' in what) {
      incoming.resume()
      outgoing.writeHead(what.status, what.headers).end()
      return
    }
    const { method = 'GET', headers } = incoming
    const further = httpRequest(url + incoming.url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      let seen = ''
      answer.setEncoding('latin1').on('data', (chunk: string) => {
        const end = what?.exec(seen + chunk)
        if (end) {
          outgoing.write(chunk.slice(0, end.index + end[0].length - seen.length), 'latin1')
          answer.destroy()
          incoming.socket.destroySoon()
        } else {
          outgoing.write(chunk, 'latin1')
        }
        seen += chunk
      })
      answer.on('end', () => outgoing.end())
    })
    further.on('error', () => incoming.socket.destroy())
    incoming.pipe(further)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('an answer is awaited, iterated over, and gone on with', async (t) => {
  const { client, agent } = await serving(t)
  const asking = client.agent(agent.id).ask('How long can I return something?')
  const pieces: string[] = []
  for await (const piece of asking) pieces.push(piece)
  const answer = await asking
  t.match(answer.text, /30 days/)
  t.equal(pieces.join(''), answer.text)
  t.match(answer.citations, [{ title: 'Returns' }])
  t.equal(answer.unknown, false)
  t.equal(answer.version, answer.message!.agent_version)
  const again: string[] = []
  for await (const piece of asking) again.push(piece)
  t.equal(again.join(''), answer.text, 'from the beginning, whenever it is asked for')

  const next = await client.agent(agent.id).ask('Who was Napoleon Bonaparte, and where is he buried?', {
    conversation: answer.conversation
  })
  t.equal(next.conversation, answer.conversation)
  t.equal(next.unknown, true, next.text)
  const { data } = await client.get('/v1/conversations/{id}/messages', { path: { id: answer.conversation } })
  t.equal(data.length, 4)
})

t.test('an answer whose connection breaks is taken up at the character', async (t) => {
  const { url, key, agent } = await serving(t)
  const cuts: string[] = []
  const between = await proxy(t, url, ({ url, method }) => {
    if (!/messages$|events$/.test(url)) return undefined
    cuts.push(method)
    return [/"start"/, /text-delta[^\n]+\n\n/, /text-end/][cuts.length - 1]
  })
  const client = new Agenthall({ url: between, key, retries: 1 })
  const asking = client.agent(agent.id).ask('How long can I return something?')
  let text = ''
  for await (const piece of asking) text += piece
  const answer = await asking
  t.equal(text, answer.text)
  t.match(text, /30 days/)
  t.ok(cuts.length > 2, cuts.join())
  t.ok(cuts.includes('GET'), 'by its place, not by asking again')
  const { data } = await client.get('/v1/conversations/{id}/messages', { path: { id: answer.conversation } })
  t.equal(data.length, 2, 'asked once')
})

t.test('where a person has the conversation there is no answer, and no waiting for one', async (t) => {
  const { client, agent } = await serving(t)
  const first = await client.agent(agent.id).ask('How long can I return something?')
  await client.post('/v1/conversations/{id}/takeover', { path: { id: first.conversation }, body: {} })
  const said = await client.agent(agent.id).ask('Hello?', { conversation: first.conversation })
  t.match(said, { text: '', message: null, unknown: false, version: null })
})

t.test('what is refused is an ApiError that says what to do', async (t) => {
  const { client, agent } = await serving(t)
  const refused = await client.post('/v1/agents', { body: { name: '', systemPrompt: 'You help.' } }).catch((e) => e)
  t.type(refused, ApiError)
  t.match(refused, { status: 400, details: [{ field: 'name' }] })
  await t.rejects(client.get('/v1/agents/{id}', { path: { id: 4711 } }), { status: 404, code: 'not_found' })
  await t.rejects(async () => await client.agent(4711).ask('Hello?'), { code: 'not_found' })
  await t.rejects(async () => await client.agent(4711).ask('Hello?')[Symbol.asyncIterator]().next(), { code: 'not_found' })
  const signal = AbortSignal.abort(new Error('Enough.'))
  await t.rejects(async () => await client.agent(agent.id).ask('Hello?', { signal }), { message: 'Enough.' })
})

t.test('what passes is waited for, and nothing is done twice', async (t) => {
  const { url, key } = await serving(t)
  const keys: unknown[] = []
  const between = await proxy(t, url, ({ n, headers, method }) => {
    if (method === 'POST') keys.push(headers['idempotency-key'])
    return n === 0 ? { status: 429, headers: { 'retry-after': '0' } } : n === 1 ? /status/ : undefined
  })
  const client = new Agenthall({ url: between + '/', key })
  const { data } = await client.post('/v1/agents', { body: { name: 'Bea', systemPrompt: 'You help.' } })
  t.equal(data.name, 'Bea')
  t.equal(new Set(keys).size, 1)
  t.equal(keys.length, 3)
  const names: string[] = []
  for await (const { name } of client.paginate('/v1/agents', { query: { limit: 1 } })) names.push(name)
  t.same(names, ['Ada', 'Bea'], 'once, although its first answer was lost; lists are read in parts')

  const away = await proxy(t, url, () => ({ status: 503, headers: { 'retry-after': '3600' } }))
  const refused = await new Agenthall({ url: away, key }).get('/v1/me').catch((error) => error)
  t.match(refused, { status: 503, retryAfter: 3600 }, 'not for an hour')
  t.equal(secondsIn(null), null)
  t.equal(secondsIn('soon'), null)
  t.ok(secondsIn(new Date(Date.now() + 60_000).toUTCString())! > 50)
})

t.test('a change that somebody else overtook is made anew on what they made', async (t) => {
  const { client, agent } = await serving(t)
  let tried = 0
  const changed = await client.update('/v1/agents/{id}', { path: { id: agent.id } }, async ({ description }) => {
    if (tried++ === 0) {
      await client.put('/v1/agents/{id}', { path: { id: agent.id }, body: { description: 'Of the shop' } })
    }
    return { description: `${description}, and nice` }
  })
  t.equal(changed.description, 'Of the shop, and nice')
  t.equal(tried, 2)
  t.equal((await client.update('/v1/agents/{id}', { path: { id: agent.id } }, () => undefined)).id, agent.id)
  const { conversation: id } = await client.agent(agent.id).ask('Hello!')
  const closed = await client.update('/v1/conversations/{id}', { path: { id } }, () => ({ subject: 'A greeting' }))
  t.equal(closed.subject, 'A greeting', 'by PATCH where that is how')
})

t.test('each method of HTTP has its own, and raw gives the answer as it came', async (t) => {
  const { client, agent } = await serving(t)
  const { data: hook } = await client.post('/v1/webhooks', {
    body: { url: 'https://example.com/hook', events: ['message.completed'] }
  })
  const path = { id: hook.id }
  t.equal((await client.patch('/v1/webhooks/{id}', { path, body: { description: 'Till' } })).data.description, 'Till')
  t.equal((await client.delete('/v1/webhooks/{id}', { path })).data.id, hook.id)
  const answer = await client.raw('get', '/v1/agents/{id}', { path: { id: agent.id } })
  t.ok(answer.headers.get('etag'))
})

/** A client of a server that answers with these in turn, and then repeats the last. */
function answeredWith (...answers: Array<() => Response>) {
  let n = 0
  return new Agenthall({
    url: 'http://localhost', key: 'agh_1', fetch: async () => answers[Math.min(n++, answers.length - 1)]!()
  })
}

const json = (data: object) => () => new Response(JSON.stringify({ data }), {
  headers: { 'content-type': 'application/json' }
})
/** A stream of these parts, which breaks off after them unless the last one is its end. */
const streamOf = (...parts: object[]) => () => new Response(
  parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join(''), { headers: { 'content-type': 'text/event-stream' } }
)
const START = { type: 'start', messageId: 'msg_1' }
const delta = (text: string) => ({ type: 'text-delta', id: 'msg_1', delta: text })

t.test('an answer that is told from its beginning again is heard once, and one that was written anew from there on', async (t) => {
  const conversation = json({ id: 'conv_1' })
  const heard = async (...answers: Array<() => Response>) => {
    let text = ''
    for await (const piece of answeredWith(conversation, ...answers).agent(1).ask('Hello?')) text += piece
    return text
  }
  const broken = streamOf(START, delta('Good '), delta('morning'))
  const again = streamOf(START, delta('Good'), delta(' morning to'), delta(' you'), { type: 'finish' })
  t.equal(await heard(broken, again), 'Good morning to you')
  t.equal(await heard(broken, streamOf(START, delta('Hello'), { type: 'finish' })), 'Good morningHello')
  t.equal(await heard(json({ role: 'agent', text: 'Good morning' })), 'Good morning', 'also where it comes whole')
})

t.test('an answer that cannot be taken up again ends with a sentence, and waiting ends when the caller gives up', async (t) => {
  const { setTimeout: waits } = globalThis
  t.teardown(() => { globalThis.setTimeout = waits })
  globalThis.setTimeout = ((task: () => void) => setImmediate(task)) as never
  const client = answeredWith(json({ id: 'conv_1' }), streamOf(START))
  await t.rejects(async () => await client.agent(1).ask('Hello?'), { message: /broke off/ })
  globalThis.setTimeout = waits
  const patience = new AbortController()
  const busy = () => {
    setImmediate(() => patience.abort(new Error('Enough.')))
    return new Response('{}', { status: 503, headers: { 'retry-after': '30' } })
  }
  await t.rejects(answeredWith(busy).get('/v1/me', { signal: patience.signal }), { message: 'Enough.' })
})

t.test('an answer is stopped while it is written, and not where there is nothing to stop', async (t) => {
  const stopped: string[] = []
  let end = () => {}
  const client = new Agenthall({
    url: 'http://localhost',
    key: 'agh_1',
    fetch: async (url) => {
      if (String(url).endsWith('/stop')) {
        stopped.push(String(url))
        end()
        return new Response('{}')
      }
      if (String(url).endsWith('/conversations')) return json({ id: 'conv_1' })()
      const body = new ReadableStream<Uint8Array>({
        start (to) {
          const send = (part: object) => to.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(part)}\n\n`))
          send(START)
          send(delta('Good'))
          end = () => {
            send({ type: 'finish' })
            to.close()
          }
        }
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    }
  })
  const asking = client.agent(1).ask('Hello?')
  await asking.stop()
  for await (const piece of asking) {
    t.equal(piece, 'Good')
    await asking.stop()
  }
  await asking.stop()
  t.same(stopped, ['http://localhost/v1/conversations/conv_1/messages/msg_1/stop'])
})

t.test('a file is learnt', async (t) => {
  const { client, agent, settled } = await serving(t)
  const file = new Blob(['# Parking\n\nThere are twelve places in the yard.\n'])
  const { data: [added] } = await client.agent(agent.id).addFile(file, { name: 'parking.md' })
  await settled()
  t.equal(added!.title, 'parking.md')
  t.match((await client.agent(agent.id).ask('Where can I park?')).text, /twelve places/)
})

t.test('webhooks are believed only with their signature', async (t) => {
  const now = 1_800_000_000
  const secret = `whsec_${Buffer.from('twenty-four bytes of key').toString('base64')}`
  const body = JSON.stringify({ type: 'source.trained', timestamp: '2027-01-15T08:00:00.000000Z', data: { agent: 1 } })
  const headers = signature('evt_1', now, body, [secret])
  const options = { now: now * 1000 }
  t.match(await verifyWebhook(body, headers, secret, options), { type: 'source.trained', data: { agent: 1 } })
  t.match(await verifyWebhook(Buffer.from(body), new Headers(headers), ['whsec_AAAA', secret], options), { data: {} })
  const refused: [string, typeof headers, string, number?][] = [
    [body + ' ', headers, secret],
    [body, headers, 'whsec_AAAA'],
    [body, { ...headers, 'webhook-id': 'evt_2' }, secret],
    [body, { ...headers, 'webhook-signature': 'v1,' }, secret],
    [body, { ...headers, 'webhook-signature': 'v1,*** v2,AAAA' }, secret],
    [body, { ...headers, 'webhook-timestamp': 'now' }, secret],
    [body, headers, secret, (now + 301) * 1000],
    [body, {}, secret]
  ]
  for (const [text, given, key, at = now * 1000] of refused) {
    await t.rejects(verifyWebhook(text, given, key, { now: at }), WebhookError)
  }
})

t.test('a visitor that is signed here is known there', async (t) => {
  const now = 1_800_000_000_000
  const token = await signVisitor({ id: 'Zoë 7', email: 'zoe@example.com' }, { key: 'agw_1', secret: 'a secret', now })
  const read = readIdentity(token, ['a secret'], { key: 'agw_1', now: now / 1000 })
  t.match(read, { sub: 'Zoë 7', email: 'zoe@example.com', name: null, until: now / 1000 + 3660 })
})

t.test('events are read as the standard says, wherever they are cut', async (t) => {
  const text = 'id: 1\ndata: a\ndata:b\n\n: a comment\r\nid: 2\r\ndata: {"ü":1}\r\n\r\nevent: x\rdata\r\rdata: cut off'
  const bytes = new TextEncoder().encode(text)
  for (let size = 1; size < 9; size++) {
    const body = new ReadableStream<Uint8Array>({
      start (to) {
        for (let at = 0; at < bytes.length; at += size) to.enqueue(bytes.slice(at, at + size))
        to.close()
      }
    })
    const found = []
    for await (const event of eventsIn(body)) found.push(event)
    t.same(found, [{ id: '1', data: 'a\nb' }, { id: '2', data: '{"ü":1}' }, { id: '2', data: '' }], `in pieces of ${size}`)
  }
})
