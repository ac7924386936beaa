import { and, asc, count, eq } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import type { FeedRecord } from '../../schema/feeds.ts'
import { feeds, knowledgeFolders } from '../../schema/sqlite/knowledge.ts'
import { invalid, Refusal } from '../platform/errors.ts'
import { timestamp } from '../platform/clock.ts'
import { changedFeed, decideFeed, demandRoom } from './feed.ts'
import { lookStore } from './looking/look.sqlite.ts'
import { feedRows, LOOK, placeOf, type FeedNeeds } from './rows.sqlite.ts'
import type { FeedStore, LookStore } from './store.ts'
import { mapped } from '../platform/storage/work.ts'

/** Feeds of agents in SQLite, their secrets sealed for their rows. */
export function sqliteFeedStore (needs: FeedNeeds): FeedStore & LookStore {
  const { db, clock, idempotency, vault, jobs, sources, checks, onFolders } = needs
  const { orm } = db
  const rows = feedRows(needs)
  const { shown } = rows

  /** Refuses with VALIDATION_ERROR a folder that is not the agent's. */
  function * demandFolder (agent: Id, folder: Id | null) {
    if (folder === null) return
    const [found] = yield * db.all(orm.select({ id: knowledgeFolders.id }).from(knowledgeFolders)
      .where(and(eq(knowledgeFolders.id, folder), eq(knowledgeFolders.agent, agent))))
    if (!found) {
      throw invalid(
        { field: 'folder', message: 'folder is not a folder of this agent; knowledge_folders/ lists them.' }
      )
    }
  }

  const sealed = (id: Id, secret: string | undefined) =>
    secret === undefined ? {} : { secret: vault.close(placeOf(id), secret) }

  return {
    ...lookStore(needs, rows),

    list: async (owner, agent) => db.read(function * () {
      return (yield * rows.owns(owner, agent))
        ? (yield * mapped(
            yield * db.all(orm.select().from(feeds).where(eq(feeds.agent, agent)).orderBy(asc(feeds.id))), shown
          ))
        : undefined
    }),

    get: async (owner, agent, id) => db.read(function * () {
      const kept = yield * rows.mine(owner, agent, id)
      return kept && (yield * shown(kept))
    }),

    add: (owner, agent, draft, once) => db.atomically(function * () {
      if (!(yield * rows.owns(owner, agent))) return undefined
      return yield * idempotency.run(owner, once, function * () {
        const [{ there } = { there: 0 }] =
          yield * db.all(orm.select({ there: count() }).from(feeds).where(eq(feeds.agent, agent)))
        demandRoom(there)
        const decided = decideFeed(draft, false, checks)
        yield * demandFolder(agent, decided.folder)
        const at = timestamp(clock.micros())
        const made = yield * db.get(orm.insert(feeds).values({
          owner,
          agent,
          ...decided,
          secret: null,
          cursor: null,
          state: 'idle',
          error: null,
          failures: 0,
          awaiting_removal: 0,
          may_remove: false,
          last: null,
          next_at: null,
          created_at: at,
          updated_at: at
        }).returning())
        yield * db.afterwards(onFolders)
        // The secret is sealed for the row's number.
        return yield * shown(
          yield * rows.set(made.id, { next_at: yield * rows.ask(made, 0), ...sealed(made.id, draft.secret) })
        )
      })
    }),

    change: (owner, agent, id, patch, match) => db.atomically(function * () {
      const kept = yield * rows.mine(owner, agent, id)
      if (!kept) return undefined
      match?.(yield * shown(kept))
      const decided = changedFeed(kept, patch, checks)
      yield * demandFolder(agent, decided.folder)
      yield * db.afterwards(onFolders)
      const next: Partial<FeedRecord> = { ...decided, ...sealed(id, patch.secret) }
      if (patch.paused === true) {
        yield * jobs.drop(LOOK, id)
        return yield * shown(yield * rows.set(id, { ...next, state: 'paused', next_at: null }))
      }
      const isElsewhere = patch.config !== undefined || patch.secret !== undefined
      if (patch.paused === undefined && kept.state === 'paused') return yield * shown(yield * rows.set(id, next))
      const looksAnew = isElsewhere || patch.paused === false
      // Another place has other cursors, and does not inherit the faults of the previous one.
      const anew = isElsewhere ? { cursor: null, failures: 0, error: null, state: 'idle' as const } : {}
      const awake = patch.paused === false ? { state: 'idle' as const, awaiting_removal: 0 } : {}
      const laterMs = patch.every === undefined ? null : decided.interval * 60_000
      const inMs = looksAnew ? 0 : laterMs
      const at = inMs === null ? kept.next_at : (yield * rows.ask(kept, inMs))
      return yield * shown(yield * rows.set(id, { ...next, ...anew, ...awake, next_at: at }))
    }),

    remove: (owner, agent, id, becomes, match) => db.atomically(function * () {
      const kept = yield * rows.mine(owner, agent, id)
      if (!kept) return false
      match?.(yield * shown(kept))
      yield * sources.release(kept, becomes)
      yield * jobs.drop(LOOK, id)
      yield * db.run(orm.delete(feeds).where(eq(feeds.id, id)))
      yield * db.afterwards(onFolders)
      return true
    }, { frees: true }),

    look: (owner, agent, id) => db.atomically(function * () {
      const kept = yield * rows.mine(owner, agent, id)
      if (!kept) return undefined
      if (kept.state === 'paused') throw paused(kept)
      return yield * shown(yield * rows.set(id, { next_at: yield * rows.ask(kept, 0) }))
    }),

    approveRemoval: (owner, agent, id) => db.atomically(function * () {
      const kept = yield * rows.mine(owner, agent, id)
      if (!kept) return undefined
      if (kept.awaiting_removal === 0) {
        throw new Refusal(
          'nothing_to_remove', 'Nothing of this feed is waiting to be removed.'
        )
      }
      const next = { may_remove: true, awaiting_removal: 0, state: 'idle' as const }
      return yield * shown(yield * rows.set(id, { ...next, next_at: yield * rows.ask(kept, 0) }))
    })
  }
}

function paused ({ awaiting_removal: gone }: FeedRecord): Refusal {
  return new Refusal('feed_paused', gone > 0
    ? `This feed is paused: ${gone} of its sources are gone there. Approve removing them, or resume it.`
    : 'This feed is paused. Resume it first.')
}
