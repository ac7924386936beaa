import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { DeadlineExceeded, startDeadline } from '../../../src/platform/work/deadline.ts'
import { openWorker } from '../../../src/platform/work/worker.ts'
import { fixedClock } from '../../helper.ts'
import { queue } from './queue.ts'
import { finish } from '../../../src/platform/storage/sqlite/database.ts'

// Was wrong with a claim that does not ask whether the job is leased.
t.test('a job is done once, in order, and a newer one about the same takes its place', async (t) => {
  const { jobs, db, run, work, ask, left } = await queue(t)
  for (const subject of [1, 2, 3, 2]) await ask(subject)
  await ask(1, { inMs: 5000, unlessAsked: true })
  await db.atomically(() => jobs.drop('a', 3))
  await work(undefined, { atOnce: 1 })
  t.same(run, [[1, 1], [2, 1]])
  t.same(left(), [])
})

t.test('a handler gets what was asked for, and other kinds wait for theirs', async (t) => {
  const { work, ask, left } = await queue(t)
  await ask(1, { payload: { to: ['someone'] } })
  await ask(2)
  await ask(3, { kind: 'b' })
  const payloads: unknown[] = []
  await work(({ payload }) => {
    payloads.push(payload)
    return { done: true }
  }, { atOnce: 1 })
  t.same(payloads, [{ to: ['someone'] }, null])
  t.same(left(), [3])
})

// Was wrong with jobs in order of arrival alone.
t.test('owners take turns, and no more run at once than may', async (t) => {
  const { db, run, work, ask } = await queue(t)
  for (let subject = 1; subject <= 4; subject++) await ask(subject)
  await ask(5, { owner: 2 })
  let running = 0
  let most = 0
  const both = Promise.withResolvers<void>()
  await work(async () => {
    most = Math.max(most, ++running)
    if (running === 2) both.resolve()
    await both.promise
    // A third one would be claimed before this is written.
    await db.atomically(() => db.column('select 1').get())
    running--
    return { done: true }
  })
  t.equal(most, 2)
  t.same(run.slice(0, 2).map(([subject]) => subject), [1, 5], 'the other owner does not wait for four')
})

t.test('an owner whose jobs wait, as for a slow site, keeps nobody else waiting', async (t) => {
  // Was wrong: two slow sites of one user were all that was worked on, for as long as they took. Again without the
  // limit for each owner.
  const { run, work, ask } = await queue(t)
  for (let subject = 1; subject <= 8; subject++) await ask(subject)
  const answered = Promise.withResolvers<void>()
  await work(async ({ owner }) => {
    if (run.length === 3) setImmediate(ask, 9, { owner: 2 })
    // The other owner's is done while none of the first's gets a response.
    if (owner === 2) answered.resolve()
    else await answered.promise
    return { done: true }
  }, { atOnce: 4, perOwner: 3 })
  t.same(run.slice(0, 4).map(([subject]) => subject), [1, 2, 3, 9])
  t.equal(run.length, 9)
})

t.test('what waits for others never stands before what does not, however many owners wait', async (t) => {
  // Was wrong: three accounts with pages of a byte per second blocked everybody's training. Again with one lane for
  // all.
  const { run, work, ask, left } = await queue(t)
  for (let owner = 1; owner <= 6; owner++) await ask(owner, { owner, lane: 'outside' })
  for (let subject = 7; subject <= 9; subject++) await ask(subject, { owner: 9 })
  const answered = Promise.withResolvers<void>()
  await work(async ({ subject }) => {
    if (subject <= 6) await answered.promise
    if (subject === 9) answered.resolve()
    return { done: true }
  })
  t.same(run.slice(0, 5).map(([subject]) => subject), [7, 8, 1, 2, 9])
  t.same(left(), [])
})

t.test('a job that has waited for others too long is told so, and gives its place to the next', async (t) => {
  // Was wrong: a page of a byte per second kept its place for as long as it liked. Again without the signal.
  const { run, work, ask } = await queue(t)
  await ask(1, { lane: 'outside' })
  await ask(2, { lane: 'outside' })
  const reasons: unknown[] = []
  await work((_job, signal) => new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      reasons.push(signal.reason)
      resolve({ done: true })
    })
  }), { atOnce: 1, patienceMs: 20 })
  t.match(reasons, [DeadlineExceeded, DeadlineExceeded])
  t.equal(run.length, 2)
})

t.test('only the time in which others are waited for is counted', async (t) => {
  const clock = fixedClock()
  const { signal, here, end } = startDeadline(60_000, clock)
  clock.advance(50_000)
  const first = Promise.withResolvers<string>()
  const second = Promise.withResolvers<string>()
  const both = Promise.all([here(() => first.promise), here(() => second.promise)])
  clock.advance(3_600_000)
  first.resolve('one')
  await first.promise
  clock.advance(3_600_000)
  second.resolve('two')
  t.same(await both, ['one', 'two'])
  clock.advance(9000)
  await here(async () => clock.advance(500_000))
  await pause(2)
  t.notOk(signal.aborted, '59 seconds')
  clock.advance(1001)
  await here(async () => undefined)
  while (!signal.aborted) await pause(1)
  t.match(signal.reason, DeadlineExceeded)
  end()
})

