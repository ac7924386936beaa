import Fastify from 'fastify'
import t from 'tap'
import { onlyVisitors } from '../../src/widget/visitor.ts'
import { partsIn, QUESTION } from '../conversations/helper.ts'
import { slowModel } from '../conversations/slow-model.ts'
import { site } from './helper.ts'

t.test('a visitor asks, and reads the cited answer without what it cost', async (t) => {
  const { visit, begin, stores, me } = await site(t)
  const visitor = await visit()
  const { at, conversation, say } = await begin(visitor)
  const sent = await say(QUESTION, { client_id: 'one' })
  t.match(
    [sent.statusCode, sent.json().data],
    [201, { role: 'visitor', text: QUESTION, seq: 1, client_id: 'one' }],
    'the message itself, at once'
  )
  t.equal(
    (await say(QUESTION, { client_id: 'one' })).json().data.id, sent.json().data.id, 'sent again it is the same one'
  )
  await stores.conversations.talk.answerTo(me.id, conversation, { ...sent.json().data })
  const { data, last_event: last } = (await visitor.get(`${at}/messages`)).json()
  t.match(data, [
    { role: 'visitor' },
    { role: 'agent', status: 'complete', text: /within 30 days/, citations: [{ n: 1, title: 'Returns' }] }
  ])
  t.match(last, /^\d+$/)
  for (const secret of ['usage', 'model', 'agent_version']) t.notOk(secret in data[1], secret)
  t.strictSame((await visitor.get(`${at}/messages?before=2`)).json().data.length, 1)
  t.match((await visitor.get(at)).json().data, { id: conversation, status: 'open', handled_by: 'agent', messages: 2 })
  t.match((await me.get(`/v1/conversations/${conversation}`)).json().data, {
    channel: 'widget', visitor: visitor.session.visitor.id
  })

  const answer = `${at}/messages/${data[1].id}`
  t.match((await visitor.put(`${answer}/feedback`, { score: -1, comment: 'Too short' })).json().data.feedback, {
    score: -1, comment: 'Too short'
  })
  t.match((await visitor.put(`${answer}/feedback`, { score: 1 })).json().data.feedback, { score: 1, comment: '' })
  t.match((await visitor.post(`${answer}/regenerate`)).json().data, { role: 'agent', replaces: data[1].id })
  t.equal((await visitor.post(`${answer}/stop`)).statusCode, 200)
  for (const url of [
    `${at}/messages/msg_aaaaaaaaaaaaaaaaaaaaaa/stop`, `${at}/messages/msg_aaaaaaaaaaaaaaaaaaaaaa/regenerate`
  ]) { t.equal((await visitor.post(url)).statusCode, 404) }
  t.equal((await visitor.put(`${at}/messages/msg_aaaaaaaaaaaaaaaaaaaaaa/feedback`, { score: 1 })).statusCode, 404)
})

t.test('an answer is watched as it is written, and gone on with exactly where the line broke', async (t) => {
  const model = await slowModel(t)
  const { visit, begin, app } = await site(t, { AGENTHALL_MODEL_URL: model.url })
  const visitor = await visit()
  const { at, say } = await begin(visitor)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const watch = async (last: string) => {
    const stop = new AbortController()
    const answer = await fetch(`http://127.0.0.1:${port}${at}/events`, {
      headers: { authorization: `Bearer ${visitor.token}`, 'last-event-id': last }, signal: stop.signal
    })
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    return {
      stop: () => stop.abort(),
      until: async (what: RegExp) => {
        while (!what.test(text)) text += (await reader.read()).value ?? ''
        return text
      }
    }
  }
  const first = await watch('0')
  await say(QUESTION)
  const asked = await model.next()
  await asked.say('Within thirty days of ')
  const half = await first.until(/Within/)
  first.stop()
  await asked.say('delivery. [1]')
  asked.end()
  const second = await watch(half.match(/^id: (.+)$/gm)!.at(-1)!.slice('id: '.length))
  const rest = await second.until(/"message\.completed"/)
  second.stop()
  const deltas = [...partsIn(half), ...partsIn(rest)]
    .filter(({ type }) => type === 'text-delta')
    .map(({ delta }) => delta)
    .join('')
  t.match(deltas, /Within thirty days of delivery\. \[1\]$/)
  const whole = partsIn(rest).find(({ type }) => type === 'data-message')?.data
  t.match(whole, { model: null, usage: null, agent_version: null }, 'what it took is the business\'s')
  t.equal((await visitor.get(`${at}/events`, undefined, { 'last-event-id': 'x' })).statusCode, 400)
})

