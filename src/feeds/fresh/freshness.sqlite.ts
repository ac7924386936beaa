import type { Id } from '../../../schema/common.ts'
import type { StaleSource } from '../../../schema/feeds.ts'
import type { Stale } from '../../../schema/knowledge.ts'
import { OF_KEPT_AGENT } from '../../agents/index.ts'
import { dateOf, dayOf } from '../../conversations/index.ts'
import type { FeedNeeds } from '../rows.sqlite.ts'
import { staleOf } from '../rules.ts'
import type { FreshnessStore } from '../store.ts'

/** Days for which answers count. */
const DAYS = 90
/** Sources that a list names at most. */
const MOST_SHOWN = 500
const WEEK = 7

interface Row {
  id: Id, stale: Stale | null, contradicts: Id | null, reviewBy: string | null, checkedOn: string, cited: number
}

/** How fresh sources are, in SQLite. */
export function freshnessStore (
  { db, clock, sources, jobs, eventBus }: Pick<FeedNeeds, 'db' | 'clock' | 'sources' | 'jobs' | 'eventBus'>
): FreshnessStore {
  const cited = "(select coalesce(sum(n), 0) from figures where agent_id = source.agent_id and name = 'source' and key = source.id and day >= :day)"
  const owns = db.column<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?')
  const agents = db.objects<[Id, number], { id: Id, owner: Id }>(
    'select id, owner_id as owner from agents where id > ? and owner_id is not null order by id limit ?')
  const ages = db.objects<object, Row>(`
    select source.id, stale, contradicts_id as contradicts, coalesce(source.review_by, folder.review_by) as reviewBy,
      substr(coalesce(checked_at, source.created_at), 1, 10) as checkedOn, ${cited} as cited
    from knowledge_sources as source join knowledge_folders as folder on folder.id = folder_id
    where source.agent_id = :agent and source.parent_id is null and source.id > :after order by source.id limit :most`)
  const stale = db.objects<object, StaleSource>(`
    select id, title, stale, contradicts_id as contradicts, feed_id as feed, checked_at, changed_at, review_by, ${cited} as cited
    from knowledge_sources as source where agent_id = :agent and stale is not null and ${OF_KEPT_AGENT}
    order by id limit ${MOST_SHOWN}`)
  const sums = db.objects<object, { name: string, n: number }>(`
    select name, sum(n) as n from figures where agent_id = :agent and name in ('messages.agent', 'unknown') and day between :from and :to group by name`)
  const neverCited = db.objects<object, { source: Id, title: string }>(`
    select id as source, title from knowledge_sources as source
    where agent_id = :agent and is_selected = 1 and training_status = 'Success' and text_blob is not null
      and id not in (select key from figures where agent_id = :agent and name = 'source' and day >= :day) order by id limit ${MOST_SHOWN}`)

  const today = () => dayOf(clock.micros())

  function * shareOf (agent: Id, from: number, to: number) {
    const found = new Map((yield * sums.all({ agent, from, to })).map(({ name, n }) => [name, n]))
    const answers = found.get('messages.agent') ?? 0
    const unknown = Math.min(found.get('unknown') ?? 0, answers)
    return { answers, unknown, share: answers === 0 ? null : (answers - unknown) / answers }
  }

  return {
    agentsAfter: async (after, most) => db.read(() => agents.all(after, most)),

    askReports: (reports) => db.atomically(() => jobs.ask(...reports)),

    tellGaps: (owner, agent) => db.atomically(function * () {
      if (
        (yield * owns.get(agent, owner)) === 1
      ) yield * eventBus.publish({ owner, agent, type: 'knowledge.gaps', data: { gaps: agent } })
    }),

    stale: async (owner, agent) => db.read(function * () {
      return (yield * owns.get(agent, owner)) === 1 ? (yield * stale.all({ agent, day: today() - DAYS })) : undefined
    }),

    week: async (owner, agent) => db.read(function * () {
      if ((yield * owns.get(agent, owner)) !== 1) return undefined
      const now = today()
      const { answers, unknown, share } = yield * shareOf(agent, now - WEEK + 1, now)
      return {
        answers,
        unknown,
        known_share: share,
        known_share_before: (yield * shareOf(agent, now - 2 * WEEK + 1, now - WEEK)).share,
        never_cited: yield * neverCited.all({ agent, day: now - DAYS })
      }
    }),

    judge: (owner, agent, after, most, found) => db.atomically(function * () {
      if ((yield * owns.get(agent, owner)) !== 1) return undefined
      const now = dateOf(today())
      const some = yield * ages.all({ agent, after, most, day: today() - DAYS })
      yield * sources.judge({ owner, agent }, some.flatMap((row) => {
        const contradicts = found.get(row.id) ?? null
        const verdict = staleOf({ ...row, contradicts }, now)
        const isAsBefore = verdict === row.stale && contradicts === row.contradicts
        return isAsBefore ? [] : [{ id: row.id, stale: verdict, contradicts }]
      }))
      return some.at(-1)?.id
    })
  }
}