t.test(
  'what is to be tried again waits by the clock; after a fault it waits for minutes, longer each time',
  async (t) => {
    const { run, work, ask, clock, faults, left, db } = await queue(t)
    await ask(1)
    await ask(2, { inMs: 3_600_000 })
    const worker = await work(({ attempt }) => {
      if (attempt === 1) return { againInMs: 5000 }
      if (attempt === 2) throw new Error('unforeseen')
      // eslint-disable-next-line no-throw-literal
      if (attempt === 3) throw 'no error at all'
      return { done: true }
    })
    const after = async (ms: number) => {
      clock.advance(ms)
      await worker.idle()
      return run.length
    }
    t.equal(await after(4000), 1)
    t.equal(await after(2000), 2)
    t.same(db.raw.prepare('select error from jobs where subject = 1').pluck().get(), 'unforeseen')
    t.equal(await after(118_000), 2)
    t.equal(await after(3000), 3)
    t.equal(await after(238_000), 3)
    t.equal(await after(3000), 4)
    t.same(
      [run, left()],
      [
        [
          [1, 1], [1, 2], [1, 3], [1, 4]
        ],
        [2]
      ]
    )
    t.same(faults, ['unforeseen', undefined])
    t.equal(await after(3_600_000), 5)
  }
)

// Was wrong with an isCurrent that is always true.
t.test('a job replaced while it runs is not wanted any more', async (t) => {
  const { jobs, work, ask, run } = await queue(t)
  await ask(1)
  const wanted: boolean[] = []
  await work(async (job) => {
    if (run.length === 1) await ask(1)
    wanted.push(finish(jobs.isCurrent(job)))
    return { done: true }
  }, { atOnce: 1 })
  t.same([wanted, run], [[false, true], [[1, 1], [1, 1]]])
})

// Was wrong with what a stopped worker had leased left to it.
t.test('what runs when the worker stops is done by the next one', async (t) => {
  const { run, start, work, ask, left, faults } = await queue(t)
  await ask(1)
  const began = Promise.withResolvers<void>()
  const worker = start((_job, signal) => new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    began.resolve()
  }))
  await began.promise
  await worker.stop()
  t.same(left(), [1])
  await work()
  t.same([run, left(), faults], [[[1, 1], [1, 2]], [], []])
})

t.test('a job that is begun again and again and never ends is given up, seen, and revived by hand', async (t) => {
  // Was wrong without `died is null` in the claim.
  const { jobs, run, work, ask, clock, left, faults } = await queue(t)
  await ask(1)
  let isMended = false
  const givenUp: number[] = []
  const worker = await work(() => {
    if (!isMended) throw new Error('again')
    return { done: true }
  }, { tries: 3, givenUp: async ({ subject }) => { givenUp.push(subject) } })
  for (let i = 0; i < 6; i++) {
    clock.advance(3_600_000)
    await worker.idle()
  }
  t.same([run.length, givenUp, left(), faults], [3, [1], [1], ['again', 'again', 'again']])
  t.same(await jobs.queue.counts(), { waiting: 0, running: 0, dead: 1 })
  const [dead, ...others] = await jobs.queue.dead()
  t.match(dead, { kind: 'a', subject: 1, owner: 1, payload: null, attempts: 4, error: 'again', died: Number })
  t.same(others, [])
  isMended = true
  t.equal(await jobs.queue.revive(dead!.id), true)
  t.equal(await jobs.queue.revive(dead!.id), false)
  await worker.idle()
  t.same([run.at(-1), left()], [[1, 1], []])
})

t.test('what comes again and again does so after restarts too, and is asked for once', async (t) => {
  const { jobs, clock, left } = await queue(t)
  let done = 0
  async function work () {
    const worker = openWorker({ queue: jobs.queue, clock })
    t.teardown(() => worker.stop())
    worker.every('tidy', 60_000, async () => {
      done++
      if (done === 2) throw new Error('for once')
    })
    worker.start(() => undefined)
    await worker.idle()
    return worker
  }
  const first = await work()
  t.equal(done, 0)
  clock.advance(60_000)
  await first.idle()
  t.equal(done, 1)
  await first.stop()
  const second = await work()
  t.same([done, left()], [1, [0]])
  for (const expected of [2, 3, 4]) {
    clock.advance(60_000)
    await second.idle()
    t.equal(done, expected)
  }
})

t.test('what is worked on stays the worker\'s, and what is not is free after a minute', async (t) => {
  // Was wrong with a keepAlive that does nothing.
  const { jobs: { queue: one }, clock, ask } = await queue(t)
  const claim = { kinds: ['a'], lane: 'here', perOwner: 3 } as const
  await ask(1)
  const job = await one.claim(claim)
  clock.advance(50_000)
  await one.keepAlive([job!])
  clock.advance(50_000)
  t.equal(await one.claim(claim), undefined)
  t.same(await one.counts(), { waiting: 0, running: 1, dead: 0 })
  clock.advance(11_000)
  t.match(await one.claim(claim), { subject: 1, attempt: 2 })
})

t.test('a queue that does not answer is asked again, and only what nobody foresaw is told', async (t) => {
  const { jobs, db, run, faults, start, ask } = await queue(t)
  await ask(1)
  const { claim } = jobs.queue
  let broken = 2
  jobs.queue.claim = async (asked) => {
    if (broken-- > 0) throw new Error('claim')
    return await claim(asked)
  }
  const worker = start()
  while (run.length === 0) await pause(5)
  await worker.idle()
  t.same(faults, ['claim', 'claim'])
  await worker.stop()
  t.equal(db.raw.prepare('select count(*) from jobs').pluck().get(), 0)
})
