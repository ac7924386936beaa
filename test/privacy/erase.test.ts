import t from 'tap'
import { slowModel } from '../conversations/slow-model.ts'
import type { Outbox } from '../../src/platform/storage/sqlite/outbox.ts'
import { fileAlone } from '../postgres/database.ts'
import { keeping } from './helper.ts'

t.test('whoever is erased is gone with every conversation, and the receipt says how much that was', async (t) => {
  const { me, visitor, begin, attach, at, say, receipts, stores: { db }, settled } = await keeping(t, null)
  const [ada, bob] = [await visitor({ name: 'Ada', email: 'ada@example.com' }), await visitor({ name: 'Bob' })]
  const hers = [await begin(ada), await begin(ada)]
  await me.post(`${hers[0]}/messages`, { text: 'Hello' })
  await attach(hers[1]!, 'a.txt', 'x')
  const his = await begin(bob)
  await say('Hello')
  const answer = await me.delete(`/v1/visitors/${ada}`)
  t.equal(answer.statusCode, 200, answer.body)
  t.match(answer.json().data, {
    kind: 'erasure',
    visitor: ada,
    removed: { conversations: 2, messages: 2, attachments: 1, visitors: 1 },
    copies: [],
    backups_until: null,
    silent_since: null,
    data_retention_days: null
  })
  t.strictSame(await receipts(), [answer.json().data])
  for (const gone of [`/v1/visitors/${ada}`, ...hers]) t.equal((await me.get(gone)).statusCode, 404)
  for (const kept of [`/v1/visitors/${bob}`, his, at]) t.equal((await me.get(kept)).statusCode, 200)
  t.equal((await me.delete(`/v1/visitors/${ada}`)).statusCode, 404, 'once')
  await settled()
  t.equal(db.raw.prepare('select count(*) from doomed_secrets').pluck().get(), 0, 'no secret of hers is left')
})

t.test('an erasure lists the copies that other systems hold, and until when backups do', async (t) => {
  // Databases are backed up by their own tools.
  const backups: Record<string, string> = fileAlone ? {} : { AGENTHALL_BACKUP_EVERY: '24h', AGENTHALL_BACKUP_KEEP: '3' }
  const { me, id, visitor, begin, stores } = await keeping(t, null, {}, backups)
  const ada = await visitor()
  const conversation = (await begin(ada)).split('/').at(-1)!
  const { db } = stores
  const outbox = stores.outbox as Outbox
  const ticket = (
    await me.post(`/v1/conversations/${conversation}/tickets`, { requester: { email: 'ada@example.com' } })
  ).json().data
  t.match((await me.get(`/v1/visitors/${ada}/export`)).json().conversations, [
    { notes: [], tickets: [{ id: ticket.id, requester: { email: 'ada@example.com' } }] }
  ])
  // In one transaction, so that the worker never sees them waiting.
  const settle = db.objects('update outbox set state = ?, external_id = ?, settled_at = created_at where key = ?')
  await db.atomically(function * () {
    yield * outbox.add(
      { owner: 1, channel: 'zendesk', key: 'a', about: `conversations/${conversation}`, payload: {} },
      { owner: 1, channel: 'ticket', key: 'd', about: `tickets/${ticket.id}`, payload: {} },
      { owner: 1, channel: 'webhook', key: 'b', about: `visitors/${ada}`, payload: {} },
      { owner: 1, channel: 'mail', key: 'c', about: `conversations/${conversation}`, payload: {} }
    )
    for (const one of [
      ['sent', '4711', 'a'], ['sent', null, 'b'], ['sent', '99', 'd'], ['dead', null, 'c']
    ]) {
      yield * settle.run(...one)
    }
  })
  const number = db.raw.prepare('select number from conversations where id = ?').pluck().get(conversation) as number
  await stores.conversations.ledger.note(1, {
    agent: id,
    model: 'm',
    provider: 'openai',
    outcome: 'complete',
    input_tokens: 1,
    output_tokens: 1,
    cached_tokens: 0,
    cost: null,
    first_ms: 1,
    total_ms: 1
  })
  db.raw.prepare('update model_runs set conversation = ?').run(number)
  const { data } = (await me.delete(`/v1/visitors/${ada}`)).json()
  t.match(data.copies, [
    { kind: 'delivery', system: 'zendesk', reference: '4711' },
    { kind: 'delivery', system: 'ticket', reference: '99' },
    { kind: 'model', system: 'openai', reference: null },
    { kind: 'delivery', system: 'webhook', reference: null }
  ])
  t.equal(data.copies.length, 4, 'what was never sent is no copy')
  t.match(data.backups_until, fileAlone ? null : /^2026-01-04T/)
  t.equal(db.raw.prepare('select count(*) from outbox').pluck().get(), 0, 'nothing of it is sent any more')
})

