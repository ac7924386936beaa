import type { Id } from '../../../schema/common.ts'
import type { FeedLook, FeedRecord } from '../../../schema/feeds.ts'
import { feeds } from '../../../schema/sqlite/knowledge.ts'
import { dayOf } from '../../conversations/index.ts'
import { timestamp } from '../../platform/clock.ts'
import type { Job } from '../../platform/work/jobs.ts'
import { failed, MOST_MISSES, nextInterval, type Fault, type Need } from '../rules.ts'
import { placeOf, type FeedNeeds, type FeedRows } from '../rows.sqlite.ts'
import type { LookStore } from '../store.ts'
import type { Work } from '../../platform/storage/work.ts'

/** Maximum ids per event. */
const MOST_NAMED = 100
const NOTHING_FOUND: Pick<FeedLook, 'found_at' | 'found'> = { found_at: null, found: [] }
/** Days of answers by which need is judged. */
const NEED_DAYS = 90

/** The part of the feed store that looks use. */
export function lookStore (needs: FeedNeeds, rows: FeedRows): LookStore {
  const { db, clock, jobs, vault, sources, eventBus } = needs
  const { orm } = db
  const cited = db.objects<[Id, number], { source: Id, n: number }>(
    "select key as source, sum(n) as n from figures where agent_id = ? and name = 'source' and day >= ? group by key")
  // The latest result of each question.
  const failing = db.objects<[Id], { source: Id, n: number }>(`
    select source, count(*) as n from question_sources join questions on questions.id = question
    where agent_id = ? and enabled = 1 and (select verdict from question_results where question = questions.id order by run desc limit 1) = 'failed'
    group by source`)
  const affected = db.column<[string], Id>(`
    select distinct question from question_sources join questions on questions.id = question
    where enabled = 1 and source in (select cast(value as bigint) from json_each(?)) order by question limit ${MOST_NAMED}`)

  function * needsOf (agent: Id): Work<Map<Id, Need>> {
    const found = new Map<Id, Need>()
    const of = (source: Id) => found.get(source) ?? { cited: 0, failing: 0 }
    const since = dayOf(clock.micros()) - NEED_DAYS
    for (const { source, n } of yield * cited.all(agent, since)) found.set(source, { ...of(source), cited: n })
    for (const { source, n } of yield * failing.all(agent)) found.set(source, { ...of(source), failing: n })
    return found
  }

  /** The feed of a job, if still wanted. */
  function * wanted (job: Job) { return (yield * jobs.isCurrent(job)) ? (yield * rows.find(job.subject)) : undefined }

  /** Applies a fault to a feed, with an event only when it breaks the feed. */
  function * note (feed: FeedRecord, fault: Fault): Work<Partial<FeedRecord> & { inMs: number | null }> {
    const { isNews, isMissed, inMs, ...next } = failed(
      feed, fault, { at: timestamp(clock.micros()), wasBroken: feed.state === 'broken' })
    if (isMissed) yield * sources.missed(feed, (yield * sources.items(feed.id)).map(({ id }) => id), MOST_MISSES)
    if (isNews) {
      const { owner, agent } = feed
      yield * eventBus.publish(
        { owner, agent, type: 'feed.broken', data: { feed: yield * rows.shown({ ...feed, ...next }) } }
      )
    }
    return { ...next, inMs }
  }

  return {
    begin: (job) => db.atomically(function * () {
      const feed = yield * wanted(job)
      if (!feed || feed.state === 'paused') {
        yield * jobs.finish(job)
        return undefined
      }
      // A broken feed is shown as broken until a look succeeds.
      const next = feed.state === 'broken' ? feed : (yield * rows.set(feed.id, { state: 'looking' }))
      return {
        feed: next,
        opened: () => feed.secret === null ? null : vault.open(placeOf(feed.id), feed.secret),
        known: yield * sources.items(feed.id),
        needs: yield * needsOf(feed.agent)
      }
    }),

    keep: (job, item) => db.atomically(function * () {
      const feed = yield * wanted(job)
      return feed ? (yield * sources.bring(feed, item)) : 'unwanted'
    }),

    move: (job, moved) => db.atomically(function * () {
      const feed = yield * wanted(job)
      return feed ? (yield * sources.move(feed, moved)) : 'unwanted'
    }),

    ended: (job, ended) => db.atomically(function * () {
      const { gone, checked, missed, look, sources: changed, cursor, again, fault } = ended
      const feed = yield * wanted(job)
      if (!feed) return
      yield * jobs.finish(job)
      const at = timestamp(clock.micros())
      yield * sources.checked(feed, checked)
      yield * sources.missed(feed, missed, MOST_MISSES)
      yield * sources.gone(gone.removed.map(({ id }) => id))
      yield * sources.mark(gone.marked.map(({ id }) => id))
      const isNews = changed.length + gone.removed.length > 0
      const { found_at: foundAt, found } = isNews ? { found_at: at, found: look.found } : feed.last ?? NOTHING_FOUND
      const named = { found: found.slice(0, MOST_NAMED), waiting: look.waiting.slice(0, MOST_NAMED) }
      const last = { at, ...look, gone: gone.removed.length, found_at: foundAt, ...named }
      const interval = nextInterval(feed.every, feed.interval, isNews)
      const stands: Partial<FeedRecord> = { last, cursor, interval, may_remove: false, awaiting_removal: gone.asks }
      const { inMs: faultIn = null, ...fell } = fault ? (yield * note(feed, fault)) : { error: null, failures: 0, state: 'idle' as const }
      const isPaused = gone.asks > 0
      const inMs = again?.inMs ?? faultIn ?? interval * 60_000
      const next = yield * rows.set(feed.id, {
        ...stands,
        ...fell,
        ...(isPaused && { state: 'paused' }),
        next_at: isPaused ? null : (yield * rows.ask(feed, inMs, again?.payload))
      })
      if (!isNews) return
      const affecting = [...changed, ...gone.removed.map(({ id }) => id)]
      yield * eventBus.publish({
        owner: feed.owner,
        agent: feed.agent,
        type: 'knowledge.changed',
        data: {
          feed: yield * rows.shown(next),
          sources: affecting.slice(0, MOST_NAMED),
          questions_affected: yield * affected.all(JSON.stringify(affecting))
        }
      })
    }, { frees: true }),

    failed: (job, fault) => db.atomically(function * () {
      const feed = yield * wanted(job)
      if (!feed) return
      yield * jobs.finish(job)
      const { inMs, ...next } = yield * note(feed, fault)
      yield * rows.set(feed.id, { ...next, next_at: inMs === null ? null : (yield * rows.ask(feed, inMs)) })
    }, { frees: true }),

    folders: async () => db.read(function * () {
      return (yield * db.all(orm.select().from(feeds)))
        .flatMap(({ id, owner, kind, state, config }) =>
          kind === 'folder' && state !== 'paused' ? [{ feed: id, owner, path: config['path'] ?? '' }] : [])
    }),

    hint: (owner, feed) => db.atomically(function * () {
      const kept = yield * rows.find(feed)
      if (!kept || kept.state === 'paused' || kept.owner !== owner) return true
      // A running look may be past what has just changed: another has to follow rather than replace it.
      if (kept.state === 'looking') return false
      yield * rows.set(feed, { next_at: yield * rows.ask(kept, 0) })
      return true
    })
  }
}
