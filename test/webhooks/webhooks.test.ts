import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import { QUESTION, talkative } from '../conversations/helper.ts'
import { build, draft, fixedClock } from '../helper.ts'

interface Received { headers: IncomingHttpHeaders, body: string, status: number }

/** A receiver on loopback, which answers each with `answer`. */
async function receiver (t: Test, answer: (count: number) => number = () => 200) {
  const received: Received[] = []
  const server = createServer(async (request, reply) => {
    const status = answer(received.length + 1)
    received.push({ headers: request.headers, body: await text(request), status })
    reply.writeHead(status, status === 302 ? { location: 'http://127.0.0.1:1/' } : {}).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => { server.close() })
  const { port } = server.address() as AddressInfo
  return { received, url: `http://127.0.0.1:${port}/hook`, host: `127.0.0.1:${port}` }
}

/** An app whose clock is right, as receivers compare it with theirs, and that may send to this receiver. */
async function telling (t: Test, host: string) {
  return await talkative(t, { AGENTHALL_ALLOWED_HOSTS: host }, {}, { clock: fixedClock(Date.now()) })
}

t.test('a version that is published is told with who published it and why, and without its settings', async (t) => {
  const { received, url, host } = await receiver(t)
  const { me, settled, id } = await telling(t, host)
  const at = `/v1/agents/${id}`
  await me.post('/v1/webhooks', { url, events: ['agent.published'] })
  await me.put(at, { publish_on_save: false })
  await me.put(at, { description: 'New' })
  t.equal((await me.post(`${at}/publish`, { note: 'Shorter' })).statusCode, 201)
  await settled()
  const { type, data } = JSON.parse(received.at(-1)!.body)
  t.match([type, data], ['agent.published', { agent: id, version: { number: 2, state: 'live', note: 'Shorter', published_by: { id: me.id } } }])
  t.notOk('settings' in data.version)
})

t.test('what a webhook chose is sent to it, signed so that the library of Standard Webhooks verifies it unchanged', async (t) => {
  const { received, url, host } = await receiver(t)
  const { me, settled, say, id, conversation, at } = await telling(t, host)
  const made = await me.post('/v1/webhooks', {
    url, events: ['conversation.created', 'message.completed', 'conversation.deleted'], description: 'CRM'
  })
  t.equal(made.statusCode, 201, made.body)
  t.equal(made.headers['cache-control'], 'no-store')
  const { secret, ...webhook } = made.json().data
  t.match(secret, /^whsec_[\w+/=]{32}$/)
  t.strictSame((await me.get('/v1/webhooks')).json().data, [webhook], 'the secret is shown once')
  t.strictSame((await me.get(`/v1/webhooks/${webhook.id}`)).json().data, webhook)
  await say(QUESTION)
  await settled()
  const events = received.map(
    ({ headers, body }) =>
      new Webhook(secret).verify(body, headers as Record<string, string>) as {
        type: string, timestamp: string, data: Record<string, { id: string, text: string }>
      }
  )
  t.match(
    events
      .map(({ type, data }) => [type, data.agent, data.conversation?.id, data.message?.text])
      .sort((a, b) => String(a[3]).length - String(b[3]).length),
    [
      ['message.completed', id, conversation, QUESTION], ['message.completed', id, conversation, /30 days/]
    ]
  )
  t.notMatch(received[0]!.body, /"owner"|"revision"|"attempts"/, 'only what the interface shows')
  t.throws(
    () => new Webhook(secret).verify(received[0]!.body + ' ', received[0]!.headers as Record<string, string>),
    'a changed body is no longer signed'
  )
  const { data: deliveries } = (await me.get('/v1/deliveries')).json()
  t.match(deliveries, [
    {
      channel: 'webhook',
      type: 'message.completed',
      to: `webhooks/${webhook.id}`,
      about: `conversations/${conversation}`,
      state: 'sent',
      attempts: 1,
      error: null,
      next_attempt_at: null
    },
    {}
  ])
  t.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 2)
  await me.post('/v1/webhooks', { url, events: ['ticket.created'] })
  const ticket = (await me.post(`${at}/tickets`, {})).json().data
  await settled()
  t.match(JSON.parse(received.at(-1)!.body), {
    type: 'ticket.created', data: { ticket: { id: ticket.id, conversation } }
  })
  await me.delete(at)
  await settled()
  t.match(JSON.parse(received.at(-1)!.body), {
    type: 'conversation.deleted', data: { conversation: { id: conversation } }
  })
  t.notMatch(received.at(-1)!.body, /subject|returns/i, 'of what is gone only the id')
})

t.test('nothing that was said lies in the outbox, and what is deleted is not told any more', async (t) => {
  const { received, url, host } = await receiver(t, () => 503)
  const { me, say, at, stores, settled, clock } = await telling(t, host)
  await me.post('/v1/webhooks', { url, events: ['message.completed'] })
  await say('My secret word is xylophone')
  await settled()
  t.match(received[0]!.body, /xylophone/)
  const rows = JSON.stringify(stores.db.raw.prepare('select * from outbox').all())
  t.match(rows, /message\.completed/)
  t.notMatch(rows, /xylophone/)
  const tried = received.length
  await me.delete(at)
  clock.advance(3_600_000)
  await settled()
  t.equal(received.length, tried)
})

