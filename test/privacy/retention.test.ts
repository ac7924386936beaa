import t from 'tap'
import { NOTHING } from '../../src/privacy/retention.ts'
import { columnsOf } from '../postgres/looking.ts'
import { keeping } from './helper.ts'

t.test('conversations that were silent longer than the agent keeps them go, with everything in them; the others stay', async (t) => {
  const { me, id, say, at, visitor, begin, attach, receipts, live, stores: { db } } = await keeping(t)
  const ada = await visitor()
  const silent = await begin(ada)
  t.equal((await attach(silent, 'bill.txt', 'a bill')).statusCode, 201)
  await me.post(`${silent}/messages`, { text: 'How many days do I have for returns?' }, { 'idempotency-key': 'once' })
  await live(20)
  await say('How many days do I have for returns?')
  const bob = await visitor({ name: 'Bob' })
  await live(10)
  t.match(
    (await me.get(`/v1/agents/${id}/retention`)).json().data,
    {
      agent: id,
      data_retention_days: 30,
      silent_since: /^2026-01-01T/,
      removed: NOTHING,
      backups_until: null,
      message: 'This removes nothing today.'
    },
    'it was removed a moment ago'
  )
  t.match(await receipts(), [
    {
      kind: 'retention',
      agent: id,
      visitor: null,
      data_retention_days: 30,
      removed: { conversations: 1, messages: 3, attachments: 1, visitors: 1 },
      copies: [],
      backups_until: null
    }
  ])
  t.equal((await receipts()).length, 1, 'days on which nothing was to be removed leave none')
  t.ok((await receipts())[0].finished_at)
  t.equal((await me.get(silent)).statusCode, 404)
  t.equal((await me.get(at)).statusCode, 200)
  t.equal((await me.get(`/v1/visitors/${ada}`)).statusCode, 404)
  t.equal((await me.get(`/v1/visitors/${bob}`)).statusCode, 200, 'whoever was seen since stays')
  t.equal((await me.get(`/v1/agents/${id}`)).json().data.conversations, 1)
  const left = (table: string) => db.raw.prepare(`select count(*) from ${table}`).pluck().get()
  t.strictSame(
    ['conversations', 'messages', 'attachments', 'idempotency_records', 'doomed_secrets'].map(left), [1, 3, 0, 0, 0]
  )
  t.equal(
    db.raw
      .prepare('select count(*) from conversation_events where conversation not in (select number from conversations)')
      .pluck()
      .get(),
    0
  )
})

t.test('tickets of no conversation go when nothing was done about them for as long', async (t) => {
  // Was wrong: they were never removed.
  const { me, id, receipts, live } = await keeping(t)
  const open = async (subject: string) => (
    await me.post('/v1/tickets', { agent: id, subject })
  ).json().data.id as string
  const [old, worked] = [await open('old'), await open('worked on')]
  await live(20)
  await me.patch(`/v1/tickets/${worked}`, { status: 'closed' })
  await live(10)
  t.match(
    (await me.get(`/v1/agents/${id}/retention?days=5`)).json().data, { removed: { tickets: 1 }, message: /1 ticket/ }
  )
  t.equal((await me.get(`/v1/tickets/${old}`)).statusCode, 404)
  t.equal((await me.get(`/v1/tickets/${worked}`)).statusCode, 200)
  t.match((await receipts()).at(-1), { kind: 'retention', removed: { tickets: 1 } })
})

t.test('a visitor of whom a conversation is still kept stays, however long ago they were seen', async (t) => {
  const { me, visitor, begin, live } = await keeping(t)
  const ada = await visitor()
  const conversation = await begin(ada)
  await live(20)
  await me.post(`${conversation}/messages`, { text: 'Hello' })
  await live(20)
  t.equal((await me.get(`/v1/visitors/${ada}`)).statusCode, 200)
  await live(11)
  t.equal((await me.get(`/v1/visitors/${ada}`)).statusCode, 404)
})

t.test(
  'an agent without the setting keeps everything, and a preview tells what a number of days would do',
  async (t) => {
    const { me, id, say, live, receipts } = await keeping(t, null)
    await say('Hello')
    await live(3)
    t.match((await me.get(`/v1/agents/${id}/retention`)).json().data, {
      data_retention_days: null, silent_since: null, removed: NOTHING, message: /Nothing is removed/
    })
    t.match((await me.get(`/v1/agents/${id}/retention?days=2`)).json().data, {
      data_retention_days: 2,
      removed: { conversations: 1, messages: 3, attachments: 0, visitors: 0 },
      message: 'This will remove 1 conversation with 3 messages, and 0 visitors.'
    })
    t.equal((await me.get(`/v1/agents/${id}/retention?days=0`)).statusCode, 400)
    t.equal((await me.get('/v1/agents/999/retention')).statusCode, 404)
    t.strictSame(await receipts(), [])
  }
)

