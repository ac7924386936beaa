import t, { type Test } from 'tap'
import { addressIn, isUnclearAddress, withoutAddresses } from '../../src/conversations/handoff/address.ts'
import { languagesWith, textsIn } from '../../src/locales/list.ts'
import { QUESTION, talkative } from '../conversations/helper.ts'
import { isLinear } from '../linear/cost.ts'
import { ADA, FROM, SUPPORT, letter, mailServer } from '../tickets/helper.ts'

const WANTED = textsIn('en', 'notices').address

/** A business with tickets by mail, nobody on duty, and a visitor of whom nothing is known. */
async function nobodyThere (
  t: Test, { visitor = {}, anonymous = false }: { visitor?: object, anonymous?: boolean } = {}
) {
  const server = await mailServer(t)
  const built = await talkative(t, { AGENTHALL_SMTP_URL: server.url, AGENTHALL_MAIL_FROM: FROM }, {
    behavior: { email: SUPPORT, expertHandoff: true }
  })
  const { me, id, app, stores, settled } = built
  const who = anonymous ? null : (await me.post('/v1/visitors', { agent: id, ...visitor })).json().data.id as string
  const conversation = (await me.post(`/v1/agents/${id}/conversations`, { visitor: who })).json().data.id as string
  const at = `/v1/conversations/${conversation}`
  const messages = async () =>
    (await me.get(`${at}/messages`)).json().data as Array<{ role: string, text: string, author: number | null }>
  /** The visitor says something; returns what is said in reply. */
  const say = async (text: string) => {
    const before = (await messages()).length
    const said = await me.post(`${at}/messages`, { text })
    t.equal(said.statusCode, 201, said.body)
    await settled()
    return (await messages()).slice(before + 1).map(({ role, text }) => `${role}: ${text}`)
  }
  const tickets = async () => (await me.get(`/v1/tickets?conversation=${conversation}`)).json().data
  async function post (raw: string) {
    const { body } = await app.inject({
      method: 'POST',
      url: `/v1/inbound/mail/${stores.tickets.inbox.token()}`,
      headers: { 'content-type': 'message/rfc822' },
      payload: raw.replaceAll('\n', '\r\n')
    })
    await settled()
    return JSON.parse(body).message as string
  }
  const emailOf = async () => (await me.get(`/v1/visitors/${who}`)).json().data.email
  return { ...built, server, got: server.got, who, conversation, at, say, messages, tickets, post, emailOf }
}

t.test('an address that is asked for is taken from what comes next, said back, and put on the ticket and the visitor', async (t) => {
  const { say, tickets, emailOf } = await nobodyThere(t)
  t.match(await say('Can I talk to a human?'), [`system: ${textsIn('en', 'notices').ticket} ${WANTED}`])
  t.match(await tickets(), [{ requester: null }])
  t.match(await say(QUESTION), [/30 days/], 'what is no address is answered')
  t.strictSame(
    await say(`You can reach me at ${ADA}.`), [`system: ${textsIn('en', 'notices').noted.replace('{{email}}', ADA)}`],
    'said back, and nothing beside it'
  )
  t.match([await tickets(), await emailOf()], [[{ requester: { email: ADA } }], ADA])
  t.match(await say('Do I have to use the original packaging?'), [/original packaging/], 'the agent goes on')
})

const noted = (email: string, language = 'en') => textsIn(language, 'notices').noted.replace('{{email}}', email)

// Was wrong: who asked for a person and said the address in one breath was asked for the address, and it was lost.
t.test('an address beside the request for a person is taken, and said back instead of being asked for', async (t) => {
  for (const text of [`Can I talk to a human? My mail is ${ADA}`, `I want to talk to a person, ${ADA}, thanks`]) {
    const { say, tickets, emailOf } = await nobodyThere(t)
    t.strictSame(await say(text), [`system: ${textsIn('en', 'notices').ticket} ${noted(ADA)}`], text)
    t.match([await tickets(), await emailOf()], [[{ requester: { email: ADA } }], ADA])
  }
  const { say } = await nobodyThere(t)
  await say('Can I talk to a human?')
  t.strictSame(await say(`I want to talk to a person, ${ADA}`), [`system: ${textsIn('en', 'notices').ticketed} ${noted(ADA)}`])
})

// Was wrong: "ada at visitor dot example" was looked for in the sources, and no address was ever known.
t.test('an address that is spelt out is taken as it is meant, one that cannot be read is asked for again', async (t) => {
  for (const text of ['ada at visitor dot example', 'ada (at) visitor.example', 'ada @ visitor.example']) {
    const { say, emailOf } = await nobodyThere(t)
    await say('Can I talk to a human?')
    t.strictSame(await say('ada@visitor'), [`system: ${WANTED}`])
    t.strictSame(await say(text), [`system: ${noted(ADA)}`], text)
    t.strictSame(await say('or ada@visitor'), [`system: ${WANTED}`], 'asked for again, whatever is known')
    t.equal(await emailOf(), ADA)
  }
})

