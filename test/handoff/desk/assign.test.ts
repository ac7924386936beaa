import t, { type Test } from 'tap'
import type { Permission } from '../../../schema/access.ts'
import { joined } from '../../access/people.ts'
import { talkative } from '../../conversations/helper.ts'

const HANDING = { behavior: { expertHandoff: true, email: 'help@example.com' } }

/** An account with two colleagues who may answer, and a conversation with its agent. */
async function desk (t: Test) {
  const built = await talkative(t, {}, HANDING)
  const { me, at, clock, settled, stores, user } = built
  const colleague = async (permissions: Permission[] = ['REPLY_CONVERSATION']) => {
    const one = await user()
    joined(stores, me.id, one.id, permissions)
    return one
  }
  return {
    ...built,
    colleague,
    now: async (where = at) => (await me.get(where)).json().data as Record<string, any>,
    assign: async (assignee: number | null, more: object = {}, where = at) =>
      await me.put(`${where}/assignee`, { assignee, ...more }),
    pass: async (ms: number) => {
      clock.advance(ms)
      await settled()
    },
    /** Another conversation whose visitor waits for a person. */
    waiting: async (agent: number) => {
      const begun = (await me.post(`/v1/agents/${agent}/conversations`, {})).json().data.id as string
      await me.post(`/v1/conversations/${begun}/handoff`, {})
      return `/v1/conversations/${begun}`
    }
  }
}

t.test('a conversation is given to a member: while its agent answers, they are only the first to be asked', async (t) => {
  const { me, at, assign, now, colleague } = await desk(t)
  const ada = await colleague()
  const viewer = await colleague(['VIEW_ANALYTICS'])
  t.match((await assign(ada.id)).json().data, { assignee: ada.id, handled_by: 'agent', person: null })
  t.equal((await assign(ada.id)).statusCode, 200, 'once more, nothing changes')
  t.match((await assign(viewer.id)).json().error, { details: [{ field: 'assignee' }] }, 'who may answer visitors')
  t.equal((await assign(99)).statusCode, 400)
  t.match((await assign(null)).json().data, { assignee: null })
  t.equal((await assign(ada.id, {}, '/v1/conversations/conv_AAAAAAAAAAAAAAAAAAAAAA')).statusCode, 404)
  await stayOnDuty(me)
  await me.put(`${at}/assignee`, { assignee: me.id })
  await me.post(`${at}/handoff`, {})
  t.match(await now(), { handled_by: 'queue', offered_to: me.id, assignee: me.id })
  t.match((await assign(ada.id)).json().data, { handled_by: 'person', person: ada.id, offered_to: null })
  await me.post(`${at}/close`, {})
  t.match((await assign(ada.id)).json().error, { code: 'conversation_closed' })
})

const stayOnDuty = async (me: { put: (url: string, body: object) => Promise<unknown> }) =>
  await me.put('/v1/me/duty', { on: true })

t.test('who holds it passes it on; of two who pass on the same at once one is refused', async (t) => {
  const { me, at, assign, now, colleague } = await desk(t)
  const [ada, bob] = [await colleague(), await colleague()]
  await me.post(`${at}/takeover`, {})
  t.match(await now(), { person: me.id, assignee: me.id })
  t.match((await assign(ada.id)).json().data, { person: ada.id, assignee: ada.id, handled_by: 'person' })
  t.match((await assign(bob.id)).json().error, { code: 'taken_over', fields: { person: ada.id } })
  const both = await Promise.all([assign(bob.id, { from: ada.id }), assign(me.id, { from: ada.id })])
  t.strictSame(both.map(({ statusCode }) => statusCode).sort(), [200, 409], 'one holder')
  t.ok([bob.id, me.id].includes((await now()).person))
  t.match((await assign(null)).json().data, { assignee: null, handled_by: 'person' }, 'it is nobody\'s, and held on')
})

