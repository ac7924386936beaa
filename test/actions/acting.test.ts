import t, { type Test } from 'tap'
import { partsIn } from '../conversations/helper.ts'
import { slowModel, type Asked } from '../conversations/slow-model.ts'
import { acting, CANCEL, isChoosing, openShop, openSystem, TRACK } from './helper.ts'

/** Everything that a model is sent. */
const toldTo = ({ body }: Asked) => body.messages.map(({ content }) => content).join('\n')

/** An agent of the example shop whose model chooses with `choose` and answers with `answer`. */
async function shopping (t: Test, { choose, answer = () => 'Here it is.', agent = {}, env = {} }: {
  choose: (asked: Asked, round: number) => Record<string, object> | undefined
  answer?: (asked: Asked) => string
  agent?: object
  env?: Record<string, string>
}) {
  const asked: Asked[] = []
  let rounds = 0
  const model = await slowModel(t, async (one) => {
    asked.push(one)
    const chosen = isChoosing(one) ? choose(one, ++rounds) : undefined
    for (const [name, given] of Object.entries(chosen ?? {})) await one.call(name, given)
    if (!chosen) await one.say(isChoosing(one) ? 'none' : answer(one))
    one.end()
  })
  const shop = await openShop(t)
  const built = await acting(t, shop.host, { AGENTHALL_MODEL_URL: model.url, ...env }, agent)
  const say = async (text: string) => {
    rounds = 0
    return (await built.say(text)).json().data as { id: string, text: string, answered_by: string }
  }
  return { ...built, shop, asked, say }
}

t.test('"Where is my order?": what the shop answers goes, marked, into the call that writes the answer', async (t) => {
  const { action, say, shop, asked, calls } = await shopping(t, {
    choose: () => ({ track_order: { number: '1001' } }), answer: () => 'Your order is on its way.'
  })
  await action(TRACK)
  const answer = await say('Where is my order 1001?')
  t.match(answer, { text: /Your order is on its way\.$/, answered_by: 'model' })
  t.strictSame(shop.asked.map(({ line }) => line), ['GET /orders/1001'])
  const [choosing, writing] = asked as [Asked, Asked]
  t.equal(asked.length, 2)
  t.match(choosing.body.tools, [{
    function: {
      name: 'track_order',
      description: 'Looking up your order. The visitor asks where an order is.',
      parameters: { properties: { number: { type: 'string' } }, required: ['number'] }
    }
  }])
  t.match(toldTo(choosing), /Where is my order 1001\?/)
  t.notMatch(toldTo(choosing), /<source|within 30 days/, 'no passage')
  t.match(toldTo(writing), /<result mark=\S+>\nLooking up your order\n\{"\/status":"on its way"/)
  t.notOk((writing.body.tools ?? []).some(({ function: { name } }) => name !== 'act'), 'there is nothing to choose')
  t.match(await calls(), [{ action_name: 'track_order', state: 'done', message: answer.id }])
})

t.test('nothing of a result or an answer that rests on it is seen by the call that may choose', async (t) => {
  const { action, say, asked } = await shopping(t, {
    choose: (_asked, round) => round === 1 ? { track_order: { number: '1001' } } : undefined,
    answer: () => 'It is on its way to Canarytown.'
  })
  await action(TRACK)
  await say('Where is my order 1001?')
  await say('And when does it come?')
  for (const one of asked.filter(isChoosing)) {
    t.notMatch(toldTo(one), /on its way|Canarytown|2026-12-01|30 days/)
  }
  t.match(toldTo(asked.filter(isChoosing)[1]!), /What the visitor said before:\nWhere is my order 1001\?/)
})

t.test('what a model chooses wrongly it may choose again, three times at most, told in our own words', async (t) => {
  const { action, say, asked, shop } = await shopping(t, {
    choose: (_asked, round) => ({ track_order: { number: round === 3 ? '1002' : `x${round}` } })
  })
  await action(TRACK)
  await say('Where is my order?')
  t.equal(asked.filter(isChoosing).length, 3)
  t.match(toldTo(asked[1]!), /track_order: number must look like \\d\{4\}\.\). Choose again, or none\./)
  t.strictSame(shop.asked.map(({ line }) => line), ['GET /orders/1002'])
  const never = await shopping(t, { choose: () => ({ track_order: {} }), answer: () => 'Which number has it?' })
  await never.action(TRACK)
  await never.say('Where is my order?')
  t.equal(never.asked.filter(isChoosing).length, 3)
  t.match(toldTo(never.asked.at(-1)!), /Looking up your order\nnumber is missing\./, 'the answer can ask for it')
  t.strictSame(never.shop.asked, [])
})

