import t, { type Test } from 'tap'
import type { AgentRecord } from '../../schema/agents.ts'
import type { ConversationRecord } from '../../schema/conversations.ts'
import { letterOf, mailTo, quietFor, type Reading } from '../../src/follow-ups/mail.ts'
import { QUESTION } from '../conversations/helper.ts'
import { fixedClock } from '../helper.ts'
import { ADA, FROM, letter, mailServer, SUPPORT } from '../tickets/helper.ts'
import { SHOP, site } from '../widget/helper.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const BEHAVIOR = {
  collectVisitorData: true,
  email: SUPPORT,
  followupCount: 2,
  followupInterval: 30,
  followupMessages: ['Still there?', 'I am here if you need me.']
}
const at = (text: string) => Date.parse(text) * 1000

/** Ada has left her address in a widget, was answered, and went away. `hour`: the hour at which she did, in UTC. */
async function away (t: Test, { hour = 12, behavior = {}, agent = {}, env = {}, person = {} } = {}) {
  const server = await mailServer(t)
  const built = await site(
    t,
    { AGENTHALL_SMTP_URL: server.url, AGENTHALL_MAIL_FROM: FROM, ...env },
    { behavior: { ...BEHAVIOR, ...behavior }, ...agent },
    { clock: fixedClock(Date.UTC(2026, 0, 1, hour)) }
  )
  const { visit, begin, clock, settled, stores, app } = built
  const visitor = await visit()
  await visitor.patch('/v1/widget/visitor', { name: 'Ada', email: ADA, ...person })
  const chat = await begin(visitor)
  t.equal((await chat.say(QUESTION)).statusCode, 201)
  await stores.conversations.talk.runs.ended(chat.conversation)
  const after = async (ms: number) => {
    clock.advance(ms)
    await settled()
    return server.got.filter(({ to }) => to.includes(ADA)).map(({ mail }) => mail.text?.split('\n')[2])
  }
  /** Ada, or somebody else, answers by mail. */
  const answer = async (raw: string) => {
    const sent = await app.inject({
      method: 'POST',
      url: `/v1/inbound/mail/${stores.tickets.inbox.token()}`,
      headers: { 'content-type': 'message/rfc822' },
      payload: raw.replaceAll('\n', '\r\n')
    })
    await settled()
    return sent.json().message as string
  }
  return { ...built, server, visitor, ...chat, after, answer }
}

t.test('a visitor who left an address and went away is written to, a minute after it was said, once a day', async (t) => {
  const { after, server, me, conversation } = await away(t)
  t.strictSame(await after(30 * MINUTE_MS), [], 'whoever lost the connection has a minute to come back')
  t.strictSame(await after(MINUTE_MS), ['Still there?'])
  const { mail, header, from } = server.got[0]!
  t.match(mail, {
    subject: 'Still there?',
    from: { name: 'Ada', address: 'help@ours.example' },
    replyTo: [{ address: /^help\+t_[a-z2-7]{20}\.[a-z2-7]{16}@ours\.example$/ }],
    messageId: /^<t\.[a-z2-7]{20}\.3\.[a-z2-7]{16}@ours\.example>$/
  })
  t.match(from, /^help\+b_/, 'a bounce comes back to an address of its own')
  t.equal(header('auto-submitted'), 'auto-generated')
  t.notMatch(mail.text, /days do I have/, 'no word of the visitor\'s: the address may be somebody else\'s')
  const { data: [delivery] } = (await me.get('/v1/deliveries?channel=follow_up_mail')).json()
  t.match(delivery, { state: 'sent', about: `conversations/${conversation}` })
  await after(40 * MINUTE_MS)
  t.strictSame(await after(2 * MINUTE_MS), ['Still there?'], 'one automatic mail to an address a day')
  t.strictSame(
    (await me.get(`/v1/conversations/${conversation}/messages`)).json().data.slice(2).map((one: any) => one.text),
    BEHAVIOR.followupMessages,
    'both are said in the conversation'
  )
})

