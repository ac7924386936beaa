import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { ConversationRecord } from '../../../schema/conversations.ts'
import { NEW_COURSE } from '../../../schema/handoff.ts'
import { unset } from '../../../src/business/store.sqlite.ts'
import { dueAt, late, timed, waitsFor } from '../../../src/handoff/desk/timers.ts'
import { joined } from '../../access/people.ts'
import { talkative } from '../../conversations/helper.ts'
import { build } from '../../helper.ts'
import { AT, BEGUN, given } from '../steps.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const business = (targets: object) => ({ ...unset(1), targets: { first_reply: null, next_reply: null, ...targets } })
const course = (more: object) => ({ course: { ...NEW_COURSE, ...more } })

t.test('people are waited for in the queue, by whoever a person left waiting, and where a ticket promised them', async (t) => {
  const waits = (more: Partial<ConversationRecord>) => waitsFor({ ...BEGUN, ...more })
  const person = { handled_by: 'person', person: 7 } as const
  t.equal(waits({}), undefined, 'the agent answers')
  t.equal(waits({ handled_by: 'queue', status: 'waiting' }), 'first_reply')
  t.equal(waits({ handled_by: 'queue', ...course({ replied_at: AT }) }), 'next_reply')
  t.equal(waits({ ...person, ...course({ waits: 3 }) }), 'first_reply')
  t.equal(waits({ ...person, ...course({ waits: 3, replied_at: AT }) }), 'next_reply')
  t.equal(waits({ ...person, ...course({ replied_at: AT, is_unanswered: true }) }), undefined)
  t.equal(waits({ ...person, ...course({ is_unanswered: true }) }), 'first_reply', 'taken over before anything was answered')
  t.equal(waits({ ...person }), undefined, 'taken over after everything was answered')
  t.equal(waits(course({ is_promised: true })), 'first_reply')
  t.equal(waits({ handled_by: 'queue', snoozed_until: AT }), undefined)
  t.equal(waits({ status: 'closed', ...course({ is_promised: true }) }), undefined)
})

t.test('a timer begins once, runs on whoever holds the conversation, and is told of once', async (t) => {
  const queue = { handled_by: 'queue', status: 'waiting' } as const
  const begun = timed(BEGUN, queue, AT, () => business({ first_reply: 30 }))
  t.strictSame(begun, {
    change: { reply_due_for: 'first_reply', reply_due_at: '2026-01-01T00:30:00.000000Z', overdue_at: null },
    jobs: [{ kind: 'reply.due', payload: { until: '2026-01-01T00:30:00.000000Z' }, inMs: 30 * MINUTE }]
  })
  const waiting = { ...BEGUN, ...queue, ...begun.change } as ConversationRecord
  const never = () => { throw new Error('asked for nothing') }
  const held = { handled_by: 'person', person: 7, ...course({ waits: 1 }) } as const
  t.strictSame(timed(waiting, held, AT, never), { change: {}, jobs: [] })
  t.strictSame(timed(waiting, { status: 'closed' }, AT, never).change.reply_due_at, null)
  t.strictSame(timed({ ...BEGUN, channel: 'console' }, queue, AT, never), { change: {}, jobs: [] }, 'who tries waits for nobody')
  const until = begun.change.reply_due_at!
  t.equal(late(waiting, { type: 'late', until: AT }, given()), undefined, 'another one')
  const told = late(waiting, { type: 'late', until }, given())!
  t.strictSame([told.change, told.events], [{ overdue_at: AT }, ['handoff.overdue']])
  t.equal(late({ ...waiting, ...told.change }, { type: 'late', until }, given()), undefined)
  t.equal(dueAt('next_reply', AT, business({ first_reply: 30 })), null, 'without a target there is none')
})

t.test('whatever happens, a timer runs where somebody waits and nowhere else', async () => {
  const states = fc.record({
    status: fc.constantFrom<ConversationRecord['status'][]>('open', 'waiting', 'closed'),
    handled_by: fc.constantFrom<ConversationRecord['handled_by'][]>('agent', 'queue', 'person'),
    snoozed_until: fc.constantFrom(null, AT),
    replied: fc.boolean(),
    waits: fc.nat({ max: 2 }),
    is_unanswered: fc.boolean(),
    is_promised: fc.boolean()
  }).map(({ replied, waits, is_unanswered: unanswered, is_promised: promised, ...rest }) => ({
    ...rest, ...course({ replied_at: replied ? AT : null, waits, is_unanswered: unanswered, is_promised: promised })
  }))
  fc.assert(fc.property(fc.array(states, { minLength: 1, maxLength: 20 }), (all) => {
    let now: ConversationRecord = BEGUN
    for (const next of all) {
      const { change, jobs } = timed(now, next, AT, () => business({ first_reply: 10, next_reply: 20 }))
      const before = now
      now = { ...now, ...next, ...change }
      const kind = waitsFor(now)
      if (now.reply_due_for !== (kind ?? null) || (now.reply_due_at === null) !== (kind === undefined)) return false
      const begins = kind !== undefined && kind !== before.reply_due_for
      if ((jobs.length > 0) !== begins) return false
    }
    return true
  }))
})

