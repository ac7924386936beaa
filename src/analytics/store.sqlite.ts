import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Id } from '../../schema/common.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'
import { inPortions } from '../platform/work/slices.ts'
import { COUNTED, incrementsOf, type Ended, type Increment, type Lookup } from './figures.ts'
import { partsIn } from './parts.sqlite.ts'
import type { AnalyticsStore, TopSource, Wanted } from './store.ts'

const TOP = 10
/** Most conversations of people that are counted as open. */
const MOST_OPEN = 1000
/** Days summed before others may run: 5 ms for an account with 20 agents. */
const DAYS_AT_ONCE = 30

/** Daily sums in SQLite, updated in the transaction of each event. */
export function sqliteAnalyticsStore ({
  db, eventBus
}: Pick<Kernel, 'db' | 'eventBus'>): AnalyticsStore {
  const add =
    db.objects(`insert into figures (agent_id, owner_id, day, name, key, n) values (:agent, :owner, :day, :name, :key, :n)
    on conflict (agent_id, day, name, key) do update set n = figures.n + excluded.n`)
  // Those of one agent are adjacent; SQLite would walk through those of all.
  const ofAll = readingFigures(db, `owner_id = :owner and day between :from and :to and ${OF_KEPT_AGENT}`)
  const ofOne = readingFigures(db, `agent_id = :agent and day between :from and :to and +owner_id = :owner and ${OF_KEPT_AGENT}`)
  const of = ({ agent }: Wanted) => agent === undefined ? ofAll : ofOne
  const open = countingOpen(db)
  const lookup = lookingUp(db)
  const readParts = partsIn(db, eventBus)

  eventBus.on(COUNTED, function * (happened) {
    const { owner, agent } = happened
    if (agent !== null) {
      for (const increment of yield * incrementsOf(happened, lookup)) {
        yield * add.run(
          { ...increment, owner, agent }
        )
      }
    }
  })

  return {
    sums: async (owner, wanted) => await inPortions(wanted, DAYS_AT_ONCE, async (from, to) =>
      db.read(() => of(wanted).sums.all({ owner, ...wanted, from, to }))),
    parts: async (owner, by, wanted) => await inPortions(wanted, DAYS_AT_ONCE, async (from, to) =>
      db.read(() => readParts(owner, by, { ...wanted, from, to }))),
    open: async (owner, agent) => await db.read(() => open(owner, agent)),
    async sources (owner, wanted) {
      // The caller has just summed a year, and writes the result out afterwards.
      await nextTurn()
      const sources = await db.read(() => of(wanted).sources.all({ owner, ...wanted }))
      await nextTurn()
      return sources
    }
  }
}

/** Counts the conversations that people have, or should have: of an agent, or of all. */
function countingOpen (db: Database) {
  const counted = (which: string) => `
    select count(*) from (
      select 1 from conversations where ${which} and handled_by in ('queue', 'person') and status = 'open'
      and channel <> 'console' and ${OF_KEPT_AGENT} limit ${MOST_OPEN}) as found`
  const ofAll = db.column<[Id], number>(counted('owner_id = ?'))
  const ofOne = db.column<[Id, Id], number>(counted('agent_id = ? and +owner_id = ?'))
  return function * (owner: Id, agent?: Id): Work<number> {
    return (agent === undefined ? yield * ofAll.get(owner) : yield * ofOne.get(agent, owner)) ?? 0
  }
}

/** Reads the sums that match this condition. */
function readingFigures (db: Database, range: string) {
  return {
    sums: db.objects<object, Increment>(
      `select day, name, key, sum(n) as n from figures where ${range} and name <> 'source' group by day, name, key order by day`
    ),
    sources: db.objects<object, TopSource>(`
      select key as source, (select title from knowledge_sources where id = figures.key) as title, sum(n) as answers from figures where ${range} and name = 'source'
      group by key order by answers desc, key limit ${TOP}`)
  }
}

function lookingUp (db: Database): Lookup {
  const before = db.column<[string, number], number>(`
    select 1 from messages where conversation = (select number from conversations where id = ?) and seq < ? and role = 'agent' limit 1`
  )
  const last = db.objects<[number, string], Ended>(`
    select outcome, ended_at, asked_at, taken_at from episodes where episode = ? and conversation = (select number from conversations where id = ?)`)
  return {
    * isFirst ({ role, conversation, seq }) { return role === 'agent' && (yield * before.get(conversation, seq)) === undefined },
    last: ({ id, episode }: { id: string, episode: Id }) => last.get(episode - 1, id)
  }
}
