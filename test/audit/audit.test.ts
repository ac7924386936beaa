import t from 'tap'
import type { AuditRecord } from '../../schema/audit.ts'
import { BEGINNING, faultOf, hashOf } from '../../src/audit/chain.ts'
import { audited, inAuditContext, type AuditContext } from '../../src/platform/storage/audit.ts'
import { finish, type Database } from '../../src/platform/storage/sqlite/database.ts'
import { build, draft } from '../helper.ts'
import { form } from '../sources/parts.ts'
import type { Work } from '../../src/platform/storage/work.ts'

const actionsOf = (events: Array<{ action: string }>) => events.map(({ action }) => action)

t.test('each change is told of in the audit log: who, what, to what, and which fields', async (t) => {
  const { user, settled } = await build(t)
  const me = await user()
  const { data: agent } = (await me.post('/v1/agents', draft)).json()
  await me.put(`/v1/agents/${agent.id}`, { description: 'Secret plans', model: { temperature: 0.2 } })
  await me.post(`/v1/agents/${agent.id}/knowledge_sources`, { title: 'Returns', plain_text: 'Within 30 days.' })
  await settled()
  await me.delete(`/v1/agents/${agent.id}`)
  const { data, next_cursor: next } = (await me.get('/v1/audit')).json()
  t.match(data, [
    { action: 'deleteAgent', target: `agents/${agent.id}`, by: 'key', key: 1, user: { id: 1, name: 'Somebody' } },
    { action: 'addKnowledgeSources', target: `agents/${agent.id}/knowledge_sources` },
    { action: 'updateAgent', target: `agents/${agent.id}`, fields: ['description', 'model'] },
    { action: 'createAgent', target: `agents/${agent.id}`, fields: ['name', 'systemPrompt'] }
  ])
  t.equal(data.length, 4)
  t.equal(next, null)
  t.notMatch(JSON.stringify(data), /Secret plans/)
  const parts: Array<{ action: string }> = []
  for (let cursor = ''; ;) {
    const part = (await me.get(`/v1/audit?limit=1&target=agents/${agent.id}${cursor}`)).json()
    parts.push(...part.data)
    if (part.next_cursor === null) break
    cursor = `&cursor=${part.next_cursor}`
  }
  t.same(actionsOf(parts), ['deleteAgent', 'updateAgent', 'createAgent'])
  t.same((await me.get('/v1/audit?user=2')).json().data, [])
  const other = await user()
  t.same((await other.get('/v1/audit')).json().data, [], 'of one account')
})

t.test('what was refused, or is a repeat, is told of by nothing', async (t) => {
  const { user } = await build(t)
  const me = await user()
  const once = { 'idempotency-key': 'once' }
  await me.post('/v1/agents', draft, once)
  t.equal((await me.post('/v1/agents', draft, once)).headers['idempotency-replayed'], 'true')
  await me.post('/v1/agents', { name: '' })
  await me.put('/v1/agents/7', { name: 'Bea' })
  await me.put('/v1/agents/1', { name: 'Bea' }, { 'if-match': '"another"' })
  await me.delete('/v1/api_keys/7')
  t.same(actionsOf((await me.get('/v1/audit')).json().data), ['createAgent'])
})

t.test('an event is kept with its change or not at all', async (t) => {
  // Planted fault: the event is added in a separate transaction.
  const { user, stores } = await build(t)
  const me = await user()
  // Whatever is added beside what is there fails, in SQLite as in PostgreSQL.
  t.equal((await me.post('/v1/agents', draft)).statusCode, 201)
  stores.db.raw.exec('create unique index broken on audit_events ((1))')
  t.equal((await me.post('/v1/agents', { ...draft, name: 'Bea' })).statusCode, 500)
  t.match((await me.get('/v1/agents')).json().data, [{ name: draft.name }])
  t.equal((await me.post('/v1/webhooks', { url: 'https://example.com/', events: ['message.completed'] })).statusCode, 500)
  t.same((await me.get('/v1/webhooks')).json().data, [])
  stores.db.raw.exec('drop index broken')
  t.equal((await me.post('/v1/agents', { ...draft, name: 'Bea' })).statusCode, 201)
})