t.test('quiet hours hold mail only, until 8 o\'clock where the business is; of two that wait the last one goes', async (t) => {
  const { after, me, conversation, clock } = await away(t, { hour: 20 })
  await me.put('/v1/business', { time_zone: 'Europe/Berlin' })
  t.strictSame(await after(31 * MINUTE_MS), [])
  t.match(
    (await me.get(`/v1/conversations/${conversation}/messages`)).json().data.at(-1),
    { text: 'Still there?' },
    'it is said in the conversation at once'
  )
  t.strictSame(await after(30 * MINUTE_MS), [])
  clock.advance(at('2026-01-02T06:59:00Z') / 1000 - clock.micros() / 1000)
  t.strictSame(await after(0), [])
  t.strictSame(await after(2 * MINUTE_MS), ['I am here if you need me.'])
})

t.test('what could not be sent before the night is not tried again in it', async (t) => {
  const { after, server, clock } = await away(t, { hour: 20, behavior: { followupCount: 1 } })
  server.state.mood = 'busy'
  t.strictSame(await after(30 * MINUTE_MS), [])
  await after(MINUTE_MS)
  // Retried after 1, 5 and 30 minutes: the last time would be after nine.
  await after(2 * MINUTE_MS)
  await after(6 * MINUTE_MS)
  server.state.mood = 'take'
  t.strictSame(await after(40 * MINUTE_MS), [])
  t.strictSame(await after(3 * HOUR_MS), [])
  clock.advance(at('2026-01-02T08:00:30Z') / 1000 - clock.micros() / 1000)
  t.strictSame(await after(0), ['Still there?'])
})

t.test('whoever is there, comes back, writes, types or has a ticket is not written to', async (t) => {
  for (const what of ['there', 'back', 'types', 'ticket', 'deleted']) {
    const { after, stores, conversation, me } = await away(t)
    const { presence, typing } = stores.conversations
    const here = `/v1/conversations/${conversation}`
    const waiting = stores.db.raw.prepare("select count(*) from jobs where kind = 'follow-up.mail'").pluck()
    if (what === 'there') presence.enter(me.id, conversation)
    await after(30 * MINUTE_MS)
    if (what === 'back') presence.enter(me.id, conversation)()
    if (what === 'types') typing.say(me.id, conversation, 'visitor')
    if (what === 'ticket') await me.post(`${here}/tickets`, {})
    if (what === 'deleted') await me.delete(here)
    // Neither waits for what it makes unnecessary.
    if (what === 'back' || what === 'types') while (waiting.get() !== 0) await new Promise(setImmediate)
    t.strictSame(await after(5 * MINUTE_MS), [], what)
  }
})

t.test('whoever comes back while it waits to be sent is not written to either', async (t) => {
  const { after, server, stores, conversation, me } = await away(t)
  server.state.mood = 'busy'
  await after(30 * MINUTE_MS)
  await after(MINUTE_MS)
  server.state.mood = 'take'
  stores.conversations.presence.enter(me.id, conversation)
  t.strictSame(await after(2 * MINUTE_MS), [])
  t.match((await me.get('/v1/deliveries?channel=follow_up_mail')).json().data, [
    { state: 'dead', error: { code: 'not_wanted' } }
  ])
})

t.test('over a day late, as when the machine was off, it is dropped', async (t) => {
  const { after, settled, clock, server } = await away(t)
  clock.advance(30 * MINUTE_MS)
  await settled()
  t.strictSame(await after(26 * HOUR_MS), [])
  t.equal(server.got.length, 0)
})