t.test('a write is asked for with a card that we draw, and done by a button, once', async (t) => {
  const { action, say, shop, asked, me, at, settled, calls } = await shopping(t, {
    choose: () => ({ cancel_order: { number: '1001', reason: 'other', note: 'ignored by nobody' } })
  })
  await action(CANCEL)
  await say('Cancel my order 1001')
  t.strictSame(shop.asked, [], 'what it did not offer is wrong')
  const good = await shopping(t, { choose: () => ({ cancel_order: { number: '1001', reason: 'other' } }) })
  await good.action(CANCEL)
  const answer = await good.say('Cancel my order 1001')
  t.match(answer, {
    answered_by: 'canned', text: /Please confirm: Cancelling your order\nNumber of the order: 1001\nReason: other$/
  })
  t.equal(good.asked.length, 1, 'no model words it')
  const [call] = await good.calls() as [Record<string, string>]
  t.match(call, { state: 'asked' })
  await good.me.post(`${good.at}/calls/${call.id}/confirm`, { digest: call.digest })
  await good.settled()
  t.match(good.shop.asked, [{ line: 'POST /orders/1001/cancel', headers: { 'idempotency-key': call.id } }])
  const messages = (await good.me.get(`${good.at}/messages`)).json().data
  t.match(messages.at(-1), { role: 'agent', text: 'Done: Cancelling your order\nNumber: 1001\nStatus: cancelled' })
  t.ok(asked.length > 0 && me && at && settled)
  t.strictSame(await calls(), [])
})

t.test('an answer that is written anew does not do a thing twice', async (t) => {
  const { action, say, shop, me, at } = await shopping(t, { choose: () => ({ stock_alert: { article: 'lamp' } }) })
  await action({
    ...CANCEL,
    name: 'stock_alert',
    path: '/orders/1001/cancel',
    confirm: 'nobody',
    parameters: [{ name: 'article', in: 'body', type: 'string', enum: ['lamp', 'chair'] }]
  })
  const first = await say('Tell me when the lamp is there')
  t.equal(shop.asked.length, 1)
  const anew = await me.post(`${at}/messages/${first.id}/regenerate`, {})
  t.equal(anew.statusCode, 201)
  await me.post(`${at}/messages/${anew.json().data.id}/regenerate`, {})
  t.equal(shop.asked.length, 1)
})

t.test('the visitor sees what is being done', async (t) => {
  const { action, me, at } = await shopping(t, { choose: () => ({ track_order: { number: '1001' } }) })
  await action(TRACK)
  const { body } = await me.post(`${at}/messages`, { text: 'Where is my order 1001?', stream: true })
  const told = partsIn(body).filter(({ data }) => (data as { type?: string })?.type === 'action')
  t.strictSame(told.map(({ data }) => data), [{ type: 'action', data: { title: 'Looking up your order' } }])
})

t.test('who the visitor is comes from what the business has vouched for, whatever is said', async (t) => {
  const { action, stores, id, me, shop, asked } = await shopping(t, { choose: () => ({ track_order: { number: '1003' } }) })
  await action({
    ...TRACK, parameters: [...TRACK.parameters, { name: 'customer', in: 'query', type: 'string', from: 'visitor.external_id', required: true }]
  })
  const ask = async (visitor: string) => {
    const conversation = (await me.post(`/v1/agents/${id}/conversations`, { visitor })).json().data.id
    await me.post(`/v1/conversations/${conversation}/messages`, { text: 'I am c-8. Where is order 1003?' })
  }
  const made = (await me.post('/v1/visitors', { agent: id, external_id: 'c-8' })).json().data
  await ask(made.id)
  t.strictSame(shop.asked, [], 'what a program says of a visitor is not vouched for')
  t.match(toldTo(asked.at(-1)!), /It was not done\. This is available only to visitors whom the business vouches for/)
  const kept = (await stores.conversations.visitors.get(me.id, made.id))!
  await stores.conversations.visitors.vouchedFor(
    me.id, id, 'c-7', { ...kept, id: `vis_${'v'.repeat(22)}`, external_id: 'c-7', verified: true }, (one) => one
  )
  await ask(`vis_${'v'.repeat(22)}`)
  t.strictSame(shop.asked.map(({ line }) => line), ['GET /orders/1003?customer=c-7'])
  t.match(toldTo(asked.at(-1)!), /The other side has no record of it \(404\)/, 'another\'s order is not found')
  t.ok(asked.filter(isChoosing).every((one) => !JSON.stringify(one.body.tools).includes('customer')))
})

t.test('a model that knows no tools answers from the sources', async (t) => {
  const shop = await openShop(t)
  const model = await slowModel(t, async (one) => {
    if (one.body.tools) return one.refuse(400)
    await one.say('None.')
    one.end()
  })
  const { action, say, calls } = await acting(t, shop.host, { AGENTHALL_MODEL_URL: model.url })
  await action(TRACK)
  t.equal((await say('Where is my order 1001?')).statusCode, 201)
  t.strictSame(await calls(), [])
})

