import t, { type Test } from 'tap'
import { draft } from '../helper.ts'
import { QUESTION } from '../conversations/helper.ts'
import { SHOP, signed, site } from './helper.ts'

const day = 24 * 60 * 60 * 1000
const HOUR = 60 * 60 * 1000

/** A site whose business signs its visitors' identities. */
async function business (t: Test, agent: object = {}) {
  const built = await site(t, {}, agent)
  const { me, id, key, clock } = built
  const secrets = `/v1/agents/${id}/widget_keys/${key}/identity_secrets`
  const secret = async () => (await me.post(secrets)).json().data as { id: number, secret: string }
  const sign = (by: string, more: object = {}) =>
    signed({ sub: 'customer-7', aud: key, exp: Math.floor(clock.micros() / 1e6) + 3600, ...more }, by)
  return { ...built, secrets, secret, sign }
}

/** The claims of a token. */
const saidBy = (token: string) =>
  JSON.parse(Buffer.from(token.slice('agv_'.length).split('.')[0]!, 'base64url').toString()) as unknown[]

t.test('deleting the secret that vouched for a visitor ends their sessions at once, also those that went on', async (t) => {
  // Was wrong: the holder of a leaked secret kept the claimed identity for 24 hours.
  const { visit, begin, me, secrets, secret, sign, page, key } = await business(t)
  const leaked = await secret()
  const [thief, anonymous] = [await visit({ identity: sign(leaked.secret) }), await visit({ ip: '203.0.113.2' })]
  const { at } = await begin(thief)
  const renewed = await visit({ before: thief.session.token })
  const kept = await secret()
  const honest = await visit({ identity: sign(kept.secret) })
  const { token } = thief.session
  await me.delete(`${secrets}/${kept.id}`)
  t.equal((await thief.get(at)).statusCode, 200, 'the other secret vouched for this one')
  t.equal((await honest.get(at)).statusCode, 401)
  await me.delete(`${secrets}/${leaked.id}`)
  t.strictSame(
    [await thief.get(at), await renewed.get(at), await renewed.get('/v1/widget/visitor')].map((one) => one.statusCode),
    [401, 401, 401]
  )
  t.equal((await anonymous.get('/v1/widget/visitor')).statusCode, 200, 'for whom nobody had vouched')
  // A secret created now may get the number of the deleted one.
  await secret()
  t.equal((await thief.get(at)).statusCode, 401)
  const begun = await page({ token }).post('/v1/widget/session', { key })
  t.match(begun.json().data.visitor, { verified: false })
  t.not(begun.json().data.visitor.id, thief.session.visitor.id)
})

t.test('a business vouches for a visitor until its identity expires; then only what this session said is seen', async (t) => {
  const { visit, begin, secret, sign, clock, me, stores } = await business(
    t, { behavior: { collectVisitorData: true } }
  )
  const { secret: by } = await secret()
  const first = await visit({ identity: sign(by, { email: 'ada@example.com', name: 'Ada' }) })
  const earlier = await begin(first)
  clock.advance(2 * HOUR)
  const second = await visit({ identity: sign(by) })
  const later = await begin(second)
  t.equal((await second.get(earlier.at)).statusCode, 200)
  clock.advance(HOUR + 61_000)
  t.equal((await second.get(earlier.at)).statusCode, 404)
  t.equal((await second.get(later.at)).statusCode, 200, 'nobody is cut off in the middle')
  t.equal((await later.say(QUESTION)).statusCode, 201, 'nor asked who they are')
  t.match((await second.get('/v1/widget/visitor')).json().data, { verified: false, introduced: true })
  const renewed = await visit({ before: second.session.token })
  t.match(renewed.session, { visitor: { verified: false }, conversation: later.conversation })
  t.equal((await renewed.get(earlier.at)).statusCode, 404, 'going on vouches for nobody')
  await renewed.patch('/v1/widget/visitor', { email: 'eve@example.com' })
  t.match(await stores.conversations.visitors.get(me.id, first.session.visitor.id), { email: 'ada@example.com' })
})

t.test('a session that the business vouched for gets no more time by going on', async (t) => {
  const { visit, secret, sign, clock } = await business(t)
  const { secret: by } = await secret()
  const now = () => Math.floor(clock.micros() / 1e6)
  let session = (await visit({ identity: sign(by, { exp: now() + day / 1000 }) })).session
  const { expires_at: end } = session
  for (let i = 0; i < 3; i++) {
    clock.advance(day / 4)
    const next = await visit({ before: session.token })
    t.equal(next.session.expires_at, end)
    session = next.session
  }
  clock.advance(day / 4 + 1000)
  const [anew] = [await visit({ before: session.token })]
  t.match(anew.session.visitor, { verified: false })
  t.not(anew.session.visitor.id, session.visitor.id)
})

t.test("a session that another visitor takes over sees nothing from before: it has that visitor's beginning", async (t) => {
  const { visit, begin, me, clock, secret, sign } = await business(t)
  const since = (token: string) => saidBy(token)[3] as number
  const first = await visit()
  clock.advance(HOUR)
  const same = await visit({ before: first.session.token })
  t.equal(since(same.session.token), since(first.session.token))
  await begin(first)
  t.equal((await me.delete(`/v1/visitors/${first.session.visitor.id}`)).statusCode, 200)
  const other = await visit({ before: first.session.token })
  t.not(other.session.visitor.id, first.session.visitor.id)
  t.ok(since(other.session.token) >= since(first.session.token) + HOUR * 1000)
  const { secret: by } = await secret()
  clock.advance(HOUR)
  const customer = await visit({ before: other.session.token, identity: sign(by) })
  t.ok(since(customer.session.token) >= since(other.session.token) + HOUR * 1000)
})

