import t, { type Test } from 'tap'
import { slowModel } from '../conversations/slow-model.ts'
import { signed, site } from '../widget/helper.ts'
import { CANCEL, offerForms, openShop, TRACK } from './helper.ts'

/** A site whose agent acts in the example shop, and a visitor of it. */
async function visiting (t: Test, ...drafts: object[]) {
  return await visitingWith(t, {}, ...drafts)
}

/** The same, with these settings. */
async function visitingWith (t: Test, env: Record<string, string>, ...drafts: object[]) {
  const shop = await openShop(t)
  const built = await site(t, { AGENTHALL_ALLOWED_HOSTS: shop.host, ...env })
  const { me, id, visit, begin } = built
  const actionIds = await offerForms(me, id, shop.host, drafts)
  const visitor = await visit()
  const { at, conversation } = await begin(visitor)
  const make = async (action: number, given: object) => await visitor.post(`${at}/calls`, { action, arguments: given })
  return { ...built, shop, visitor, at, conversation, make, actionIds }
}

t.test('a visitor is offered what can be done as forms, and has it done without a model', async (t) => {
  const { visitor, make, me, actionIds: [track, hidden, private_], shop, at } = await visiting(t, TRACK, { ...TRACK, name: 'hidden', as_form: false }, {
    ...TRACK, name: 'own', parameters: [...TRACK.parameters, { name: 'customer', in: 'query', type: 'string', required: true, from: 'visitor.external_id' }]
  })
  const offered = (await visitor.get('/v1/widget/actions')).json().data
  t.match(offered, [{ id: track, title: 'Looking up your order', parameters: [{ name: 'number', type: 'string', required: true }] }])
  t.equal(offered.length, 1, 'not what is no form, nor what needs somebody whom nobody has vouched for')
  t.notMatch(JSON.stringify(offered), /path|connection|pattern/)
  const done = await make(track!, { number: '1001' })
  t.match([done.statusCode, done.json().data], [201, { state: 'done', result: '{"/status":"on its way","/eta":"2026-12-01"}' }])
  t.equal((await make(hidden!, { number: '1001' })).json().error.code, 'action_off')
  t.equal((await make(private_!, { number: '1001' })).json().error.code, 'not_verified')
  t.equal((await make(track!, { number: '12' })).statusCode, 400)
  t.equal(shop.asked.length, 1)
  t.equal((await visitor.post(`/v1/widget/conversations/conv_${'x'.repeat(22)}/calls`, { action: track })).statusCode, 404)
  t.match((await me.get('/v1/calls')).json().data, [{ state: 'done', message: null }])
  t.ok(at)
})

t.test('"Cancel it": the visitor sees what is to be done, confirms with their token, and is told what came of it', async (t) => {
  const { visitor, make, actionIds: [cancel], at, settled, shop, visit, begin, me } = await visiting(t, CANCEL)
  const made = (await make(cancel!, { number: '1001', reason: 'other' })).json().data
  t.equal(made.state, 'asked')
  t.match((await visitor.get(`${at}/calls`)).json().data, [{
    id: made.id, title: 'Cancelling your order', digest: made.digest, arguments: [{ value: '1001' }, { value: 'other' }]
  }])
  t.match((await visitor.get(at)).json().data.asks, { call: { id: made.id, title: 'Cancelling your order', arguments: [{ value: '1001' }, {}] } })
  const stranger = await visit({ ip: '203.0.113.9' })
  const theirs = await begin(stranger)
  for (const where of [at, theirs.at]) {
    t.equal((await stranger.post(`${where}/calls/${made.id}/confirm`, { digest: made.digest })).statusCode, 404)
  }
  t.equal((await stranger.get(`${at}/calls`)).statusCode, 404)
  t.equal((await visitor.post(`${at}/calls/${made.id}/confirm`, { digest: 'x' })).json().error.code, 'call_changed')
  const confirmed = await visitor.post(`${at}/calls/${made.id}/confirm`, { digest: made.digest })
  t.match(confirmed.json().data, { state: 'confirmed', confirmed_by: 'visitor' })
  await settled()
  t.equal(shop.done.size, 1)
  t.match((await visitor.get(`${at}/messages`)).json().data.at(-1), { role: 'agent', text: /^Done: Cancelling your order/ })
  t.strictSame((await visitor.get(`${at}/calls`)).json().data, [])
  t.match((await me.get('/v1/calls')).json().data, [{ state: 'done', confirmed_by: 'visitor' }])
})