t.test('only who gave an address for this, and agreed to what is shown, is written to', async (t) => {
  const open: Reading = {
    conversation: {
      status: 'open', handled_by: 'agent', channel: 'widget', messages: 3, episode: 1, epoch: 0, tickets: []
    } as unknown as ConversationRecord,
    agent: { status: 'Active', behavior: { collectVisitorData: true } as AgentRecord['behavior'] },
    visitor: { email: ADA, verified: false },
    isThere: false,
    mayWrite: true,
    now: 0
  }
  const asked = { episode: 1, epoch: 0, seq: 3, due: 0 }
  const differing = (more: Partial<Reading>, conversation: object = {}) =>
    mailTo({ ...open, ...more, conversation: { ...open.conversation, ...conversation } }, asked)
  t.equal(differing({}), ADA)
  const uncollected = { status: 'Active' as const, behavior: { collectVisitorData: false } as AgentRecord['behavior'] }
  t.equal(differing({ agent: uncollected }), undefined, 'an address for a ticket alone')
  t.equal(differing({ agent: uncollected, visitor: { email: ADA, verified: true } }), ADA, 'the business vouches')
  t.equal(differing({ mayWrite: false }), undefined)
  t.equal(differing({ visitor: { email: null, verified: true } }), undefined)
  t.equal(differing({ visitor: undefined }), undefined)
  t.equal(differing({ isThere: true }), undefined)
  t.equal(differing({ agent: { ...open.agent!, status: 'Inactive' } }), undefined)
  t.equal(differing({ agent: undefined }), undefined)
  t.equal(differing({ now: 24 * HOUR_MS * 1000 }), ADA)
  t.equal(differing({ now: 24 * HOUR_MS * 1000 + 1 }), undefined)
  for (const conversation of [
    { channel: 'api' }, { status: 'closed' }, { handled_by: 'person' }, { episode: 2 }, { epoch: 1 }, { messages: 4 },
    { tickets: ['tkt_1'] }
  ]) t.equal(differing({}, conversation), undefined, JSON.stringify(conversation))
})

t.test('a consent that is asked for and not given, or given to another text, lets nothing out', async (t) => {
  const gdpr = { data_retention_message: 'We keep this for 30 days.', gdpr_message_display: true }
  const agreed = { consent: gdpr.data_retention_message }
  const { after, me, id } = await away(t, { agent: { gdpr_settings: gdpr }, person: agreed })
  await me.put(`/v1/agents/${id}`, { gdpr_settings: { data_retention_message: 'For a year, and for advertising.' } })
  await after(30 * MINUTE_MS)
  t.strictSame(await after(MINUTE_MS), [])
  const other = await away(t, { agent: { gdpr_settings: gdpr }, person: agreed })
  await other.after(30 * MINUTE_MS)
  t.strictSame(await other.after(MINUTE_MS), ['Still there?'])
})

t.test('an answer to it becomes a ticket about the conversation, and a second answer a message of the same one', async (t) => {
  const { after, server, answer, me, conversation } = await away(t)
  await after(30 * MINUTE_MS)
  await after(MINUTE_MS)
  const to = server.got[0]!.mail.replyTo![0]!.address!
  const first = letter({ from: ADA, to, text: 'Yes, what about shoes?\n\n> Still there?' })
  t.equal(await answer(first), 'taken')
  t.equal(await answer(first), 'taken', 'a service that posts it twice')
  t.equal(await answer(letter({ from: ADA, to, text: 'And socks?' })), 'taken')
  const { data } = (await me.get(`/v1/tickets?conversation=${conversation}`)).json()
  t.equal(data.length, 1)
  t.match((await me.get(`/v1/tickets/${data[0].id}`)).json().data, {
    conversation,
    requester: { name: 'Ada', email: ADA },
    messages: [{ role: 'visitor', text: 'Yes, what about shoes?' }, { role: 'visitor', text: 'And socks?' }]
  })
  t.strictSame(
    server.got.filter(({ to: [who] }) => who === SUPPORT).length, 3, 'the business has the ticket and both answers'
  )
  t.equal(
    await answer(letter({ from: 'eve@elsewhere.example', to, text: 'Let me in' })), 'held', 'a stranger\'s is held'
  )
})

