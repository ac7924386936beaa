import type { Id } from '../../../../schema/common.ts'
import { type Clock, workTime } from '../../clock.ts'
import type { Claim, DeadJob, Job, JobCounts, JobQueue, JobRequest } from '../../work/jobs.ts'
import type { Neighbours } from '../../neighbours/contract.ts'
import type { Database } from './database.ts'
import type { Work } from '../work.ts'

const LEASE_MICROS = 60_000_000
/** A job created this much later than now: the clock was wrong then, or is now. */
const AHEAD_MICROS = 60_000_000
const DEAD_SHOWN = 100
/** What changes jobs and nothing of any account waits for no account: their numbers begin at 1. */
const JOBS_ALONE = { of: 0 }

/**
 * Jobs in the same database as everything else, so that requesting work is part of the transaction that needs it: all
 * but `queue` runs inside one.
 */
export interface Jobs extends Held {
  /** Adds the jobs that a decision requests. */
  ask (...requests: JobRequest[]): Work<void>
  /** Removes the jobs about a subject; the results of running ones are no longer wanted. */
  drop (kind: string, subject: Id): Work<void>
  /** Whether the result of this job is still wanted, and no other process has claimed it since. */
  isCurrent (job: Pick<Job, 'id' | 'attempt'>): Work<boolean>
  /** Ends a job, unless another process has claimed it since. */
  finish (job: Pick<Job, 'id' | 'attempt'>): Work<void>
  /** The queue as the worker sees it; each method is a separate transaction. */
  queue: JobQueue
}

interface Row { id: number, kind: string, subject: Id, owner: Id, payload: string | null, attempts: number }

const COLUMNS = 'id, kind, subject, owner, payload, attempts'
const CLAIMABLE =
  'died is null and leased_until <= :now and due <= :now and kind in (select value from json_each(:kinds))'

/** Message to neighbours: a job was added. */
const ASKED = 'asked'

