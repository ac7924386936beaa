import { randomBytes } from 'node:crypto'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord } from '../../schema/conversations.ts'
import type { Satisfaction, SatisfactionDraft, SatisfactionRecord } from '../../schema/satisfaction.ts'
import { satisfactions } from '../../schema/sqlite/people.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import { sealKept, type Seal } from '../platform/storage/secrets.ts'
import { mapped, type Work } from '../platform/storage/work.ts'
import { isToBeAsked, wordsOf } from './rules.ts'
import type { Linked, SatisfactionStore } from './store.ts'

type Row = typeof satisfactions.$inferSelect
/** The conversation that a row is about. */
interface Known { number: number, secret: Id, id: string, episode: number, status: ConversationRecord['status'] }

interface SatisfactionNeeds extends Pick<Kernel, 'db' | 'clock' | 'secrets' | 'eventBus'> {
  /** Whether an account asks. */
  asks: (owner: Id) => Work<boolean>
}

const placeOf = (id: string) => `satisfaction/${id}`
const rows = rowsOf(satisfactions)
const COLUMNS = 'number, secret, id, episode, status'

/**
 * How content visitors were, in SQLite: they are asked in the transaction that closes a conversation. `linked`: the
 * target of a mailed link; `askedOf`: the link of a visitor who has not answered yet, inside a transaction.
 */
export function sqliteSatisfactionStore (needs: SatisfactionNeeds): SatisfactionStore & {
  linked (id: string): Promise<Linked | undefined>
  askedOf (owner: Id, conversation: string): Work<string | undefined>
} {
  const { db } = needs
  const known = db.objects<[string, Id], Known>(
    `select ${COLUMNS} from conversations where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`
  )
  const byNumber = db.objects<[number], Known>(`select ${COLUMNS} from conversations where number = ?`)
  const select = `select ${rows.columns} from satisfactions`
  const current = db.rows<[number, number], unknown[]>(`${select} where conversation = ? and episode = ?`)
  const all = db.rows<[number], unknown[]>(`${select} where conversation = ? order by episode`)
  const byId = db.rows<[string], unknown[]>(`${select} where id = ? and ${OF_KEPT_AGENT}`)
  const lists = listsIn(db)
  asking(needs, (conversation, owner) => known.get(conversation, owner))

  const recordOf = (row: unknown[]) => rows.record(row)
  function * shown (row: Row, { id, secret }: Pick<Known, 'id' | 'secret'>): Work<Satisfaction> {
    const { id: _id, owner: _owner, ...rest } = whole(row, id, yield * sealKept(needs.secrets, secret))
    return rest
  }

  function * waiting (found: Known | undefined): Work<Row | undefined> {
    const row = found?.status === 'closed' ? (yield * current.get(found.number, found.episode)) : undefined
    return row && recordOf(row)
  }

  return {
    async list (owner, filter, cursor, limit) {
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
      return db.read(function * () {
        const found = filter.conversation === undefined ? undefined : (yield * known.get(filter.conversation, owner))
        if (filter.conversation !== undefined && !found) return { items: [], next: null }
        const ofMany = filter.agent === undefined
          ? lists.ofOwner.all(owner, before, limit + 1)
          : lists.ofAgent.all(filter.agent, owner, before, limit + 1)
        const read = yield * found ? lists.ofConversation.all(found.number, before, limit + 1) : ofMany
        const items = read.slice(0, limit).map(recordOf)
        const next = read.length > limit ? String(items.at(-1)!.number) : null
        return {
          items: yield * mapped(items, function * (row) {
            return yield * shown(row, (yield * byNumber.get(row.conversation))!)
          }),
          next
        }
      })
    },
    ofConversation: async (owner, conversation) => db.read(function * () {
      const found = yield * known.get(conversation, owner)
      return found ? (yield * mapped(yield * all.all(found.number), (row) => shown(recordOf(row), found))) : []
    }),
    isAsked: async (owner, conversation) => db.read(function * () {
      return (yield * waiting(yield * known.get(conversation, owner)))?.score === null
    }),
    * askedOf (owner, conversation) {
      const row = yield * waiting(yield * known.get(conversation, owner))
      return row?.score === null ? row.id : undefined
    },
    give: giving(needs, function * (owner, conversation) {
      const found = yield * known.get(conversation, owner)
      return found && { found, row: yield * waiting(found) }
    }),
    linked: async (id) => db.read(function * () {
      const row = yield * byId.get(id)
      if (!row) return undefined
      const { owner, conversation, language, score, episode } = recordOf(row)
      const found = (yield * byNumber.get(conversation))!
      const isOpen = found.status === 'closed' && found.episode === episode
      return { owner, conversation: found.id, language, isAnswered: score !== null, isOpen }
    })
  }
}

