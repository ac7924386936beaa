import t from 'tap'
import { demandKept, type SessionNeeds } from '../../src/widget/session.ts'
import type { VisitorCaller } from '../../src/widget/visitor.ts'
import { signed, site, SHOP } from './helper.ts'

const day = 24 * 60 * 60 * 1000

t.test('a page of the key\'s sites gets a session of 24 hours for its visitor; others get a sentence', async (t) => {
  const { page, key, visit, clock } = await site(t)
  const { session } = await visit()
  t.match(session, {
    token: /^agv_/, visitor: { id: /^vis_[\w-]{22}$/, verified: false, reachable: false, consented: true }, conversation: null
  })
  t.equal(Date.parse(session.expires_at), Math.floor(clock.micros() / 1e6) * 1000 + day)
  const begin = async (origin: string | undefined, given = key) =>
    await page({ origin }).post('/v1/widget/session', { key: given })
  for (const origin of [
    'https://evil.example',
    'http://shop.example',
    'https://shop.example:444',
    'https://shop.example.evil.example',
    'null'
  ]) {
    t.match((await begin(origin)).json().error, { code: 'permission_denied', status: 403 }, origin)
  }
  t.equal((await begin(undefined)).statusCode, 201, 'what sends no Origin is no page')
  t.equal((await begin('http://localhost:80')).statusCode, 201, 'the page that the server itself sends')
  t.equal((await begin(SHOP, 'agw_aaaaaaaaaaaaaaaaaaaaaa')).statusCode, 404)
  t.equal((await page().post('/v1/widget/session', { key, extra: 1 })).statusCode, 400)
})

t.test('pages of sites that some key names may read the answers, others may not', async (t) => {
  const { page, key, me, id } = await site(t)
  const allowed = async (origin: string, url: string) => [
    (await page({ origin }).get(url)).headers['access-control-allow-origin'],
    (await page({ origin }).options(url)).headers['access-control-allow-origin']
  ]
  for (const url of [`/v1/widget/${key}/config`, '/v1/widget/conversations']) {
    t.strictSame(await allowed(SHOP, url), [SHOP, SHOP], url)
    for (const origin of ['https://evil.example', 'null']) {
      t.strictSame(await allowed(origin, url), [undefined, undefined], `${url} ${origin}`)
    }
  }
  const {
    data: { id: other }
  } = (await me.post(`/v1/agents/${id}/widget_keys`, { origins: ['https://second.example'] })).json()
  t.strictSame(await allowed('https://second.example', '/v1/widget/conversations'), [
    'https://second.example',
    'https://second.example'
  ])
  t.strictSame(
    await allowed('https://second.example', `/v1/widget/${key}/config`),
    [undefined, undefined],
    'how a widget looks is for its own sites'
  )
  t.equal((await page({ origin: 'https://second.example' }).post('/v1/widget/session', { key })).statusCode, 403)
  t.equal((await page({ origin: 'https://second.example' }).post('/v1/widget/session', { key: other })).statusCode, 201)
})

t.test('a token is good for its key, its time, and as it was signed', async (t) => {
  const { visit, page, me, id, key, clock } = await site(t)
  const visitor = await visit()
  const good = visitor.session.token
  t.equal((await visitor.get('/v1/widget/visitor')).statusCode, 200)
  t.equal((await page({ origin: 'https://evil.example', token: good }).get('/v1/widget/visitor')).statusCode, 403)
  const [said = '', mac = ''] = good.slice('agv_'.length).split('.')
  const other = Buffer.from(
    JSON.stringify([...JSON.parse(Buffer.from(said, 'base64url').toString()).slice(0, 2), 1, 0, 9e9])
  ).toString('base64url')
  const nonsense = Buffer.from('{').toString('base64url')
  for (const token of [
    'agv_x',
    `agv_${other}.${mac}`,
    `agv_${said}.${'A'.repeat(43)}`,
    `agv_${nonsense}.${mac}`,
    good.slice(4),
    String(me.key)
  ]) {
    const refused = await page({ token }).get('/v1/widget/visitor')
    t.match(
      [refused.statusCode, refused.json().error.code, refused.headers['access-control-allow-origin']],
      [401, 'authentication_required', SHOP],
      'and the page can read that'
    )
  }
  t.equal(
    (await me.get('/v1/me', undefined, { authorization: `Bearer ${good}` })).statusCode,
    401,
    "it opens nothing of the account's"
  )
  clock.advance(day - 1000)
  t.equal((await visitor.get('/v1/widget/visitor')).statusCode, 200)
  clock.advance(2000)
  t.equal((await visitor.get('/v1/widget/visitor')).statusCode, 401)
  const second = await visit()
  await me.delete(`/v1/agents/${id}/widget_keys/${key}`)
  t.equal((await second.get('/v1/widget/visitor')).statusCode, 401, 'deleting the key ends its sessions at once')
})