t.test(
  'a webhook that fails is tried again with the same id, is dead after six times, and is sent anew by hand',
  async (t) => {
    let status = 503
    const { received, url, host } = await receiver(t, () => status)
    const { me, settled, clock } = await telling(t, host)
    const { id } = (await me.post('/v1/webhooks', { url, events: ['feedback.given'] })).json().data
    const tried = await me.post(`/v1/webhooks/${id}/test`)
    t.equal(tried.statusCode, 202)
    t.match(tried.json().data, { type: 'webhook.test', state: 'waiting', attempts: 0, to: `webhooks/${id}` })
    const delivery = `/v1/deliveries/${tried.json().data.id}`
    for (const minutes of [0, 1, 5, 30, 120, 480]) {
      clock.advance(minutes * 60_000 + 1000)
      await settled()
    }
    t.equal(received.length, 6)
    t.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1, 'a repeat can be told')
    t.match((await me.get(delivery)).json().data, {
      state: 'dead',
      attempts: 6,
      error: { code: 'webhook_refused', message: 'The webhook answered 503 instead of 200 to 299.' }
    })
    t.match((await me.get('/v1/deliveries?state=dead&channel=webhook')).json(), {
      data: [{ state: 'dead' }], next_cursor: null
    })
    status = 204
    t.equal((await me.post(`${delivery}/replay`)).statusCode, 202)
    t.equal((await me.post(`${delivery}/replay`)).statusCode, 409, 'while it waits there is nothing to do')
    await settled()
    t.match((await me.get(delivery)).json().data, { state: 'sent', attempts: 1, error: null })
    t.equal((await me.post(`${delivery}/replay`)).statusCode, 202, 'what arrived and was lost there is sent once more')
    await settled()
    t.equal(received.length, 8)
    for (const call of [
      me.get('/v1/deliveries/99'),
      me.post('/v1/deliveries/99/replay'),
      me.get('/v1/webhooks/99'),
      me.patch('/v1/webhooks/99', { is_active: true }),
      me.delete('/v1/webhooks/99'),
      me.post('/v1/webhooks/99/rotate'),
      me.post('/v1/webhooks/99/test')
    ]) {
      t.equal((await call).statusCode, 404)
    }
  }
)

t.test(
  'a redirect is not followed; 410 switches the webhook off; what is switched off or removed gets nothing',
  async (t) => {
    let status = 302
    const { received, url, host } = await receiver(t, () => status)
    const { me, settled } = await telling(t, host)
    const { id } = (await me.post('/v1/webhooks', { url, events: ['conversation.closed'] })).json().data
    const first = (await me.post(`/v1/webhooks/${id}/test`)).json().data.id
    await settled()
    t.match((await me.get(`/v1/deliveries/${first}`)).json().data, {
      state: 'waiting', next_attempt_at: String, error: { message: /answered 302/ }
    })
    status = 410
    const second = (await me.post(`/v1/webhooks/${id}/test`)).json().data.id
    await settled()
    t.match((await me.get(`/v1/deliveries/${second}`)).json().data, {
      state: 'dead', attempts: 1, error: { code: 'webhook_gone' }
    })
    t.match((await me.get(`/v1/webhooks/${id}`)).json().data, { is_active: false })
    await me.post(`/v1/webhooks/${id}/test`)
    await settled()
    t.equal(received.length, 2, 'switched off')
    await me.patch(`/v1/webhooks/${id}`, { is_active: true })
    await me.post(`/v1/webhooks/${id}/test`)
    t.equal((await me.delete(`/v1/webhooks/${id}`)).statusCode, 200)
    await settled()
    t.equal(received.length, 2, 'removed')
  }
)

t.test('after a rotation both secrets sign for a day, then the new one alone', async (t) => {
  const { received, url, host } = await receiver(t)
  const { me, settled, clock } = await telling(t, host)
  const { id, secret: old } = (await me.post('/v1/webhooks', { url, events: ['conversation.closed'] })).json().data
  const rotated = await me.post(`/v1/webhooks/${id}/rotate`, undefined, { 'idempotency-key': 'r' })
  t.equal(rotated.statusCode, 201)
  t.strictSame(
    (await me.post(`/v1/webhooks/${id}/rotate`, undefined, { 'idempotency-key': 'r' })).json().data,
    rotated.json().data,
    'a repeat rotates nothing'
  )
  const { secret, previous_secret_until: until } = rotated.json().data
  t.not(secret, old)
  t.match(until, /Z$/)
  await me.post(`/v1/webhooks/${id}/test`)
  await settled()
  const headers = received[0]!.headers as Record<string, string>
  for (const one of [old, secret]) {
    t.match(new Webhook(one).verify(received[0]!.body, headers), { type: 'webhook.test' })
  }
  clock.advance(24 * 3_600_000 + 1)
  await me.post(`/v1/webhooks/${id}/test`)
  await settled()
  t.equal(received[1]!.headers['webhook-signature']!.toString().split(' ').length, 1)
})