t.test('what a person is to approve no visitor confirms, though they may refuse it', async (t) => {
  const { visitor, make, actionIds: [cancel], at, conversation, me, settled, shop } = await visiting(t, { ...CANCEL, confirm: 'person' })
  const one = (await make(cancel!, { number: '1001', reason: 'other' })).json().data
  t.equal((await visitor.post(`${at}/calls/${one.id}/confirm`, { digest: one.digest })).statusCode, 403)
  t.strictSame((await visitor.get(`${at}/calls`)).json().data, [])
  t.equal((await visitor.post(`${at}/calls/${one.id}/refuse`, { digest: one.digest })).json().data.state, 'refused')
  const other = (await make(cancel!, { number: '1002', reason: 'other' })).json().data
  await me.post(`/v1/conversations/${conversation}/calls/${other.id}/confirm`, { digest: other.digest })
  await settled()
  t.strictSame(shop.asked.map(({ line }) => line), ['POST /orders/1002/cancel'])
})

t.test('while a person speaks nothing is said of what came of it', async (t) => {
  const { make, actionIds: [cancel], conversation, at, visitor, me, settled, clock } = await visiting(t, CANCEL)
  await make(cancel!, { number: '1001', reason: 'other' })
  await me.post(`/v1/conversations/${conversation}/takeover`, {})
  const before = (await visitor.get(`${at}/messages`)).json().data.length
  clock.advance(16 * 60_000)
  await settled()
  t.equal((await visitor.get(`${at}/messages`)).json().data.length, before)
  t.match((await me.get('/v1/calls')).json().data, [{ state: 'expired' }])
})

t.test('what nobody confirmed in time the visitor is told', async (t) => {
  const { make, actionIds: [cancel], at, visitor, settled, clock } = await visiting(t, CANCEL)
  await make(cancel!, { number: '1001', reason: 'other' })
  clock.advance(16 * 60_000)
  await settled()
  t.match((await visitor.get(`${at}/messages`)).json().data.at(-1).text, /^Not confirmed in time/)
})

/** The order of the visitor's own number, which code fills in. */
const OWN = {
  ...TRACK, parameters: [...TRACK.parameters, { name: 'customer', in: 'query', type: 'string', required: true, from: 'visitor.external_id' }]
}

/** A model that looks up order 1001 whatever is said. */
async function tracking (t: Test) {
  return await slowModel(t, async (one) => {
    if ((one.body.tools ?? []).some(({ function: { name } }) => name === 'track_order')) await one.call('track_order', { number: '1001' })
    else await one.say('So it is.')
    one.end()
  })
}

t.test('a model acts for whom the business vouches for only until that has expired, and never for a session that it did not vouch for', async (t) => {
  // Was wrong: the stored visitor counted, so that a widget left open acted as a customer indefinitely.
  const { url } = await tracking(t)
  const { me, id, key, clock, visit, begin, shop } = await visitingWith(t, { AGENTHALL_MODEL_URL: url }, OWN)
  const { secret } = (await me.post(`/v1/agents/${id}/widget_keys/${key}/identity_secrets`)).json().data
  const sign = (seconds: number) =>
    signed({ sub: 'c-7', aud: key, exp: Math.floor(clock.micros() / 1e6) + seconds }, secret)
  const visitor = await visit({ identity: sign(3600) })
  const { conversation, ask } = await begin(visitor)
  const asked = () => shop.asked.splice(0).map(({ line }) => line)
  await ask('Where is my order 1001?')
  t.strictSame(asked(), ['GET /orders/1001?customer=c-7'])
  clock.advance(2 * 3600_000)
  await ask('Where is my order 1001?')
  t.strictSame(asked(), [], 'the identity has expired, the session goes on')
  const last = (await me.get(`/v1/conversations/${conversation}/messages`)).json().data.at(-1)
  await me.post(`/v1/conversations/${conversation}/messages/${last.id}/regenerate`, {})
  t.strictSame(asked(), [], 'nor where that answer is written anew')
  await me.post(`/v1/conversations/${conversation}/messages`, { text: 'And where is it now?' })
  t.strictSame(asked(), ['GET /orders/1001?customer=c-7'], 'the business itself says who its visitors are')
  await ask('Where is my order 1001?')
  t.strictSame(asked(), [])
  const again = await visit({ identity: sign(3600) })
  await (await begin(again)).ask('Where is my order 1001?')
  t.strictSame(asked(), ['GET /orders/1001?customer=c-7'], 'vouched for anew')
})
