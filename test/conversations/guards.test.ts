import '../bare-children.ts'
import t from 'tap'
import { fixedClock } from '../helper.ts'
import { alone } from '../../src/platform/neighbours/alone.ts'
import { watching } from '../../src/conversations/answer-stream.ts'
import { openTyping } from '../../src/conversations/typing.ts'
import { newVisitor } from '../../src/conversations/visitors/visitors.ts'
import { form } from '../sources/parts.ts'
import { conversing, QUESTION, talkative } from './helper.ts'
import { settled } from '../../src/platform/storage/work.ts'

/** Two accounts with an agent and a conversation each, the first one with a second agent. */
async function neighbours (t: Parameters<typeof talkative>[0]) {
  const built = await talkative(t)
  const second = (await built.me.post('/v1/agents', { name: 'Bob', systemPrompt: 'You help.' })).json().data.id as number
  const other = await built.user()
  const theirs = (await other.post('/v1/agents', { name: 'Eve', systemPrompt: 'You help.' })).json().data.id as number
  return { ...built, second, other, theirs }
}

t.test('completions of one agent say nothing in a conversation of another, also of the same account', async (t) => {
  const { me, id, second, conversation, at } = await neighbours(t)
  const named = async (agent: number, conversation: string) =>
    await me.post('/v1/chat/completions', {
      model: `agent-${agent}`, messages: [{ role: 'user', content: QUESTION }], metadata: { conversation }
    })
  const refused = await named(second, conversation)
  t.equal(refused.statusCode, 404)
  t.equal(refused.body, (await named(second, `conv_${'x'.repeat(22)}`)).body)
  t.strictSame((await me.get(`${at}/messages`)).json().data, [], 'nothing was said')
  t.equal((await named(id, conversation)).statusCode, 200)
})

t.test('an agent of another account is not there for clients that exist', async (t) => {
  const { id, other } = await neighbours(t)
  const asked = { model: `agent-${id}`, messages: [{ role: 'user', content: QUESTION }] }
  t.match((await other.post('/v1/chat/completions', asked)).json().error, { code: 'not_found', status: 404 })
  t.equal((await other.get(`/v1/agents/${id}/chat/mine/stream`)).statusCode, 404)
  t.equal((await other.post(`/v1/agents/${id}/chat`, { ...asked, id: 'mine' })).statusCode, 404)
})

t.test('a name that a client gives to a conversation means another one with each agent', async (t) => {
  const { me, id, second, conversation } = await neighbours(t)
  const chat = async (agent: number, name: string) =>
    (await me.post(`/v1/agents/${agent}/chat`, { id: name, messages: [{ role: 'user', content: QUESTION }] })).headers[
      'x-conversation-id'
    ]
  const first = await chat(id, 'mine')
  t.equal(await chat(id, 'mine'), first)
  t.not(await chat(second, 'mine'), first)
  t.equal(await chat(id, conversation), conversation, 'its id is a name of it too')
  t.not(await chat(second, conversation), conversation, 'with its own agent')
})

t.test('the store of conversations gives nothing of an account to another, by whatever it is asked', async (t) => {
  const { me, id, other, theirs, conversation, say, stores: { conversations: { store } } } = await neighbours(t)
  const answer = (await say(QUESTION)).json().data.id
  const record = (await store.get(me.id, conversation))!
  const nothing = {
    hasAgent: await store.hasAgent(other.id, id),
    create: await store.create(other.id, { ...record, id: 'conv_new', owner: other.id }),
    named: await store.named(other.id, id, 'mine', record),
    get: await store.get(other.id, conversation),
    change: await store.change(other.id, conversation, {}, () => settled(undefined)),
    messages: await store.messages(other.id, conversation, {}, 10),
    message: await store.message(other.id, conversation, answer),
    events: await store.events(other.id, conversation, 0),
    newest: await store.newest(other.id, conversation),
    succeed: await store.succeed(other.id, conversation, record),
    remove: await store.remove(other.id, conversation, () => {})
  }
  for (const [method, found] of Object.entries(nothing)) t.notOk(found, method)
  t.strictSame((await store.list(other.id, {}, undefined, 10)).items, [])
  t.strictSame((await store.list(me.id, { agent: theirs }, undefined, 10)).items, [])
  t.strictSame(await store.happened(other.id, 0), [])
  const { last } = (await store.events(me.id, conversation, 0))!
  t.ok(store.isNewest(me.id, conversation, last))
  t.notOk(store.isNewest(other.id, conversation, last))
  const speakers = await store.change(me.id, conversation, {}, function * ({ agent }) {
    t.equal(agent(id)?.id, id)
    t.equal(agent(theirs), undefined, 'nobody else\'s agent speaks')
    return undefined
  })
  t.ok(speakers)
  await me.put(`/v1/agents/${id}`, { behavior: { expertHandoff: true } })
  await me.put('/v1/me/duty', { on: true })
  await me.post(`/v1/conversations/${conversation}/handoff`, {})
  t.strictSame(await store.queued(me.id), [conversation])
  t.strictSame(await store.queued(other.id), [])
})