t.test(
  'private addresses are refused when a webhook is made and when it is sent to; its name is looked up then',
  async (t) => {
    const { user, settled } = await build(t)
    const me = await user()
    for (const url of [
      'http://127.0.0.1/x',
      'http://localhost/x',
      'http://[::1]/x',
      'http://169.254.169.254/',
      'http://2130706433/',
      'http://me:you@example.com/',
      // Was wrong: `URL` accepts these, no name is like that, and the list of where data goes was pages long.
      'https://((((/',
      `https://${'-'.repeat(2000)}/`,
      'https://a..example/'
    ]) {
      const refused = await me.post('/v1/webhooks', { url, events: ['message.completed'] })
      t.equal(refused.statusCode, 400, url)
      t.match(refused.json().error.details, [{ field: 'url' }])
    }
    const { id } = (
      await me.post('/v1/webhooks', { url: 'https://example.com/x', events: ['message.completed'] })
    ).json().data
    t.equal((await me.patch(`/v1/webhooks/${id}`, { url: 'http://10.0.0.1/' })).statusCode, 400)
    t.equal(
      (await me.post('/v1/webhooks', { url: 'ftp://example.com', events: ['message.completed'] })).statusCode,
      400
    )
    t.equal((await me.post('/v1/webhooks', { url: 'https://example.com', events: ['nothing'] })).statusCode, 400)
    // What was accepted before the present rules, or now resolves to somewhere else.
    const {
      stores: { db }
    } = await build(t)
    t.equal(db.raw.prepare('select count(*) from webhooks').pluck().get(), 0)
    await settled()
  }
)

t.test('a webhook whose address leads inside is given up at once', async (t) => {
  const { user, settled, stores } = await build(t)
  const me = await user()
  const { id } = (await me.post('/v1/webhooks', { url: 'https://example.com/x', events: ['message.completed'] })).json()
    .data
  stores.db.raw.prepare("update webhooks set url = 'http://127.0.0.1:9/'").run()
  const delivery = (await me.post(`/v1/webhooks/${id}/test`)).json().data.id
  await settled()
  t.match((await me.get(`/v1/deliveries/${delivery}`)).json().data, {
    state: 'dead', attempts: 1, error: { code: 'address_refused' }
  })
})

t.test('what another account has is not there; an account may have twenty', async (t) => {
  const { user } = await build(t)
  const [me, other] = [await user(), await user()]
  const { id } = (await me.post('/v1/webhooks', { url: 'https://example.com/x', events: ['message.completed'] })).json().data
  const delivery = (await me.post(`/v1/webhooks/${id}/test`)).json().data.id
  for (const call of [
    other.get(`/v1/webhooks/${id}`),
    other.delete(`/v1/webhooks/${id}`),
    other.post(`/v1/webhooks/${id}/rotate`),
    other.post(`/v1/webhooks/${id}/test`),
    other.patch(`/v1/webhooks/${id}`, { is_active: false }),
    other.get(`/v1/deliveries/${delivery}`),
    other.post(`/v1/deliveries/${delivery}/replay`)
  ]) {
    t.equal((await call).statusCode, 404)
  }
  t.strictSame((await other.get('/v1/deliveries')).json().data, [])
  for (let i = 1; i < 20; i++) {
    await me.post('/v1/webhooks', { url: 'https://example.com/x', events: ['message.completed'] })
  }
  t.equal(
    (await me.post('/v1/webhooks', { url: 'https://example.com/x', events: ['message.completed'] })).statusCode,
    409
  )
})

t.test('sources and judgements are told too, and lists of deliveries come in parts', async (t) => {
  const { received, url, host } = await receiver(t)
  const { me, settled, id, say, at } = await telling(t, host)
  await me.post('/v1/webhooks', { url, events: ['source.trained', 'feedback.given', 'conversation.closed'] })
  const { id: answer } = (await say(QUESTION)).json().data
  await me.put(`${at}/messages/${answer}/feedback`, { score: 1 })
  await me.patch(at, { status: 'closed' })
  const [source] = (await me.post(`/v1/agents/${id}/knowledge_sources`, { plain_text: 'Shipping is free.' })).json()
    .data
  await settled()
  await settled()
  const events = received.map(({ body }) => JSON.parse(body)).sort((a, b) => a.type.localeCompare(b.type))
  t.match(events, [
    { type: 'conversation.closed', data: { conversation: { status: 'closed' } } },
    { type: 'feedback.given', data: { message: { id: answer, feedback: { score: 1 } } } },
    { type: 'source.trained', data: { agent: id, source: { id: source.id, training_status: 'Success' } } }
  ])
  const first = (await me.get('/v1/deliveries?limit=2')).json()
  t.equal(first.data.length, 2)
  const rest = (await me.get(`/v1/deliveries?limit=2&cursor=${first.next_cursor}`)).json()
  t.match([rest.data.length, rest.next_cursor], [1, null])
  t.equal(
    (await me.get(`/v1/deliveries?about=${first.data[0].about}`)).json().data.length,
    first.data[0].about.startsWith('conv') ? 2 : 1
  )
  t.equal((await me.post('/v1/agents', draft)).statusCode, 201)
})