t.test('new visitors count, also for who brings the token of an erased visitor, or of another agent', async (t) => {
  const { visit, page, me, key } = await business(t)
  const erased = await visit()
  await me.delete(`/v1/visitors/${erased.session.visitor.id}`)
  const other = (await me.post('/v1/agents', { ...draft, name: 'Other' })).json().data.id as number
  const elsewhere = (await me.post(`/v1/agents/${other}/widget_keys`, { origins: [SHOP] })).json().data.id as string
  const { token } = (await page().post('/v1/widget/session', { key: elsewhere })).json().data
  for (const proof of [erased.session.token, token]) {
    const ip = proof === token ? '192.0.2.1' : '192.0.2.2'
    const statuses = []
    for (let i = 0; i < 11; i++) {
      statuses.push((await page({ token: proof, ip }).post('/v1/widget/session', { key })).statusCode)
    }
    t.strictSame(statuses, [...Array(10).fill(201), 429])
  }
})

t.test('a page that was left open while its visitor was erased begins anew', async (t) => {
  // Was wrong: every message was answered "Invalid parameters", for as long as the page was open.
  const { visit, begin, me } = await business(t)
  const visitor = await visit()
  const { at } = await begin(visitor)
  await me.delete(`/v1/visitors/${visitor.session.visitor.id}`)
  t.strictSame(
    [
      await visitor.post('/v1/widget/conversations', {}),
      await visitor.get(at),
      await visitor.post(`${at}/messages`, { text: QUESTION }),
      await visitor.patch('/v1/widget/visitor', { name: 'x' })
    ].map((one) => [one.statusCode, one.json().error.code]),
    Array(4).fill([401, 'authentication_required'])
  )
  const anew = await visit({ before: visitor.session.token })
  t.equal((await (await begin(anew)).say(QUESTION)).statusCode, 201)
})

t.test('a token that nobody has signed is refused, whatever it says', async (t) => {
  // Was wrong: an object for a key was passed to the database, and answered 500.
  const { page, key } = await business(t)
  const said = [
    [{}, 'vis_x', 0, 0, 9e9], [[key], 'vis_x', 0, 0, 9e9], [1, 'vis_x', 0, 0, 9e9], [null], [], {}, null, 7, 'agw_',
    [key, {}, [{}, {}], {}, {}], [key, 'vis_x', 1, 0, 9e9], [key, 'vis_x', 'yes', 0, 9e9]
  ]
  for (const [i, says] of said.entries()) {
    const head = Buffer.from(JSON.stringify(says)).toString('base64url')
    const token = `agv_${head}.${'A'.repeat(43)}`
    t.equal((await page({ token }).get('/v1/widget/visitor')).statusCode, 401, JSON.stringify(says))
    t.equal((await page({ token, ip: `192.0.2.${i}` }).post('/v1/widget/session', { key })).statusCode, 201)
  }
})

t.test('two customers whose identifiers end in half a character are refused rather than taken for one', async (t) => {
  const { page, key, secret, sign } = await business(t)
  const { secret: by } = await secret()
  for (const sub of ['x\ud800', 'x\udfff']) {
    const { error } = (await page().post('/v1/widget/session', { key, identity: sign(by, { sub }) })).json()
    t.match(error, { code: 'permission_denied', message: /whole characters/ })
  }
  t.equal((await page().post('/v1/widget/session', { key, identity: sign(by, { sub: 'x😀' }) })).statusCode, 201)
})

t.test('a message tells the visitor nothing of the member who wrote it', async (t) => {
  // Was wrong: `author` was the user's id.
  const { visit, begin, me } = await business(t)
  const visitor = await visit()
  const { at, conversation, say } = await begin(visitor)
  const sent = await say(QUESTION)
  const answered = await me.post(`/v1/conversations/${conversation}/messages`, { text: 'Hello', role: 'person' })
  t.match(answered.json().data, { role: 'person', author: me.id })
  const { data } = (await visitor.get(`${at}/messages`)).json()
  t.ok(data.some((one: { role: string }) => one.role === 'person'))
  for (const message of [...data, sent.json().data]) t.notOk('author' in message, message.role)
})

t.test('a key names origins that a policy reads as one, and nothing else', async (t) => {
  const { me, id, key, page, stores } = await business(t)
  const at = `/v1/agents/${id}/widget_keys`
  for (const origin of ['https://a;b', 'https://a,b', "https://a'b", 'https://a"b', 'https://*', 'https://a b', 'https://a$b']) {
    t.equal((await me.post(at, { origins: [origin] })).statusCode, 400, origin)
  }
  for (const origin of [SHOP, 'https://[2001:db8::1]:8443', 'http://localhost:3000', 'https://xn--bcher-kva.example']) {
    t.equal((await me.post(at, { origins: [origin] })).statusCode, 201, origin)
  }
  const kept = JSON.stringify([SHOP, 'https://a;script-src *'])
  stores.db.raw.prepare('update widget_keys set origins = ? where id = ?').run(kept, key)
  stores.db.raw.prepare("update agents set name = 'x' where id = ?").run(id)
  await me.patch(`${at}/${key}`, { name: 'Shop' })
  t.match((await page().get(`/chat/${key}`)).headers['content-security-policy'], new RegExp(`frame-ancestors ${SHOP};`))
})
