import { createECDH } from 'node:crypto'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { joined } from '../access/people.ts'
import { talkative } from '../conversations/helper.ts'
import { calledIn, stillCalls, UNSEEN_MS } from '../../src/notifications/calls.ts'
import { sealed, senderOf } from '../../src/notifications/seal.ts'
import { wordsOf } from '../../src/notifications/words.ts'
import { pushService, whoSends } from './browser.ts'

const AGENT = { appearance: { chatbotName: 'Bicycle shop' }, behavior: { expertHandoff: true } }

/** An owner signed in in a browser with push notifications, and a colleague who may answer. */
async function pushed (t: Test, env: Record<string, string> = {}) {
  const service = await pushService(t)
  const built = await talkative(
    t, { AGENTHALL_ALLOWED_HOSTS: service.host, AGENTHALL_MAIL_FROM: 'Help <help@example.com>', ...env }, AGENT
  )
  const { me, stores, user, withSession } = built
  const colleague = await user()
  joined(stores, me.id, colleague.id, ['REPLY_CONVERSATION'])
  const here = { key: undefined, ...await withSession(me.id) }
  const there = { key: undefined, ...await withSession(colleague.id, me.id) }
  await me.put('/v1/me/duty', { on: true })
  return {
    ...built,
    service,
    colleague,
    here,
    there,
    subscribe: async (who: typeof here, name: string, more: object = {}) =>
      await who.put('/v1/me/push', { ...service.subscription(name), ...more })
  }
}