t.test('one that waits is offered to free hands for 30 seconds each, and taken by anybody meanwhile', async (t) => {
  const { me, id, at, now, stores, pass, settled, waiting, colleague } = await desk(t)
  const ada = await colleague()
  await stayOnDuty(me)
  await stores.duty.set(me.id, ada.id, true)
  await me.post(`${at}/handoff`, {})
  const first = (await now()).offered_to
  t.ok([me.id, ada.id].includes(first))
  t.match(await now(), { offered_until: /^2026-01-01T00:00:30/ })
  const second = await waiting(id)
  t.not((await now(second)).offered_to, first, 'the one with free hands')
  await pass(30_000)
  t.not((await now()).offered_to, first, 'the next one is asked')
  await pass(30_000)
  t.match(await now(), { handled_by: 'queue', offered_to: null, offered_until: null }, 'everybody was asked once')
  t.equal((await me.post(`${at}/takeover`, {})).statusCode, 200, 'anybody may take it at any time')
  t.match(await now(), { offered_to: null, person: me.id })
  await me.put('/v1/me/duty', { on: true, capacity: 1 })
  t.match((await me.get('/v1/me/duty')).json().data, { capacity: 1 })
  await stores.duty.set(me.id, ada.id, false)
  const third = await waiting(id)
  t.match(await now(third), { handled_by: 'queue', offered_to: null }, 'nobody has room')
  await me.post(`${at}/close`, {})
  await settled()
  t.match(await now(third), { offered_to: me.id }, 'a hand has become free')
  await stores.duty.set(me.id, ada.id, true, null)
  t.match((await me.put('/v1/me/duty', { on: false })).json().data, { capacity: 1 }, 'left out, it stays')
})

// Was wrong: whenever somebody closed a conversation, each that waited was opened and decided on.
t.test('of a long queue only as many are looked at as there is room for', async (t) => {
  const { me, id, at, stores: { conversations: { talk } }, settled, waiting, now } = await desk(t)
  await me.put('/v1/me/duty', { on: true, capacity: 1 })
  await me.post(`${at}/takeover`, {})
  const queue = [await waiting(id), await waiting(id), await waiting(id), await waiting(id)]
  await settled()
  const told: string[] = []
  const { handOver } = talk
  talk.handOver = async (owner, conversation, event) => {
    if (event.type === 'free') told.push(`/v1/conversations/${conversation}`)
    return await handOver(owner, conversation, event)
  }
  await me.post(`${at}/close`, {})
  await settled()
  t.match(await now(queue[0]), { offered_to: me.id })
  t.strictSame(told, queue.slice(0, 2), 'the one that waits longest, and the next for which there is no room')
})

t.test('who comes is offered what waits', async (t) => {
  const { me, at, now, stores, settled, colleague } = await desk(t)
  const ada = await colleague()
  await me.put('/v1/me/duty', { on: true, capacity: 0 })
  await me.post(`${at}/handoff`, {})
  t.match(await now(), { handled_by: 'queue', offered_to: null })
  const leave = stores.duty.enter(me.id, ada.id)
  await settled()
  t.match(await now(), { offered_to: ada.id })
  leave()
})

// Was wrong: all that a member had was counted for each conversation that was offered, so that 8,000 of one who left
// took more than twice as long each as 2,000.
t.test('what a member has is counted as far as it matters: to a hundred, or exactly beside a capacity', async (t) => {
  const { me, id, stores: { db, duty }, colleague } = await desk(t)
  const [ada, bob, cem] = [await colleague(), await colleague(), await colleague()]
  for (let i = 0; i < 150; i++) await me.post(`/v1/agents/${id}/conversations`, {})
  const give = db.raw.prepare(
    "update conversations set handled_by = 'person', person = ?, offered_to = ? where (number % 3 = 0) = ?"
  )
  give.run(ada.id, ada.id, 1)
  give.run(bob.id, cem.id, 0)
  for (const { id: user } of [ada, bob, cem]) await duty.set(me.id, user, true)
  const hands = async () => new Map(
    (await db.read(() => duty.hands(me.id))).map(({ user, holds, offered }) => [user, { holds, offered }]))
  const counted = await hands()
  t.match(counted.get(ada.id), { holds: 50, offered: 50 })
  t.strictSame(counted.get(bob.id), { holds: 100, offered: 0 })
  t.strictSame(counted.get(cem.id), { holds: 0, offered: 100 })
  give.run(bob.id, cem.id, 1)
  t.equal((await hands()).get(bob.id)?.holds, 100)
  await duty.set(me.id, bob.id, true, 900)
  t.equal((await hands()).get(bob.id)?.holds, 151)
})

