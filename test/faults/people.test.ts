import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import t, { type Test } from 'tap'
import { dataFile } from '../../src/data-file.ts'
import { mailServer } from '../tickets/helper.ts'
import { client, cycles, scratch, seeded, serve, type Server } from './tools/server.ts'

const CHATS = 4

/** A foreign server that receives webhooks. */
async function listener (t: Test) {
  const heard: Array<{ id: string, type: string }> = []
  const state = { onHeard: (): unknown => undefined }
  const server = createServer(async (request, reply) => {
    const { type } = (await json(request)) as { type: string }
    heard.push({ id: String(request.headers['webhook-id']), type })
    await state.onHeard()
    reply.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => { server.closeAllConnections(); server.close() })
  return { heard, state, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

t.test('kill -9 between the steps of a hand-off and of sending: what was acknowledged holds, each change is told, nothing leaves under two names', async (t) => {
  const directory = scratch(t)
  const random = seeded(5)
  const mail = await mailServer(t)
  const { heard, state, host } = await listener(t)
  const env = {
    AGENTHALL_SMTP_URL: mail.url, AGENTHALL_MAIL_FROM: 'help@ours.example', AGENTHALL_ALLOWED_HOSTS: host
  }
  const chats: string[] = []
  /** The last acknowledged epoch of each conversation, and its handler then. */
  const acknowledged = new Map<string, { epoch: number, handled_by: string }>()
  let key = ''
  let kills = 0

  async function begin (send: ReturnType<typeof client>) {
    const { body } = await send('POST', '/v1/agents', {
      name: 'Ada', systemPrompt: 'You help.', behavior: { expertHandoff: true, email: 'support@business.example' }
    })
    await send('POST', '/v1/webhooks', {
      url: `http://${host}/`,
      events: ['handoff.requested', 'handoff.taken', 'handoff.released', 'ticket.created']
    })
    await send('PUT', '/v1/me/duty', { on: true })
    for (let i = 0; i < CHATS; i++) {
      chats.push(String((await send('POST', `/v1/agents/${body.data.id}/conversations`, {})).body.data.id))
    }
  }

  /** Hands one conversation back and forth, and opens tickets, until the server is gone. */
  async function handOver (send: ReturnType<typeof client>, chat: string) {
    const at = `/v1/conversations/${chat}`
    for (;;) {
      for (const what of ['handoff', 'takeover', 'tickets', 'release']) {
        const { status, body } = await send('POST', `${at}/${what}`, {})
        if (what === 'tickets' || status !== 200) continue
        acknowledged.set(chat, body.data as unknown as { epoch: number, handled_by: string })
      }
    }
  }

  async function untilKilled (server: Server, send: ReturnType<typeof client>) {
    const talks = Promise.allSettled(chats.map(async (chat) => await handOver(send, chat)))
    const { promise: isTime, resolve } = Promise.withResolvers<void>()
    const mails = mail.got.length
    mail.state.mood = kills % 4 === 0 ? 'take and cut' : 'take'
    // While a receiver is processing a webhook, or just after; while a mail was accepted but not confirmed; at any
    // time.
    state.onHeard = async () => {
      if (kills % 4 === 1) resolve()
      if (kills % 4 === 1) await pause(1000)
      if (kills % 4 === 2) setImmediate(resolve)
    }
    if (kills % 4 === 0) {
      while (mail.got.length === mails) await pause(5)
      resolve()
    }
    if (kills % 4 === 3) setTimeout(resolve, 100 + random() * 300)
    await isTime
    await server.kill()
    await talks
    state.onHeard = () => undefined
    mail.state.mood = 'take'
  }

  for (; kills < cycles(4); kills++) {
    const server = await serve(directory, { env })
    key = server.key ?? key
    const send = client(server.address, key)
    if (chats.length === 0) await begin(send)
    await untilKilled(server, send)
  }

  const server = await serve(directory, { env })
  const send = client(server.address, key)
  const raw = new BetterSqlite3(dataFile(directory), { readonly: true })
  const count = (sql: string) => raw.prepare(sql).pluck().get() as number
  // What failed before is retried after a minute; that is not waited for.
  while (count("select count(*) from outbox where state = 'waiting' and is_open = 0") > 0) await pause(50)
  for (const [chat, { epoch, handled_by: by }] of acknowledged) {
    const { body: { data } } = await send('GET', `/v1/conversations/${chat}`)
    const now = data as unknown as { epoch: number, handled_by: string }
    t.ok(now.epoch > epoch || (now.epoch === epoch && now.handled_by === by), 'nothing acknowledged is lost')
  }
  await server.stop()
  t.strictSame(
    raw.prepare(`
      select c.id, c.epoch, (select count(*) from messages m where m.conversation = c.number and m.role = 'system') as notices
      from conversations c where notices <> c.epoch`).all(),
    [],
    'each change of hands has one notice'
  )
  t.strictSame(
    raw.prepare('select conversation from messages group by conversation having count(*) <> max(seq)').all(), [], 'no gap'
  )
  const all = (sql: string) => new Set(raw.prepare(sql).pluck().all() as string[])
  const ids = "select json_extract(payload, '$.event') from outbox where channel = 'webhook'"
  const heardIds = new Set(heard.map(({ id }) => id))
  t.strictSame([...all(`${ids} and state = 'sent'`)].filter((id) => !heardIds.has(id)), [], 'what counts as sent was heard')
  t.strictSame([...heardIds].filter((id) => !all(ids).has(id)), [], 'nothing is sent under a name that is not kept')
  t.equal(
    count("select count(*) from outbox where channel = 'webhook' and json_extract(payload, '$.type') like 'handoff.%'"),
    count('select sum(epoch) from conversations'),
    'each change of hands is told under one name'
  )
  const taken = new Set(mail.got.map((one) => one.mail.messageId!))
  const mailed = all("select external_id from outbox where channel = 'mail' and state = 'sent'")
  t.strictSame([...mailed].filter((id) => !taken.has(id)), [], 'what counts as mailed was taken')
  t.ok(taken.size <= count('select count(*) from tickets'), 'a ticket is mailed under one name')
  t.equal(count('select count(*) from tickets'), count("select count(*) from outbox where channel = 'mail'"))
  t.equal(raw.pragma('integrity_check', { simple: true }), 'ok')
  t.comment(`${kills} kills, ${heard.length} webhooks heard, ${mail.got.length} mails taken`)
  raw.close()
})

/** Zendesk, as far as we call it: tickets under the external ids that we give them, with their comments. */
async function zendesk (t: Test) {
  const tickets: Array<{ id: number, external_id: string, comments: string[] }> = []
  const state = { onTaken: (_what: 'ticket' | 'comment'): unknown => undefined }
  const server = createServer(async (request, reply) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://zendesk.example')
    const { ticket } = request.method === 'GET'
      ? { ticket: undefined }
      : (await json(request)) as { ticket: { external_id: string, comment: { body: string } } }
    const known = tickets.find(({ id }) => pathname.includes(`/tickets/${id}`))
    const answer = (body: object) => reply.end(JSON.stringify(body))
    if (request.method === 'GET' && known) return answer({ comments: known.comments.map((body) => ({ body })) })
    if (request.method === 'GET') {
      return answer({ tickets: tickets.filter((one) => one.external_id === searchParams.get('external_id')) })
    }
    const made = known ?? { id: tickets.length + 1, external_id: ticket!.external_id, comments: [] }
    if (known) known.comments.push(ticket!.comment.body)
    else tickets.push(made)
    await state.onTaken(known ? 'comment' : 'ticket')
    answer({ ticket: { id: made.id } })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => { server.closeAllConnections(); server.close() })
  return { tickets, state, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

t.test('kill -9 while a ticketing provider has a ticket or a comment, or has just taken it: each is there once', async (t) => {
  const directory = scratch(t)
  const { tickets, state, host } = await zendesk(t)
  const env = { AGENTHALL_ALLOWED_HOSTS: host }
  let [key, agent, kills] = ['', 0, 0]

  async function begin (send: ReturnType<typeof client>) {
    await send('POST', '/v1/ticketing_providers', {
      name: 'Desk', kind: 'zendesk', settings: { url: `http://${host}` }, credentials: { email: 'a@b.example', token: 'x' }
    })
    const { body } = await send('POST', '/v1/agents', {
      name: 'Ada', systemPrompt: 'You help.', behavior: { ticketType: 'thirdparty' }, ticketing_providers: ['Desk']
    })
    agent = body.data.id
  }

  /** Opens a ticket, and writes to it once it is there. */
  async function say (send: ReturnType<typeof client>, isComment: boolean) {
    const { body: { data } } = await send('POST', '/v1/tickets', { agent, subject: `Parcel ${kills}` })
    const at = `/v1/tickets/${data.id}`
    if (!isComment) return
    const read = async () => (await send('GET', at)).body.data as unknown as { status: string }
    while ((await read()).status !== 'sent') await pause(20)
    await send('POST', `${at}/messages`, { text: 'It is on its way.' })
  }

  for (; kills < cycles(4); kills++) {
    const server = await serve(directory, { env })
    key = server.key ?? key
    const send = client(server.address, key)
    if (agent === 0) await begin(send)
    const wanted = kills % 2 === 0 ? 'ticket' : 'comment'
    const { promise: isTime, resolve } = Promise.withResolvers<void>()
    state.onTaken = async (what) => {
      if (what !== wanted) return
      // Before it has answered, or just after.
      if (kills % 4 < 2) resolve()
      else setImmediate(resolve)
      if (kills % 4 < 2) await pause(1000)
    }
    const saying = say(send, wanted === 'comment').catch(() => undefined)
    await isTime
    await server.kill()
    await saying
    state.onTaken = () => undefined
  }

  const server = await serve(directory, { env })
  const raw = new BetterSqlite3(dataFile(directory), { readonly: true })
  const waiting = raw.prepare("select count(*) from outbox where state = 'waiting'").pluck()
  while (waiting.get() !== 0) await pause(50)
  await server.stop()
  t.equal(tickets.length, new Set(tickets.map((one) => one.external_id)).size, 'no ticket was opened twice')
  t.strictSame(
    raw.prepare('select external_id from tickets order by number').pluck().all(), tickets.map(({ id }) => String(id)),
    'each knows what it is called there'
  )
  t.strictSame(tickets.map(({ comments }) => comments.length), tickets.map((_, i) => i % 2), 'no comment came twice')
  t.strictSame(raw.prepare('select distinct state from outbox').pluck().all(), ['sent'])
  t.equal(tickets.length, kills)
  raw.close()
})