t.test('what is sealed is what the standard says, byte for byte', async (t) => {
  // RFC 8291, appendix A.
  const own = createECDH('prime256v1')
  own.setPrivateKey(Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'))
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg'
  }
  const salt = Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url')
  const body = sealed('When I grow up, I want to be a watermelon', keys, own, salt)
  t.equal(body.toString('base64url'),
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN')
  t.match(senderOf(Buffer.alloc(64)).publicKey, /^[\w-]{87}$/, 'any bytes make a key')
  t.match(senderOf(Buffer.alloc(64, 255)).publicKey, /^[\w-]{87}$/)
})

t.test('who waits calls all who are there, who wrote or gives it away whoever has the conversation, and only as long as it stands', async (t) => {
  const hands = fc.constantFrom('agent', 'queue', 'person')
  const few = fc.integer({ min: 0, max: 4 })
  const somebody = fc.option(fc.integer({ min: 1, max: 3 }))
  const standing = fc.record({
    by: hands, person: somebody, assignee: somebody, turn: few, waits: few, messages: few
  }) as fc.Arbitrary<Parameters<typeof stillCalls>[0]>
  const call = fc.oneof(
    fc.record({ message: fc.integer({ min: 1, max: 4 }), turn: fc.constant(0) }),
    fc.record({ message: fc.constant(0), turn: few })
  )
  const person = fc.record({
    user: fc.integer({ min: 1, max: 3 }), on: fc.option(fc.boolean()), hasConsole: fc.boolean(), seen: few
  })
  fc.assert(fc.property(standing, call, person, (conversation, call, person) => {
    const inMs = calledIn(conversation, call, person)
    const isCalled = inMs !== undefined
    if (isCalled && !stillCalls(conversation, call, person)) return false
    const { by, person: holder, assignee, turn, waits, messages } = conversation
    if (by === 'agent') {
      const isGiven = call.message === 0 && turn === call.turn && assignee === person.user
      // While the agent answers, an open console is enough.
      return inMs === (isGiven && !person.hasConsole ? 0 : undefined)
    }
    if (isCalled && inMs !== (person.hasConsole ? UNSEEN_MS : 0)) return false
    if (call.message === 0) {
      const isTheirs = by === 'queue' ? person.on !== false : holder === person.user && person.seen < messages
      return isCalled === (turn === call.turn && isTheirs)
    }
    if (by === 'queue' || holder !== person.user || waits === 0) return !isCalled
    return isCalled === (person.seen < call.message)
  }))
  t.strictSame(
    wordsOf('de', { conversation: 'c', why: 'waiting', visitor: { name: 'Ada', place: 'Ulm' }, agent: 'Laden' }),
    { title: 'Ein Besucher wartet auf einen Menschen', body: 'Ada · Laden', conversation: 'c' }
  )
  t.equal(wordsOf('xx', { conversation: 'c', why: 'written', visitor: undefined, agent: 'Shop' }).title, 'A new message')
})

t.test('a browser is told at once that a visitor waits and that one has written, and not what', async (t) => {
  const { here, me, at, conversation, say, settled, service, subscribe, clock } = await pushed(t)
  const before = (await here.get('/v1/me/push')).json().data
  t.match(before, { public_key: /^[\w-]{87}$/, host: null, since: null })
  const set = await subscribe(here, 'ada')
  t.equal(set.statusCode, 200, set.body)
  t.match(set.json().data, { public_key: before.public_key, host: '127.0.0.1', since: /^20/ })
  await say('I want to talk to a human please')
  await settled()
  t.strictSame(service.of('ada'), [{ title: 'A visitor is waiting for a person', body: 'Bicycle shop', conversation }])
  const [headers] = service.headersOf('ada')
  t.match(headers, { ttl: '120', urgency: 'high', topic: /^[\w-]{32}$/, 'content-encoding': 'aes128gcm' })
  const { aud, exp, sub, key } = whoSends(headers!.authorization!)
  t.strictSame([aud, sub, key], [`http://${service.host}`, 'mailto:help@example.com', before.public_key])
  const now = clock.micros() / 1e6
  t.ok(exp > now && exp <= now + 24 * 3600, 'for as long as is allowed')
  await me.post(`${at}/takeover`, {})
  await say('It is about my secret illness')
  await settled()
  t.strictSame(service.of('ada').slice(1), [{ title: 'A new message', body: 'Bicycle shop', conversation }])
  t.notMatch(JSON.stringify(service.of('ada')), /illness/, 'no word of it')
  t.equal(service.headersOf('ada')[1]!.ttl, '3600')
  t.equal(service.headersOf('ada')[1]!.topic, headers!.topic, 'of one conversation the service keeps the newest alone')
})

t.test('it says who calls where that is known, in the language of the browser', async (t) => {
  const { here, me, settled, service, subscribe, id, stores } = await pushed(t)
  await subscribe(here, 'ada', { language: 'fr' })
  const visitor = (await me.post('/v1/visitors', { agent: id, name: 'Grace' })).json().data.id
  const begun = (await me.post(`/v1/agents/${id}/conversations`, { visitor })).json().data.id
  await me.post(`/v1/conversations/${begun}/messages`, { text: 'A human please' })
  await settled()
  t.match(service.of('ada'), [{ title: 'Un visiteur attend un conseiller', body: 'Grace · Bicycle shop' }])
  await stores.conversations.visitors.update(me.id, visitor, (kept) => ({ ...kept, name: null, place: 'Avignon' }))
  await me.post(`/v1/conversations/${begun}/takeover`, {})
  await me.post(`/v1/conversations/${begun}/messages`, { text: 'Hello?' })
  await settled()
  t.match(service.of('ada').slice(1), [{ title: 'Un nouveau message', body: 'Visiteur depuis Avignon · Bicycle shop' }])
})

t.test('with a console open it is pushed after ten seconds, unless it was seen or somebody came', async (t) => {
  const { app, here, me, at, say, settled, service, subscribe, clock } = await pushed(t)
  await subscribe(here, 'ada')
  await me.post(`${at}/takeover`, {})
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const cut = new AbortController()
  const console = await fetch(`http://127.0.0.1:${port}/v1/events`, {
    headers: { authorization: `Bearer ${me.key}` }, signal: cut.signal
  })
  await say('Are you there?')
  await settled()
  t.strictSame(service.asked, [], 'the console shows it')
  const last = (await me.get(at)).json().data.messages
  await me.put(`${at}/seen`, { up_to: last })
  clock.advance(UNSEEN_MS)
  await settled()
  t.strictSame(service.asked, [], 'it was seen')
  await say('Hello?')
  clock.advance(5000)
  await settled()
  await say('Hello again?')
  clock.advance(5000)
  await settled()
  t.equal(service.of('ada').length, 1, 'ten seconds after the first, and once for both')
  t.equal(console.status, 200)
  cut.abort()
})

t.test('those who are not there, have left, or have signed out are not told, and what somebody took calls nobody else', async (t) => {
  const { here, there, me, at, say, settled, service, subscribe, colleague, stores, id } = await pushed(t)
  await subscribe(here, 'ada')
  t.equal((await subscribe(there, 'grace')).statusCode, 200)
  await there.put('/v1/me/duty', { on: false })
  await say('A human please')
  await settled()
  t.strictSame(service.asked, ['ada'], 'who says that they are not there is not told')
  await there.put('/v1/me/duty', { on: true })
  const ask = async () => {
    const begun = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
    await me.post(`/v1/conversations/${begun}/messages`, { text: 'A human please' })
    await settled()
    return begun as string
  }
  await ask()
  t.strictSame(service.asked.slice(1).sort(), ['ada', 'grace'])
  await there.post(`${at}/takeover`, {})
  await say('For you alone')
  await settled()
  t.strictSame(service.asked.slice(3), ['grace'])
  // Users who sign out in a browser are no longer notified there.
  t.equal((await here.delete('/v1/session')).statusCode, 200)
  await ask()
  t.strictSame(service.asked.slice(4), ['grace'])
  const member = (await me.get('/v1/members')).json().data.find(({ user }: { user: { id: number } }) => user.id === colleague.id)
  t.equal((await me.delete(`/v1/members/${member.id}`)).statusCode, 200)
  await me.put('/v1/me/duty', { on: true })
  await ask()
  t.strictSame(service.asked.slice(5), [], 'who has left is not told')
  t.equal(stores.db.raw.prepare('select count(*) from push_calls').pluck().get(), 0, 'nothing is left over')
})

t.test('who is given a conversation by somebody else is told at once, and who takes it by themselves is not', async (t) => {
  const { here, there, me, at, conversation, say, settled, service, subscribe, colleague } = await pushed(t)
  await subscribe(here, 'ada')
  await subscribe(there, 'grace')
  const given = { title: 'A conversation was assigned to you', body: 'Bicycle shop', conversation }
  await me.put(`${at}/assignee`, { assignee: me.id })
  await settled()
  t.strictSame(service.asked, [], 'who gives it to themselves knows it')
  await me.put(`${at}/assignee`, { assignee: colleague.id })
  await settled()
  t.strictSame([service.asked, service.of('grace')], [['grace'], [given]], 'while the agent answers in it too')
  t.equal(service.headersOf('grace')[0]!.ttl, '3600')
  await me.post(`${at}/takeover`, {})
  await settled()
  t.equal(service.asked.length, 1)
  await me.put(`${at}/assignee`, { assignee: colleague.id })
  await settled()
  t.strictSame(service.of('grace').slice(1), [given], 'and passed on by who holds it')
  await me.put(`${at}/assignee`, { assignee: colleague.id })
  await settled()
  t.equal(service.asked.length, 2, 'once more, nothing changes')
  await say('Hello?')
  await settled()
  t.match(service.of('grace').slice(2), [{ title: 'A new message' }])
  t.notOk(service.asked.includes('ada'))
})

t.test('a browser that is gone is forgotten, and another fault is tried again with a limit', async (t) => {
  const { here, me, at, say, settled, service, subscribe, clock, stores } = await pushed(t)
  const rows = () => stores.db.raw.prepare('select count(*) from push_subscriptions').pluck().get()
  await subscribe(here, 'ada')
  await me.post(`${at}/takeover`, {})
  service.state.status = 503
  await say('One')
  await settled()
  for (let n = 0; n < 6; n++) {
    clock.advance(60_000)
    await settled()
  }
  t.equal(service.asked.length, 5, 'five times')
  t.equal(rows(), 1)
  service.state.status = 400
  await say('Two')
  await settled()
  clock.advance(60_000)
  await settled()
  t.equal(service.asked.length, 6, 'what is refused for good is not repeated')
  for (const status of [404, 410]) {
    service.state.status = 201
    await subscribe(here, 'ada')
    service.state.status = status
    await say('Three')
    await settled()
    t.equal(rows(), 0, `${status}: forgotten`)
  }
  t.equal((await here.get('/v1/me/push')).json().data.host, null)
  t.equal(stores.db.raw.prepare('select count(*) from push_calls').pluck().get(), 0)
  t.strictSame((await me.get('/v1/deliveries')).json().data, [])
})

t.test('of several browsers the one that is gone alone is forgotten, and the others are told as before, once each', async (t) => {
  const { here, there, me, id, say, at, settled, service, subscribe, clock, withSession, stores } = await pushed(t)
  const phone = { key: undefined, ...await withSession(me.id) }
  await subscribe(here, 'ada')
  await subscribe(phone, 'phone')
  await subscribe(there, 'grace')
  const known = () => stores.db.raw.prepare('select count(*) from push_subscriptions').pluck().get()
  service.gone.set('phone', 410)
  await say('A human please')
  await settled()
  t.strictSame(service.asked.toSorted(), ['ada', 'grace', 'phone'])
  t.strictSame(['ada', 'grace', 'phone'].map((one) => service.of(one).length), [1, 1, 0])
  t.equal(known(), 2)
  t.equal((await phone.get('/v1/me/push')).json().data.host, null, 'it is asked for anew when its console is opened')
  t.equal((await here.get('/v1/me/push')).json().data.host, '127.0.0.1')
  service.gone.set('grace', 404)
  await me.post(`${at}/close`, {})
  const again = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
  await me.post(`/v1/conversations/${again}/messages`, { text: 'A human please' })
  for (let n = 0; n < 5; n++) {
    await settled()
    clock.advance(10_000)
  }
  t.strictSame(service.asked.slice(3).toSorted(), ['ada', 'grace'], 'who is gone was asked once, and nobody twice')
  t.equal(service.of('ada').length, 2)
  t.equal(known(), 1)
  // The browser that was forgotten subscribes again, and is told of the next.
  service.gone.clear()
  t.equal((await subscribe(phone, 'phone again')).statusCode, 200)
  const third = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
  await me.post(`/v1/conversations/${third}/messages`, { text: 'A human please' })
  await settled()
  t.strictSame(service.asked.slice(5).toSorted(), ['ada', 'phone again'])
  t.equal(stores.db.raw.prepare('select count(*) from push_calls').pluck().get(), 0)
})

t.test('a push service that cannot be reached is tried again, and a server without an address names none', async (t) => {
  const { here, me, at, say, settled, service, clock, stores } = await pushed(t, { AGENTHALL_MAIL_FROM: '' })
  const told = service.subscription('ada')
  await here.put('/v1/me/push', told)
  await me.post(`${at}/takeover`, {})
  await service.away(async () => {
    await say('Hello?')
    await settled()
  })
  t.strictSame(service.asked, [])
  clock.advance(5000)
  await settled()
  t.equal(service.of('ada').length, 1)
  t.equal(whoSends(service.headersOf('ada')[0]!.authorization!).sub, undefined)
  t.equal(stores.db.raw.prepare('select count(*) from push_calls').pluck().get(), 0)
})

t.test('what comes while a push is on its way is pushed too', async (t) => {
  const { here, me, at, say, settled, service, subscribe, stores } = await pushed(t)
  await subscribe(here, 'ada')
  await me.post(`${at}/takeover`, {})
  let isFirst = true
  service.state.before = async () => {
    if (isFirst) await say('And another')
    isFirst = false
  }
  await say('One')
  await settled()
  t.equal(service.of('ada').length, 2)
  t.equal(stores.db.raw.prepare('select count(*) from push_calls').pluck().get(), 0)
})

t.test('a subscription is kept sealed, is of one session alone, and can be taken back', async (t) => {
  const { here, me, at, say, settled, service, subscribe, stores, withSession, colleague } = await pushed(t)
  await subscribe(here, 'ada')
  const kept = stores.db.raw.prepare('select sealed from push_subscriptions').pluck().get() as Buffer
  t.notMatch(kept.toString('latin1'), /ada|http/)
  // Somebody else signs in in the same browser, where the first had not signed out.
  const other = { key: undefined, ...await withSession(colleague.id, me.id) }
  const same = service.subscription('shared')
  await here.put('/v1/me/push', same)
  await other.put('/v1/me/push', same)
  t.equal((await here.get('/v1/me/push')).json().data.host, null, 'it is theirs from then on')
  t.equal((await other.get('/v1/me/push')).json().data.host, '127.0.0.1')
  t.match((await me.get('/v1/business')).json().data.data_hosts, [{ host: '127.0.0.1', purposes: ['push'] }])
  t.equal((await other.delete('/v1/me/push')).json().data.host, null)
  await say('A human please')
  await settled()
  t.strictSame(service.asked, [])
  t.equal((await me.put('/v1/me/push', same)).statusCode, 403, 'a key has no browser')
  t.ok(at)
})

t.test('nothing is pushed to addresses and keys that are none, nor into the house', async (t) => {
  const { here, service } = await pushed(t)
  const good = service.subscription('ada')
  const put = async (change: object) => {
    const { statusCode, json } = await here.put('/v1/me/push', { ...good, ...change })
    return [statusCode, json().error?.details?.[0]?.field]
  }
  t.strictSame(await put({ endpoint: 'https://10.0.0.1/x' }), [400, 'endpoint'])
  t.strictSame(await put({ endpoint: 'not an address' }), [400, 'endpoint'])
  t.strictSame(await put({ keys: { ...good.keys, p256dh: 'B'.repeat(87) } }), [400, 'keys.p256dh'])
  t.strictSame(await put({ keys: { ...good.keys, auth: 'x' } }), [400, 'keys.auth'])
  t.strictSame(await put({ language: 'german' }), [400, 'language'])
})

t.test('the key that browsers know is the same after a restart, and another one where the installation has another', async (t) => {
  const { here, stores, me, at, say, settled, service, subscribe } = await pushed(t)
  const keyNow = async () => (await here.get('/v1/me/push')).json().data.public_key
  const first = await keyNow()
  t.equal(senderOf(Buffer.concat(['1', '2'].map((half) => stores.vault.mac('web push', half)))).publicKey, first)
  // A backup restored without its key: what was sealed cannot be read, and the browser is asked again.
  await subscribe(here, 'ada')
  await me.post(`${at}/takeover`, {})
  stores.vault.renew()
  await say('Hello?')
  await settled()
  t.strictSame(service.asked, [])
  t.equal((await here.get('/v1/me/push')).json().data.host, null)
})

t.test('an operator can switch it off: nothing leaves, and browsers are not asked', async (t) => {
  const { here, say, settled, service, subscribe } = await pushed(t, { AGENTHALL_WEB_PUSH: 'false' })
  t.strictSame((await here.get('/v1/me/push')).json().data, { public_key: null, host: null, since: null })
  const refused = await subscribe(here, 'ada')
  t.match([refused.statusCode, refused.json().error.code], [503, 'unavailable'])
  await say('A human please')
  await settled()
  t.strictSame(service.asked, [])
})
