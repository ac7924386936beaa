import type { Id } from '../../schema/common.ts'
import type { ReviewReason } from '../../schema/people/reviews.ts'
import { reviews } from '../../schema/sqlite/people.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import { mapped, type Work } from '../platform/storage/work.ts'
import { RISKS_IN, riskOf } from './rules.ts'
import type { ReviewRow, ReviewStore } from './store.ts'

/** Maximum open reviews of an agent: the oldest are deleted. */
const MOST_REVIEWS = 500

const rows = rowsOf(reviews)

/** Answers to review, in SQLite: recorded in the transaction of the event. */
export function sqliteReviewStore (
  { db, clock, eventBus }: Pick<Kernel, 'db' | 'clock' | 'eventBus'>
): ReviewStore {
  const select = `select ${rows.columns} from reviews`
  const open = (where: string, by: string) => db.rows<unknown[], unknown[]>(`
    ${select} indexed by reviews_open_by_${by} where ${where} and number < ? and verdict is null and ${OF_KEPT_AGENT} order by number desc limit ?`)
  const ofOwner = open('owner_id = ?', 'owner')
  const ofAgent = open('agent_id = ? and owner_id = ?', 'agent')
  const one = db.rows<[Id, Id], unknown[]>(`${select} where number = ? and owner_id = ? and ${OF_KEPT_AGENT}`)
  const idOf = db.column<[number], string>('select id from conversations where number = ?')
  const set = db.objects('update reviews set verdict = ?, person = ?, reviewed_at = ? where number = ?')
  const { note, trim } = noting(db)
  const at = () => timestamp(clock.micros())

  function * shown (row: unknown[]): Work<ReviewRow> {
    const { number: id, owner: _owner, conversation, ...kept } = rows.record(row)
    return { ...kept, id, conversation: (yield * idOf.get(conversation))! }
  }

  function * add (owner: Id, conversation: string, seq: number | null, reason: ReviewReason) {
    const agent = yield * note.get({ owner, conversation, seq, reason, at: at() })
    if (agent !== undefined) yield * trim.run({ agent })
  }

  eventBus.on(RISKS_IN, function * (happened) {
    const risk = happened.agent === null ? undefined : riskOf(happened)
    if (risk) yield * add(happened.owner, risk.conversation, risk.seq ?? null, risk.reason)
  })

  return {
    list: async (owner, { agent }, cursor, limit) => db.read(function * () {
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
      const read = agent === undefined
        ? (yield * ofOwner.all(owner, before, limit + 1))
        : (yield * ofAgent.all(agent, owner, before, limit + 1))
      const items = yield * mapped(read.slice(0, limit), shown)
      return { items, next: read.length > limit ? String(items.at(-1)!.id) : null }
    }),
    get: async (owner, id) => db.read(function * () {
      const row = yield * one.get(id, owner)
      return row && (yield * shown(row))
    }),
    decide: (owner, id, verdict, person) => db.atomically(function * () {
      const row = yield * one.get(id, owner)
      if (!row) return undefined
      const before = yield * shown(row)
      const reviewed = at()
      yield * set.run(verdict, person, reviewed, id)
      if (verdict !== 'right' && before.verdict !== verdict) {
        const { agent, conversation, seq } = before
        yield * eventBus.publish(
          { owner, agent, type: 'answer.faulted', data: { answer: { conversation, seq }, verdict } }
        )
      }
      return { ...before, verdict, person, reviewed_at: reviewed }
    }),
    note: (owner, conversation, seqs) => db.atomically(function * () {
      for (const seq of seqs) yield * add(owner, conversation, seq, 'source_changed')
    })
  }
}

/** `note`: records an answer, once; without a seq the latest one. `trim`: deletes those beyond the maximum. */
function noting (db: Database) {
  return {
    note: db.column<object, Id>(`
      insert into reviews (conversation, seq, owner_id, agent_id, reason, created_at)
      select number, place, owner_id, coalesce(speaker, agent_id), :reason, :at
      from (select number, owner_id, speaker, agent_id, coalesce(:seq, (select max(seq) from messages where messages.conversation = number and role = 'agent' and answered_by <> 'canned')) as place
        from conversations where id = :conversation and owner_id = :owner) as found
      where place is not null
      on conflict do nothing returning agent_id`),
    trim: db.objects<{ agent: Id }>(`
      delete from reviews where agent_id = :agent and verdict is null and number <= (
        select number from reviews indexed by reviews_open_by_agent where agent_id = :agent and verdict is null order by number desc limit 1 offset ${MOST_REVIEWS})`)
  }
}