/** See Jobs. Where several processes serve, leases use the database's time, whatever their own clocks show. */
export function jobsIn (db: Database, clock: Clock, neighbours: Pick<Neighbours, 'isAlone' | 'tell' | 'hear'>): Jobs {
  const ours = workTime(clock)
  const now = () => db.sharedMicros() ?? ours()
  const wakers = new Set<() => void>()
  const drop = db.objects('delete from jobs where kind = ? and subject = ?')
  const insert = db.objects(`
    insert into jobs (kind, subject, owner, lane, payload, asked, due) values (:kind, :subject, :owner, :lane, :payload, :now, :due)
    on conflict (kind, subject) do nothing`)
  const next = db.objects<Omit<Claim, 'kinds'> & { now: number, kinds: string }, Row>(`
    with busy as materialized (select owner, count(*) as jobs from jobs where lane = :lane and leased_until > :now group by owner)
    select ${COLUMNS} from jobs left join busy using (owner)
    where lane = :lane and ${CLAIMABLE} and coalesce(busy.jobs, 0) < :perOwner
    order by coalesce(busy.jobs, 0), due, id limit 1`)
  const lease = db.objects('update jobs set leased_until = ?, attempts = attempts + 1 where id = ?')
  // A job that another process has claimed since has another attempt number.
  const extend = db.objects('update jobs set leased_until = ? where id = ? and attempts = ?')
  const again = db.objects(`
    update jobs set leased_until = 0, asked = :now, due = :due, error = :error, attempts = case when :fresh = 1 then 0 else attempts end
    where id = :id and attempts = :attempt`)
  const exists = db.column<[number, number], number>('select 1 from jobs where id = ? and attempts = ?')
  const end = db.objects('delete from jobs where id = ? and attempts = ?')
  const freeAll = db.objects('update jobs set leased_until = 0 where leased_until <> 0')
  const isAnyAhead = db.column<[number], number>('select 1 from jobs where asked > ? limit 1')
  const reckonAnew = db.objects('update jobs set due = due - asked + :now, asked = :now where asked > :ahead')
  const isAnyDue = db.column<{ now: number, kinds: string }, number>(
      `select 1 from jobs where lane in ('here', 'outside') and ${CLAIMABLE} limit 1`
  )
  const bury = db.objects('update jobs set leased_until = 0, died = ? where id = ? and attempts = ?')
  const revive = db.objects(
    'update jobs set died = null, attempts = 0, asked = :now, due = :now where id = :id and died is not null'
  )
  const dead = db.objects<[number], Row & Pick<DeadJob, 'error' | 'died'>>(`
    select ${COLUMNS}, error, died from jobs where died is not null order by died desc, id desc limit ?`)
  const counts = db.objects<{ now: number }, JobCounts>(`
    select count(*) filter (where died is null and leased_until <= :now) as waiting, count(*) filter (where leased_until > :now) as running,
      count(*) filter (where died is not null) as dead from jobs`)

  function wakeHere () {
    for (const waker of wakers) setImmediate(waker)
  }
  neighbours.hear(ASKED, wakeHere)

  function wake () {
    wakeHere()
    neighbours.tell(ASKED)
  }

  const holding = heldJobs(db, now, wake)

  function * ask (...requests: JobRequest[]) {
    for (const { kind, subject, owner, payload = null, inMs = 0, lane = 'here', unlessAsked = false } of requests) {
      if (!unlessAsked) yield * drop.run(kind, subject)
      const from = now()
      yield * insert.run({
        kind,
        subject,
        owner,
        lane,
        payload: payload === null ? null : JSON.stringify(payload),
        now: from,
        due: from + Math.round(inMs * 1000)
      })
    }
    // What is added inside a transaction can be claimed only after its commit.
    if (requests.length) yield * db.afterwards(wake)
  }

  /** A job never waits longer than its original delay, counted from now at the latest. */
  function * heedTheClock () {
    if ((yield * isAnyAhead.get(now() + AHEAD_MICROS)) === 1) {
      yield * reckonAnew.run(
        { now: now(), ahead: now() + AHEAD_MICROS }
      )
    }
  }

  const queue: JobQueue = {
    ask: (requests) => db.atomically(() => ask(...requests)),
    recover: () =>
      db.atomically(
        function * () {
          // Jobs of other servers are free only after they have been silent for as long as a lease.
          if (neighbours.isAlone) yield * freeAll.run()
          yield * heedTheClock()
        },
        { frees: true }
      ),
    claim: ({ kinds, lane, perOwner }) =>
      db.atomically(function * () {
        yield * heedTheClock()
        const row = yield * next.get({ kinds: JSON.stringify(kinds), lane, perOwner, now: now() })
        // Somebody who writes for an account may just have dropped it.
        if (!row || (yield * lease.run(now() + LEASE_MICROS, row.id)) === 0) return undefined
        return jobOf({ ...row, attempts: row.attempts + 1 })
      }, JOBS_ALONE),
    async keepAlive (jobs) {
      if (jobs.length + holding.size() === 0) return
      await db.atomically(
        function * () {
          for (const { id, attempt } of jobs) yield * extend.run(now() + LEASE_MICROS, id, attempt)
          yield * holding.extend()
        },
        { frees: true }
      )
    },
    retry: ({ id, attempt }, { inMs, fresh = false, error = null as string | null }) =>
      db.atomically(
        function * () {
          const due = now() + Math.round(inMs * 1000)
          yield * again.run({ id, attempt, now: now(), due, error, fresh: Number(fresh) })
        },
        { frees: true, ...JOBS_ALONE }
      ),
    async finish ({ id, attempt }) {
      if ((await db.read(() => exists.get(id, attempt))) === 1) {
        await db.atomically(
          function * () {
            yield * end.run(id, attempt)
          },
          { frees: true, ...JOBS_ALONE }
        )
      }
    },
    bury: ({ id, attempt }) =>
      db.atomically(
        function * () {
          yield * bury.run(clock.micros(), id, attempt)
        },
        { frees: true }
      ),
    isAnyDue: async (kinds) =>
      db.read(
        function * () {
          return (yield * isAnyDue.get({ kinds: JSON.stringify(kinds), now: now() })) === 1 ||
        (yield * isAnyAhead.get(now() + AHEAD_MICROS)) === 1
        }
      ),
    counts: async () => db.read(function * () { return (yield * counts.get({ now: now() }))! }),
    dead: async () =>
      db.read(function * () {
        return (yield * dead.all(DEAD_SHOWN)).map(({ error, died, attempts, ...row }) => {
          const { attempt: _attempt, ...job } = jobOf({ ...row, attempts })
          return { ...job, attempts, error, died }
        })
      }),
    async revive (id) {
      const isThere = await db.atomically(function * () { return (yield * revive.run({ id, now: now() })) === 1 })
      if (isThere) wake()
      return isThere
    },
    onAsked (callback) {
      wakers.add(callback)
      return () => {
        wakers.delete(callback)
      }
    }
  }

  return {
    ask,
    hold: holding.hold,
    holds: holding.holds,
    letGo: holding.letGo,
    release: holding.release,
    * drop (kind, subject) {
      yield * drop.run(kind, subject)
      yield * holding.dropped(kind, subject)
    },
    * isCurrent ({ id, attempt }) { return (yield * exists.get(id, attempt)) === 1 },
    * finish ({ id, attempt }) { yield * end.run(id, attempt) },
    queue
  }
}