/** An account with targets, hooks and somebody on duty. */
async function desk (t: Test, targets: object, more: object = {}) {
  const built = await talkative(t, {}, { behavior: { expertHandoff: true, email: 'help@example.com' }, is_chatapp_enabled: true })
  const { me, at, clock, settled, stores } = built
  await me.put('/v1/business', { targets, ...more })
  await me.put('/v1/me/duty', { on: true })
  await me.post('/v1/webhooks', { url: 'https://example.com/hook', events: ['handoff.overdue'] })
  const told: string[] = []
  stores.eventBus.on(['handoff.overdue'], function * ({ type }) { told.push(type) })
  return {
    ...built,
    told,
    queued: stores.db.raw.prepare<[], number>("select count(*) from outbox where channel = 'webhook'").pluck(),
    now: async () => (await me.get(at)).json().data,
    pass: async (ms: number) => {
      clock.advance(ms)
      await settled()
    }
  }
}

t.test('who waits for a person has a time until which they are answered, and is overdue after it, once', async (t) => {
  const { me, at, say, now, pass, told, queued, conversation, id } = await desk(t, { first_reply: 1, next_reply: 30 })
  t.match(await now(), { reply_due_at: null, reply_due_for: null, overdue_at: null })
  await say('I want to talk to a person')
  t.match(await now(), {
    handled_by: 'queue', reply_due_for: 'first_reply', reply_due_at: /^2026-01-01T00:01:00/, overdue_at: null
  })
  const late = async () => (await me.get('/v1/conversations?overdue=true')).json().data.map((one: { id: string }) => one.id)
  t.strictSame(await late(), [])
  await pass(61_000)
  t.match(await now(), { overdue_at: /^2026-01-01T00:01:0/ })
  t.strictSame([told.length, queued.get()], [1, 1])
  t.strictSame(await late(), [conversation])
  t.strictSame((await me.get(`/v1/conversations?overdue=true&agent=${id}&status=waiting`)).json().data.length, 1)
  t.strictSame((await me.get('/v1/conversations?overdue=false')).json().data, [])
  await pass(60_000)
  t.match(await now(), { handled_by: 'agent', overdue_at: /^2026/ }, 'a ticket was opened; nobody has answered yet')
  await me.post(`${at}/takeover`, {})
  t.match(await now(), { overdue_at: /^2026/ }, 'nor by taking it over')
  await say('Here I am.', { role: 'person' })
  t.match(await now(), { reply_due_at: null, reply_due_for: null, overdue_at: null })
  t.strictSame(await late(), [])
  await say('And one thing more?')
  t.match(await now(), { reply_due_for: 'next_reply', reply_due_at: /^2026-01-01T00:32/ })
  await say('Hello?')
  t.match(await now(), { reply_due_at: /^2026-01-01T00:32/ }, 'a second question waits no longer than the first')
  await say('Yes.', { role: 'person' })
  await pass(31 * MINUTE)
  t.equal(told.length, 1, 'what was answered in time is never overdue')
})

t.test('the team chat is told once', async (t) => {
  const { now, say, pass, me, stores } = await desk(t, { first_reply: 1 })
  await me.put('/v1/business', { team_chat_url: 'https://hooks.example.com/services/1' })
  await say('I want to talk to a person')
  await pass(61_000)
  await pass(61_000)
  t.match(await now(), { overdue_at: /^2026/ })
  const payloads = stores.db.raw.prepare<[], string>("select payload from outbox where channel = 'team_chat'").pluck().all()
  t.equal(payloads.filter((one) => String(one).includes('handoff.overdue')).length, 1)
})

t.test('outside of the hours no time passes; what is put off waits for nobody', async (t) => {
  const open = [{ from: '00:00', to: '01:00' }]
  const hours = { thursday: open, friday: open }
  const { me, at, now, say, pass, told } = await desk(t, { first_reply: 90 }, { hours })
  await say('I want to talk to a person')
  t.match(await now(), { reply_due_at: /^2026-01-02T00:30:00/ }, 'half an hour of Friday')
  await pass(2 * HOUR)
  t.match(await now(), { overdue_at: null })
  await me.post(`${at}/takeover`, {})
  await me.patch(at, { snoozed_until: '2026-01-02T00:10:00Z' })
  t.match(await now(), { reply_due_at: null })
  await pass(22 * HOUR + 11 * MINUTE)
  t.match(await now(), { snoozed_until: null, reply_due_for: 'first_reply', reply_due_at: /^2026-01-08T00:4/ })
  t.equal(told.length, 0)
})