t.test('work that is done again, as its group found no room, has its event again, and only its own', async (t) => {
  // Was wrong: the event was rolled back with its group, and the change that followed had none.
  const context: AuditContext = {
    owner: 1, user: 1, by: 'session', key: null, action: 'updateAgent', target: 'agents/1', madeId: undefined, fields: [], state: 'pending'
  }
  const events: unknown[] = []
  const twice = {
    atomically: async (work: () => Work<unknown>) => [finish(work()), finish(work())].at(-1)
  } as unknown as Database
  const db = audited(twice, { * add (_context, made) { events.push(made) } })
  await inAuditContext(context, async () => await db.atomically(function * () { return 'changed' }))
  t.same(events, ['changed', 'changed'], 'once in each try')
  await inAuditContext(context, async () => await db.atomically(function * () { return 'more' }))
  t.equal(events.length, 2, 'one request has one event')
})

t.test('the event of a change that could not be committed is added with the next one', async (t) => {
  // Was wrong: it was taken for recorded, and what was done at the second try was told of by nothing.
  const { user, stores: { db, audit } } = await build(t)
  const me = await user()
  const context: AuditContext = {
    owner: me.id, user: me.id, by: 'session', key: null, action: 'updateAgent', target: 'agents/1', madeId: undefined, fields: [], state: 'pending'
  }
  const failing = {
    ...db,
    atomically: (work: () => Work<unknown>) => db.atomically(function * () {
      yield * work()
      throw new Error('The connection was cut')
    })
  } as Database
  const change = async (on: Database) => await inAuditContext(context, async () =>
    await audited(on, audit).atomically(function * () { return 'changed' }))
  await t.rejects(change(failing))
  t.same(actionsOf((await me.get('/v1/audit')).json().data), [])
  await change(db)
  t.same(actionsOf((await me.get('/v1/audit')).json().data), ['updateAgent'])
})

t.test('a file is told of once it is kept, not while it comes in', async (t) => {
  // Was wrong: the first transaction of an upload stages its bytes, and was taken for the change.
  const { user, stores } = await build(t)
  const me = await user()
  const { id } = (await me.post('/v1/agents', draft)).json().data
  const upload = async (file: string) => await me.post(
    `/v1/agents/${id}/knowledge_sources`, ...form({ name: 'file', file, body: `We open at nine, says ${file}.` })
  )
  t.equal((await upload('a.txt')).statusCode, 201)
  // A second source fails, in SQLite as in PostgreSQL.
  stores.db.raw.exec('create unique index broken on knowledge_sources ((1))')
  t.equal((await upload('b.txt')).statusCode, 500)
  t.same(actionsOf((await me.get('/v1/audit')).json().data), ['addKnowledgeSources', 'createAgent'])
  stores.db.raw.exec('drop index broken')
  t.equal((await upload('b.txt')).statusCode, 201)
  t.same(
    actionsOf((await me.get('/v1/audit')).json().data), ['addKnowledgeSources', 'addKnowledgeSources', 'createAgent']
  )
})

t.test('who reads a visitor or exports one is told of, once an hour', async (t) => {
  const { user, clock } = await build(t)
  const me = await user()
  const { id: agent } = (await me.post('/v1/agents', draft)).json().data
  const { id } = (await me.post('/v1/visitors', { agent, name: 'Eve' })).json().data
  for (let n = 0; n < 3; n++) await me.get(`/v1/visitors/${id}`)
  await me.get(`/v1/visitors/vis_${'x'.repeat(22)}`)
  await me.get(`/v1/visitors/${id}/export`)
  clock.advance(3_600_000)
  await me.get(`/v1/visitors/${id}`)
  t.match((await me.get(`/v1/audit?target=visitors/${id}`)).json().data, [
    { action: 'getVisitor' }, { action: 'getVisitor' }, { action: 'createVisitor' }
  ])
  t.match((await me.get(`/v1/audit?target=visitors/${id}/export`)).json().data, [{ action: 'exportVisitor' }])
})

t.test('a log that was tampered with is found out', async (t) => {
  const { user, stores } = await build(t)
  const me = await user()
  const verified = async () => await stores.audit.verify(me.id)
  t.same(await verified(), { events: 0, first: null, head: null, fault: null })
  for (const name of ['Ada', 'Bea', 'Cia', 'Dot']) await me.post('/v1/agents', { ...draft, name })
  const { data } = (await me.get('/v1/audit')).json()
  t.same(await verified(), { events: 4, first: 1, head: data[0].hash, fault: null })
  t.equal(data.at(-1).previous, BEGINNING)

  const tampering: Array<[string, { event: number, kind: 'changed' | 'missing' }]> = [
    ['update audit_events set user_id = 7 where id = 2', { event: 2, kind: 'changed' }],
    ["update audit_events set fields = '[]' where id = 3", { event: 3, kind: 'changed' }],
    // Was wrong: what is no list of names ended the verification, and the list was answered with 500.
    ["update audit_events set fields = 'x' where id = 3", { event: 3, kind: 'changed' }],
    ["update audit_events set fields = '{}' where id = 3", { event: 3, kind: 'changed' }],
    ["update audit_events set at = 'never' where id = 3", { event: 3, kind: 'changed' }],
    ['delete from audit_events where id = 2', { event: 3, kind: 'missing' }]
  ]
  for (const [sql, fault] of tampering) {
    stores.db.raw.exec(`create temp table kept as select * from audit_events; ${sql}`)
    t.match((await verified()).fault, fault, sql)
    t.equal((await me.get('/v1/audit')).statusCode, 200, sql)
    stores.db.raw.exec('delete from audit_events; insert into audit_events select * from kept; drop table kept')
  }
  t.equal((await verified()).fault, null)
})