t.test('what somebody held who leaves waits for others, all twenty of them, and is nobody\'s own', async (t) => {
  const { me, id, at, now, stores, settled, colleague, waiting } = await desk(t)
  const ada = await colleague()
  const member = stores.db.raw.prepare<[number], number>('select id from members where user_id = ? and account_id <> user_id').pluck()
  await stayOnDuty(me)
  await me.put('/v1/me/duty', { on: true, capacity: 0 })
  const held: string[] = []
  for (let i = 0; i < 20; i++) {
    const one = await waiting(id)
    t.equal((await me.put(`${one}/assignee`, { assignee: ada.id })).statusCode, 200)
    held.push(one)
  }
  await me.put(`${at}/assignee`, { assignee: ada.id })
  await stores.duty.set(me.id, ada.id, true)
  const asked = await waiting(id)
  t.match(await now(asked), { offered_to: ada.id })
  t.equal((await me.delete(`/v1/members/${member.get(ada.id)!}`)).statusCode, 200)
  await settled()
  for (const one of held) t.match(await now(one), { handled_by: 'queue', person: null, assignee: null })
  t.match(await now(asked), { handled_by: 'queue', offered_to: null })
  t.match(await now(), { handled_by: 'agent', assignee: null })
})

// Was wrong: what had been closed before kept whose it was, and came back as that of somebody who was gone.
t.test('what was closed as somebody\'s who has left since comes back as nobody\'s', async (t) => {
  const { me, id, at, now, say, stores, settled, colleague, waiting } = await desk(t)
  const [ada, bo] = [await colleague(), await colleague()]
  const member = stores.db.raw.prepare<[number], number>('select id from members where user_id = ? and account_id <> user_id').pluck()
  const stays = await waiting(id)
  for (const [one, whose] of [[at, ada], [stays, bo]] as const) {
    await me.put(`${one}/assignee`, { assignee: whose.id })
    await me.post(`${one}/close`, {})
  }
  t.equal((await me.delete(`/v1/members/${member.get(ada.id)!}`)).statusCode, 200)
  await settled()
  await say('One more thing')
  t.match(await now(), { status: 'open', assignee: null })
  await me.patch(stays, { status: 'open' })
  t.match(await now(stays), { status: 'open', assignee: bo.id }, 'who is still there keeps it')
})

t.test('a lead says how many a colleague takes at once, and who has room for more is offered what waits', async (t) => {
  const { me, id, at, now, colleague, settled, waiting, stores, user } = await desk(t)
  const ada = await colleague()
  await stores.duty.set(me.id, ada.id, true)
  const members = (await me.get('/v1/members')).json().data as Array<{ id: number, user: { id: number } }>
  const member = `/v1/members/${members.find((one) => one.user.id === ada.id)!.id}`
  t.match((await me.put(`${member}/capacity`, { capacity: 0 })).json().data, { on: true, capacity: 0 })
  t.match((await me.get(`${member}/duty`)).json().data, { on: true, capacity: 0, is_on_duty: true })
  await me.post(`${at}/handoff`, {})
  t.match(await now(), { handled_by: 'queue', offered_to: null })
  t.match((await me.put(`${member}/capacity`, { capacity: 1 })).json().data, { capacity: 1 })
  await settled()
  t.match(await now(), { offered_to: ada.id })
  t.match(await now(await waiting(id)), { offered_to: null }, 'one at once')
  t.match((await me.put(`${member}/capacity`, { capacity: null })).json().data, { capacity: null })
  t.equal((await me.put(`${member}/capacity`, { capacity: -1 })).statusCode, 400)
  t.equal((await me.put(`${member}/capacity`, {})).statusCode, 400)
  for (const nobody of ['/v1/members/99', member]) {
    const as = nobody === member ? await user() : me
    t.equal((await as.get(`${nobody}/duty`)).statusCode, 404)
    t.equal((await as.put(`${nobody}/capacity`, { capacity: 1 })).statusCode, 404)
  }
})
