import type { FigurePart } from '../../schema/people/analytics.ts'
import type { ConversationRecord, Outcome } from '../../schema/conversations.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'
import type { EventBus, DomainEvent } from '../platform/work/event-bus.ts'
import { dayAt, isTrial } from './figures.ts'
import {
  incrementsBy, namesOfEnd, namesOfReturn, namesOfSatisfaction, partsOf, type PartIncrement, type Parts,
  type SaidInEpisode
} from './parts.ts'

/** An ended episode, with what it was counted by; null if an older program did not record that. */
interface Ended { outcome: Outcome, ended_at: string, parts: string | null }

/** Reads daily sums by what episodes have in common, in the caller's transaction. */
type ReadParts = (
  owner: number, by: FigurePart, range: { from: number, to: number, agent?: number | undefined }
) => Work<PartIncrement[]>

/** The events that count for all that an episode has in common. */
const OF_EPISODES = ['conversation.closed', 'conversation.reopened', 'satisfaction.given', 'handoff.overdue'] as const

/** Updates daily sums by what episodes have in common, in the transactions in which they end; returns their reader. */
export function partsIn (db: Database, eventBus: EventBus): ReadParts {
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
  const episode = db.objects<[string, number], Ended>(`
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
