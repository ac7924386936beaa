import '../bare-children.ts'
import { chmodSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { languagesWith, textsIn } from '../../src/locales/list.ts'
import { QUESTION } from '../conversations/helper.ts'
import { build } from '../helper.ts'
import { ADA, desk, letter, SUPPORT } from './helper.ts'

t.test('a ticket goes to the agent\'s address, with the conversation quoted and the headers that stop programs from answering', async (t) => {
  const { got, ticket, read, me, conversation, id } = await desk(t)
  const made = await ticket()
  t.match(await read(made), {
    id: made,
    conversation,
    agent: id,
    status: 'sent',
    channel: 'email',
    requester: { name: 'Ada', email: ADA },
    subject: QUESTION,
    error: null,
    messages: []
  })
  t.strictSame((await me.get(`/v1/conversations/${conversation}`)).json().data.tickets, [made])
  const [{ mail, header, from, to }] = got as [typeof got[number]]
  t.strictSame(to, [SUPPORT])
  const short = made.replace('tkt_', '')
  t.match(header('message-id'), new RegExp(`^<t\\.${short}\\.0\\.[a-z2-7]{16}@ours\\.example>$`))
  t.match(header('reply-to'), new RegExp(`^help\\+t_${short}\\.[a-z2-7]{16}@ours\\.example$`))
  t.match(from, new RegExp(`^help\\+b_${short}\\.[a-z2-7]{16}@ours\\.example$`), 'what does not arrive is told to us')
  t.match(
    [header('auto-submitted'), header('x-auto-response-suppress'), mail.from?.address],
    ['auto-generated', 'All', 'help@ours.example']
  )
  t.match(mail.text, /From: Ada <ada@visitor\.example>[^]*> How many days[^]*> Returns are accepted within 30 days/)
  t.match(mail.subject, made)
})

t.test('a mail to the business is in the language that it chose for the weekly one, else in that of the instructions', async (t) => {
  // Was wrong: all of it was in English, whatever the business speaks.
  const { me, id, got, ticket } = await desk(t)
  const opened = async () => {
    got.length = 0
    await ticket()
    return got[0]!.mail.text!
  }
  t.match(await opened(), /^--- Please write above[^]*From: Ada[^]*What was said:[^]* Visitor:/)
  const systemPrompt = 'Jesteś asystentem urzędu miasta. Odpowiadasz mieszkańcom krótko i uprzejmie.'
  const put = await me.put(`/v1/agents/${id}`, { systemPrompt })
  t.equal(put.statusCode, 200, put.body)
  t.match(await opened(), /^--- Proszę pisać[^]*Od: Ada[^]*Dotychczasowa rozmowa:[^]* Odwiedzający:[^]* Asystent \(AI\):/)
  t.equal((await me.put('/v1/business', { gaps_mail: 'de' })).statusCode, 200)
  t.match(await opened(), /^--- Bitte schreiben[^]*Von: Ada[^]*Bisheriges Gespräch:[^]* Besucher:/)
})

t.test('the business answers by mail and so does who asked: each gets what the other wrote, and nobody the other\'s address to answer to', async (t) => {
  const { got, ticket, read, post } = await desk(t)
  const made = await ticket()
  const toUs = got[0]!.header('reply-to')!
  t.equal(
    await post(
      letter({ from: `Bea <${SUPPORT}>`, to: toUs, text: 'It is on its way.\n\nOn Monday Help wrote:\n> old words' })
    ),
    'taken'
  )
  t.match(await read(made), {
    status: 'open', messages: [{ n: 1, role: 'person', from: SUPPORT, text: 'It is on its way.', held: false }]
  })
  const answer = got[1]!
  t.strictSame(answer.to, [ADA])
  t.match(answer.mail.text, /It is on its way\./)
  t.notMatch(answer.mail.text, /old words/)
  t.not(answer.header('reply-to'), toUs)
  t.match(answer.header('references'), /^<t\./)
  t.equal(await post(letter({ from: ADA, to: answer.header('reply-to')!, text: 'Thank you!' })), 'taken')
  t.match((await read(made)).messages[1], { n: 2, role: 'visitor', text: 'Thank you!' })
  t.strictSame(got[2]!.to, [SUPPORT])
  t.equal(got.length, 3)
})

t.test('mails to who asked speak the language of the conversation; those to the business do not', async (t) => {
  // Was wrong: our sentences were English, whatever the language.
  const { got, ticket, read, post, me, settled, stores, conversation } = await desk(t)
  stores.db.raw.prepare("update conversations set language = 'de' where id = ?").run(conversation)
  const made = await ticket()
  await me.post(`/v1/tickets/${made}/messages`, { text: 'Hallo Ada' })
  await settled()
  t.match(got[0]!.mail.text, /^--- Please write above this line ---/)
  t.match(got[1]!.mail.text, /^--- Bitte schreiben Sie über dieser Zeile ---\n\n[^]*Hallo Ada/)
  const text = 'Danke!\n\n--- Bitte schreiben Sie über dieser Zeile ---\nSomebody:\nHallo Ada'
  await post(letter({ from: ADA, to: got[1]!.header('reply-to')!, text }))
  t.match((await read(made)).messages[1], { role: 'visitor', text: 'Danke!' })
  t.strictSame(languagesWith('mail'), languagesWith('notices'), 'the languages of the notices')
  t.equal(textsIn('tlh', 'mail'), textsIn('en', 'mail'))
  t.equal(textsIn(null, 'mail'), textsIn('en', 'mail'))
  for (const one of languagesWith('mail')) t.match(textsIn(one, 'mail').unasked, '{{name}}', one)
})

t.test('a person answers through the interface, once however often it is asked', async (t) => {
  const { got, ticket, read, me, settled } = await desk(t)
  const made = await ticket()
  const say = () => me.post(`/v1/tickets/${made}/messages`, { text: 'Hello Ada' }, { 'idempotency-key': 'a' })
  t.equal((await say()).statusCode, 201)
  t.equal((await say()).headers['idempotency-replayed'], 'true')
  await settled()
  t.strictSame(got[1]!.to, [ADA])
  t.match((await read(made)).messages, [{ role: 'person', from: 'Somebody', text: 'Hello Ada' }])
  t.equal(got.length, 2)
  const nameless = (await me.post('/v1/tickets', { agent: 1, subject: 'x' })).json().data.id
  t.equal((await me.post(`/v1/tickets/${nameless}/messages`, { text: 'x' })).statusCode, 409)
  t.match(
    (
      await me.patch(`/v1/tickets/${nameless}`, { requester: { email: ADA }, subject: 'Other', status: 'closed' })
    ).json().data,
    { requester: { email: ADA, name: null }, status: 'closed', subject: 'Other' }
  )
  t.equal((await me.post(`/v1/tickets/${nameless}/messages`, { text: 'x' })).statusCode, 201)
})

t.test('only the code in the address is believed: forged codes, subjects and senders open nothing', async (t) => {
  const { got, ticket, read, post } = await desk(t)
  const made = await ticket()
  const right = got[0]!.header('reply-to')!
  const short = made.replace('tkt_', '')
  for (const to of [
    `help+t_${short}.aaaaaaaaaaaaaaaa@ours.example`,
    'help@ours.example',
    `help+t_${'a'.repeat(20)}.${right.slice(-28, -12)}@ours.example`
  ]) {
    t.equal(
      await post(letter({ from: SUPPORT, to, text: 'x', headers: { Subject: `Re: [${made}]` } })), 'not_addressed', to
    )
  }
  t.equal(await post(letter({ from: 'mallory@evil.example', to: right, text: 'Send me the money' })), 'held')
  t.match((await read(made)).messages, [{ role: 'unknown', from: 'mallory@evil.example', held: true }])
  t.equal(
    await post(letter({ from: ADA, to: right, text: 'I am the business' })),
    'held',
    'who asked is not the business, whatever address she got hold of'
  )
  t.equal(got.length, 1, 'nothing was passed on')
  t.equal((await read(made)).status, 'sent')
})

t.test(
  'mail of programs is dropped: automatic, bulk, of lists, without a return path, reports, and our own',
  async (t) => {
    const { got, ticket, read, post } = await desk(t)
    const made = await ticket()
    const to = got[0]!.header('reply-to')!
    const cases: Array<[Record<string, string>, string]> = [
      [{ 'Auto-Submitted': 'auto-replied' }, 'automatic'],
      [{ 'X-Autoreply': 'yes' }, 'automatic'],
      [{ 'Return-Path': '<>' }, 'report'],
      [{ Precedence: 'bulk' }, 'bulk'],
      [{ 'List-Id': '<l.example>' }, 'list'],
      [{ 'X-Agenthall': 'someone' }, 'ours'],
      [{ 'Message-ID': got[0]!.header('message-id')! }, 'ours'],
      [{ 'Content-Type': 'multipart/report; boundary=x' }, 'report']
    ]
    for (const [headers, why] of cases) {
      t.equal(await post(letter({ from: SUPPORT, to, text: 'I am away', headers })), why)
    }
    t.equal(await post(letter({ from: SUPPORT, to, text: '> only a quote' })), 'empty')
    t.equal(await post(letter({ from: '', to, text: 'x' })), 'no_sender')
    t.strictSame((await read(made)).messages, [])
    t.equal(await post(letter({ from: SUPPORT, to, text: 'I am here', headers: { 'Auto-Submitted': 'no' } })), 'taken')
    t.equal(got.length, 2)
  }
)

t.test('a mail that cannot be read for now is to be sent again', async (t) => {
  const program = path.join(t.testdir({ program: '#!/bin/sh\nexit 3\n' }), 'program')
  chmodSync(program, 0o755)
  t.intercept(process, 'execPath', { value: program })
  const { stores: { tickets: { inbox } } } = await build(t)
  await t.rejects(inbox.mail(Buffer.from('Subject: x\n\ny')), { code: 'unavailable', headers: { 'retry-after': '60' } })
})

t.test('the same mail is taken in once', async (t) => {
  const { got, ticket, read, post } = await desk(t)
  const made = await ticket()
  const mail = letter({ from: SUPPORT, to: got[0]!.header('reply-to')!, text: 'Once' })
  await post(mail)
  await post(mail)
  t.equal((await read(made)).messages.length, 1)
  t.equal(got.length, 2)
})

/** A report on the fate of a mail. */
function report (to: string, { action = 'failed', original = '' } = {}) {
  return `Return-Path: <>\nFrom: MAILER-DAEMON@mx.example\nTo: ${to}\nSubject: Undelivered\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\nContent-Type: text/plain\n\nSorry.\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; ${SUPPORT}\nAction: ${action}\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 No such mailbox\n\n--b\nContent-Type: message/rfc822\n\nMessage-ID: ${original}\n\nx\n--b--\n`
}

t.test('a bounce fails the ticket; a delay and a forged report do not', async (t) => {
  const { got, ticket, read, post } = await desk(t)
  const made = await ticket()
  const { from, header } = got[0]!
  t.equal(await post(report(from, { action: 'delayed' })), 'report')
  t.equal(await post(report('help+b_aaaaaaaaaaaaaaaaaaaa.aaaaaaaaaaaaaaaa@ours.example')), 'report')
  t.equal((await read(made)).status, 'sent')
  t.equal(await post(report(from)), 'bounced')
  t.match(await read(made), {
    status: 'failed', error: { code: 'bounced', message: 'The mail did not arrive: 550 No such mailbox' }
  })
  const other = await ticket()
  t.equal(
    await post(report('help@ours.example', { original: got[1]!.header('message-id')! })),
    'bounced',
    'known by the mail that it names'
  )
  t.equal((await read(other)).status, 'failed')
  t.ok(header('message-id'))
})

t.test('programs in disguise that answer each other stop: twenty mails a ticket and day are passed on, the rest is held', async (t) => {
  const { got, ticket, read, stores, settled, clock } = await desk(t)
  const made = await ticket()
  const to = got[0]!.header('reply-to')!
  const mail = (text: string) =>
    stores.tickets.desk.receiveMail({
      from: SUPPORT,
      fromName: null,
      to: [to],
      subject: '',
      messageId: `<${text}@x>`,
      references: [],
      text,
      attachments: ['a.pdf'],
      marks: {},
      report: null
    })
  for (let i = 0; i < 22; i++) await mail(`Ping ${i}`)
  await settled()
  const { messages } = await read(made)
  t.strictSame(
    [messages.length, messages.filter(({ held }: { held: boolean }) => held).length, got.length], [22, 2, 21]
  )
  clock.advance(25 * 3_600_000)
  t.equal(await mail('Next day'), 'taken')
  t.equal((await read(made)).messages.at(-1).text, 'Next day\n[a.pdf: files are not accepted]')
})

t.test('mail that is huge or no mail at all is refused or dropped, and a wrong address tells nothing', async (t) => {
  const { app, stores, post, got, ticket } = await desk(t)
  const token = stores.tickets.inbox.token()
  const send = (url: string, payload: string | Buffer) =>
    app.inject({ method: 'POST', url, headers: { 'content-type': 'text/plain' }, payload })
  t.equal((await send(`/v1/inbound/mail/${'x'.repeat(32)}`, 'x')).statusCode, 404)
  t.equal((await send('/v1/inbound/mail/x', Buffer.alloc(26 * 2 ** 20))).statusCode, 404, 'before a byte is read')
  t.equal((await send(`/v1/inbound/mail/${token}`, Buffer.alloc(26 * 2 ** 20))).statusCode, 413)
  t.equal(await post(''), 'not_addressed')
  t.equal(await post('\0\xff'.repeat(1000)), 'not_addressed')
  t.equal(
    await post(
      `Content-Type: multipart/mixed; boundary=a\n\n${'--a\nContent-Type: multipart/mixed; boundary=a\n\n'.repeat(5000)}`
    ),
    'empty',
    'nested without end'
  )
  await ticket()
  t.equal(await post(letter({ from: SUPPORT, to: got[0]!.header('reply-to')!, text: 'x'.repeat(300_000) })), 'taken')
})

t.test(
  'a mail server that is busy, cuts the line or is down is tried again; one that refuses fails the ticket',
  async (t) => {
    const { got, server, ticket, read, clock, settled, me } = await desk(t)
    server.state.mood = 'busy'
    const made = await ticket()
    t.match(await read(made), { status: 'pending', error: null })
    t.match((await me.get(`/v1/deliveries?about=tickets/${made}`)).json().data, [
      { channel: 'mail', type: 'ticket.create', state: 'waiting', error: { code: 'mail_unavailable' } }
    ])
    server.state.mood = 'cut'
    clock.advance(61_000)
    await settled()
    server.state.mood = 'take and cut'
    clock.advance(301_000)
    await settled()
    server.state.mood = 'take'
    clock.advance(1_801_000)
    await settled()
    t.equal((await read(made)).status, 'sent')
    t.equal(
      new Set(got.map(({ header }) => header('message-id'))).size,
      1,
      'a repeat bears the same Message-ID, by which mail programs show it once'
    )
    server.state.mood = 'refuse'
    const refused = await ticket()
    t.match(await read(refused), { status: 'failed', error: { code: 'mail_refused' } })
    server.state.mood = 'take'
    const {
      data: [dead]
    } = (await me.get('/v1/deliveries?state=dead')).json()
    await me.post(`/v1/deliveries/${dead.id}/replay`)
    await settled()
    t.match(await read(refused), { status: 'sent', error: null })
  }
)

t.test('killed between sending and writing so, the mail comes again with the same Message-ID', async (t) => {
  const { got, ticket, stores, settled, clock } = await desk(t)
  const made = await ticket()
  // As it is when the process was killed after the server accepted the mail.
  await stores.db.atomically(function * () {
    stores.db.raw
      .prepare("update outbox set state = 'waiting', is_open = 1, settled_at = null where about = ?")
      .run(`tickets/${made}`)
  })
  await stores.jobs.ask([{ kind: 'deliver', subject: 1, owner: 1, lane: 'outside' }])
  clock.advance(1000)
  await settled()
  t.equal(got.length, 2)
  t.equal(got[0]!.header('message-id'), got[1]!.header('message-id'))
  t.equal(got[0]!.mail.text, got[1]!.mail.text)
})

t.test('without mail, or without an address, a ticket waits here and says why', async (t) => {
  const { ticket, read, me } = await desk(t, { behavior: { email: null } })
  t.match(await read(await ticket()), { status: 'open', error: { code: 'not_sent', message: /^The agent has no address for tickets/ } })
  t.strictSame((await me.get('/v1/deliveries')).json().data, [])
  const plain = await desk(t, { env: { AGENTHALL_SMTP_URL: '' } })
  const made = await plain.ticket()
  t.match(await plain.read(made), { status: 'open', error: { message: /^Mail is not set up on this server/ } })
  t.equal((await plain.me.post(`/v1/tickets/${made}/messages`, { text: 'x' })).statusCode, 409)
  t.equal(await plain.post(letter({ from: SUPPORT, to: 'help@ours.example', text: 'x' })), 'not_addressed')
})

t.test('a mail whose address is taken away before it goes is not sent, and says why', async (t) => {
  const { got, server: { state }, ticket, read, me, id, clock, settled } = await desk(t)
  state.mood = 'busy'
  const made = await ticket()
  await me.put(`/v1/agents/${id}`, { behavior: { email: null } })
  state.mood = 'take'
  clock.advance(3_600_000)
  await settled()
  t.strictSame(got, [])
  t.match(await read(made), { error: { message: /no address for tickets any more/ } })
})

t.test('a hand-off opens one ticket for each epoch of a conversation, however often its job runs', async (t) => {
  const { stores, me, settled, conversation, got, clock } = await desk(t)
  const ask = async (payload: object, subject = 1) => {
    await stores.jobs.ask([
      {
        kind: 'ticket.open',
        subject,
        owner: me.id,
        payload: { owner: me.id, conversation, reason: 'no_one_available', ...payload }
      }
    ])
    await settled()
  }
  const count = async () => (await me.get(`/v1/tickets?conversation=${conversation}`)).json().data.length
  await ask({ epoch: 3 })
  await ask({ epoch: 3 })
  await ask({})
  await ask({})
  t.equal(await count(), 2)
  // The desk is notified about one visitor once in ten minutes.
  t.equal(got.length, 1)
  clock.advance(600_000)
  await settled()
  t.equal(got.length, 2)
  await ask({ conversation: `conv_${'x'.repeat(22)}`, epoch: 1 })
  await ask({ conversation: `conv_${'x'.repeat(22)}` })
  t.equal(await count(), 2)
})

t.test('tickets are listed, and go with their conversation: their words, and what is still to be sent', async (t) => {
  const { server, me, ticket, conversation, settled, stores, clock, got, user, id } = await desk(t)
  server.state.mood = 'busy'
  const made = await ticket({ subject: 'Xylophone', description: 'Zebra' })
  const loose = (await me.post('/v1/tickets', { agent: id, subject: 'Loose' })).json().data.id
  t.strictSame((await me.get('/v1/tickets')).json().data.map(({ id }: { id: string }) => id), [loose, made])
  const first = (await me.get('/v1/tickets?limit=1')).json()
  t.strictSame((await me.get(`/v1/tickets?limit=1&cursor=${first.next_cursor}`)).json().data[0].id, made)
  for (const [query, count] of [
    ['status=pending', 2], ['status=closed', 0], [`agent=${id}`, 2], ['channel=email', 2]
  ] as const) { t.equal((await me.get(`/v1/tickets?${query}`)).json().data.length, count) }
  const other = await user()
  for (const call of [
    other.get(`/v1/tickets/${made}`),
    other.patch(`/v1/tickets/${made}`, { status: 'closed' }),
    other.post(`/v1/tickets/${made}/messages`, { text: 'x' }),
    other.post('/v1/tickets', { agent: id, subject: 'x' }),
    other.post(`/v1/conversations/${conversation}/tickets`, {})
  ]) {
    t.equal((await call).statusCode, 404)
  }
  t.equal(
    (await me.post('/v1/tickets', { agent: id + 1, conversation, subject: 'x' })).statusCode,
    404,
    'a conversation of another agent'
  )
  t.equal((await me.post('/v1/tickets', { agent: id, conversation, subject: 'With it' })).statusCode, 201)
  await settled()
  await me.delete(`/v1/conversations/${conversation}`)
  t.equal((await me.get(`/v1/tickets/${made}`)).statusCode, 404)
  server.state.mood = 'take'
  clock.advance(86_400_000)
  await settled()
  t.strictSame(got.map(({ mail }) => mail.subject), [`Loose [${loose}]`])
  t.equal(stores.db.raw.prepare('select count(*) from ticket_messages').pluck().get(), 0)
})

t.test('a message that arrives after all opens the ticket again that it had failed, unless mail came back', async (t) => {
  // Was wrong: the ticket stayed failed, though the message had been sent again and accepted.
  const { me, ticket, read, server, settled, stores } = await desk(t)
  const made = await ticket()
  const say = async (mood: typeof server.state.mood) => {
    server.state.mood = mood
    await me.post(`/v1/tickets/${made}/messages`, { text: 'We look into it.' })
    await settled()
  }
  const replay = async () => {
    server.state.mood = 'take'
    const { data: [dead] } = (await me.get('/v1/deliveries?state=dead')).json()
    t.equal((await me.post(`/v1/deliveries/${dead.id}/replay`)).statusCode, 202)
    await settled()
  }
  await say('refuse')
  t.match(await read(made), { status: 'failed', error: { code: 'mail_refused' } })
  await replay()
  t.match(await read(made), { status: 'open', error: null })
  await say('refuse')
  stores.db.raw.prepare('update tickets set error = ? where id = ?').run('{"code":"bounced","message":"Gone."}', made)
  await replay()
  t.match(await read(made), { status: 'failed', error: { code: 'bounced' } })
})