t.test('an answer that is being written ends where its visitor is erased', async (t) => {
  const model = await slowModel(t)
  const { me, visitor, begin } = await keeping(t, null, {}, { AGENTHALL_MODEL_URL: model.url })
  const ada = await visitor()
  const conversation = await begin(ada)
  const asked = me.post(`${conversation}/messages`, { text: 'How many days do I have for returns?' })
  const question = await model.next()
  t.equal((await me.delete(`/v1/visitors/${ada}`)).statusCode, 200)
  await question.gone
  t.equal((await asked).statusCode, 404)
  // What was used is written down beside the erasure, in a transaction of its own.
  let runs = 0
  while (runs === 0) runs = (await me.get('/v1/usage')).json().data.total.runs
  t.equal(runs, 1, 'which was not free')
})

t.test('what is damaged can be erased too', async (t) => {
  const { me, visitor, begin, stores: { db } } = await keeping(t, null)
  const ada = await visitor()
  const conversation = await begin(ada)
  db.raw.prepare('update conversations set sealed = ? where id = ?').run(Buffer.of(0), conversation.split('/').at(-1))
  db.raw.prepare('update visitors set sealed = ? where id = ?').run(Buffer.of(0), ada)
  t.equal((await me.get(conversation)).statusCode, 500)
  t.equal((await me.delete(`/v1/visitors/${ada}`)).statusCode, 200)
  t.equal((await me.get(conversation)).statusCode, 404)
})

t.test('hundreds of conversations of one visitor go in slices, and a repeat after a crash goes on', async (t) => {
  // Concurrent work may meet the end too.
  const { me, visitor, begin, receipts, stores } = await keeping(t, null, { faults: [] })
  const ada = await visitor()
  for (let i = 0; i < 120; i++) await begin(ada)
  const { atomically, raw } = stores.db
  const hers = raw.prepare('select count(*) from conversations where visitor = ?').pluck()
  stores.db.atomically = ((work: () => unknown, options: object) => {
    if (options && hers.get(ada) as number < 120) return Promise.reject(new Error('killed'))
    return atomically(work as () => never, options)
  }) as never
  t.equal((await me.delete(`/v1/visitors/${ada}`)).statusCode, 500)
  stores.db.atomically = atomically
  t.match(await receipts(), [{ visitor: ada, finished_at: null }])
  t.match((await me.delete(`/v1/visitors/${ada}`)).json().data, { removed: { conversations: 120, visitors: 1 } })
  t.equal((await receipts()).length, 1)
})

t.test('tickets of no conversation are exported and erased with the visitor who has their address', async (t) => {
  // Was wrong: they stayed, with name, address and messages.
  const { me, id, visitor, stores: { db, outbox } } = await keeping(t, null)
  const ada = await visitor({ name: 'Ada', email: 'Ada@example.com' })
  const open = async (subject: string, email: string | null, agent = id) => {
    const made = await me.post('/v1/tickets', { agent, subject, requester: { email } }, { 'idempotency-key': subject })
    t.equal(made.statusCode, 201, made.body)
    return made.json().data.id as string
  }
  const hers: string[] = []
  for (let i = 0; i < 101; i++) hers.push(await open(`hers ${i}`, 'ada@example.com'))
  const other = (await me.post('/v1/agents', { name: 'Bob', systemPrompt: 'You help.' })).json().data.id
  const kept = [
    await open('his', 'bob@example.com'), await open('nobody', null), await open('there', 'ada@example.com', other)
  ]
  const damaged = await open('damaged', 'ada@example.com')
  db.raw.prepare('update tickets set sealed = ? where id = ?').run(Buffer.of(0), damaged)
  t.equal((await me.get(`/v1/tickets/${hers[0]}`)).json().data.conversation, null)
  t.strictSame((await me.get(`/v1/visitors/${ada}/export`)).json().tickets.map((one: { id: string }) => one.id), hers)
  const entry = { owner: 1, channel: 'ticket', key: 'x', about: `tickets/${hers[0]}`, payload: {} }
  await db.atomically(function * () {
    yield * (outbox as Outbox).add(entry)
    yield * db.objects("update outbox set state = 'sent', settled_at = created_at where key = 'x'").run()
  })
  const { data } = (await me.delete(`/v1/visitors/${ada}`)).json()
  t.match(data, { removed: { tickets: 101, visitors: 1 }, copies: [{ kind: 'delivery', system: 'ticket' }] })
  t.strictSame(db.raw.prepare('select id from tickets order by number').pluck().all(), [...kept, damaged])
  t.equal(
    db.raw.prepare('select count(*) from idempotency_records').pluck().get(), 4, 'what would answer a repeat is gone'
  )
})
