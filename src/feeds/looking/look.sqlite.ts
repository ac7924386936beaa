import type { Id } from '../../../schema/common.ts'
import type { FeedRecord } from '../../../schema/feeds.ts'
import { feeds } from '../../../schema/sqlite/knowledge.ts'
import { dayOf } from '../../conversations/index.ts'
import { timestamp } from '../../platform/clock.ts'
import type { Job } from '../../platform/work/jobs.ts'
import { failed, MOST_MISSES, nextInterval, type Fault, type Need } from '../rules.ts'
import { placeOf, type FeedNeeds, type FeedRows } from '../rows.sqlite.ts'
import type { LookStore } from '../store.ts'

/** Ids that an event names at most. */
const MOST_NAMED = 100
/** Days of answers that say what is needed. */
const NEED_DAYS = 90

/** The part of the store of feeds that looks work through. */
export function lookStore (needs: FeedNeeds, rows: FeedRows): LookStore {
  const { db, clock, jobs, vault, sources, announcements } = needs
  const { raw, orm } = db
  const cited = raw.prepare<[Id, number], { source: Id, n: number }>(
    "select key as source, sum(n) as n from figures where agent_id = ? and name = 'source' and day >= ? group by key")
  // Of each question how it ended last.
  const failing = raw.prepare<[Id], { source: Id, n: number }>(`
    select source, count(*) as n from question_sources join questions on questions.id = question
    where agent_id = ? and enabled and (select verdict from question_results where question = questions.id order by run desc limit 1) = 'failed'
    group by source`)
  const affected = raw.prepare<[string], Id>(`
    select distinct question from question_sources join questions on questions.id = question
    where enabled and source in (select value from json_each(?)) order by question limit ${MOST_NAMED}`).pluck()

  function needsOf (agent: Id): Map<Id, Need> {
    const found = new Map<Id, Need>()
    const of = (source: Id) => found.get(source) ?? { cited: 0, failing: 0 }
    const since = dayOf(clock.micros()) - NEED_DAYS
    for (const { source, n } of cited.all(agent, since)) found.set(source, { ...of(source), cited: n })
    for (const { source, n } of failing.all(agent)) found.set(source, { ...of(source), failing: n })
    return found
  }

  /** The feed of a job that is still wanted. */
  const wanted = (job: Job) => jobs.isCurrent(job) ? rows.find(job.subject) : undefined

  /** What a fault makes of a feed, told once where it breaks it. */
  function note (feed: FeedRecord, fault: Fault): Partial<FeedRecord> & { inMs: number | null } {
    const { isNews, isMissed, inMs, ...next } = failed(
      feed, fault, { at: timestamp(clock.micros()), wasBroken: feed.state === 'broken' })
    if (isMissed) sources.missed(feed, sources.items(feed.id).map(({ id }) => id), MOST_MISSES)
    if (isNews) {
      const { owner, agent } = feed
      announcements.announce({ owner, agent, type: 'feed.broken', data: { feed: rows.shown({ ...feed, ...next }) } })
    }
    return { ...next, inMs }
  }

  return {
    begin: (job) => db.atomically(() => {
      const feed = wanted(job)
      if (!feed || feed.state === 'paused') {
        jobs.finish(job)
        return undefined
      }
      // What is broken is shown as that until it is well again.
      const next = feed.state === 'broken' ? feed : rows.set(feed.id, { state: 'looking' })
      return {
        feed: next,
        opened: () => feed.secret === null ? null : vault.open(placeOf(feed.id), feed.secret),
        known: sources.items(feed.id),
        needs: needsOf(feed.agent)
      }
    }),

    keep: (job, item) => db.atomically(() => {
      const feed = wanted(job)
      return feed ? sources.bring(feed, item) : 'unwanted'
    }),

    ended: (job, { gone, checked, missed, look, sources: changed, cursor, again, fault }) => db.atomically(() => {
      const feed = wanted(job)
      if (!feed) return
      jobs.finish(job)
      const at = timestamp(clock.micros())
      sources.checked(feed, checked)
      sources.missed(feed, missed, MOST_MISSES)
      sources.gone(gone.removed.map(({ id }) => id))
      sources.mark(gone.marked.map(({ id }) => id))
      const last = { at, ...look, gone: gone.removed.length }
      const interval = nextInterval(feed.every, feed.interval, changed.length + gone.removed.length > 0)
      const stands: Partial<FeedRecord> = { last, cursor, interval, may_remove: false, awaiting_removal: gone.asks }
      const { inMs: faultIn = null, ...fell } = fault ? note(feed, fault) : { error: null, failures: 0, state: 'idle' as const }
      const isPaused = gone.asks > 0
      const inMs = again?.inMs ?? faultIn ?? interval * 60_000
      const next = rows.set(feed.id, {
        ...stands,
        ...fell,
        ...(isPaused && { state: 'paused' }),
        next_at: isPaused ? null : rows.ask(feed, inMs, again?.payload)
      })
      if (changed.length + gone.removed.length === 0) return
      const named = [...changed, ...gone.removed.map(({ id }) => id)]
      announcements.announce({
        owner: feed.owner,
        agent: feed.agent,
        type: 'knowledge.changed',
        data: {
          feed: rows.shown(next),
          sources: named.slice(0, MOST_NAMED),
          questions_affected: affected.all(JSON.stringify(named))
        }
      })
    }, { frees: true }),

    failed: (job, fault) => db.atomically(() => {
      const feed = wanted(job)
      if (!feed) return
      jobs.finish(job)
      const { inMs, ...next } = note(feed, fault)
      rows.set(feed.id, { ...next, next_at: inMs === null ? null : rows.ask(feed, inMs) })
    }, { frees: true }),

    folders: async () => db.read(() => orm.select().from(feeds).all()
      .flatMap(({ id, owner, kind, state, config }) =>
        kind === 'folder' && state !== 'paused' ? [{ feed: id, owner, path: config['path'] ?? '' }] : [])),

    hint: (owner, feed) => db.atomically(() => {
      const kept = rows.find(feed)
      if (!kept || kept.state === 'paused' || kept.owner !== owner) return true
      // A look that runs may be past what has just changed: another is to follow it, and not to take its place.
      if (kept.state === 'looking') return false
      rows.set(feed, { next_at: rows.ask(kept, 0) })
      return true
    })
  }
}
