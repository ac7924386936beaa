import type { Id } from '../../../schema/common.ts'
import type { JobRequest } from '../work/jobs.ts'
import type { Database } from './sqlite/database.ts'
import type { Work } from './work.ts'

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
export function heldJobs (db: Database, now: () => number, wake: () => void) {
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