// Was wrong: all was counted at a stretch, 274 ms with 100,000 conversations.
t.test('a preview counts in slices, and all of it, in the turns of the event loop that others take too', async (t) => {
  const { id, me, visitor, begin, stores: { db, privacy } } = await keeping(t, null)
  await begin(await visitor())
  const sql = columnsOf(db.raw, 'conversations', ['number', 'id', 'alias']).join()
  db.raw.exec(`insert into conversations (id, ${sql}) with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
    select 'conv_' || i, ${sql} from n, (select * from conversations limit 1) as one`)
  db.raw.exec("update conversations set created_at = '2025-01-01T00:00:00.000000Z', last_message_at = null where number % 2 = 0")
  const half = db.raw.prepare('select count(*) from conversations where number % 2 = 0').pluck().get()
  let turns = 0
  let timer = setImmediate(function turn () {
    turns++
    timer = setImmediate(turn)
  })
  t.match(await privacy.store.preview(me.id, id, 30), { removed: { conversations: half, visitors: 0 } })
  clearImmediate(timer)
  t.ok(turns >= 3, `${turns} turns`)
})

t.test('many go in slices, killed in between nothing is counted twice, and one receipt tells of all', async (t) => {
  const { me, visitor, begin, receipts, live, stores, clock } = await keeping(t)
  for (let i = 0; i < 130; i++) {
    const conversation = await begin(await visitor({ name: `V${i}` }))
    if (i % 10 === 0) await me.post(`${conversation}/messages`, { text: 'Hello' })
  }
  await live(0)
  clock.advance(31 * 24 * 60 * 60_000)
  // The first slice alone, as if the process had been killed after it.
  const stop = new AbortController()
  const aborting = stores.db.atomically
  let slices = 0
  stores.db.atomically = ((work: () => unknown, options: object) => aborting(() => {
    if (options && ++slices === 2) stop.abort()
    return work() as never
  }, options)) as never
  await stores.privacy.store.retain(stop.signal)
  stores.db.atomically = aborting
  const [half] = await receipts()
  t.ok(half.removed.conversations > 0 && half.removed.conversations <= 131, `${half.removed.conversations} went`)
  t.equal(half.finished_at, null)
  await live(1)
  const all = await receipts()
  t.match(all, [{ id: half.id, removed: { conversations: 131, visitors: 130 }, finished_at: /Z$/ }])
  // Thirteen were answered; those that were still there a day later were told that they are closed.
  t.ok(all[0].removed.messages >= 26 && all[0].removed.messages <= 39, all[0].removed.messages)
  t.equal(all.length, 1)
})

t.test(
  'what is decided while it goes on counts: nothing more goes of an agent that is to keep everything',
  async (t) => {
    const { me, id, begin, live, stores, clock } = await keeping(t)
    for (let i = 0; i < 3; i++) await begin()
    await live(0)
    clock.advance(31 * 24 * 60 * 60_000)
    const retaining = stores.privacy.store.retain(new AbortController().signal)
    const [answer] = await Promise.all([
      me.put(`/v1/agents/${id}`, { gdpr_settings: { data_retention_days: null } }), retaining
    ])
    t.equal(answer.statusCode, 200)
    await stores.privacy.store.retain(new AbortController().signal)
    t.match((await me.get(`/v1/agents/${id}/retention`)).json().data.removed, NOTHING)
  }
)

t.test('receipts are listed part by part, newest first, each account its own', async (t) => {
  const { me, user, visitor, receipts } = await keeping(t)
  const ids: string[] = []
  for (let i = 0; i < 3; i++) {
    ids.push(await visitor())
    await me.delete(`/v1/visitors/${ids[i]}`)
  }
  t.strictSame((await receipts()).map(({ visitor }: { visitor: string }) => visitor), ids.toReversed())
  const first = (await me.get('/v1/privacy/receipts?limit=2')).json()
  const second = (await me.get(`/v1/privacy/receipts?limit=2&cursor=${first.next_cursor}`)).json()
  t.strictSame([...first.data, ...second.data].map(({ visitor }) => visitor), ids.toReversed())
  t.equal(second.next_cursor, null)
  t.strictSame((await (await user()).get('/v1/privacy/receipts')).json().data, [])
})
