import { copyFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { exportOfConversation } from '../../src/privacy/index.ts'
import { connect } from '../../src/platform/storage/sqlite/connect.ts'
import { build } from '../helper.ts'
import { longestTurn } from '../linear/turns.ts'
import { acting, CANCEL, openShop, openSystem, proposed, TRACK } from './helper.ts'
import { fileAlone } from '../postgres/database.ts'

const GIVEN = { number: '1001', reason: 'other' }

/** The shop, with a call that waits for somebody to confirm it. */
async function asking (t: Test, change: object = {}, agent: object = {}) {
  const shop = await openShop(t)
  const built = await acting(t, shop.host, {}, agent)
  const id = await built.action({ ...CANCEL, ...change })
  const proposal = await proposed(built, id, GIVEN)
  if (proposal?.type !== 'asked') throw new Error('it is not asked')
  const { call } = proposal
  const at = `/v1/conversations/${built.conversation}/calls/${call.id}`
  const decide = async (what: string, digest = call.digest, as = built.me) => await as.post(`${at}/${what}`, { digest })
  const state = async () => (await built.me.get(at)).json().data.state as string
  return { ...built, shop, action: id, call, at, decide, state }
}

t.test('a write waits until it is confirmed as it was shown, and is sent once, with its id as Idempotency-Key', async (t) => {
  const { me, shop, call, at, decide, settled, stores: { db } } = await asking(t)
  await settled()
  t.strictSame(shop.asked, [])
  t.match((await me.get(at)).json().data, {
    state: 'asked',
    title: 'Cancelling your order',
    expires_at: /T00:15:00/,
    arguments: [{ name: 'number', description: 'Number of the order', value: '1001' }, { name: 'reason', value: 'other' }]
  })
  t.notMatch((await me.get('/v1/calls')).body, /1001/, 'the log does not say with what')
  t.notMatch(JSON.stringify(db.raw.prepare('select * from calls').all().map((row) => Object.values(row as object)
    .map((value) => Buffer.isBuffer(value) ? value.toString('latin1') : value))), /1001/, 'nor does the file')
  const changed = await decide('confirm', 'something else')
  t.match([changed.statusCode, changed.json().error.code], [409, 'call_changed'])
  t.match((await decide('confirm')).json().data, { state: 'confirmed', confirmed_by: `members/${me.id}` })
  await settled()
  t.match((await me.get(at)).json().data, { state: 'done', status: 200, result: /cancelled/ })
  t.match(shop.asked, [{ line: 'POST /orders/1001/cancel', headers: { 'idempotency-key': call.id }, body: '{"reason":"other"}' }])
  t.strictSame([...shop.done.values()], [1])
  const audit = (await me.get('/v1/audit')).json().data as Array<{ action: string }>
  t.ok(audit.some(({ action }) => action === 'confirmCall'))
  t.ok(audit.some(({ action }) => action === 'getCall'), 'and who has read what it was done with')
})

t.test('of two who confirm at once one does', async (t) => {
  const { shop, decide, settled } = await asking(t)
  const both = await Promise.all([decide('confirm'), decide('confirm'), decide('refuse')])
  t.strictSame(both.map(({ statusCode }) => statusCode).sort(), [200, 409, 409])
  await settled()
  t.equal((await decide('confirm')).json().error.code, 'call_settled')
  await settled()
  t.ok(shop.asked.length <= 1)
})

t.test('what is refused is not done, nor what nobody confirmed within 15 minutes', async (t) => {
  const one = await asking(t)
  t.match((await one.decide('refuse')).json().data, { state: 'refused' })
  t.equal((await one.decide('confirm')).json().error.code, 'call_settled')
  const other = await asking(t)
  other.clock.advance(15 * 60_000)
  t.equal((await other.decide('confirm')).json().error.code, 'call_settled', 'though nothing has ended it yet')
  await other.settled()
  t.match((await other.me.get(other.at)).json().data, { state: 'expired', error: /in time/ })
  await one.settled()
  t.strictSame([one.shop.asked, other.shop.asked], [[], []])
})

t.test('after a hand-off nothing is done: not what is asked, nor what was confirmed a moment before', async (t) => {
  const late = await asking(t)
  await late.me.post(`/v1/conversations/${late.conversation}/takeover`, {})
  t.equal((await late.decide('confirm')).json().error.code, 'taken_over')
  t.equal(await late.state(), 'asked')
  t.equal((await late.decide('refuse')).statusCode, 200)
  const early = await asking(t)
  await early.decide('confirm')
  await early.me.post(`/v1/conversations/${early.conversation}/takeover`, {})
  await early.settled()
  t.match((await early.me.get(early.at)).json().data, { state: 'refused', error: /Somebody else took over/ })
  await late.settled()
  t.strictSame([late.shop.asked, early.shop.asked], [[], []])
})

t.test('an action that was changed or switched off meanwhile is not done', async (t) => {
  for (const change of [{ enabled: false }, { title: 'Other' }]) {
    const { me, shop, action, at, decide, settled } = await asking(t)
    await me.patch(`/v1/actions/${action}`, change)
    await decide('confirm')
    await settled()
    t.match((await me.get(at)).json().data, { state: 'refused', error: /changed or switched off/ })
    t.strictSame(shop.asked, [])
  }
})

t.test('who has confirmed what is not done any more is told so; who has refused it is not', async (t) => {
  // Was wrong: the card disappeared as if it had been done.
  const { me, action, conversation, decide, settled } = await asking(t)
  const said = async () => ((await me.get(`/v1/conversations/${conversation}/messages`)).json().data as Array<{ text: string }>)
    .map(({ text }) => text)
  await me.patch(`/v1/actions/${action}`, { enabled: false })
  await decide('confirm')
  await settled()
  t.strictSame(await said(), ['That did not work: Cancelling your order'])
  const other = await asking(t)
  await other.decide('refuse')
  await other.settled()
  t.strictSame((await other.me.get(`/v1/conversations/${other.conversation}/messages`)).json().data, [])
})

t.test('a call belongs to its conversation and its account', async (t) => {
  const { me, user, id, call, decide } = await asking(t)
  const other = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
  t.equal((await me.get(`/v1/conversations/${other}/calls/${call.id}`)).statusCode, 404)
  t.equal((await me.post(`/v1/conversations/${other}/calls/${call.id}/confirm`, { digest: call.digest })).statusCode, 404)
  t.equal((await decide('confirm', call.digest, await user())).statusCode, 404)
  t.strictSame((await (await user()).get('/v1/calls')).json().data, [])
})

t.test('the log of calls is read in parts, by what they are of and how far they have come', async (t) => {
  const shop = await openShop(t)
  const built = await acting(t, shop.host)
  const { me, conversation, stores } = built
  const [track, cancel] = [await built.action(TRACK), await built.action(CANCEL)]
  for (const number of ['1001', '1002', '1003']) await proposed(built, track, { number })
  await proposed(built, cancel, GIVEN)
  const list = async (query: string) => (await me.get(`/v1/calls?${query}`)).json()
  t.strictSame((await list('')).data.map((one: { action_name: string }) => one.action_name), [
    'cancel_order', 'track_order', 'track_order', 'track_order'
  ])
  t.equal((await list(`action=${track}`)).data.length, 3)
  t.equal((await list('state=asked')).data.length, 1)
  t.equal((await list('confirm=visitor')).data.length, 1)
  t.equal((await list(`conversation=${conversation}`)).data.length, 4)
  const first = await list('limit=3')
  t.equal((await list(`limit=3&cursor=${first.next_cursor}`)).data.length, 1)
  const pieces = (await exportOfConversation(stores.privacy.exporting, me.id, conversation))!
  let file = ''
  for await (const piece of pieces) file += piece
  t.match(JSON.parse(file).conversation.calls, [{ arguments: [{ value: '1001' }] }, {}, {}, { state: 'asked' }])
  await me.delete(`/v1/conversations/${conversation}`)
  t.strictSame((await list('')).data, [], 'calls go with their conversation')
})

t.test('of many calls those that a filter leaves are found without holding anybody up', { skip: fileAlone }, async (t) => {
  // Was wrong: one statement scanned all calls of an action for those in a state, and meanwhile hid those of deleted
  // agents: 60 ms for 60,000 calls.
  const shop = await openShop(t)
  const built = await acting(t, shop.host)
  const { me, stores } = built
  const track = await built.action(TRACK)
  for (const number of ['1001', '1002']) await proposed(built, track, { number })
  const raw = connect(stores.db.file)
  const columns = raw.prepare("select name from pragma_table_info('calls') where name not in ('number', 'id')").pluck().all().join(', ')
  raw.exec(`with recursive more (n) as (select 1 union all select n + 1 from more where n < 30000)
    insert into calls (id, ${columns}) select id || n, ${columns} from calls, more`)
  raw.close()
  const list = async (query: string) => (await me.get(`/v1/calls?${query}`)).json()
  const [state] = (await list('limit=1')).data.map((one: { state: string }) => one.state)
  t.not(state, 'failed')
  for (const query of [`action=${track}&state=failed`, 'confirm=person', `state=${state}&confirm=person`]) {
    await list(query)
    const longest = await longestTurn(30, async () => t.match(await list(query), { data: [], next_cursor: null }))
    t.ok(longest <= 30, `${longest} ms at one stretch for ${query}`)
  }
  const first = await list(`action=${track}&state=${state}&limit=100`)
  t.equal(first.data.length, 100)
  const { data } = await list(`action=${track}&state=${state}&limit=100&cursor=${first.next_cursor}`)
  t.equal(new Set([...first.data, ...data].map(({ id }: { id: string }) => id)).size, 200)
})

t.test('a call is proposed once for an answer, and one answer changes one thing', async (t) => {
  const shop = await openShop(t)
  const built = await acting(t, shop.host)
  const [track, cancel] = [
    await built.action({ ...TRACK, limits: { per_conversation: 2 } }), await built.action({ ...CANCEL, confirm: 'person' })
  ]
  const message = `msg_${'x'.repeat(22)}`
  const of = async (action: number, given: Record<string, string>, more = {}) => {
    const proposal = await proposed(built, action, given, { message, ...more })
    return proposal?.type === 'refused' ? proposal.refusal.code : proposal?.type
  }
  t.equal(await of(track, { number: '1001' }), 'begun')
  t.equal(await of(track, { number: '1001' }), 'repeated')
  t.equal(await of(cancel, GIVEN), 'asked')
  t.equal(await of(cancel, { ...GIVEN, number: '1002' }), 'limit_reached')
  t.equal(await of(cancel, GIVEN), 'repeated')
  t.equal(await of(track, { number: '1002' }), 'begun')
  t.equal(await of(track, { number: '1003' }), 'limit_reached', 'as often as it may be in a conversation')
  t.equal(await of(track, { number: 'x' }), 'VALIDATION_ERROR')
  t.equal(await of(cancel, GIVEN, { message: null, begunIn: 7 }), 'taken_over')
  t.equal(await of(99, {}), undefined)
})

t.test('a visitor whom nobody has vouched for is told so', async (t) => {
  const shop = await openShop(t)
  const built = await acting(t, shop.host)
  const id = await built.action({ ...TRACK, needs_verified: true })
  const of = async (isVerified: boolean) => (await proposed(built, id, { number: '1001' }, { isVerified }))?.type
  t.strictSame([await of(false), await of(true)], ['refused', 'begun'])
})

t.test('a write that was not answered is looked up by its key, and never sent again', async (t) => {
  for (const [isDone, state] of [[true, 'done'], [false, 'failed']] as const) {
    const system = await openSystem(t, (request, reply) => {
      if (request.method === 'POST') return reply.destroy()
      isDone ? system.json(reply, { status: 'cancelled' }) : system.json(reply, {}, 404)
    })
    const built = await acting(t, system.host)
    const proposal = await proposed(built, await built.action(CANCEL), GIVEN)
    const { call } = proposal as { call: { id: string, digest: string } }
    const at = `/v1/conversations/${built.conversation}/calls/${call.id}`
    await built.me.post(`${at}/confirm`, { digest: call.digest })
    await built.settled()
    t.match((await built.me.get(at)).json().data, { state: 'unknown', error: /It is not sent again/ })
    built.clock.advance(5000)
    await built.settled()
    t.equal((await built.me.get(at)).json().data.state, state)
    t.strictSame(system.asked.map(({ line }) => line), ['POST /orders/1001/cancel', `GET /requests/${call.id}`])
  }
})

t.test('where it cannot be found out whether something was done, a person is told, once', async (t) => {
  const system = await openSystem(t, (_request, reply) => reply.destroy())
  for (const [lookup, looks] of [[null, 0], ['/requests/{key}', 4]] as const) {
    system.asked.length = 0
    const built = await acting(t, system.host, {}, { behavior: { expertHandoff: true } })
    await built.me.put('/v1/me/duty', { on: true })
    const proposal = await proposed(built, await built.action({ ...CANCEL, lookup }), GIVEN)
    const { call } = proposal as { call: { id: string, digest: string } }
    const at = `/v1/conversations/${built.conversation}`
    await built.me.post(`${at}/calls/${call.id}/confirm`, { digest: call.digest })
    await built.settled()
    const reasons = new Set<string>()
    for (const ms of [5000, 60_000, 600_000, 3_600_000]) {
      built.clock.advance(ms)
      await built.settled()
      reasons.add((await built.me.get(at)).json().data.reason)
    }
    t.equal((await built.me.get(`${at}/calls/${call.id}`)).json().data.state, 'unknown')
    t.ok(reasons.has('action_unknown'))
    t.equal(system.asked.filter(({ line }) => line.startsWith('GET /requests/')).length, looks)
    t.equal(system.asked.filter(({ line }) => line.startsWith('POST')).length, 1)
  }
})

t.test('where there is no way to a person the log tells of it', async (t) => {
  const system = await openSystem(t, (_request, reply) => reply.destroy())
  const built = await acting(t, system.host)
  const proposal = await proposed(built, await built.action({ ...CANCEL, lookup: null }), GIVEN)
  const { call } = proposal as { call: { id: string, digest: string } }
  await built.me.post(`/v1/conversations/${built.conversation}/calls/${call.id}/confirm`, { digest: call.digest })
  await built.settled()
  built.clock.advance(5000)
  await built.settled()
  t.match(await built.calls(), [{ state: 'unknown' }])
})

t.test('those who watch are told that a call has come further', async (t) => {
  const { me, conversation, decide, settled, stores } = await asking(t)
  await decide('confirm')
  await settled()
  const { events } = (await stores.conversations.store.events(me.id, conversation, 0))!
  t.strictSame(events.map(({ type }) => type).filter((type) => type === 'call.updated').length, 4)
})

t.test('what was sent when the server was killed has failed where it only reads, and may have been done where it changes something', { skip: fileAlone }, async (t) => {
  const hanging: Array<() => void> = []
  const system = await openSystem(t, (_request, reply) => { hanging.push(() => reply.destroy()) })
  const folders = t.testdir({ killed: {}, copy: {} })
  const [killed, copy] = [path.join(folders, 'killed'), path.join(folders, 'copy')]
  const built = await acting(t, system.host, {}, {}, { directory: killed })
  const read = await built.action(TRACK)
  const proposal = await proposed(built, await built.action({ ...CANCEL, lookup: null }), GIVEN)
  const { call } = proposal as { call: { id: string, digest: string } }
  const at = `/v1/conversations/${built.conversation}/calls`
  // Neither is answered before the server has stopped.
  const waiting = [
    built.me.post(at, { action: read, arguments: { number: '1001' } }),
    built.me.post(`${at}/${call.id}/confirm`, { digest: call.digest }).then(() => built.settled())
  ]
  while (system.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  await built.stores.db.raw.backup(path.join(copy, path.basename(built.stores.db.file)))
  copyFileSync(path.join(killed, 'agenthall.key'), path.join(copy, 'agenthall.key'))
  const anew = await build(t, {}, { directory: copy })
  await anew.settled()
  const found = (await anew.withKey(built.me.key).get('/v1/calls')).json().data as Array<{ effect: string }>
  t.match(found.sort((a, b) => a.effect.localeCompare(b.effect)), [
    { effect: 'read', state: 'failed', error: 'The server stopped before the answer came.' },
    { effect: 'write', state: 'unknown', error: /it may have been done\. It is not sent again/ }
  ])
  t.equal(system.asked.length, 2, 'nothing is sent again')
  for (const hangUp of hanging) hangUp()
  await Promise.all(waiting)
})