t.test('who answers when the conversation is gone, or whose address bounces, opens nothing', async (t) => {
  const { after, server, answer, me, conversation } = await away(t)
  await after(30 * MINUTE_MS)
  await after(MINUTE_MS)
  const { mail, from } = server.got[0]!
  const to = mail.replyTo![0]!.address!
  const bounce = `From: MAILER-DAEMON@elsewhere.example
To: ${from}
Subject: Undelivered
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; elsewhere.example

Final-Recipient: rfc822; ${ADA}
Action: failed
Status: 5.1.1

--b--
`
  t.equal(await answer(bounce), 'gone')
  t.strictSame((await me.get('/v1/tickets')).json().data, [])
  await me.delete(`/v1/conversations/${conversation}`)
  t.equal(await answer(letter({ from: ADA, to, text: 'Hello?' })), 'gone')
})

t.test('killed after it was put into the outbox and before the job ended, it is sent once', async (t) => {
  const { after, stores: { db, jobs }, me } = await away(t)
  await after(30 * MINUTE_MS)
  const job = db.raw.prepare("select * from jobs where kind = 'follow-up.mail'").get() as {
    payload: string, subject: number
  }
  t.ok(job)
  t.strictSame(await after(MINUTE_MS), ['Still there?'])
  // The same job once more, as the queue has it when the process died before the job's end.
  await jobs.ask([{ kind: 'follow-up.mail', subject: job.subject, owner: me.id, payload: JSON.parse(job.payload) }])
  t.strictSame(await after(0), ['Still there?'])
})

t.test('without a mail server nothing is asked for', async (t) => {
  const { after, stores: { db } } = await away(t, { env: { AGENTHALL_SMTP_URL: '', AGENTHALL_MAIL_FROM: '' } })
  await after(31 * MINUTE_MS)
  t.equal(db.raw.prepare("select count(*) from jobs where kind = 'follow-up.mail'").pluck().get(), 0)
})

t.test('nobody is woken between 21 and 8 o\'clock, whatever is done to the clocks in that night', (t) => {
  const berlin = { time_zone: 'Europe/Berlin' }
  t.equal(quietFor(berlin, at('2026-06-01T06:00:00Z')), 0, '8 o\'clock')
  t.equal(quietFor(berlin, at('2026-06-01T05:59:30Z')), 30_000)
  t.equal(quietFor(berlin, at('2026-06-01T18:59:59Z')), 0)
  t.equal(quietFor(berlin, at('2026-06-01T19:00:00Z')), 11 * HOUR_MS)
  t.equal(quietFor(berlin, at('2026-06-01T22:30:00Z')), 7.5 * HOUR_MS)
  t.equal(quietFor(berlin, at('2026-03-28T21:00:00Z')), 9 * HOUR_MS, 'an hour is missing')
  t.equal(quietFor(berlin, at('2026-10-24T20:00:00Z')), 11 * HOUR_MS, 'an hour comes twice')
  t.end()
})

t.test('a long text has a subject that fits into a line', (t) => {
  t.equal(letterOf(`${'x'.repeat(100)}\nmore`).subject, `${'x'.repeat(77)}…`)
  t.strictSame(letterOf('Hi\nyou'), { subject: 'Hi', text: 'Hi\nyou' })
  t.end()
})

t.test('a visitor is there as long as one of their windows shows the conversation', async (t) => {
  const { app, at, visitor, conversation, me, stores: { conversations: { presence } } } = await away(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const until = async (is: boolean) => {
    while (presence.isThere(me.id, conversation) !== is) await new Promise(setImmediate)
  }
  const watch = async () => {
    const cut = new AbortController()
    const { status } = await fetch(`${url}${at}/events`, {
      headers: { authorization: `Bearer ${visitor.token}`, origin: SHOP }, signal: cut.signal
    })
    t.equal(status, 200)
    return cut
  }
  const [first, second] = [await watch(), await watch()]
  t.ok(presence.isThere(me.id, conversation))
  first.abort()
  t.ok(presence.isThere(me.id, conversation))
  second.abort()
  await until(false)
  const again = await watch()
  await until(true)
  again.abort()
})