t.test('who goes on with a session keeps what it could see', async (t) => {
  const { visit, begin, clock, me } = await site(t)
  const first = await visit()
  const { conversation, at } = await begin(first)
  clock.advance(day / 2)
  const renewed = await visit({ before: first.session.token })
  t.match(renewed.session, { conversation, visitor: { id: first.session.visitor.id } })
  clock.advance(day * 0.75)
  t.equal((await first.get(at)).statusCode, 401)
  t.equal((await renewed.get(at)).statusCode, 200)
  await me.patch(`/v1/conversations/${conversation}`, { status: 'closed' })
  const then = await visit({ before: renewed.session.token })
  t.match(then.session, { conversation: null, visitor: { id: first.session.visitor.id } }, 'what is closed is not gone on with')
})

t.test("a visitor's id without a token opens nothing: neither what was said nor what is said next, nor who they are", async (t) => {
  const { visit, begin, clock, stores, me } = await site(t, {}, { behavior: { collectVisitorData: true } })
  const victim = await visit()
  const { id } = victim.session.visitor
  await victim.patch('/v1/widget/visitor', { name: 'Ada', email: 'ada@example.com' })
  const earlier = await begin(victim)
  const thief = await visit({ visitor: id, ip: '203.0.113.66' })
  t.not(thief.session.visitor.id, id)
  const later = await begin(victim)
  await later.say('My order is 4711')
  for (const { at } of [earlier, later]) {
    t.equal((await thief.get(at)).statusCode, 404)
    t.equal((await thief.get(`${at}/messages`)).statusCode, 404)
    t.equal((await thief.post(`${at}/messages`, { text: 'Never mind' })).statusCode, 404)
  }
  t.strictSame((await thief.get('/v1/widget/conversations')).json().data, [])
  await thief.patch('/v1/widget/visitor', { name: 'Eve', email: 'eve@example.com' })
  t.match(await stores.conversations.visitors.get(me.id, id), { name: 'Ada', email: 'ada@example.com' })
  clock.advance(day + 1000)
  t.not(
    (await visit({ visitor: id, before: victim.session.token })).session.visitor.id, id, 'a token that is void is none'
  )
})

t.test('whom the business vouches for sees earlier conversations, on any device; nobody becomes them by saying so', async (t) => {
  const { visit, begin, me, id, key, clock, page, stores } = await site(
    t, {}, { behavior: { collectVisitorData: true } }
  )
  const secret = (await me.post(`/v1/agents/${id}/widget_keys/${key}/identity_secrets`)).json().data.secret as string
  const now = () => Math.floor(clock.micros() / 1e6)
  const identity = (more: object = {}, by = secret) =>
    signed({ sub: 'customer-7', aud: key, exp: now() + 3600, email: 'ada@example.com', name: 'Ada', ...more }, by)
  const [one, two] = await Promise.all([
    visit({ identity: identity() }), visit({ identity: identity({ name: undefined }) })
  ])
  t.match(one.session.visitor, { verified: true, reachable: true })
  t.equal(one.session.visitor.id, two.session.visitor.id, 'also when two begin at once')
  const { conversation, at } = await begin(one)
  clock.advance(3 * day)
  const again = await visit({ identity: identity() })
  t.equal(again.session.conversation, conversation)
  t.equal((await again.get(at)).statusCode, 200)
  t.match(await stores.conversations.visitors.get(me.id, again.session.visitor.id), {
    external_id: 'customer-7', email: 'ada@example.com', name: 'Ada', verified: true
  })
  t.equal(
    (await again.patch('/v1/widget/visitor', { name: 'Eve', email: 'eve@example.com', phone: '1' })).statusCode, 200
  )
  t.match(
    await stores.conversations.visitors.get(me.id, again.session.visitor.id),
    { name: 'Ada', email: 'ada@example.com', phone: '1' },
    "who they are is the business's to say"
  )

  const renewed = await visit({ before: again.session.token })
  t.match(
    renewed.session,
    { visitor: { verified: true }, expires_at: again.session.expires_at },
    'which does not prolong what was vouched for'
  )
  const claimed = await visit({ visitor: again.session.visitor.id })
  t.not(claimed.session.visitor.id, again.session.visitor.id)
  const anonymous = await visit()
  await anonymous.patch('/v1/widget/visitor', { email: 'ada@example.com' })
  t.strictSame(
    (await anonymous.get('/v1/widget/conversations')).json().data, [], 'a claimed e-mail address merges nothing'
  )

  const second = (await me.post(`/v1/agents/${id}/widget_keys/${key}/identity_secrets`)).json().data.secret as string
  t.equal(
    (await visit({ identity: identity({}, second), ip: '203.0.113.2' })).session.visitor.verified,
    true,
    'both secrets hold while they are changed'
  )
  await me.delete(`/v1/agents/${id}/widget_keys/${key}/identity_secrets/1`)
  t.equal((await page().post('/v1/widget/session', { key, identity: identity() })).statusCode, 403)

  const wrong: Array<[string, string]> = [
    ['not.a.jwt', 'must be a JWT'],
    ['x', 'must be a JWT'],
    [`${identity({}, second)}.x`, 'must be a JWT'],
    [signed({ sub: 'x', aud: key, exp: now() + 60 }, second, { alg: 'none' }), 'must be a JWT'],
    [signed({ sub: 'x', aud: key, exp: now() + 60 }, second, { alg: 'HS512' }), 'must be a JWT'],
    [identity({}, second).slice(0, -3), 'is not signed'],
    [identity({}, 'guess'), 'is not signed'],
    [identity({ aud: 'agw_other' }, second), 'must have aud'],
    [identity({ aud: undefined }, second), 'must have aud'],
    [identity({ exp: undefined }, second), 'has expired'],
    [identity({ exp: now() - 120 }, second), 'has expired'],
    [identity({ exp: now() + 100_000 }, second), 'must expire within'],
    [identity({ sub: ' ' }, second), 'must have a sub'],
    [identity({ sub: 7 }, second), 'must have a sub'],
    [identity({ nbf: now() + 3600 }, second), 'is not valid yet']
  ]
  for (const [jwt, why] of wrong) {
    const refused = (await page({ ip: '203.0.113.3' }).post('/v1/widget/session', { key, identity: jwt })).json().error
    if (refused.code === 'rate_limited') clock.advance(60_000)
    const { error } =
      refused.code === 'rate_limited'
        ? (await page({ ip: '203.0.113.3' }).post('/v1/widget/session', { key, identity: jwt })).json()
        : { error: refused }
    t.match(error, { code: 'permission_denied', message: new RegExp(`^The identity ${why}`) }, why)
  }
  t.equal(
    (
      await visit({
        identity: identity({ aud: ['x', key], email: 'nonsense', exp: now() + 60 }, second), ip: '203.0.113.4'
      })
    ).session.visitor.reachable,
    true,
    'what is no address changes nothing'
  )
})