t.test('files of a conversation are given to no other account, nor taken from it', async (t) => {
  const { me, other, at, conversation, stores: { conversations: { attachments }, db } } = await neighbours(t)
  const added = await me.post(`${at}/attachments`, ...form({ name: 'file', file: 'a.txt', body: 'A picture' }))
  t.match(await attachments.of(me.id, conversation), [{ id: added.json().data[0].id, name: 'a.txt' }])
  t.strictSame(await attachments.of(other.id, conversation), [])
  t.equal(await attachments.add(other.id, conversation, []), undefined)
  const absent = `/v1/conversations/conv_${'x'.repeat(22)}/attachments`
  // Before anything is received: nor is a malformed one reported.
  for (const [body, headers] of [form({ name: 'file', file: 'b.txt', body: 'B' }), [{ file: 'x' }, {}] as const]) {
    const refused = await other.post(`${at}/attachments`, body, headers)
    t.equal(refused.statusCode, 404)
    t.equal(refused.body, (await other.post(absent, body, headers)).body)
  }
  t.equal(db.raw.prepare('select count(*) from attachments').pluck().get(), 1)
})

t.test('visitors of an agent are known to no other agent and no other account', async (t) => {
  const { me, id, second, other, theirs, stores: { conversations: { visitors } } } = await neighbours(t)
  const at = '2026-01-01T00:00:00.000000Z'
  const vouched = async (owner: number, agent: number, name: string) =>
    await visitors.vouchedFor(owner, agent, 'customer-7', newVisitor(name, owner, agent, at), (kept) => kept)
  t.equal((await vouched(me.id, id, 'vis_a'))?.id, 'vis_a')
  t.equal((await vouched(me.id, id, 'vis_b'))?.id, 'vis_a')
  t.equal((await vouched(me.id, second, 'vis_c'))?.id, 'vis_c')
  t.equal(await vouched(other.id, id, 'vis_d'), undefined)
  t.equal(await visitors.get(other.id, 'vis_a'), undefined)
  t.equal(await visitors.update(other.id, 'vis_a', (kept) => kept), undefined)
  const listed = async (owner: number, filter: { agent?: number }) =>
    (await visitors.list(owner, filter, undefined, 10)).items.map((visitor) => visitor.id)
  t.strictSame(await listed(me.id, { agent: id }), ['vis_a'])
  t.strictSame(await listed(me.id, {}), ['vis_c', 'vis_a'])
  t.strictSame(await listed(other.id, {}), [])
  t.strictSame(await listed(other.id, { agent: id }), [])
  const visitor = (await me.post('/v1/visitors', { agent: id })).json().data.id
  const speaks = async (agent: number) => (await me.post(`/v1/agents/${agent}/conversations`, { visitor })).statusCode
  t.strictSame([await speaks(id), await speaks(second)], [201, 400], 'nor do they speak with another agent')
  t.equal((await other.post('/v1/visitors', { agent: id })).statusCode, 404)
  t.equal((await other.post('/v1/visitors', { agent: theirs })).statusCode, 201)
})

t.test('who watches a conversation hears of nobody who types in another', async (t) => {
  const typing = openTyping(alone(fixedClock()), () => {})
  const streaming = {
    typing,
    store: { isNewest: () => false, events: async () => ({ events: [], last: 1 }) },
    talk: { writing: async () => undefined },
    linked: (message: unknown) => message
  }
  const read = watching(streaming as never, 1, 'conv_1')
  typing.say(1, 'conv_2', 'visitor')
  typing.say(2, 'conv_1', 'visitor')
  t.strictSame(await read('1'), [])
  typing.say(1, 'conv_1', 'person')
  t.match(await read('1'), [{ data: /"typing".*"role":"person"/ }])
})

/** An answer that a model has finished, held back where its end is stored until `release` is called. */
async function ending (t: Parameters<typeof talkative>[0]) {
  const built = await conversing(t)
  const { store } = built.stores.conversations
  const { change } = store
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = built.say(QUESTION)
  const asked = await built.model.next()
  await asked.say('30 days [1]. ')
  await built.seen('30')
  store.change = async (...args) => {
    store.change = change
    reached.resolve()
    await released.promise
    return await change(...args)
  }
  asked.end()
  await reached.promise
  return { ...built, first, release: () => released.resolve() }
}

t.test('an answer that ends while a further message comes is not kept: one answer goes to both', async (t) => {
  const { first, release, say, model, messages } = await ending(t)
  const second = say('And for shoes?')
  const anew = await model.next()
  release()
  await anew.say('Shoes too [1]. ')
  anew.end()
  t.match((await second).json().data, { text: /Shoes too/ })
  t.equal((await first).json().data.id, (await second).json().data.id)
  t.match(await messages(), [{ role: 'visitor' }, { role: 'visitor' }, { role: 'agent', text: /Shoes too/ }])
})

t.test('an answer that ends while its conversation is deleted is counted once', async (t) => {
  const { first, release, me, at, stores } = await ending(t)
  t.equal((await me.delete(at)).statusCode, 200)
  release()
  t.equal((await first).statusCode, 404)
  await stores.conversations.close()
  t.equal((await me.get('/v1/usage')).json().data.total.runs, 1)
})
