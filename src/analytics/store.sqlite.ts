import type { Id } from '../../schema/common.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'
import { inPortions } from '../platform/work/slices.ts'
import { COUNTED, dayAt, type Ended, type Increment, incrementsOf, isTrial, type Lookup } from './figures.ts'
import type { AnalyticsStore, TopSource, Wanted } from './store.ts'
import type { FigurePart } from '../../schema/people/analytics.ts'
import type { ConversationRecord, Outcome } from '../../schema/conversations.ts'
import type { DomainEvent, EventBus } from '../platform/work/event-bus.ts'
import { nextTurn } from '../platform/work/turns.ts'
import {
  incrementsBy, namesOfEnd, namesOfReturn, namesOfSatisfaction, type PartIncrement, type Parts, partsOf,
  type SaidInEpisode
} from './parts.ts'

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

/** An ended episode, with what it was counted by; null if an older program did not record that. */
interface EndedEpisode { outcome: Outcome, ended_at: string, parts: string | null }

/** Reads daily sums by what episodes have in common, in the caller's transaction. */
type ReadParts = (
  owner: number, by: FigurePart, range: { from: number, to: number, agent?: number | undefined }
) => Work<PartIncrement[]>

/** The events that count for all that an episode has in common. */
const OF_EPISODES = ['conversation.closed', 'conversation.reopened', 'satisfaction.given', 'handoff.overdue'] as const

/** Updates daily sums by what episodes have in common, in the transactions in which they end; returns their reader. */
function partsIn (db: Database, eventBus: EventBus): ReadParts {
  const add = db.objects(`insert into figure_parts (agent_id, owner_id, day, by, value, name, n)
    values (:agent, :owner, :day, :by, :value, :name, :n)
    on conflict (agent_id, day, by, value, name) do update set n = figure_parts.n + excluded.n`)
  const look = lookingAt(db)
  const keep = db.objects('update episodes set parts = ? where conversation = ? and episode = ?')

  function * count ({ owner, agent }: Pick<DomainEvent, 'owner' | 'agent'>, at: string, parts: Parts, names: Record<string, number>) {
    const day = dayAt(at)
    for (const increment of incrementsBy(parts, names)) yield * add.run({ ...increment, owner, agent, day })
  }

  eventBus.on(OF_EPISODES, function * (happened) {
    const { type, data } = happened
    if (happened.agent === null || isTrial(happened)) return
    if (type === 'conversation.closed') {
      const { conversation } = data
      const number = yield * look.numberOf.get(conversation.id)
      if (number === undefined || conversation.outcome === null || conversation.closed_at === null) return
      const { parts, said } = yield * look.ended(number, conversation)
      yield * keep.run(JSON.stringify(parts), number, conversation.episode)
      yield * count(happened, conversation.closed_at, parts, namesOfEnd(conversation.outcome, said))
    }
    if (type === 'conversation.reopened') {
      const ended = yield * look.episode(data.conversation.id, data.conversation.episode - 1)
      if (ended?.parts) {
        yield * count(
          happened, ended.ended_at, JSON.parse(ended.parts) as Parts, namesOfReturn(ended.outcome)
        )
      }
    }
    if (type === 'satisfaction.given') {
      const { satisfaction: { conversation, episode, score }, before } = data
      const ended = yield * look.episode(conversation, episode)
      if (!ended?.parts || score === null) return
      yield * count(happened, ended.ended_at, JSON.parse(ended.parts) as Parts, namesOfSatisfaction(score, before))
    }
    if (type === 'handoff.overdue') {
      const { conversation } = data
      const number = yield * look.numberOf.get(conversation.id)
      if (number === undefined) return
      const { parts } = yield * look.ended(number, conversation)
      yield * count(happened, conversation.overdue_at!, parts, { overdue: 1 })
    }
  })

  const ofAll = reading(db, 'owner_id = :owner and by = :by and day between :from and :to')
  const ofOne = reading(db, 'agent_id = :agent and day between :from and :to and by = :by and +owner_id = :owner')
  return (owner, by, { agent, ...range }) => (agent === undefined ? ofAll : ofOne).all({ owner, by, agent, ...range })
}

function reading (db: Database, where: string) {
  return db.objects<object, PartIncrement>(
    `select min(by) as by, value, name, sum(n) as n from figure_parts where ${where} and ${OF_KEPT_AGENT} group by value, name`
  )
}

/** Look-ups needed to count an episode. */
function lookingAt (db: Database) {
  const numberOf = db.column<[string], number>('select number from conversations where id = ?')
  const said = db.objects<[number, number], SaidInEpisode>(`
    select count(*) as answers, coalesce(sum(unknown), 0) as unknown, cast(round(sum(json_extract(usage, '$.cost')) * 1000000) as integer) as cost
    from messages where conversation = ? and role = 'agent' and created_at >= ?`)
  const last = (role: 'agent' | 'person', column: string) => db.column<[number, number], number>(`
    select ${column} from messages where conversation = ? and role = '${role}' and ${column} is not null and created_at >= ?
    order by seq desc limit 1`)
  const version = last('agent', 'agent_version')
  const person = last('person', 'author')
  const episode = db.objects<[string, number], EndedEpisode>(`
    select outcome, ended_at, parts from episodes where conversation = (select number from conversations where id = ?) and episode = ?`)
  return {
    numberOf,
    episode: (conversation: string, which: number) => episode.get(conversation, which),
    /** What an episode has in common with others, and its messages. */
    * ended (number: number, conversation: ConversationRecord) {
      const began = conversation.course.began_at
      const from = began === null ? 0 : Date.parse(began) * 1000
      const names = {
        version: (yield * version.get(number, from)) ?? null, person: (yield * person.get(number, from)) ?? null
      }
      return { parts: partsOf(conversation, names), said: (yield * said.get(number, from))! }
    }
  }
}
