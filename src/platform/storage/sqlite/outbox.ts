import { and, desc, eq } from 'drizzle-orm'
import { outbox, type OutboxRecord } from '../../../../schema/sqlite/storage.ts'
import type { Id } from '../../../../schema/common.ts'
import type { Clock } from '../../clock.ts'
import { delivery, replayed, settled, type Dispatch, type OutboxStore } from '../../work/outbox.ts'
import type { Database } from './database.ts'
import type { Jobs } from './jobs.ts'

const SHOWN = 100

/**
 * What is to leave the house, in the same file as what causes it: `add` and `drop` run inside the transaction of the
 * cause.
 */
export interface Outbox extends OutboxStore {
  /**
   * Writes what a decision sends, and asks for its sending. What was asked for under the same key before is not asked
   * for again.
   */
  add (...dispatches: Dispatch[]): void
  /** Forgets everything that belongs to a thing, sent or not. */
  drop (about: string): void
}

/** See Outbox. */
export function outboxIn (db: Database, clock: Clock, jobs: Pick<Jobs, 'ask'>): Outbox {
  const { orm } = db
  const get = (id: Id) => orm.select().from(outbox).where(eq(outbox.id, id)).get()
  const set = (id: Id, next: Partial<OutboxRecord>) => orm.update(outbox).set(next).where(eq(outbox.id, id)).returning().get()

  return {
    add (...dispatches) {
      for (const dispatch of dispatches) {
        const entry = orm.insert(outbox).values({ ...dispatch, state: 'waiting', attempts: 0, is_open: false, created_at: clock.micros() })
          .onConflictDoNothing().returning().get() as OutboxRecord | undefined
        if (entry) jobs.ask(delivery(entry))
      }
    },
    drop (about) {
      orm.delete(outbox).where(eq(outbox.about, about)).run()
    },
    begin: (id) => db.atomically(() => {
      const entry = get(id)
      if (entry?.state !== 'waiting') return undefined
      return { entry: set(id, { is_open: true, attempts: entry.attempts + 1 })!, isRepeat: entry.is_open }
    }),
    settle: (id, attempt) => db.atomically(() => {
      const entry = get(id)
      if (entry?.state !== 'waiting') return undefined
      const { next, againInMs } = settled(entry, attempt, clock.micros())
      set(id, next)
      return againInMs
    }),
    list: async (owner, state) => db.read(() => orm.select().from(outbox).where(and(eq(outbox.owner, owner), eq(outbox.state, state)))
      .orderBy(desc(outbox.id)).limit(SHOWN).all()),
    replay: (owner, id) => db.atomically(() => {
      const entry = get(id)
      if (entry?.owner !== owner) return undefined
      const next = set(id, replayed(entry))
      jobs.ask(delivery(entry))
      return next
    })
  }
}