t.test('a target runs by the clock on the wall of the business, over a night in which it changes', async (t) => {
  const open = [{ from: '09:00', to: '17:00' }]
  const hours = { monday: open, tuesday: open, wednesday: open, thursday: open, friday: open }
  const { me, id, clock, settled } = await desk(t, { first_reply: 60 }, { hours, time_zone: 'Europe/Berlin' })
  const go = async (time: string) => {
    clock.advance(Date.parse(time) - clock.micros() / 1000)
    await settled()
  }
  // Half past four on a Friday, and half past nine on the Monday: in March it is summer by then, in October winter.
  for (const [asked, due] of [
    ['2026-03-27T15:30:00Z', '2026-03-30T07:30:00'], ['2026-10-23T14:30:00Z', '2026-10-26T08:30:00']
  ] as const) {
    await go(asked)
    const begun = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
    const now = async () => (await me.get(`/v1/conversations/${begun}`)).json().data
    await me.post(`/v1/conversations/${begun}/messages`, { text: 'I want to talk to a person' })
    const { reply_due_at: until } = await now()
    t.equal(until.slice(0, 19), due)
    await go(`${due}Z`)
    t.match(await now(), { overdue_at: null }, 'nobody is late')
    clock.advance(1000)
    await settled()
    t.match(await now(), { overdue_at: new RegExp(`^${due.slice(0, 16)}`) })
  }
})

t.test('an offer goes to the next one after 30 seconds, and silence ends a conversation after a day, over that night too', async (t) => {
  const { me, id, clock, settled, stores, user } = await desk(t, {}, { time_zone: 'Europe/Berlin' })
  const ada = await user()
  joined(stores, me.id, ada.id, ['REPLY_CONVERSATION'])
  await stores.duty.set(me.id, ada.id, true)
  const go = async (time: string) => {
    clock.advance(Date.parse(time) - clock.micros() / 1000)
    await settled()
  }
  for (const change of ['2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z']) {
    // Ten seconds before the clocks change.
    const before = Date.parse(change) - 10_000
    await go(new Date(before).toISOString())
    const begun = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
    const now = async () => (await me.get(`/v1/conversations/${begun}`)).json().data
    await me.post(`/v1/conversations/${begun}/handoff`, {})
    const first = (await now()).offered_to
    await go(new Date(before + 29_000).toISOString())
    t.equal((await now()).offered_to, first)
    await go(new Date(before + 31_000).toISOString())
    t.strictSame([first, (await now()).offered_to].toSorted(), [me.id, ada.id].toSorted())
    await me.post(`/v1/conversations/${begun}/takeover`, {})
    await me.post(`/v1/conversations/${begun}/messages`, { text: 'Here I am.', role: 'person' })
    const said = clock.micros() / 1000
    await go(new Date(said + 24 * HOUR - MINUTE).toISOString())
    t.match(await now(), { status: 'open' })
    await go(new Date(said + 24 * HOUR + MINUTE).toISOString())
    t.match(await now(), { status: 'closed' })
  }
})

t.test('a timer that came due while the server was away is told of when it is back, once', async (t) => {
  const directory = t.testdir({})
  const first = await talkative(t, {}, { behavior: { expertHandoff: true, email: 'help@example.com' } }, { directory })
  const { me, at, say, clock } = first
  await me.put('/v1/business', { targets: { first_reply: 1 } })
  await me.put('/v1/me/duty', { on: true })
  await say('I want to talk to a person')
  await first.settled()
  await first.close()
  clock.advance(90_000)
  for (const times of [1, 2]) {
    const again = await build(t, {}, { directory, clock })
    let told = 0
    again.stores.eventBus.on(['handoff.overdue'], function * () { told++ })
    await again.settled()
    t.equal(told, times === 1 ? 1 : 0)
    const kept = again.stores.db.raw.prepare('select overdue_at from conversations').pluck().get()
    t.match(kept, /^2026-01-01T00:01:/)
    await again.close()
  }
  t.match(at, /conv_/)
})

t.test('targets are minutes, set one by one', async (t) => {
  const { me } = await desk(t, { first_reply: 5 })
  const put = async (targets: object) => await me.put('/v1/business', { targets })
  t.strictSame((await put({ next_reply: 60 })).json().data.targets, { first_reply: 5, next_reply: 60 })
  t.strictSame((await put({ first_reply: null })).json().data.targets, { first_reply: null, next_reply: 60 })
  for (const wrong of [0, 10_081, 1.5, 'soon']) t.equal((await put({ first_reply: wrong })).statusCode, 400, String(wrong))
})