// Was wrong: the log was verified on the command line alone, and its page said nothing of what was done to it.
t.test('whether a log is as it was written is told, and a log is read at most once an hour for it', async (t) => {
  const { user, stores, clock } = await build(t)
  const [me, other] = [await user(), await user()]
  for (const name of ['Ada', 'Bea', 'Cia']) await me.post('/v1/agents', { ...draft, name })
  let readings = 0
  const { verify } = stores.audit
  stores.audit.verify = async (owner) => {
    readings++
    return await verify(owner)
  }
  const told = async (who = me) => (await who.get('/v1/audit/verification')).json().data
  const [one, same] = await Promise.all([told(), told()])
  t.match(one, { events: 3, first: 1, head: /^[0-9a-f]{64}$/, fault: null, verified_at: /^2026-/ })
  t.strictSame(same, one)
  t.equal(readings, 1, 'for both who look at once')
  t.match(await told(other), { events: 0, first: null, head: null, fault: null }, 'of one account')
  stores.db.raw.exec("update audit_events set target = 'agents/7' where id = 2")
  t.strictSame(await told(), one)
  clock.advance(3_600_000)
  t.match(await told(), { events: 3, fault: { event: 2, at: /^2026-/, kind: 'changed' } })
  t.equal(readings, 3)
  stores.db.raw.exec("update audit_events set target = 'agents/2' where id = 2")
  clock.advance(60_000)
  t.match(await told(), { fault: null }, 'what was mended is so a minute later')
  stores.audit.verify = async () => { throw new Error('broken') }
  clock.advance(3_600_000)
  t.equal((await me.get('/v1/audit/verification')).statusCode, 500)
  stores.audit.verify = verify
  t.match(await told(), { fault: null }, 'what failed is tried again')
})

t.test('an event is as its hash says, and follows the one before', async (t) => {
  const event: Omit<AuditRecord, 'hash'> = {
    id: 2,
    owner: 1,
    at: '2026-01-01T00:00:00.000000Z',
    user: 1,
    by: 'session',
    key: null,
    action: 'updateAgent',
    target: 'agents/1',
    fields: ['name'],
    previous: BEGINNING
  }
  const whole = { ...event, hash: hashOf(event) }
  t.equal(faultOf(whole, undefined), undefined, 'the first that is kept')
  t.equal(faultOf(whole, BEGINNING), undefined)
  t.equal(faultOf(whole, 'f'.repeat(64)), 'missing')
  const changes: Array<Partial<AuditRecord>> = [
    { owner: 2 }, { at: '2026-01-01T00:00:00.000001Z' }, { user: null }, { by: 'key' }, { key: 1 },
    { action: 'deleteAgent' }, { target: 'agents/2' }, { fields: [] }, { previous: 'f'.repeat(64) }
  ]
  for (const change of changes) t.equal(faultOf({ ...whole, ...change }, undefined), 'changed', JSON.stringify(change))
})

t.test('events are forgotten after the days that the operator says, and the rest still holds', async (t) => {
  // Was wrong: an account's events were kept for as long as nobody changed anything.
  const { user, clock, stores, settled } = await build(t, { AGENTHALL_AUDIT_DAYS: '30' })
  const me = await user()
  for (const name of ['Ada', 'Bea']) await me.post('/v1/agents', { ...draft, name })
  clock.advance(20 * 86_400_000)
  await me.post('/v1/agents', { ...draft, name: 'Cia' })
  await settled()
  t.match(await stores.audit.verify(me.id), { events: 3, first: 1, fault: null })
  clock.advance(11 * 86_400_000)
  await settled()
  t.match(await stores.audit.verify(me.id), { events: 1, first: 3, fault: null })
  await me.post('/v1/agents', { ...draft, name: 'Dot' })
  t.match(await stores.audit.verify(me.id), { events: 2, first: 3, fault: null })
})
