import t, { type Test } from 'tap'
import type { OutboxRecord } from '../../../schema/sqlite/storage.ts'
import { alone } from '../../../src/platform/neighbours/alone.ts'
import { jobsIn } from '../../../src/platform/storage/sqlite/jobs.ts'
import { outboxIn } from '../../../src/platform/storage/sqlite/outbox.ts'
import { Refusal } from '../../../src/platform/errors.ts'
import {
  DELIVER, deliverer, settled, type Dispatch, type OutboxFilter, type Sender
} from '../../../src/platform/work/outbox.ts'
import { openWorker } from '../../../src/platform/work/worker.ts'
import { build } from '../../helper.ts'
import { settled as given } from '../../../src/platform/storage/work.ts'

const HOUR = 3_600_000

async function post (t: Test, mail: Sender) {
  const { stores: { db }, clock, user } = await build(t)
  const as = await user()
  const jobs = jobsIn(db, clock, alone(clock))
  const outbox = outboxIn(db, clock, jobs)
  const faults: unknown[] = []

  /** A worker as it is after a start. */
  function start () {
    const worker = openWorker({ queue: jobs.queue, clock })
    worker.handle(DELIVER, deliverer(outbox, (channel) => channel === 'mail' ? mail : undefined))
    worker.start((error) => faults.push(error))
    t.teardown(() => worker.stop())
    return worker
  }
  const add = (key: string, more: Partial<Dispatch> = {}) =>
    db.atomically(() =>
      outbox.add({ owner: as.id, channel: 'mail', key, about: 'tickets/1', payload: { to: 'a@b.example' }, ...more })
    )
  const jobsLeft = () => db.raw.prepare('select count(*) from jobs').pluck().get()
  const list = async (state: NonNullable<OutboxFilter['state']>, owner = as.id) =>
    (await outbox.list(owner, { state }, undefined, 100)).items.map(({ entry }) => entry)
  const replay = async (id: number, owner = as.id) => (await outbox.replay(owner, id, () => false))?.answer.entry
  return { db, clock, outbox, as, faults, start, add, jobsLeft, list, replay }
}

const busy = () => { throw new Refusal('unavailable', 'The mail server is busy.') }

t.test('what leaves is written with its cause, and sent once however often it is asked for', async (t) => {
  const sent: OutboxRecord[] = []
  const { as, start, add, jobsLeft, db, outbox, list } = await post(t, {
    send: async (entry) => ({ externalId: `x${sent.push(entry)}` })
  })
  await add('one')
  await add('one', { payload: { to: 'again' } })
  await db.atomically(function * () {
    yield * outbox.add({ owner: as.id, channel: 'mail', key: 'never', about: 'tickets/2', payload: {} })
    throw new Error('the cause failed')
  }).catch(() => undefined)
  await start().idle()
  t.match(sent, [{ key: 'one', payload: { to: 'a@b.example' }, attempts: 1 }])
  t.equal(sent.length, 1)
  t.match(await list('sent'), [{ key: 'one', external_id: 'x1', error: null, settled_at: Number }])
  t.same(await list('sent', as.id + 1), [], 'nobody else sees it')
  t.equal(jobsLeft(), 0)
})

t.test('what cannot be sent is tried after 1, 5 and 30 minutes, 2 and 8 hours, is dead then, and can be sent anew by hand', async (t) => {
  let isUp = false
  const { as, clock, start, add, faults, list, replay } = await post(t, {
    send: async () => (isUp ? { externalId: null } : busy())
  })
  await add('one')
  const worker = start()
  await worker.idle()
  const [waiting] = await list('waiting')
  await t.rejects(replay(waiting!.id), { code: 'in_progress' })
  for (const minutes of [1, 5, 30, 120, 480]) {
    const attempts = async () => (await list('waiting'))[0]?.attempts
    const before = await attempts()
    clock.advance(minutes * 60_000 - 1000)
    await worker.idle()
    t.equal(await attempts(), before, `not before ${minutes} minutes`)
    clock.advance(2000)
    await worker.idle()
  }
  const [dead] = await list('dead')
  t.match(dead, { attempts: 6, error: { code: 'unavailable', message: 'The mail server is busy.' } })
  isUp = true
  clock.advance(100 * HOUR)
  await worker.idle()
  t.equal((await list('dead')).length, 1, 'not by itself')
  t.equal(await replay(dead!.id, as.id + 1), undefined)
  t.match(await replay(dead!.id), { state: 'waiting', attempts: 0, error: null })
  await worker.idle()
  const [sent] = await list('sent')
  t.match(sent, { id: dead!.id })
  await t.rejects(replay(sent!.id), { code: 'already_sent' })
  t.same(faults, [])
})

