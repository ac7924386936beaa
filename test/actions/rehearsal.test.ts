import t, { type Test } from 'tap'
import { slowModel, type Asked } from '../conversations/slow-model.ts'
import { acting, CANCEL, isChoosing, openShop, TRACK } from './helper.ts'

/** An agent of the example shop with test questions; `choose`: what its model chooses. */
async function rehearsing (t: Test, choose: (asked: Asked) => [string, object] | undefined) {
  const shop = await openShop(t)
  const told: string[] = []
  const model = await slowModel(t, async (one) => {
    const chosen = isChoosing(one) ? choose(one) : undefined
    if (!isChoosing(one)) told.push(one.body.messages.map(({ content }) => content).join('\n'))
    if (chosen) await one.call(...chosen)
    else await one.say(isChoosing(one) ? 'none' : /status":"([^"]*)/.exec(told.at(-1)!)?.[1] ?? 'I cannot say.')
    one.end()
  })
  const built = await acting(t, shop.host, { AGENTHALL_MODEL_URL: model.url })
  const { me, id, settled } = built
  const questions = `/v1/agents/${id}/questions`
  const ask = async (question: object) => {
    for (const { id: before } of (await me.get(questions)).json().data) await me.delete(`${questions}/${before}`)
    const made = await me.post(questions, { text: 'Where is my order 1001?', ...question })
    t.equal(made.statusCode, 201, made.body)
    const { id: run } = (await me.post(`/v1/agents/${id}/runs`, {})).json().data
    await settled()
    return (await me.get(`/v1/agents/${id}/runs/${run}`)).json().data.results[0]
  }
  return { ...built, shop, told, ask, questions }
}

t.test('an action that a test question has chosen answers with what was recorded, and nothing is asked outside', async (t) => {
  const { action, ask, shop, calls, told } = await rehearsing(t, () => ['track_order', { number: '1001' }])
  await action(TRACK)
  const actions = [{ name: 'track_order', result: '{"status":"in the post"}' }]
  const passed = await ask({ actions, expect: { says: ['in the post'], action: 'track_order', arguments: { number: '1001' } } })
  t.match(passed, { verdict: 'pass', message: /in the post/ })
  t.match(told.at(-1), /<result mark=\S+>\nLooking up your order\n\{"status":"in the post"/)
  t.match(await ask({ actions, expect: { action: 'track_order', arguments: { number: '1002' } } }), {
    verdict: 'fail', why: [{ code: 'wrong_arguments', message: /"number":"1001"/ }]
  })
  t.match(await ask({ actions, expect: { action: 'cancel_order' } }), { verdict: 'fail', why: [{ code: 'no_action' }] })
  t.match(await ask({ expect: { action: 'track_order', says: ['I cannot say'] } }), { verdict: 'pass' }, 'nothing is recorded')
  t.match(told.at(-1), /It was not done: the test question has no recorded answer for it\./)
  t.strictSame([shop.asked, await calls()], [[], []])
})

t.test('what has to be confirmed is asked for in a test question as of a visitor, and what does not fit is wrong', async (t) => {
  let rounds = 0
  const { action, ask, shop, calls } = await rehearsing(t, () =>
    ['cancel_order', { number: ++rounds % 2 === 1 ? 'x' : '1001', reason: 'other' }])
  await action(CANCEL)
  t.match(await ask({ text: 'Cancel 1001', expect: { action: 'cancel_order', says: ['Please confirm: Cancelling your order', '1001'] } }), {
    verdict: 'pass'
  })
  t.strictSame([shop.asked, await calls()], [[], []])
  t.ok(rounds >= 4, 'a model is asked until two of three agree')
})

t.test('a test question acts as a visitor who is vouched for; an action that is switched off is not chosen', async (t) => {
  const { action, ask, me, shop } = await rehearsing(t, () => ['track_order', { number: '1001' }])
  const own = { name: 'customer', in: 'query', type: 'string', required: true, from: 'visitor.external_id' }
  const id = await action({ ...TRACK, parameters: [...TRACK.parameters, own] })
  const question = { actions: [{ name: 'track_order', result: '{"status":"here"}' }], expect: { action: 'track_order', says: ['here'] } }
  t.match(await ask(question), { verdict: 'pass' })
  await me.patch(`/v1/actions/${id}`, { enabled: false })
  t.match(await ask(question), { verdict: 'fail', why: [{ code: 'not_said' }, { code: 'no_action' }] })
  t.strictSame(shop.asked, [])
})

t.test('recorded answers and arguments are kept, written as a table, and read again', async (t) => {
  const { me, questions } = await rehearsing(t, () => undefined)
  const actions = [{ name: 'track_order', result: '{"status":"a, \\"b\\""}' }]
  const made = (await me.post(questions, {
    text: 'Where?', actions, expect: { action: 'track_order', arguments: { number: '1001', left: 2 } }
  })).json().data
  t.match((await me.get(`${questions}/${made.id}`)).json().data, { actions, expect: { arguments: { number: '1001', left: 2 } } })
  const csv = (await me.get(`${questions}.csv`)).body
  await me.delete(`${questions}/${made.id}`)
  t.match((await me.post(`${questions}/import`, { csv })).json().data, { added: 1 })
  t.match((await me.get(questions)).json().data, [{ actions, expect: { arguments: { number: '1001', left: 2 } } }])
  for (const cell of ['{', '[]', '{"a":{}}', '7']) {
    const refused = await me.post(`${questions}/import`, { csv: `text,action,arguments\nWhere?,track_order,"${cell.replaceAll('"', '""')}"` })
    t.match([refused.statusCode, refused.json().error.details[0]?.field], [400, 'csv[2].arguments'], cell)
  }
  const patched = await me.patch(`${questions}/${(await me.get(questions)).json().data[0].id}`, { actions: [] })
  t.strictSame(patched.json().data.actions, [])
})
