import t, { type Test } from 'tap'
import { alone } from '../../../src/platform/neighbours/alone.ts'
import type { Clock } from '../../../src/platform/clock.ts'
import { jobsIn } from '../../../src/platform/storage/sqlite/jobs.ts'
import { build, fixedClock } from '../../helper.ts'

const KINDS = { kinds: ['a'], lane: 'here', perOwner: 3 } as const
const REQUEST = { kind: 'a', subject: 1, owner: 1 }

/** Two processes on one queue, which use the clock of the database. */
async function two (t: Test, [first, second]: [Clock, Clock] = [fixedClock(), fixedClock()]) {
  const { stores: { db } } = await build(t)
  let now = 1_700_000_000_000_000
  const shared = { ...db, sharedMicros: () => now }
  const open = (clock: Clock) => jobsIn(shared, clock, { ...alone(clock), isAlone: false })
  return { db, one: open(first), other: open(second), later: (ms: number) => { now += ms * 1000 } }
}

t.test('what a process holds is nobody else\'s for 8 seconds after it was last heard of', async (t) => {
  const { db, one, other, later } = await two(t)
  await db.atomically(() => one.hold({ ...REQUEST, payload: { x: 1 } }))
  later(7000)
  t.equal(await other.queue.claim(KINDS), undefined)
  await one.queue.keepAlive([])
  later(7000)
  t.equal(await other.queue.claim(KINDS), undefined, 'it was heard of')
  later(1001)
  const job = (await other.queue.claim(KINDS))!
  t.match(job, { subject: 1, attempt: 2, payload: { x: 1 } })
  // Was paused, and resumes: it is another's by now.
  await one.queue.keepAlive([])
  later(59_000)
  t.equal(await one.queue.claim(KINDS), undefined, 'it neither prolonged the other one\'s lease')
  later(1001)
  t.match(await one.queue.claim(KINDS), { attempt: 3 }, 'nor shortened it')
})

t.test('whoever was overtaken can neither end a job nor put it back', async (t) => {
  const { db, one, other, later } = await two(t)
  await one.queue.ask([REQUEST])
  const first = (await one.queue.claim(KINDS))!
  later(60_001)
  const second = (await other.queue.claim(KINDS))!
  t.strictSame([first.attempt, second.attempt], [1, 2])
  await one.queue.finish(first)
  await one.queue.retry(first, { inMs: 0 })
  await one.queue.bury(first)
  t.equal(await db.atomically(() => one.isCurrent(first)), false)
  t.equal(await db.atomically(() => other.isCurrent(second)), true)
  t.equal(await one.queue.claim(KINDS), undefined, 'it is leased to the second alone')
  await other.queue.finish(second)
  t.match(await one.queue.counts(), { waiting: 0, running: 0, dead: 0 })
})

t.test('a process whose clock is ten minutes ahead takes nothing that another one does', async (t) => {
  const ahead = fixedClock(Date.UTC(2026, 0, 1, 0, 10))
  const { one, other, later } = await two(t, [fixedClock(), ahead])
  await one.queue.ask([REQUEST])
  t.ok(await one.queue.claim(KINDS))
  await other.queue.recover()
  t.equal(await other.queue.claim(KINDS), undefined, 'nor as it starts')
  later(60_001)
  t.match(await other.queue.claim(KINDS), { attempt: 2 })
})

t.test('what a process lets go, or releases as it stops, is another\'s at once', async (t) => {
  const { db, one, other } = await two(t)
  for (const subject of [1, 2]) await db.atomically(() => one.hold({ ...REQUEST, subject }))
  await one.letGo('a', 1)
  t.match(await other.queue.claim(KINDS), { subject: 1 })
  t.equal(await other.queue.claim(KINDS), undefined)
  await one.letGo('a', 7)
  await one.release()
  t.match(await other.queue.claim(KINDS), { subject: 2 })
  await one.release()
  await db.atomically(() => one.hold({ ...REQUEST, subject: 3 }))
  await db.atomically(() => one.drop('a', 3))
  t.equal((await one.queue.counts()).running, 2, 'what is dropped is gone')
})