t.test('an attempt whose end nobody knows is looked up before it is repeated', async (t) => {
  // Was wrong with is_open left unchanged by `begin`.
  const theirs: string[] = []
  const asked: string[] = []
  const { start, add, list } = await post(t, {
    async send ({ key }, signal) {
      theirs.push(key)
      // Killed between sending and recording it.
      if (theirs.length === 1) {
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }
      return { externalId: key }
    },
    async find ({ key }) {
      asked.push(key)
      return theirs.includes(key) ? { externalId: `found ${key}` } : undefined
    }
  })
  await add('one')
  const killed = start()
  while (theirs.length === 0) await new Promise(setImmediate)
  await killed.stop()
  await add('two')
  await start().idle()
  t.same([theirs, asked], [['one', 'two'], ['one']])
  t.same((await list('sent')).map(({ external_id: id }) => id), ['two', 'found one'])
})

t.test('an attempt that failed may have arrived: it is looked up before the next one, and before one that is asked for by hand', async (t) => {
  // Was wrong: only what a kill had interrupted was looked up.
  const asked: string[] = []
  let arrived = false
  const { start, add, list, replay, clock } = await post(t, {
    send: async () => busy(),
    async find ({ key }) {
      asked.push(key)
      return arrived ? { externalId: 'theirs' } : undefined
    }
  })
  await add('one')
  const worker = start()
  for (let i = 0; i < 6; i++) {
    await worker.idle()
    clock.advance(9 * HOUR)
  }
  const [dead] = await list('dead')
  t.match(dead, { attempts: 6 })
  t.equal(asked.length, 5, 'not before the first')
  arrived = true
  await replay(dead!.id)
  await worker.idle()
  t.match(await list('sent'), [{ external_id: 'theirs' }])
})

t.test('what is refused for good, has no sender, or meets a fault of ours', async (t) => {
  const { start, add, faults, clock, list } = await post(t, {
    async send ({ key }) {
      if (key === 'no such address') {
        throw Object.assign(new Error('No such address.'), { code: 'bounced', retryable: false })
      }
      throw new Error('unforeseen')
    }
  })
  await add('no such address')
  await add('by pigeon', { channel: 'pigeon' })
  await add('broken')
  const worker = start()
  await worker.idle()
  t.match(await list('dead'), [{ key: 'no such address', attempts: 1, error: { code: 'bounced' } }])
  t.match(await list('waiting'), [
    { key: 'broken', error: null }, { key: 'by pigeon', error: { code: 'not_configured' } }
  ])
  t.match(faults, [{ message: 'unforeseen' }])
  for (let i = 0; i < 22; i++) {
    clock.advance(HOUR)
    await worker.idle()
  }
  t.match(await list('dead'), [
    { key: 'broken', error: { code: 'internal_error' } }, { key: 'by pigeon' }, { key: 'no such address' }
  ])
})

t.test('what belongs to a thing goes with it, and so does its job', async (t) => {
  const { outbox, add, db, jobsLeft, start, list } = await post(t, { send: async () => ({ externalId: null }) })
  await add('one')
  await add('two', { about: 'tickets/2' })
  await db.atomically(() => outbox.drop('tickets/1'))
  t.equal(jobsLeft(), 1)
  await start().idle()
  t.match(await list('sent'), [{ key: 'two' }])
  t.equal(await outbox.settle(99, { kind: 'sent', externalId: null }), undefined)
  t.equal(await outbox.begin(99, () => given(0)), undefined)
})

t.test('what becomes of an entry is decided by how its attempt ended alone', async (t) => {
  const entry = { attempts: 1 } as OutboxRecord
  const error = { code: 'x', message: 'y' }
  t.same(settled(entry, { kind: 'failed', error, isFinal: false }, 7), { next: { error }, againInMs: 60_000 })
  t.match(settled({ ...entry, attempts: 6 }, { kind: 'failed', error, isFinal: false }, 7), {
    next: { state: 'dead', settled_at: 7 }
  })
})