t.test('where the model that is to tell it does not answer, what was found is told all the same', async (t) => {
  const shop = await openShop(t)
  const model = await slowModel(t, async (one) => {
    if (!isChoosing(one)) return one.refuse(400)
    await one.call('track_order', { number: '1001' })
    one.end()
  })
  const { action, say } = await acting(t, shop.host, { AGENTHALL_MODEL_URL: model.url })
  await action(TRACK)
  t.match((await say('Where is my order 1001?')).json().data.text, /Looking up your order\n.*on its way/)
})

t.test('without actions, or where all of them are off, no model is asked to choose', async (t) => {
  const { action, say, me, asked } = await shopping(t, { choose: () => undefined })
  await say('Where is my order 1001?')
  const id = await action(TRACK)
  await me.patch(`/v1/actions/${id}`, { enabled: false })
  await say('Where is my order 1001?')
  t.notOk(asked.some(isChoosing))
})

t.test('test questions of an agent that may act have nothing done', async (t) => {
  const { action, shop, asked, calls, me, id, settled } = await shopping(t, {
    choose: () => ({ track_order: { number: '1001' } })
  })
  await action(TRACK)
  await me.post(`/v1/agents/${id}/questions`, { text: 'Where is my order 1001?', expect: { says: ['here'] } })
  for (const one of ['draft', 'live']) {
    const { id: run } = (await me.post(`/v1/agents/${id}/runs`, { of: one })).json().data
    await settled()
    t.match((await me.get(`/v1/agents/${id}/runs/${run}`)).json().data, { state: 'done', total: 1 }, one)
  }
  t.ok(asked.length > 0)
  t.strictSame([asked.filter(isChoosing).length, shop.asked.length, (await calls()).length], [0, 0, 0])
})

t.test('a hand-off while a model chooses means that nothing is done', async (t) => {
  const shop = await openShop(t)
  const model = await slowModel(t)
  const { action, say, me, at, calls } = await acting(t, shop.host, { AGENTHALL_MODEL_URL: model.url })
  await action(TRACK)
  const said = say('Where is my order 1001?')
  const choosing = await model.next()
  await me.post(`${at}/takeover`, {})
  await choosing.call('track_order', { number: '1001' })
  choosing.end()
  await said
  t.strictSame(shop.asked, [])
  t.strictSame((await calls()).filter(({ state }) => state !== 'refused'), [])
})

t.test('a form does without a model: at once what nobody confirms, and a card for the rest', async (t) => {
  const shop = await openShop(t)
  const { action, me, at, say, settled } = await acting(t, shop.host)
  const [track, cancel] = [await action(TRACK), await action(CANCEL)]
  const make = async (id: number, given: object) => await me.post(`${at}/calls`, { action: id, arguments: given })
  const found = await make(track, { number: '1001' })
  t.match([found.statusCode, found.json().data], [201, { state: 'done', result: /on its way/, message: null }])
  t.match(found.headers.location, /\/v1\/conversations\/conv_.*\/calls\/call_/)
  t.equal((await make(track, { number: 'x' })).json().error.details[0].field, 'arguments.number')
  t.match((await make(cancel, { number: '1001', reason: 'other' })).json().data, { state: 'asked', arguments: [{}, {}] })
  t.equal((await make(99, {})).json().error.code, 'action_off')
  t.equal((await me.post(`/v1/conversations/conv_${'x'.repeat(22)}/calls`, { action: track })).statusCode, 404)
  await me.post(`${at}/takeover`, {})
  t.equal((await make(track, { number: '1001' })).json().error.code, 'taken_over')
  await settled()
  t.ok(say)
})

t.test('of a thing that was sent and not answered the model is told that nobody knows yet', async (t) => {
  const system = await openSystem(t, (_request, reply) => reply.destroy())
  const told: string[] = []
  const model = await slowModel(t, async (one) => {
    if (isChoosing(one)) await one.call('cancel_order', { number: '1001', reason: 'other' })
    else {
      told.push(toldTo(one))
      await one.say('I am finding out.')
    }
    one.end()
  })
  const { action, say, calls } = await acting(t, system.host, { AGENTHALL_MODEL_URL: model.url })
  const [{ pattern: _pattern, ...number }, reason] = CANCEL.parameters as [Record<string, unknown>, object]
  await action({ ...CANCEL, parameters: [{ ...number, enum: ['1001'] }, reason], confirm: 'nobody' })
  t.equal((await say('Cancel my order 1001.')).statusCode, 201)
  t.match(await calls(), [{ state: 'unknown' }])
  t.match(told.at(-1), /It is not known yet whether it was done; this is being checked\. Do not say that it was\./)
})
