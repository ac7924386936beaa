import { eq } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import type { Feed, FeedRecord } from '../../schema/feeds.ts'
import { feeds } from '../../schema/sqlite/knowledge.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import type { Work } from '../platform/storage/work.ts'
import type { Feeding } from '../sources/index.ts'
import type { FeedChecks } from './feed.ts'

/** Kind of the jobs that look at a feed; their subject is the feed. */
export const LOOK = 'feed'

/** Dependencies of the feed store. */
export interface FeedNeeds extends Pick<Kernel, 'db' | 'clock' | 'idempotency' | 'vault' | 'jobs' | 'eventBus'> {
  sources: Feeding['sources']
  checks: FeedChecks
  /** Called when the set of folders to watch may have changed. */
  onFolders: () => void
}

/** Associated data of a sealed secret. */
export const placeOf = (id: Id) => `feeds.secret ${id}`

/** Reads and writes rows of feeds, inside the caller's transaction. */
export type FeedRows = ReturnType<typeof feedRows>

/** See FeedRows. */
export function feedRows ({ db, clock, jobs }: Pick<FeedNeeds, 'db' | 'clock' | 'jobs'>) {
  const owns = db.column<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?')
  const isKept = db.column<[Id], number>(`select 1 from feeds where id = ? and ${OF_KEPT_AGENT}`)
  const made = db.column<[Id], number>('select count(*) from knowledge_sources where feed_id = ?')
  function * find (id: Id) {
    return (yield * isKept.get(id)) === 1
      ? (yield * db.get(db.orm.select().from(feeds).where(eq(feeds.id, id))))
      : undefined
  }

  return {
    * owns (owner: Id, agent: Id) { return (yield * owns.get(agent, owner)) === 1 },
    find,
    * mine (owner: Id, agent: Id, id: Id) {
      const found = yield * find(id)
      return found?.owner === owner && found.agent === agent ? found : undefined
    },
    * set (id: Id, next: Partial<FeedRecord>): Work<FeedRecord> {
      const changed = { ...next, updated_at: timestamp(clock.micros()) }
      return (yield * db.get(db.orm.update(feeds).set(changed).where(eq(feeds.id, id)).returning()))!
    },
    /** Queues the next look; returns the new `next_at`. */
    * ask ({ id, owner }: Pick<FeedRecord, 'id' | 'owner'>, inMs: number, payload: unknown = null): Work<string> {
      yield * jobs.ask({ kind: LOOK, subject: id, owner, inMs, lane: 'outside', payload })
      return timestamp(clock.micros() + inMs * 1000)
    },
    * shown ({
      owner: _owner, secret, interval: _interval, cursor: _cursor, failures: _failures, may_remove: _may, ...feed
    }: FeedRecord): Work<Feed> {
      return { ...feed, has_secret: secret !== null, sources: (yield * made.get(feed.id)) ?? 0 }
    }
  }
}