t.test('who was erased meanwhile begins anew; where the agent went with them there is no widget', async (t) => {
  const caller = { owner: 1, agent: 1, id: 'vis_1' } as VisitorCaller
  const demand = async (visitor: object | undefined, face: object | undefined) => await demandKept(
    { store: { face: async () => face }, visitors: { get: async () => visitor } } as unknown as SessionNeeds, caller)
  await demand({}, undefined)
  await t.rejects(demand(undefined, {}), { code: 'authentication_required' })
  await t.rejects(demand(undefined, undefined), { code: 'not_found' })
})

t.test('a key without a secret for identities says so', async (t) => {
  const { page, key } = await site(t)
  t.match(
    (await page().post('/v1/widget/session', { key, identity: signed({ sub: 'x' }, 'y') })).json().error.message,
    /has no secret for identities yet/
  )
})

t.test('ten new sessions a minute come from one address block, and a visitor writes 12 messages a minute, and as many a day as the setting says; the account\'s limit is not touched', async (t) => {
  const { page, key, visit, begin, me, clock } = await site(t, {
    AGENTHALL_RATE_LIMITS: '{"enterprise":6}', AGENTHALL_WIDGET_MESSAGES_PER_DAY: '20'
  })
  clock.advance(60_000)
  for (let i = 0; i < 10; i++) {
    t.equal((await page({ ip: `2001:db8::${i}` }).post('/v1/widget/session', { key })).statusCode, 201)
  }
  const refused = await page({ ip: '2001:db8::99' }).post('/v1/widget/session', { key })
  t.match([refused.statusCode, refused.json().error.code, refused.headers['retry-after']], [429, 'rate_limited', '60'])
  t.equal(
    (await page({ ip: '2001:db8:0:1::1' }).post('/v1/widget/session', { key })).statusCode,
    201,
    'another block is another network'
  )

  const visitor = await visit()
  const { say } = await begin(visitor)
  const sent: number[] = []
  for (let i = 0; i < 13; i++) sent.push((await say(`Message ${i}`)).statusCode)
  t.strictSame(sent, [...Array(12).fill(201), 429])
  for (let i = 12; i < 20; i++) {
    if (i % 12 === 0) clock.advance(60_000)
    t.equal((await say(`Message ${i}`)).statusCode, 201, String(i))
  }
  clock.advance(60_000)
  t.match((await say('One more')).json().error, { code: 'rate_limited', message: /in a day/ })
  clock.advance(day)
  t.equal((await visit({ ip: '203.0.113.9' })).session.visitor.verified, false)
  t.equal((await me.get('/v1/me')).headers['x-ratelimit-remaining'], '5')
})