// Was wrong: the letters of an address told the language, and whoever wrote Italian was answered in English.
t.test('an address says nothing about the language of whoever writes it', async (t) => {
  for (const [language, person, address] of [
    ['it', 'vorrei parlare con una persona', 'ada at visitor dot example'],
    ['it', 'vorrei parlare con una persona', 'ada[at]visitor.example'],
    ['pl', 'chcę rozmawiać z człowiekiem', 'the.info-desk-and-more@visitor-of-the-week.example']
  ] as const) {
    const { say } = await nobodyThere(t)
    await say(person)
    const [said] = await say(address)
    t.match(said, noted('', language).split(/\s/, 1)[0], `${address} in ${language}`)
  }
})

// Was wrong: an address said while waiting for a person, or to one, was asked for minutes later.
t.test('an address said to whoever is waited for is on the ticket if nobody comes', async (t) => {
  for (const isTaken of [false, true]) {
    const { say, me, at, clock, settled, messages, tickets, emailOf } = await nobodyThere(t)
    await me.put('/v1/me/duty', { on: true })
    await say('Can I talk to a human?')
    if (isTaken) await me.post(`${at}/takeover`, {})
    t.strictSame(await say(ADA), [], 'nothing is promised: the answer may come here')
    t.equal(await emailOf(), ADA)
    if (isTaken) await me.post(`${at}/release`, {})
    await me.put('/v1/me/duty', { on: false })
    if (isTaken) await say('Can I talk to a human?')
    clock.advance(600_000)
    await settled()
    t.notOk((await messages()).some(({ text }) => text.includes(WANTED)), 'not asked for')
    t.match(await tickets(), [{ requester: { email: ADA } }])
  }
})

t.test('an address is said once more to correct it; a question that names one is answered and corrects nothing', async (t) => {
  const { say, tickets, emailOf } = await nobodyThere(t)
  await say('Can I talk to a human?')
  t.match(await say('ada@visiter.example, and how many days do I have for returns?'), [/ada@visiter.example/, /30 days/])
  t.match(await say('Is shop@elsewhere.example your address?'), [/^agent: /])
  t.match([await tickets(), await emailOf()], [[{ requester: { email: 'ada@visiter.example' } }], 'ada@visiter.example'])
  t.match(await say(ADA), [ADA])
  t.match([await tickets(), await emailOf()], [[{ requester: { email: ADA } }], ADA])
})

t.test('nobody is asked for an address that is known, and none is taken that nobody asked for', async (t) => {
  const known = await nobodyThere(t, { visitor: { email: ADA } })
  t.strictSame(await known.say('Can I talk to a human?'), [`system: ${textsIn('en', 'notices').ticket}`])
  t.match(await known.say('eve@elsewhere.example'), [/^agent: /])
  t.match([await known.tickets(), await known.emailOf()], [[{ requester: { email: ADA } }], ADA])
  const unasked = await nobodyThere(t)
  t.match(await unasked.say(ADA), [/^agent: /])
  t.equal(await unasked.emailOf(), null)
  t.notMatch(await unasked.say('Can I talk to a human?'), [ADA])
  t.match(await unasked.say(SUPPORT), [/^agent: /], "the desk's own address is nobody's")
  t.equal(await unasked.emailOf(), null)
})

t.test('where nobody is kept as the visitor, the ticket has the address', async (t) => {
  const { say, tickets } = await nobodyThere(t, { anonymous: true })
  await say('Can I talk to a human?')
  await say('ada@visiter.example')
  await say(ADA)
  t.match(await tickets(), [{ requester: { email: ADA } }])
})

t.test('an address that comes after the conversation was closed is taken all the same', async (t) => {
  const { say, me, at, tickets } = await nobodyThere(t)
  await say('Can I talk to a human?')
  await me.post(`${at}/close`, {})
  t.match(await say(ADA), [ADA])
  t.match(await tickets(), [{ requester: { email: ADA } }])
})

t.test('what the business answers before there is an address is held, told, shown in the chat, and sent when it comes', async (t) => {
  const { say, got, post, tickets, messages } = await nobodyThere(t)
  await say('Can I talk to a human?')
  const to = got[0]!.header('reply-to')!
  t.equal(await post(letter({ from: SUPPORT, to, text: 'We have found your parcel.' })), 'held')
  t.match((await tickets())[0].messages, [{ role: 'person', held: true }])
  t.match([got[1]!.to, got[1]!.mail.text], [[SUPPORT], /could not be sent yet/], 'whoever wrote it is told')
  t.match((await messages()).at(-1), { role: 'person', text: 'We have found your parcel.' })
  t.equal(await post(letter({ from: SUPPORT, to, text: 'Es liegt im Lager, und wir schicken es morgen.' })), 'held')
  t.equal(got.length, 2, 'once')
  t.match((await messages()).at(-1), { role: 'person', text: /Lager/ })
  t.equal((await messages()).filter(({ role }) => role === 'person').length, 2)
  await say(ADA)
  t.match(got.slice(2).map(({ to, mail }) => [to, mail.text]), [[[ADA], /found your parcel/], [[ADA], /Lager/]])
  t.match((await tickets())[0], { status: 'open', messages: [{ held: false }, { held: false }] })
  t.equal(await post(letter({ from: SUPPORT, to, text: 'It is on its way.' })), 'taken')
  t.match([got.at(-1)!.to, (await messages()).at(-1)!.role], [[ADA], 'system'], 'from then on by mail')
})