function listsIn (db: Database) {
  const reading = <Given extends unknown[]> (where: string, index: string) => db.rows<Given, unknown[]>(`
    select ${rows.columns} from satisfactions indexed by satisfactions_${index}
    where ${where} and number < ? and score is not null and ${OF_KEPT_AGENT} order by number desc limit ?`)
  return {
    ofOwner: reading<[Id, number, number]>('owner_id = ?', 'by_owner'),
    ofAgent: reading<[Id, Id, number, number]>('agent_id = ? and owner_id = ?', 'by_agent'),
    ofConversation: reading<[number, number, number]>('conversation = ?', 'once')
  }
}

/** Asks, whenever a conversation is closed. */
function asking (
  { db, eventBus, asks }: SatisfactionNeeds,
  known: (conversation: string, owner: Id) => Work<Known | undefined>
) {
  const lastOfVisitor = db.column<[string], string | null>(`
    select max(asked_at) from conversations indexed by conversations_by_visitor join satisfactions on conversation = conversations.number where visitor = ?`)
  const lastOf = db.column<[number], string | null>('select max(asked_at) from satisfactions where conversation = ?')
  const versionOf = db.column<[number], number>(`
    select agent_version from messages where conversation = ? and role = 'agent' and agent_version is not null order by seq desc limit 1`)
  const personOf = db.column<[number, number], number>(`
    select author from messages where conversation = ? and role = 'person' and author is not null and created_at >= ? order by seq desc limit 1`)
  const insert = db.objects(`insert into satisfactions (${rows.columns}) values (${rows.placeholders}) on conflict do nothing`)

  eventBus.on(['conversation.closed'], function * ({ owner, data: { conversation } }) {
    const found = (yield * asks(owner)) ? (yield * known(conversation.id, owner)) : undefined
    if (!found) return
    const { visitor, agent, episode, outcome, channel, language, closed_at: at, course } = conversation
    const last = (visitor === null ? (yield * lastOf.get(found.number)) : (yield * lastOfVisitor.get(visitor))) ?? null
    if (!isToBeAsked(conversation, { asks: true, last })) return
    const satisfaction: SatisfactionRecord = {
      id: `rate_${randomBytes(16).toString('base64url')}`,
      conversation: conversation.id,
      episode,
      agent,
      owner,
      score: null,
      comment: '',
      outcome: outcome!,
      agent_version: (yield * versionOf.get(found.number)) ?? null,
      person: (yield * personOf.get(found.number, Date.parse(course.began_at!) * 1000)) ?? null,
      channel,
      language,
      asked_at: at!,
      answered_at: null
    }
    const { comment: _comment, ...kept } = satisfaction
    const row: Omit<Row, 'number'> = { ...kept, conversation: found.number, sealed: null }
    if ((yield * insert.run(...rows.values(row))) === 0) return
    yield * eventBus.publish({ owner, agent, type: 'satisfaction.asked', data: { satisfaction } })
  })
}

/** See SatisfactionStore.give. */
function giving (
  { db, clock, secrets, eventBus }: SatisfactionNeeds,
  find: (owner: Id, conversation: string) => Work<{ found: Known, row: Row | undefined } | undefined>
): SatisfactionStore['give'] {
  const set = db.objects('update satisfactions set score = ?, answered_at = ?, sealed = ? where number = ?')
  return (owner, conversation, { score, comment }: SatisfactionDraft) => db.atomically(function * () {
    const { found, row } = (yield * find(owner, conversation)) ?? {}
    if (!found) return undefined
    if (!row) {
      throw new Refusal(
        'not_asked', 'Nobody is asked about this conversation: it goes on, or its visitor was asked within seven days.'
      )
    }
    const seal = yield * sealKept(secrets, found.secret)
    const words = wordsOf(comment)
    const next = {
      ...row,
      score,
      answered_at: timestamp(clock.micros()),
      sealed: words === '' ? null : seal.close(placeOf(row.id), words)
    }
    yield * set.run(score, next.answered_at, next.sealed, row.number)
    const satisfaction = whole(next, found.id, seal)
    yield * eventBus.publish({
      owner, agent: row.agent, type: 'satisfaction.given', data: { satisfaction, before: row.score }
    })
    const { id: _id, owner: _owner, ...rest } = satisfaction
    return rest
  })
}

/** A row as a record. */
function whole (
  { number: _number, sealed, ...row }: Row, conversation: string, seal: Seal
): SatisfactionRecord {
  return { ...row, conversation, comment: sealed === null ? '' : seal.open(placeOf(row.id), sealed).toString() }
}