t.test('a visitor finds nothing of other visitors, of other agents or of the account', async (t) => {
  const { visit, begin, conversation: apis, id, me, key } = await site(t)
  const [mine, other] = [await visit(), await visit()]
  const { at, say } = await begin(other)
  const said = (await say('Private')).json().data.id
  const asked = [
    await mine.get(at),
    await mine.get(`${at}/messages`),
    await mine.get(`${at}/events`),
    await mine.post(`${at}/messages`, { text: 'x' }),
    await mine.post(`${at}/messages/${said}/stop`),
    await mine.post(`${at}/messages/${said}/regenerate`),
    await mine.put(`${at}/messages/${said}/feedback`, { score: 1 }),
    await mine.post(`${at}/attachments`),
    await mine.get(`/v1/widget/conversations/${apis}`)
  ]
  t.strictSame(asked.map(({ statusCode }) => statusCode), Array(9).fill(404))
  for (const url of [
    `/v1/agents/${id}`, `/v1/conversations/${apis}`, '/v1/me', '/v1/visitors', `/v1/agents/${id}/widget_keys`
  ]) { t.equal((await mine.get(url)).statusCode, 401, url) }
  t.equal((await me.get('/v1/widget/conversations')).statusCode, 401, 'and a key of the account is no visitor')
  await me.delete(`/v1/agents/${id}`)
  t.strictSame(
    [
      await mine.post('/v1/widget/conversations', {}),
      await mine.patch('/v1/widget/visitor', { name: 'x' }),
      await mine.get('/v1/widget/visitor'),
      await mine.get(`/v1/widget/${key}/config`),
      await mine.post('/v1/widget/session', { key })
    ].map(({ statusCode }) => statusCode),
    // Was wrong: 404 or 401 for a session, whether or not its key was still remembered.
    [401, 401, 401, 404, 404],
    'nothing is left of a deleted agent'
  )
})

t.test('what a visitor sends is shaped and not too much', async (t) => {
  const { visit, begin } = await site(t)
  const visitor = await visit()
  const { at, say } = await begin(visitor)
  t.equal((await say('é'.repeat(4000))).statusCode, 201)
  for (const body of [
    { text: 'é'.repeat(4001) },
    { text: ' ' },
    { text: '' },
    {},
    { text: 'x', stream: true },
    { text: 'x', role: 'agent' }
  ]) { t.equal((await visitor.post(`${at}/messages`, body)).statusCode, 400) }
  t.equal((await visitor.post(`${at}/messages`, { text: 'x', client_id: 'y'.repeat(70_000) })).statusCode, 413)
  for (let i = 1; i < 12; i++) await visitor.post('/v1/widget/conversations', {})
  t.equal((await visitor.post('/v1/widget/conversations', {})).statusCode, 429)
  for (let i = 0; i < 180; i++) await visitor.get('/v1/widget/visitor')
  t.equal((await visitor.get('/v1/widget/visitor')).statusCode, 429)
})