t.test('it is sent when the business itself says the address, and is not said in a chat that is closed', async (t) => {
  const { say, me, at, got, post, tickets, messages } = await nobodyThere(t)
  await say('Can I talk to a human?')
  await me.post(`${at}/close`, {})
  t.equal(await post(letter({ from: SUPPORT, to: got[0]!.header('reply-to')!, text: 'Das Paket ist da, wir haben es gefunden.' })), 'held')
  t.match(got[1]!.mail.text, /aufbewahrt/, 'told in the language that it was written in')
  t.notOk((await messages()).some(({ role }) => role === 'person'))
  const [{ id }] = await tickets()
  await me.patch(`/v1/tickets/${id}`, { requester: { email: ADA } })
  t.equal(got.length, 2)
})

t.test('what looks like the beginning of many addresses is read in the time of its length', (t) => {
  for (const again of [
    'a.', 'a-', 'a at ', 'to a dot ', 'to a dot a dot a dot a at ', 'a (at) ', 'a (at) a.', 'a (at) a dot ', ' ( ', '@a,', 'a@', 'mail: ',
    'a dot ', 'to aaaaaaaaaaaaaaaa', ' @ ', 'to a @ a.', 'małpa ', ',', '\n', 'a'
  ]) {
    const read = (text: string) => [addressIn(text, null), withoutAddresses(text)]
    t.ok(isLinear(read, (units) => again.repeat(units / again.length), 25_600), JSON.stringify(again))
  }
  t.end()
})

t.test('addresses are found as people write them', async (t) => {
  const found: Array<[string, string | undefined, boolean?]> = [
    [ADA, ADA, true],
    [`Meine Adresse ist ${ADA}, danke!`, ADA, true],
    [`我的邮箱是${ADA}谢谢`, ADA, true],
    [`メールは${ADA}です`, ADA, true],
    [`<${ADA}>.`, ADA, true],
    ['mailto:ada+shop@mail.visitor.example', 'ada+shop@mail.visitor.example', true],
    [`${ADA}. When do you open?`, ADA, false],
    [`${ADA} Wann habt ihr geöffnet？`, ADA, false],
    [`${ADA} The blue vase that I ordered last week has arrived in four pieces.`, ADA, false],
    ['not @ada, nor ada@home, but ada@büro.example', 'ada@büro.example', true],
    [`${SUPPORT} or ${ADA}`, ADA, true],
    ['ania małpa visitor kropka example', 'ania@visitor.example', true],
    ['mijn mail is piet punt bos apenstaartje visitor punt example', 'piet.bos@visitor.example', true],
    ['luca (chiocciola) visitor (punto) example', 'luca@visitor.example', true],
    ['mail: luca at visitor.example, grazie', 'luca@visitor.example', true],
    ['ada@visitor,pl', 'ada@visitor.pl', true],
    ['ada@visitor, example', undefined],
    // Where the name begins cannot be told.
    ['ania nowak małpa visitor kropka example', undefined],
    ['Look at visitor.example', undefined],
    ['my address is ada at visitor.example', ADA, true],
    ['c\'est jean point dupont arobase visitor point example', 'jean.dupont@visitor.example', true],
    // Was wrong: it was taken for wrong@this.in.
    ['what is wrong at this point in time', undefined],
    ['I am @ home. Where are you?', undefined],
    ['I have none.', undefined],
    [`${'a'.repeat(300)}@visitor.example`, undefined]
  ]
  for (const [text, email, isAll] of found) {
    t.strictSame(addressIn(text, SUPPORT), email === undefined ? undefined : { email, isAll }, text)
  }
  for (const text of ['ada@visitor', 'bob smith at visitor dot com', 'ania nowak małpa visitor kropka example']) {
    t.ok(isUnclearAddress(text), text)
  }
  // Was wrong: where an address was asked for before, it was asked for again in place of an answer.
  for (const text of ['I arrive at 10.30 tomorrow', 'I looked at shop.com and it is broken', 'At this point I give up']) {
    t.notOk(isUnclearAddress(text), text)
  }
  for (const language of languagesWith('notices')) t.match(textsIn(language, 'notices').noted, '{{email}}', language)
})
