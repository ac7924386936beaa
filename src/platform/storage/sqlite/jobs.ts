import type { Id } from '../../../../schema/common.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from './database.ts'

const LEASE_MICROS = 60_000_000
const HEARTBEAT_MS = 15_000
/** How soon work that another process asked for, or that has become due, is noticed. */
const LOOK_EVERY_MS = 500

/** Work that survives a crash: what to do, about what, for whom. */
export interface Job {
  id: number
  kind: string
  /** What it is about; there is at most one job of a kind about a thing. */
  subject: Id
  owner: Id
  /** How often it has been tried, this time included. */
  attempt: number
}

/** What became of a job: done, or to be tried again in so many milliseconds. */
export type Result = { done: true } | { againInMs: number }

/** A worker that runs jobs until it is stopped. */
export interface Worker {
  /** Lets what runs come to a stop: their signal is aborted, and what they had not finished is done at the next start. */
  stop (): Promise<void>
  /** Resolves when nothing is due and nothing runs. */
  idle (): Promise<void>
}

/** The durable queue. `add`, `remove` and `isMine` run inside the transaction of whoever needs them. */
export interface Jobs {
  /** Asks for work, replacing what was asked about the same thing before, even if that is running: its result is then not wanted any more. */
  add (kind: string, subject: Id, owner: Id, due?: number): void
  /** Asks for work later, unless it is asked for already. */
  schedule (kind: string, subject: Id, owner: Id, due: number): void
  remove (kind: string, subject: Id): void
  /** Whether the result of this job is still wanted. */
  isMine (job: Job): boolean
  /** Ends a job, in the transaction of its effect. */
  finish (job: Job): void
  /**
   * Runs due jobs, `atOnce` at most and `perOwner` of one owner, those of owners with nothing running first. `run` should end its job itself with
   * `finish` in the transaction of its effect. What it throws is told to `onFault`, and the job waits a minute.
   */
  work (options: { atOnce: number, perOwner: number, run: (job: Job, signal: AbortSignal) => Promise<Result>, onFault: (error: unknown, job: Job) => void }): Worker
}

interface Row { id: number, kind: string, subject: Id, owner: Id, attempts: number }

/** Jobs in the same file as everything else, so that asking for work is part of the transaction that needs it. */
export function jobsIn (db: Database, clock: Clock): Jobs {
  const { raw } = db
  const remove = raw.prepare('delete from jobs where kind = ? and subject = ?')
  const add = raw.prepare('insert into jobs (kind, subject, owner, due) values (?, ?, ?, ?)')
  const schedule = raw.prepare('insert into jobs (kind, subject, owner, due) values (?, ?, ?, ?) on conflict (kind, subject) do nothing')
  const next = raw.prepare<{ now: number, perOwner: number }, Row>(`
    select id, kind, subject, owner, attempts, (select count(*) from jobs as running where running.owner = jobs.owner and running.leased_until > :now) as running
    from jobs where due <= :now and leased_until <= :now and running < :perOwner order by running, due, id limit 1`)
  const lease = raw.prepare('update jobs set leased_until = ?, attempts = attempts + 1 where id = ?')
  const extend = raw.prepare('update jobs set leased_until = ? where id = ?')
  const again = raw.prepare('update jobs set leased_until = 0, due = ? where id = ?')
  const exists = raw.prepare<[number], number>('select 1 from jobs where id = ?').pluck()
  const end = raw.prepare('delete from jobs where id = ?')
  const freeAll = raw.prepare('update jobs set leased_until = 0 where leased_until <> 0')
  const wakers = new Set<() => void>()

  function claim (perOwner: number): Promise<Job | undefined> {
    return db.atomically(() => {
      const now = clock.micros()
      const row = next.get({ now, perOwner })
      if (!row) return undefined
      lease.run(now + LEASE_MICROS, row.id)
      return { id: row.id, kind: row.kind, subject: row.subject, owner: row.owner, attempt: row.attempts + 1 }
    })
  }

  function wake () {
    for (const waker of wakers) waker()
  }

  return {
    add (kind, subject, owner, due = clock.micros()) {
      remove.run(kind, subject)
      add.run(kind, subject, owner, due)
      wake()
    },
    schedule: (kind, subject, owner, due) => { schedule.run(kind, subject, owner, due) },
    remove: (kind, subject) => { remove.run(kind, subject) },
    isMine: ({ id }) => exists.get(id) === 1,
    finish: ({ id }) => { end.run(id) },

    work ({ atOnce, perOwner, run, onFault }) {
      const stopping = new AbortController()
      const running = new Set<Promise<void>>()
      let looking: Promise<void> | undefined
      let lookAgain = false

      async function runOne (job: Job) {
        // Not clock.ts: it is the process that must show it lives, whatever time it is.
        const beat = setInterval(() => { db.atomically(() => { extend.run(clock.micros() + LEASE_MICROS, job.id) }, { frees: true }).catch(() => undefined) }, HEARTBEAT_MS)
        try {
          const result = await run(job, stopping.signal)
          if ('againInMs' in result) await db.atomically(() => { again.run(clock.micros() + result.againInMs * 1000, job.id) }, { frees: true })
        } catch (error) {
          if (stopping.signal.aborted) return
          onFault(error, job)
          await db.atomically(() => { again.run(clock.micros() + LEASE_MICROS, job.id) }, { frees: true }).catch(() => undefined)
        } finally {
          clearInterval(beat)
        }
      }

      async function look () {
        do {
          lookAgain = false
          while (running.size < atOnce && !stopping.signal.aborted) {
            const job = await claim(perOwner)
            if (!job) break
            const one = runOne(job).finally(() => {
              running.delete(one)
              start()
            })
            running.add(one)
          }
        } while (lookAgain && running.size < atOnce && !stopping.signal.aborted)
      }

      function start () {
        if (stopping.signal.aborted) return
        lookAgain = true
        looking ??= look().catch(() => undefined).finally(() => {
          looking = undefined
          // Asked for after the last look and before this: it must not wait for somebody to ask again.
          if (lookAgain && running.size < atOnce) start()
        })
      }

      const due = raw.prepare<[number], number>('select 1 from jobs where due <= ? and leased_until = 0 limit 1').pluck()
      const timer = setInterval(() => {
        if (running.size < atOnce && !looking && db.read(() => due.get(clock.micros())) === 1) start()
      }, LOOK_EVERY_MS)
      timer.unref()
      // A job added inside a transaction can be claimed only after its commit.
      const waker = () => { setImmediate(start) }
      wakers.add(waker)
      // Nothing else works on this file: what a dead process had claimed is free again.
      db.atomically(() => { freeAll.run() }, { frees: true }).then(start, () => undefined)

      return {
        async stop () {
          clearInterval(timer)
          wakers.delete(waker)
          stopping.abort()
          await looking
          await Promise.allSettled(running)
        },
        async idle () {
          for (;;) {
            await db.atomically(() => undefined)
            await looking
            if (running.size) await Promise.race(running)
            else if (!looking && !lookAgain && db.read(() => due.get(clock.micros())) !== 1) return
            await new Promise(setImmediate)
          }
        }
      }
    }
  }
}
