import type { Id } from '../../schema/common.ts'
import type { Fetched, Visit } from '../../schema/knowledge.ts'
import { timestamp } from '../platform/clock.ts'
import type { Brought, BringingFeed, FedSource } from './contract.ts'
import { brought } from './life/birth.ts'
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
  const { db: { raw }, clock } = needs
  const all = raw.prepare<[Id], Row>(`
    select source.id, origin_key as key, origin_changed_at as changedAt, checked_at as checkedAt,
      is_gone as isGone, address, url, etag, last_modified as lastModified, content_hash as contentHash,
      page.title as originTitle, links,
      training_status = 'Failed' and coalesce(error ->> 'retryable', 0) = 1 as isUnread
    from knowledge_sources as source left join site_pages as page on page.source_id = source.id
    where feed_id = ? order by source.id`)
  const isExcluded = raw.prepare<[Id, string], number>(
    'select 1 from feed_exclusions where feed_id = ? and key = ?').pluck()
  const known = raw.prepare<[Id, string], Id>('select id from knowledge_sources where feed_id = ? and origin_key = ?').pluck()
  const checked = raw.prepare(`
    update knowledge_sources set checked_at = :at, misses = 0, is_gone = 0, updated_at = :at,
      origin_changed_at = coalesce(:changedAt, origin_changed_at), stale = nullif(nullif(stale, 'unreachable'), 'unchecked')
    where id = :id`)
  const missed = raw.prepare<{ id: Id, at: string, most: number }>(`
    update knowledge_sources set misses = misses + 1, updated_at = :at,
      stale = iif(misses + 1 >= :most, 'unreachable', stale) where id = :id`)
  const judge = raw.prepare(
    'update knowledge_sources set stale = :stale, contradicts_id = :contradicts, updated_at = :at where id = :id')
  const mark = raw.prepare('update knowledge_sources set is_gone = 1 where id = ?')
  const release = raw.prepare('update knowledge_sources set feed_id = null, origin_key = null where feed_id = ?')

  const kept = (id: Id) => rows.record(id)!

  return {
    items: (feed) => all.all(feed).map((row): FedSource => {
      const { id, key, changedAt, checkedAt, originTitle, address, isUnread, isGone } = row
      const { url, etag, lastModified, contentHash, links } = row
      const visit = address === null ? null : { url, etag, lastModified, contentHash, title: originTitle, links }
      return { id, key, changedAt, checkedAt, visit, isUnread: isUnread === 1, isGone: isGone === 1 }
    }),

    bring (feed: BringingFeed, item: Brought) {
      if (isExcluded.get(feed.id, item.key) === 1) return 'excluded'
      const id = known.get(feed.id, item.key)
      if (id === undefined) {
        const birth = brought(feed, item, clock.micros(), rows.folders(feed.agent))
        const [made] = rows.bear(feed.owner, feed.agent, [birth])
        return { id: made!, isNew: true }
      }
      const event = { kind: 'brought', item } as const
      rows.carryOut(decide(kept(id), event, aroundOf(needs, rows, kept(id), event))!)
      return { id, isNew: false }
    },

    isExcluded: (feed, key) => isExcluded.get(feed, key) === 1,

    checked ({ owner, agent }, found: ReadonlyArray<{ id: Id, changedAt: string | null, fetched?: Fetched }>) {
      const at = timestamp(clock.micros())
      for (const { id, changedAt, fetched } of found) {
        checked.run({ id, changedAt, at })
        if (fetched) rows.visits.remember({ id, owner, agent }, fetched)
      }
      if (found.length > 0) rows.moved(owner, agent)
    },

    missed ({ owner, agent }, ids, most) {
      const at = timestamp(clock.micros())
      for (const id of ids) missed.run({ id, at, most })
      if (ids.length > 0) rows.moved(owner, agent)
    },

    mark (ids) {
      for (const id of ids) mark.run(id)
    },

    gone (ids) {
      for (const id of ids) rows.carryOut(decide(kept(id), { kind: 'gone' }, NOTHING_AROUND)!)
    },

    judge ({ owner, agent }, verdicts) {
      const at = timestamp(clock.micros())
      for (const verdict of verdicts) judge.run({ ...verdict, at })
      if (verdicts.length > 0) rows.moved(owner, agent)
    },

    release ({ id, owner, agent }, becomes) {
      if (becomes === 'removed') this.gone(all.all(id).map((row) => row.id))
      else release.run(id)
      rows.moved(owner, agent)
    }
  }
}

/** What goes depends on nothing beside it. */
const NOTHING_AROUND = { now: 0, children: [], folders: [], embeds: false }
