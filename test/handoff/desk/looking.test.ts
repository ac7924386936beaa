import t from 'tap'
import { inMemory } from '../../scale/in-memory.ts'
import { alone } from '../../../src/platform/neighbours/alone.ts'
import { LOOKS_MS, openLookers, type Lookers } from '../../../src/handoff/desk/looking.ts'
import { joined } from '../../access/people.ts'
import { talkative } from '../../conversations/helper.ts'

t.test('who looks counts for 45 seconds, and is known to the colleagues of one account alone', async (t) => {
  let now = 0
  const woken: number[] = []
  const clock = { monotonic: () => now }
  const lookers = openLookers(clock, alone(clock), (owner) => { woken.push(owner) })
  const [heard, elsewhere] = [lookers.watch(1), lookers.watch(2)]
  t.strictSame(lookers.say(1, 'c', 7, 'looking'), [])
  t.strictSame(lookers.say(1, 'c', 8, 'typing'), [{ id: 'c', user: 7, state: 'looking' }])
  t.strictSame(lookers.say(1, 'd', 9, 'looking'), [], 'another conversation')
  t.strictSame(lookers.say(2, 'c', 9, 'looking'), [], 'another account')
  t.strictSame(heard().map(({ user, state }) => [user, state]), [[7, 'looking'], [8, 'typing'], [9, 'looking']])
  t.strictSame([heard(), elsewhere().length, woken], [[], 1, [1, 1, 1, 2]])
  t.strictSame(elsewhere(), [], 'each is told once')
  t.equal(LOOKS_MS, 45_000)
  now += LOOKS_MS - 1
  t.strictSame(lookers.say(1, 'c', 8, 'looking').length, 1)
  now += 1
  t.strictSame(lookers.say(1, 'c', 9, 'looking'), [{ id: 'c', user: 8, state: 'looking' }], 'the first one said no more')
  t.strictSame(lookers.say(1, 'c', 8, 'away'), [{ id: 'c', user: 9, state: 'looking' }])
  t.strictSame(lookers.say(1, 'c', 9, 'looking'), [])
  for (let user = 10; user < 5020; user++) lookers.say(1, 'c', user, 'looking')
  t.equal(lookers.say(1, 'c', 9, 'looking').length, 4999, 'memory is bounded')
  t.equal(heard().length, 200)
})

t.test('colleagues see who has the same conversation open, also in the account\'s events, and no event is kept of it', async (t) => {
  const { me, app, at, conversation, stores, user, withSession } = await talkative(t)
  const colleague = await user()
  joined(stores, me.id, colleague.id, ['REPLY_CONVERSATION'])
  const grace = { key: undefined, ...await withSession(colleague.id, me.id) }
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const cut = new AbortController()
  const { body } = await fetch(`http://127.0.0.1:${port}/v1/events`, {
    headers: { authorization: `Bearer ${me.key}` }, signal: cut.signal
  })
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(': watching')) text += (await reader.read()).value
  const kept = () => stores.db.raw.prepare('select count(*) from account_events').pluck().get()
  const before = kept()
  t.strictSame((await me.put(`${at}/looking`, { state: 'looking' })).json().data, { colleagues: [] })
  const answer = await grace.put(`${at}/looking`, { state: 'typing' })
  t.strictSame(answer.json().data, { colleagues: [{ id: conversation, user: me.id, state: 'looking' }] })
  while (!text.includes('"typing"')) text += (await reader.read()).value
  t.match(text, JSON.stringify({ type: 'looking', id: conversation, user: colleague.id, state: 'typing' }))
  cut.abort()
  t.equal(kept(), before)
  t.equal((await me.put(`${at}/looking`, { state: 'asleep' })).statusCode, 400)
  t.equal((await me.put('/v1/conversations/conv_AAAAAAAAAAAAAAAAAAAAAA/looking', { state: 'looking' })).statusCode, 404)
})

t.test('who looks at a conversation by way of one process is seen in the others', async (t) => {
  const { join } = inMemory()
  const clock = { monotonic: () => 0 }
  const [here, there] = [1, 2].map((of) => openLookers(clock, join(of), () => {})) as [Lookers, Lookers]
  const heard = there.watch(1)
  here.say(1, 'c', 7, 'looking')
  t.strictSame(heard(), [{ id: 'c', user: 7, state: 'looking' }])
  t.strictSame(there.say(1, 'c', 8, 'looking'), [{ id: 'c', user: 7, state: 'looking' }])
})