function jobOf ({ id, kind, subject, owner, payload, attempts }: Row): Job {
  return { id, kind, subject, owner, payload: payload === null ? null : JSON.parse(payload), attempt: attempts }
}

/** How long others leave the jobs of a silent process alone: somebody may be waiting for them. */
const HELD_MICROS = 8_000_000

/** A job that a process holds: its subject, and how to run it again. */
type HeldRequest = Pick<JobRequest, 'kind' | 'subject' | 'owner' | 'payload'>

/** Jobs that a process runs itself as soon as they are created. */
export interface Held {
  /**
   * Adds a job that this process runs itself, from the commit on: another takes it over only when this one has been
   * silent for 8 seconds, or has released it.
   */
  hold (request: HeldRequest): Work<void>
  /** Whether this process still holds it; inside the transaction that ends it. */
  holds (kind: string, subject: Id): Work<boolean>
  /** Lets others take over what this process held and cannot continue: at once if the database can be reached. */
  letGo (kind: string, subject: Id): Promise<void>
  /** The same for everything that it holds and has not dropped. */
  release (): Promise<void>
}

/** See Held. `now`: microseconds by the clock of the queue; `wake`: others may find work. */
function heldJobs (db: Database, now: () => number, wake: () => void) {
  /** Ids of the jobs, by subject. */
  const held = new Map<string, number>()
  const drop = db.objects('delete from jobs where kind = ? and subject = ?')
  const insert = db.column<any[], number>(`
    insert into jobs (kind, subject, owner, lane, payload, asked, due, leased_until, attempts)
    values (:kind, :subject, :owner, 'here', :payload, :now, :now, :until, 1) returning id`)
  // A job that another process has taken over has a second attempt.
  const isHeld = db.column<[string, Id], number>('select 1 from jobs where kind = ? and subject = ? and attempts = 1')
  const lease = db.objects('update jobs set leased_until = ? where id = ? and attempts = 1')
  const nameOf = (kind: string, subject: Id) => `${kind} ${subject}`

  async function free (ids: number[]) {
    if (ids.length === 0) return
    await db.atomically(function * () { for (const id of ids) yield * lease.run(0, id) }, { frees: true })
    wake()
  }

  return {
    * hold ({ kind, subject, owner, payload = null }: HeldRequest): Work<void> {
      yield * drop.run(kind, subject)
      const id = yield * insert.get({
        kind, subject, owner, payload: JSON.stringify(payload), now: now(), until: now() + HELD_MICROS
      })
      yield * db.afterwards((isAwaited) => {
        if (isAwaited) held.set(nameOf(kind, subject), id!)
        // Nobody here will start it.
        else free([id!]).catch(() => {})
      })
    },
    * holds (kind: string, subject: Id): Work<boolean> { return (yield * isHeld.get(kind, subject)) === 1 },
    /** A job was dropped, inside the same transaction. */
    * dropped (kind: string, subject: Id): Work<void> {
      const name = nameOf(kind, subject)
      if (held.has(name)) yield * db.afterwards(() => held.delete(name))
    },
    async letGo (kind: string, subject: Id) {
      const name = nameOf(kind, subject)
      const id = held.get(name)
      held.delete(name)
      await free(id === undefined ? [] : [id])
    },
    async release () {
      const all = [...held.values()]
      held.clear()
      await free(all)
    },
    /** Renews the lease of what is held; inside a transaction. */
    * extend (): Work<void> {
      for (const [name, id] of held) {
        if ((yield * lease.run(now() + HELD_MICROS, id)) === 0) yield * db.afterwards(() => held.delete(name))
      }
    },
    size: () => held.size
  }
}
