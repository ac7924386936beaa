import type { Id } from '../../../../schema/common.ts'
import type { Clock } from '../../clock.ts'
import type { Claim, DeadJob, Job, JobCounts, JobQueue, JobRequest } from '../../work/jobs.ts'
import { workTime } from '../../work/work-time.ts'
import type { Database } from './database.ts'

const LEASE_MICROS = 60_000_000
/** Began to wait so much later than now: that was a clock which was wrong then, or is now. */
const AHEAD_MICROS = 60_000_000
const DEAD_SHOWN = 100

/**
 * Jobs in the same file as everything else, so that asking for work is part of the transaction that needs it: all but
 * `queue` runs inside one.
 */
export interface Jobs {
  /** Writes what a decision asks for. */
  ask (...requests: JobRequest[]): void
  /** Forgets what was asked about a thing; what runs is not wanted any more. */
  drop (kind: string, subject: Id): void
  /** Whether the result of this job is still wanted. */
  isCurrent (job: Pick<Job, 'id'>): boolean
  /** Ends a job. */
  finish (job: Pick<Job, 'id'>): void
  /** The queue as the worker sees it; each method is a transaction of its own. */
  queue: JobQueue
}

interface Row { id: number, kind: string, subject: Id, owner: Id, payload: string | null, attempts: number }

const COLUMNS = 'id, kind, subject, owner, payload, attempts'
const CLAIMABLE =
  'died is null and leased_until <= :now and due <= :now and kind in (select value from json_each(:kinds))'

/** See Jobs. */
export function jobsIn (db: Database, clock: Clock): Jobs {
  const { raw } = db
  const now = workTime(clock)
  const wakers = new Set<() => void>()
  const drop = raw.prepare('delete from jobs where kind = ? and subject = ?')
  const insert = raw.prepare(`
    insert into jobs (kind, subject, owner, lane, payload, asked, due) values (:kind, :subject, :owner, :lane, :payload, :now, :due)
    on conflict (kind, subject) do nothing`)
  const next = raw.prepare<Omit<Claim, 'kinds'> & { now: number, kinds: string }, Row>(`
    with busy as materialized (select owner, count(*) as jobs from jobs where lane = :lane and leased_until > :now group by owner)
    select ${COLUMNS} from jobs left join busy using (owner)
    where lane = :lane and ${CLAIMABLE} and coalesce(busy.jobs, 0) < :perOwner
    order by coalesce(busy.jobs, 0), due, id limit 1`)
  const lease = raw.prepare('update jobs set leased_until = ?, attempts = attempts + 1 where id = ?')
  const extend = raw.prepare('update jobs set leased_until = ? where id = ?')
  const again = raw.prepare(`
    update jobs set leased_until = 0, asked = :now, due = :due, error = :error, attempts = iif(:fresh, 0, attempts) where id = :id`)
  const exists = raw.prepare<[number], number>('select 1 from jobs where id = ?').pluck()
  const end = raw.prepare('delete from jobs where id = ?')
  const freeAll = raw.prepare('update jobs set leased_until = 0 where leased_until <> 0')
  const isAnyAhead = raw.prepare<[number], number>('select 1 from jobs where asked > ? limit 1').pluck()
  const reckonAnew = raw.prepare('update jobs set due = due - asked + :now, asked = :now where asked > :ahead')
  const isAnyDue = raw
    .prepare<{ now: number, kinds: string }, number>(
      `select 1 from jobs where lane in ('here', 'outside') and ${CLAIMABLE} limit 1`
    )
    .pluck()
  const bury = raw.prepare('update jobs set leased_until = 0, died = ? where id = ?')
  const revive = raw.prepare(
    'update jobs set died = null, attempts = 0, asked = :now, due = :now where id = :id and died is not null'
  )
  const dead = raw.prepare<[number], Row & Pick<DeadJob, 'error' | 'died'>>(`
    select ${COLUMNS}, error, died from jobs where died is not null order by died desc, id desc limit ?`)
  const counts = raw.prepare<{ now: number }, JobCounts>(`
    select count(*) filter (where died is null and leased_until <= :now) as waiting, count(*) filter (where leased_until > :now) as running,
      count(*) filter (where died is not null) as dead from jobs`)

  function wake () {
    // What is asked for inside a transaction can be claimed only after its commit.
    for (const waker of wakers) setImmediate(waker)
  }

  function ask (...requests: JobRequest[]) {
    for (const { kind, subject, owner, payload = null, inMs = 0, lane = 'here', unlessAsked = false } of requests) {
      if (!unlessAsked) drop.run(kind, subject)
      const from = now()
      insert.run({
        kind,
        subject,
        owner,
        lane,
        payload: payload === null ? null : JSON.stringify(payload),
        now: from,
        due: from + Math.round(inMs * 1000)
      })
    }
    if (requests.length) wake()
  }

  /** A job waits no longer than it was to from the beginning, which cannot be later than now. */
  function heedTheClock () {
    if (isAnyAhead.get(now() + AHEAD_MICROS) === 1) reckonAnew.run({ now: now(), ahead: now() + AHEAD_MICROS })
  }

  const queue: JobQueue = {
    ask: (requests) => db.atomically(() => ask(...requests)),
    recover: () =>
      db.atomically(
        () => {
          freeAll.run()
          heedTheClock()
        },
        { frees: true }
      ),
    claim: ({ kinds, lane, perOwner }) =>
      db.atomically(() => {
        heedTheClock()
        const row = next.get({ kinds: JSON.stringify(kinds), lane, perOwner, now: now() })
        if (!row) return undefined
        lease.run(now() + LEASE_MICROS, row.id)
        return jobOf({ ...row, attempts: row.attempts + 1 })
      }),
    keepAlive: (jobs) =>
      db.atomically(
        () => {
          for (const { id } of jobs) extend.run(now() + LEASE_MICROS, id)
        },
        { frees: true }
      ),
    retry: ({ id }, { inMs, fresh = false, error = null as string | null }) =>
      db.atomically(
        () => {
          again.run({ id, now: now(), due: now() + Math.round(inMs * 1000), error, fresh: Number(fresh) })
        },
        { frees: true }
      ),
    async finish ({ id }) {
      if (db.read(() => exists.get(id)) === 1) {
        await db.atomically(
          () => {
            end.run(id)
          },
          { frees: true }
        )
      }
    },
    bury: ({ id }) =>
      db.atomically(
        () => {
          bury.run(clock.micros(), id)
        },
        { frees: true }
      ),
    isAnyDue: async (kinds) =>
      db.read(
        () =>
          isAnyDue.get({ kinds: JSON.stringify(kinds), now: now() }) === 1 || isAnyAhead.get(now() + AHEAD_MICROS) === 1
      ),
    counts: async () => db.read(() => counts.get({ now: now() })!),
    dead: async () =>
      db.read(() =>
        dead.all(DEAD_SHOWN).map(({ error, died, attempts, ...row }) => {
          const { attempt: _attempt, ...job } = jobOf({ ...row, attempts })
          return { ...job, attempts, error, died }
        })
      ),
    async revive (id) {
      const isThere = await db.atomically(() => revive.run({ id, now: now() }).changes === 1)
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
    drop: (kind, subject) => { drop.run(kind, subject) },
    isCurrent: ({ id }) => exists.get(id) === 1,
    finish: ({ id }) => { end.run(id) },
    queue
  }
}

function jobOf ({ id, kind, subject, owner, payload, attempts }: Row): Job {
  return { id, kind, subject, owner, payload: payload === null ? null : JSON.parse(payload), attempt: attempts }
}