t.test('a visitor adds files, says who they are, and agrees to the text as it is shown', async (t) => {
  const { visit, begin, me, id, stores } = await site(
    t,
    {},
    {
      behavior: { collectVisitorData: true },
      gdpr_settings: { data_retention_message: 'We keep what you write for 30 days.', gdpr_message_display: true }
    }
  )
  const visitor = await visit()
  t.equal(visitor.session.visitor.consented, false)
  t.equal(
    (await visitor.patch('/v1/widget/visitor', { consent: 'Something else' })).statusCode,
    409,
    'nobody agrees to what they have not seen'
  )
  t.match(
    (
      await visitor.patch('/v1/widget/visitor', {
        name: 'Ada', email: 'ada@example.com', consent: 'We keep what you write for 30 days.'
      })
    ).json().data,
    { consented: true, reachable: true }
  )
  t.match((await visitor.get('/v1/widget/visitor')).json().data, {
    id: visitor.session.visitor.id, consented: true, verified: false
  })
  t.match(await stores.conversations.visitors.get(me.id, visitor.session.visitor.id), {
    name: 'Ada',
    email: 'ada@example.com',
    consent: { text: 'We keep what you write for 30 days.', hash: /^[0-9a-f]{64}$/ }
  })
  t.equal((await visitor.patch('/v1/widget/visitor', { email: 'no' })).statusCode, 400)
  t.equal((await visitor.patch('/v1/widget/visitor', { verified: true })).statusCode, 400)
  await me.put(`/v1/agents/${id}`, { gdpr_settings: { data_retention_message: 'For a year.' } })
  t.equal(
    (await visit({ before: visitor.session.token })).session.visitor.consented,
    false,
    'another text is agreed to anew'
  )
  await visitor.patch('/v1/widget/visitor', { consent: 'For a year.' })

  const { at, say } = await begin(visitor)
  const form = new FormData()
  form.append('file', new Blob(['a picture']), 'broken.png')
  const request = new Request('http://x', { method: 'POST', body: form })
  const added = await visitor.post(`${at}/attachments`, Buffer.from(await request.arrayBuffer()), {
    'content-type': request.headers.get('content-type')!
  })
  t.match(
    [added.statusCode, added.json().data],
    [201, [{ id: /^att_/, name: 'broken.png', bytes: 9, url: /\/media\// }]]
  )
  t.match((await say('It broke', { attachments: [added.json().data[0].id] })).json().data.attachments, [
    { name: 'broken.png', url: /^http/ }
  ])
  t.equal((await visitor.post(`${at}/attachments`, { a: 1 })).statusCode, 415)
})

t.test('a visitor asks for a person, waits no more, and is seen to type', async (t) => {
  const { visit, begin, me } = await site(t, {}, { behavior: { expertHandoff: true } })
  t.equal((await me.put('/v1/me/duty', { on: true })).statusCode, 200)
  const visitor = await visit()
  const { at, conversation } = await begin(visitor)
  t.match((await visitor.post(`${at}/handoff`)).json().data, { handled_by: 'queue', status: 'waiting' })
  t.match((await me.get(`/v1/conversations/${conversation}`)).json().data, { handled_by: 'queue' })
  t.match((await visitor.get(`${at}/messages`)).json().data, [{ role: 'system' }], 'and reads that')
  t.match((await visitor.delete(`${at}/handoff`)).json().data, { handled_by: 'agent' })
  t.equal((await visitor.delete(`${at}/handoff`)).statusCode, 409)
  t.equal((await visitor.post(`${at}/typing`)).statusCode, 202)
  const other = await visit()
  for (const answer of [
    await other.post(`${at}/handoff`), await other.delete(`${at}/handoff`), await other.post(`${at}/typing`)
  ]) { t.equal(answer.statusCode, 404) }
})

t.test('a route among those of visitors that says it is for somebody else does not boot', async (t) => {
  const app = Fastify()
  await app.register(onlyVisitors, {} as never)
  t.throws(() => app.get('/x', { config: { permit: 'key' } } as never, async () => ''), /nothing here checks/)
  await app.close()
})

t.test('a widget is told that an e-mail address is asked for, until there is one', async (t) => {
  const { visit, begin, me } = await site(t, {}, { behavior: { expertHandoff: true, email: 'help@shop.example' } })
  const visitor = await visit()
  const { at, say, conversation } = await begin(visitor)
  const asks = async () => (await visitor.get(at)).json().data.asks
  const wants = async () => (await visitor.get(at)).json().data.wants_email
  t.equal(await wants(), false)
  await say('Can I talk to a human?')
  t.equal(await wants(), true)
  t.match((await visitor.get('/v1/widget/conversations')).json().data, [{ wants_email: true }])
  t.strictSame(await asks(), { email: true })
  // Was wrong: the form for it stayed below the message of a person, who was there and answered.
  await me.post(`/v1/conversations/${conversation}/takeover`, {})
  t.equal(await asks(), undefined)
  await me.post(`/v1/conversations/${conversation}/release`, {})
  t.strictSame(await asks(), { email: true }, 'nobody is there again')
  await say('ada@visitor.example')
  t.equal(await wants(), false)
})

t.test('who manages agents and may not answer people neither writes as a visitor of a site nor closes the conversation', async (t) => {
  // Was wrong: an editor, who may not even read it, spoke as the customer.
  const { visit, begin, me, id, withKey } = await site(t)
  const customer = await visit()
  const { conversation, say } = await begin(customer)
  const said = (await say(QUESTION)).json().data.id as string
  const { key } = (await me.post('/v1/api_keys', { permissions: ['MANAGE_AGENTS'] })).json().data
  const editor = withKey(key)
  const at = `/v1/conversations/${conversation}`
  for (const refused of [
    await editor.post(`${at}/messages`, { text: 'Never mind' }),
    await editor.post(`${at}/messages/${said}/stop`),
    await editor.post(`${at}/messages/${said}/regenerate`, {}),
    await editor.put(`${at}/messages/${said}/feedback`, { score: 1 }),
    await editor.patch(at, { status: 'closed' }),
    await editor.post(`${at}/close`),
    await editor.post(`${at}/handoff`, {}),
    await editor.post(`${at}/attachments`),
    // Was wrong: by the routes for other clients, by a conversation of the customer's own, and by their address.
    await editor.post('/v1/chat/completions', {
      model: `agent-${id}`, metadata: { conversation }, messages: [{ role: 'user', content: 'Never mind' }]
    }),
    await editor.post(`/v1/agents/${id}/chat`, {
      id: conversation, messages: [{ role: 'user', parts: [{ type: 'text', text: 'Never mind' }] }]
    }),
    await editor.get(`/v1/agents/${id}/chat/${conversation}/stream`),
    await editor.post(`/v1/agents/${id}/conversations`, { visitor: customer.session.visitor.id }),
    await editor.patch(`/v1/visitors/${customer.session.visitor.id}`, { email: 'editor@example.com' })
  ]) t.match([refused.statusCode, refused.json().error?.code], [403, 'permission_denied'], refused.body)
  const own = (await editor.post(`/v1/agents/${id}/conversations`, {})).json().data.id as string
  t.equal((await editor.post(`/v1/conversations/${own}/messages`, { text: QUESTION })).statusCode, 201)
  t.equal((await editor.patch(`/v1/conversations/${own}`, { status: 'closed' })).statusCode, 200)
  t.equal((await me.patch(at, { status: 'closed' })).statusCode, 200)

  const tried = (await editor.post('/v1/visitors', { agent: id, name: 'Somebody' })).json().data.id as string
  t.equal((await editor.post(`/v1/agents/${id}/conversations`, { visitor: tried })).statusCode, 201)
  t.equal((await editor.patch(`/v1/visitors/${tried}`, { name: 'Somebody else' })).statusCode, 200)
  for (const text of [QUESTION, 'And for how long?']) {
    const chat = await editor.post(`/v1/agents/${id}/chat`, {
      id: 'chat-1', messages: [{ role: 'user', parts: [{ type: 'text', text }] }]
    })
    t.equal(chat.statusCode, 200, 'who tries an agent out with another client goes on with it')
  }
})
