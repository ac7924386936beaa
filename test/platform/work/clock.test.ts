import t from 'tap'
import { alone } from '../../../src/platform/neighbours/alone.ts'
import { jobsIn } from '../../../src/platform/storage/sqlite/jobs.ts'
import { knownMigrations } from '../../../src/platform/storage/sqlite/migrate.ts'
import { openWorker } from '../../../src/platform/work/worker.ts'
import { workTime } from '../../../src/platform/clock.ts'
import { build, fixedClock } from '../../helper.ts'
import { queue } from './queue.ts'

/**
 * A clock whose wall time somebody may set; like the machine's it never goes back within a process, but stands still.
 */
function settableClock (start?: number) {
  const clock = fixedClock(start)
  let set = 0
  let last = 0
  return {
    ...clock,
    micros () {
      last = Math.max(last + 1, clock.micros() + set * 1000)
      return last
    },
    set (byMs: number) { set += byMs }
  }
}

const DAY = 86_400_000

t.test('a job waits no longer than it was to: the clock is set back a day; what is tried again and what is new goes on as before', async (t) => {
  // Was wrong: nothing was retried for a day. Again with due times by the wall clock alone.
  const clock = settableClock()
  const { run, work, ask } = await queue(t, clock)
  await ask(1)
  const worker = await work(({ attempt }) => attempt < 3 ? { againInMs: 5000 } : { done: true })
  clock.set(-DAY)
  clock.advance(5001)
  await worker.idle()
  await ask(2)
  await worker.idle()
  clock.advance(5001)
  await worker.idle()
  t.same(run, [[1, 1], [1, 2], [2, 1], [1, 3], [2, 2]])
})

t.test(
  'a job waits no longer than it was to: the clock is 900 days ahead, and right again before the next start',
  async (t) => {
    // Was wrong: what was queued while the clock was ahead waited for 900 days. Again without `heedTheClock`.
    const ahead = settableClock()
    const directory = t.testdir({})
    const first = await build(t, {}, { directory, clock: ahead })
    ahead.set(900 * DAY)
    const jobs = jobsIn(first.stores.db, ahead, alone(ahead))
    await jobs.queue.ask([
      { kind: 'a', subject: 1, owner: 1 }, { kind: 'a', subject: 2, owner: 1, inMs: 3_600_000 }
    ])
    await first.close()

    const clock = settableClock()
    const {
      stores: { db }
    } = await build(t, {}, { directory, clock })
    const done: number[] = []
    const worker = openWorker({ queue: jobsIn(db, clock, alone(clock)).queue, clock })
    t.teardown(() => worker.stop())
    worker.handle('a', {
      async run ({ subject }) {
        done.push(subject)
        return { done: true }
      }
    })
    worker.start((error) => t.fail('fault', { error }))
    await worker.idle()
    t.same(done, [1], 'what was not to wait does not')
    clock.advance(3_599_000)
    await worker.idle()
    t.same(done, [1])
    clock.advance(2000)
    await worker.idle()
    t.same(done, [1, 2])
  }
)

t.test('a job waits no longer than it was to: asked for by another process whose clock is ahead', async (t) => {
  const clock = settableClock()
  const { run, work, db } = await queue(t, clock)
  const worker = await work()
  const other = settableClock()
  other.set(900 * DAY)
  await jobsIn(db, other, alone(other)).queue.ask([{ kind: 'a', subject: 1, owner: 1, inMs: 5000 }])
  await worker.idle()
  t.same(run, [])
  clock.advance(5001)
  await worker.idle()
  t.same(run, [[1, 1]])
})

t.test('the time of work goes on by what has passed', async (t) => {
  const clock = settableClock()
  const time = workTime(clock)
  const start = time()
  const since = () => Math.round((time() - start) / 1000)
  clock.advance(1000)
  t.equal(since(), 1000)
  clock.set(-10_000)
  clock.advance(500)
  t.equal(since(), 1500, 'set back')
  clock.advance(60_000)
  t.equal(since(), 61_500)
  clock.set(DAY)
  t.ok(Math.abs(since() - 61_500 - DAY) <= 10_000, 'set forward, or asleep')
  const then = since()
  clock.set(-DAY)
  clock.advance(2000)
  t.equal(since(), then + 2000, 'and back')
})

t.test('jobs of an earlier version keep their delay: an hour at most, or the hours until a site is looked at again', async (t) => {
  const { stores: { db: { raw } } } = await build(t)
  const upgrade = knownMigrations().find(({ name }) => name.endsWith('_work'))!.sql
  const [, reckon] = /(UPDATE `jobs` SET `asked`[^;]+;)/.exec(upgrade)!
  raw.exec("insert into jobs (kind, subject, owner, due) values ('train', 1, 1, 7200000000)")
  raw.exec(reckon!)
  t.equal(raw.prepare('select due - asked from jobs').pluck().get(), 3_600_000_000)
})
