import type { Id } from '../../schema/common.ts'
import type { Fetched, Visit } from '../../schema/knowledge.ts'
import { timestamp } from '../platform/clock.ts'
import type { Brought, BringingFeed, FedSource } from './contract.ts'
import { brought } from './life/create.ts'
import { decide } from './life/life.ts'
import type { Needs, SourceRows } from './rows.ts'
import type { FedSources } from './store.ts'
import { aroundOf } from './training.sqlite.ts'

/** A row of what a feed has made, with what is remembered of it. */
interface Row extends Omit<Visit, 'title'> {
  id: Id
  key: string
  changedAt: string | null
  checkedAt: string | null
  originTitle: string | null
  address: string | null
  isUnread: 0 | 1
  isGone: 0 | 1
}

/** The part of the knowledge store that feeds work through, in SQLite: load, decide, write. */
export function fedSources (needs: Needs, rows: SourceRows): FedSources {
  const { db, clock } = needs
  const all = db.objects<[Id], Row>(`
    select source.id, origin_key as key, origin_changed_at as changedAt, checked_at as checkedAt,
      is_gone as isGone, address, url, etag, last_modified as lastModified, content_hash as contentHash,
      page.title as originTitle, links,
      training_status = 'Failed' and coalesce(cast(error ->> 'retryable' as bigint), 0) = 1 as isUnread
    from knowledge_sources as source left join site_pages as page on page.source_id = source.id
    where feed_id = ? order by source.id`)
  const isExcluded = db.column<[Id, string], number>(
    'select 1 from feed_exclusions where feed_id = ? and key = ?')
  const known = db.column<[Id, string], Id>('select id from knowledge_sources where feed_id = ? and origin_key = ?')
  const checked = db.objects(`
    update knowledge_sources set checked_at = :at, misses = 0, is_gone = 0, updated_at = :at,
      origin_changed_at = coalesce(:changedAt, origin_changed_at), stale = nullif(nullif(stale, 'unreachable'), 'unchecked')
    where id = :id`)
  const missed = db.objects<{ id: Id, at: string, most: number }>(`
    update knowledge_sources set misses = misses + 1, updated_at = :at,
      stale = iif(misses + 1 >= :most, 'unreachable', stale) where id = :id`)
  const judge = db.objects(
    'update knowledge_sources set stale = :stale, contradicts_id = :contradicts, updated_at = :at where id = :id')
  // A name given by a person stays.
  const move = db.objects(`
    update knowledge_sources set origin_key = :key, title = iif(title = :titleBefore, :title, title), checked_at = :at,
      origin_changed_at = coalesce(:changedAt, origin_changed_at), misses = 0, is_gone = 0, version = version + 1, updated_at = :at
    where id = :id and feed_id = :feed and origin_key = :from`)
  const forget = db.objects('delete from site_pages where source_id = ? and address = ?')
  const mark = db.objects('update knowledge_sources set is_gone = 1 where id = ?')
  const release = db.objects('update knowledge_sources set feed_id = null, origin_key = null where feed_id = ?')

  function * kept (id: Id) { return (yield * rows.record(id))! }

  return {
    * items (feed) {
      return (yield * all.all(feed)).map((row): FedSource => {
        const { id, key, changedAt, checkedAt, originTitle, address, isUnread, isGone } = row
        const { url, etag, lastModified, contentHash, links } = row
        const visit = address === null ? null : { url, etag, lastModified, contentHash, title: originTitle, links }
        return { id, key, changedAt, checkedAt, visit, isUnread: isUnread === 1, isGone: isGone === 1 }
      })
    },

    * bring (feed: BringingFeed, item: Brought) {
      if ((yield * isExcluded.get(feed.id, item.key)) === 1) return 'excluded'
      const id = yield * known.get(feed.id, item.key)
      if (id === undefined) {
        const birth = brought(feed, item, clock.micros(), yield * rows.folders(feed.agent))
        const [made] = yield * rows.bear(feed.owner, feed.agent, [birth])
        return { id: made!, isNew: true }
      }
      const event = { kind: 'brought', item } as const
      yield * rows.applyTo(decide(yield * kept(id), event, yield * aroundOf(needs, rows, yield * kept(id), event))!)
      return { id, isNew: false }
    },

    * move (feed, { id, from, key, title, titleBefore, changedAt, fetched }) {
      if ((yield * isExcluded.get(feed.id, key)) === 1) return 'excluded'
      const at = timestamp(clock.micros())
      yield * move.run({ id, feed: feed.id, from, key, title, titleBefore, changedAt, at })
      yield * forget.run(id, from)
      yield * rows.visits.remember({ id, owner: feed.owner, agent: feed.agent }, fetched)
      yield * rows.moved(feed.owner, feed.agent)
      return 'moved'
    },

    * isExcluded (feed, key) { return (yield * isExcluded.get(feed, key)) === 1 },

    * checked ({ owner, agent }, found: ReadonlyArray<{ id: Id, changedAt: string | null, fetched?: Fetched }>) {
      const at = timestamp(clock.micros())
      for (const { id, changedAt, fetched } of found) {
        yield * checked.run({ id, changedAt, at })
        if (fetched) yield * rows.visits.remember({ id, owner, agent }, fetched)
      }
      if (found.length > 0) yield * rows.moved(owner, agent)
    },

    * missed ({ owner, agent }, ids, most) {
      const at = timestamp(clock.micros())
      for (const id of ids) yield * missed.run({ id, at, most })
      if (ids.length > 0) yield * rows.moved(owner, agent)
    },

    * mark (ids) {
      for (const id of ids) yield * mark.run(id)
    },

    * gone (ids) {
      for (const id of ids) yield * rows.applyTo(decide(yield * kept(id), { kind: 'gone' }, NO_CONTEXT)!)
    },

    * judge ({ owner, agent }, verdicts) {
      const at = timestamp(clock.micros())
      for (const verdict of verdicts) yield * judge.run({ ...verdict, at })
      if (verdicts.length > 0) yield * rows.moved(owner, agent)
    },

    * release ({ id, owner, agent }, becomes) {
      if (becomes === 'removed') yield * this.gone((yield * all.all(id)).map((row) => row.id))
      else yield * release.run(id)
      yield * rows.moved(owner, agent)
    }
  }
}

/** A removal depends on nothing else. */
const NO_CONTEXT = { now: 0, children: [], folders: [], embeds: false }
