import type { Id } from '../../../schema/common.ts'
import type { JobRequest } from '../work/jobs.ts'
import type { Database } from './sqlite/database.ts'
import type { Work } from './work.ts'

/** For how long others leave what a process holds when it says nothing more: somebody may be waiting for it. */
const HELD_MICROS = 8_000_000

/** What a process holds: what it is about, and how it is done again. */
type HeldRequest = Pick<JobRequest, 'kind' | 'subject' | 'owner' | 'payload'>

/** Jobs that a process does itself from their birth on. */
export interface Held {
  /**
   * Writes what this process does itself, from the commit on: another takes it up only when this one has been silent
   * for 8 seconds, or has let it go.
   */
  hold (request: HeldRequest): Work<void>
  /** Lets others take up what this process held and cannot go on with: at once where the tables can be reached. */
  letGo (kind: string, subject: Id): Promise<void>
  /** The same of all that it holds and has not dropped. */
  release (): Promise<void>
}

/** See Held. `now`: microseconds by the clock of the queue; `wake`: others may find something to do. */
export function heldJobs (db: Database, now: () => number, wake: () => void) {
  /** Ids of the jobs, by what they are about. */
  const held = new Map<string, number>()
  const drop = db.objects('delete from jobs where kind = ? and subject = ?')
  const insert = db.column<any[], number>(`
    insert into jobs (kind, subject, owner, lane, payload, asked, due, leased_until, attempts)
    values (:kind, :subject, :owner, 'here', :payload, :now, :now, :until, 1) returning id`)
  // What another process has taken up since has been begun once more.
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
      yield * db.afterwards(() => held.set(nameOf(kind, subject), id!))
    },
    /** Somebody dropped a job, inside the transaction of it. */
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
    /** Says that what is held is still being done; inside a transaction. */
    * extend (): Work<void> {
      for (const [name, id] of held) {
        if ((yield * lease.run(now() + HELD_MICROS, id)) === 0) yield * db.afterwards(() => held.delete(name))
      }
    },
    size: () => held.size
  }
}
