import { eq } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import { EVENTS, type ConversationRecord, type MessageRecord } from '../../schema/conversations.ts'
import { conversations, messages } from '../../schema/sqlite/conversations.ts'
import { invalid } from '../platform/errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import type { Revisions } from '../platform/storage/sqlite/revisions.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import { sealKept, type Seal, type Secrets } from '../platform/storage/secrets.ts'
import type { Announcements } from '../platform/work/announcements.ts'
import type { Notifier } from '../platform/work/notifier.ts'
import type { AttachmentsOf } from './attachments/attachments.sqlite.ts'
import type { Run } from './usage/ledger.ts'
import { happeningsOf } from './happenings.ts'
import type { Decision } from './life.ts'
import type { RemoveConversations } from './removal.sqlite.ts'
import { conversationOf, conversationRow, messageOf, messageRow, type ConversationRow, type MessageRow } from './rows.ts'
import { newestEvents } from './newest.ts'
import { topicOf, type ConversationFilter, type ConversationStore, type Loaded, type Wanted } from './store.ts'

/** What the store needs: the secrets that conversations are sealed with, and who is told of what happened. */
export interface ConversationStoreNeeds {
  db: Database
  clock: Clock
  /** Notes in the ledger what a model took. */
  addRun: (owner: Id, conversation: number, run: Run) => void
  attachmentsOf: AttachmentsOf
  removal: RemoveConversations
  secrets: Secrets
  revisions: Revisions
  onceOnly: OnceOnly
  notifier: Notifier
  announcements: Announcements
}

/** Events kept for each conversation. */
const EVENTS_KEPT = 500
const EVENTS_AT_ONCE = 100
/** Conversations whose words a search reads for one part of a list. */
const SEARCHED = 500

interface Row { row: ConversationRow, status: 'Active' | 'Inactive', version: number }

/** Conversations in SQLite. */
export function sqliteConversationStore ({ db, clock, addRun, attachmentsOf, removal, secrets, revisions, onceOnly, notifier, announcements }: ConversationStoreNeeds): ConversationStore {
  const { raw } = db
  const rows = rowsOf(conversations)
  const messageRows = rowsOf(messages)
  const select = `select ${rows.columns} from conversations`
  const selectMessages = `select ${messageRows.columns} from messages`
  const one = raw.prepare<[string, Id], unknown[]>(`${select} where id = ? and owner_id = ?`).raw()
  const agentOf = raw.prepare<[Id, Id], { status: 'Active' | 'Inactive', version: number }>('select status, version from agents where id = ? and owner_id = ?')
  const knows = raw.prepare<[string, Id], number>('select 1 from visitors where id = ? and agent_id = ?').pluck()
  const byAlias = raw.prepare<[Id, string], string>('select id from conversations where agent_id = ? and alias = ?').pluck()
  const insert = raw.prepare(`insert into conversations (${rows.columns}) values (${rows.placeholders})`)
  // Changed where it lies: a row that is taken out and put in again leaves a hole in its page.
  const put = raw.prepare(`insert into messages (${messageRows.columns}) values (${messageRows.placeholders}) on conflict (conversation, seq) do update set ${messageRows.updates}`)
  const bySeq = (order: string, condition: string) => raw.prepare<unknown[], unknown[]>(`${selectMessages} where conversation = ? and ${condition} order by seq ${order} limit ?`).raw()
  const after = bySeq('asc', 'seq > ?')
  const before = bySeq('desc', 'seq < ?')
  const byId = raw.prepare<[number, string], unknown[]>(`${selectMessages} where conversation = ? and id = ?`).raw()
  const generating = raw.prepare<[number], unknown[]>(`${selectMessages} where conversation = ? and status = 'generating'`).raw()
  const byClient = raw.prepare<[number, string], unknown[]>(`${selectMessages} where conversation = ? and client_id = ? limit 1`).raw()
  const counted = raw.prepare('update agents set conversations = conversations + 1 where id = ?')
  const addEvent = raw.prepare(`insert into conversation_events (conversation, seq, type, message)
    select :number, coalesce(max(seq), 0) + 1, :type, :message from conversation_events where conversation = :number`)
  const trimEvents = raw.prepare(`delete from conversation_events where conversation = :number and seq <=
    (select max(seq) from conversation_events where conversation = :number) - ${EVENTS_KEPT}`)
  const events = raw.prepare<[number, number], { seq: number, type: number, message: number }>(
    `select seq, type, message from conversation_events where conversation = ? and seq > ? order by seq limit ${EVENTS_AT_ONCE}`)
  const lastEvent = raw.prepare<[number], number>('select coalesce(max(seq), 0) from conversation_events where conversation = ?').pluck()
  const unfinished = raw.prepare<[], { owner: Id, conversation: string }>(
    "select c.owner_id as owner, c.id as conversation from messages m join conversations c on c.number = m.conversation where m.status = 'generating'")

  function find (owner: Id, id: string): Row | undefined {
    const found = one.get(id, owner)
    if (!found) return undefined
    const row = rows.record(found)
    const agent = agentOf.get(row.agent, owner)
    return agent && { row, ...agent }
  }

  const newest = newestEvents(() => db.generation())
  announcements.on((happening) => { if (happening.type === 'conversation.deleted') newest.forget(happening.data.conversation.id) })
  const sealOf = (secret: Id) => sealKept(secrets, secret)
  const messageOfRow = (row: unknown[] | undefined, conversation: string, seal: Seal): MessageRecord | undefined => row && messageOf(messageRows.record(row) as MessageRow, conversation, seal)
  const conversationOfRow = (row: ConversationRow): ConversationRecord => conversationOf(row, sealOf(row.secret))

  function load ({ row, status, version }: Row, { clientId, message, attachments = [] }: Wanted): Loaded {
    const seal = sealOf(row.secret)
    return {
      conversation: conversationOf(row, seal),
      generating: messageOfRow(generating.get(row.number), row.id, seal),
      agentStatus: status,
      agentVersion: version,
      repeated: clientId ? messageOfRow(byClient.get(row.number, clientId), row.id, seal) : undefined,
      message: message === undefined ? undefined : messageOfRow(byId.get(row.number, message), row.id, seal),
      attachments: attachmentsOf(row.number, attachments, seal)
    }
  }

  function write ({ number, secret }: ConversationRow, before: Loaded, decision: Decision) {
    const seal = sealOf(secret)
    // What moves leaves its place to what is written there with it.
    for (const message of decision.messages) put.run(...messageRows.values(messageRow(message, number, seal)))
    if (decision.conversation !== before.conversation) updateRow(number, decision.conversation, seal)
    for (const { type, seq } of decision.events) addEvent.run({ number, type: EVENTS.indexOf(type), message: seq })
    trimEvents.run({ number })
    newest.forget(before.conversation.id)
    if (decision.run) addRun(before.conversation.owner, number, decision.run)
    announcements.announce(...happeningsOf(before, decision))
    notifier.notify(topicOf(before.conversation.id))
  }

  function add (conversation: ConversationRecord, alias: string | null): ConversationRecord {
    const secret = secrets.create()
    insert.run(...rows.values({ ...conversationRow(conversation, sealOf(secret)), alias, secret }))
    counted.run(conversation.agent)
    revisions.count(conversation.owner, clock.micros())
    announcements.announce({ owner: conversation.owner, type: 'conversation.created', agent: conversation.agent, data: { conversation } })
    return conversation
  }

  function updateRow (number: number, conversation: ConversationRecord, seal: Seal) {
    db.orm.update(conversations).set(conversationRow(conversation, seal)).where(eq(conversations.number, number)).run()
  }

  return {
    hasAgent: async (owner, agent) => db.read(() => agentOf.get(agent, owner) !== undefined),
    create: (owner, conversation, once) => db.atomically(() => {
      if (!agentOf.get(conversation.agent, owner)) return undefined
      if (conversation.visitor !== null && knows.get(conversation.visitor, conversation.agent) !== 1) throw invalid({ field: 'visitor', message: 'visitor is not a visitor of this agent.' })
      return onceOnly.run(owner, once, () => add(conversation, null), ({ id }) => `conversations/${id}`)
    }),
    named: (owner, agent, alias, conversation) => db.atomically(() => {
      if (!agentOf.get(agent, owner)) return undefined
      return byAlias.get(agent, alias) ?? (conversation && add(conversation, alias).id)
    }),
    get: async (owner, id) => db.read(() => {
      const found = find(owner, id)
      return found && conversationOfRow(found.row)
    }),
    list: async (owner, filter, cursor, limit) => db.read(() => list(owner, filter, cursor, limit)),
    change: (owner, id, wanted, decide) => db.atomically(() => {
      const found = find(owner, id)
      if (!found) return undefined
      const loaded = load(found, wanted)
      const decision = decide(loaded)
      if (decision) write(found.row, loaded, decision)
      return { decision, loaded }
    }),
    remove: (owner, id, check) => db.atomically(() => {
      const found = find(owner, id)
      if (!found) return false
      check(conversationOfRow(found.row))
      removal(owner, found.row.agent, [found.row])
      return true
    }, { frees: true }),
    messages: async (owner, id, range, limit) => db.read(() => {
      const found = find(owner, id)
      if (!found) return undefined
      const { number, secret } = found.row
      const seal = sealOf(secret)
      const inOrder = range.before === undefined
        ? after.all(number, range.after ?? 0, limit)
        : before.all(number, range.before, limit).reverse()
      return inOrder.map((row) => messageOf(messageRows.record(row), id, seal))
    }),
    message: async (owner, id, message) => db.read(() => {
      const found = find(owner, id)
      return found && load(found, { message }).message
    }),
    events: async (owner, id, since) => db.read(() => {
      const found = find(owner, id)
      if (!found) return undefined
      const { number, secret } = found.row
      const seal = sealOf(secret)
      const last = lastEvent.get(number)!
      newest.note(owner, id, last)
      return {
        last,
        events: events.all(number, since).map(({ message, type, ...event }) => ({ ...event, type: EVENTS[type]!, message: messageOfRow(after.get(number, message - 1, 1), id, seal) ?? null }))
      }
    }),
    newest: async (owner, id) => db.read(() => {
      const found = find(owner, id)
      return found && { agent: found.row.agent, event: lastEvent.get(found.row.number)! }
    }),
    isNewest: newest.is,
    unfinished: async () => db.read(() => unfinished.all())
  }

  /** A part of the owner's conversations, newest first. Words are looked for in subjects and messages, which only their keys open. */
  function list (owner: Id, filter: ConversationFilter, cursor: string | undefined, limit: number) {
    const { where, values } = scope(owner, filter, cursor)
    const found = raw.prepare<unknown[], unknown[]>(`${select} where ${where} order by number desc limit ?`).raw()
      .all(...values, filter.search === undefined ? limit + 1 : SEARCHED).map((row) => rows.record(row))
    const wanted = filter.search === undefined ? found : found.filter((row) => says(row, filter.search!.toLowerCase()))
    const items = wanted.slice(0, limit)
    const isMore = wanted.length > limit || (filter.search !== undefined && found.length === SEARCHED)
    const last = wanted.length > limit ? items.at(-1) : found.at(-1)
    return { items: items.map(conversationOfRow), next: isMore && last ? String(last.number) : null }
  }

  function says (row: ConversationRow, word: string): boolean {
    const seal = sealOf(row.secret)
    if (conversationOf(row, seal).subject.toLowerCase().includes(word)) return true
    return after.all(row.number, 0, SEARCHED).some((message) => messageOf(messageRows.record(message), row.id, seal).text.toLowerCase().includes(word))
  }
}

/** Which conversations a filter lets through: fixed texts alone, and the values for the question marks. */
function scope (owner: Id, filter: ConversationFilter, cursor: string | undefined) {
  const conditions: Array<[string, unknown]> = [['owner_id = ?', owner]]
  if (filter.agent !== undefined) conditions.push(['agent_id = ?', filter.agent])
  for (const field of ['status', 'handled_by', 'visitor', 'outcome'] as const) {
    if (filter[field] !== undefined) conditions.push([`${field} = ?`, filter[field]])
  }
  if (filter.since !== undefined) conditions.push(['coalesce(last_message_at, created_at) >= ?', filter.since])
  if (cursor !== undefined) conditions.push(['number < ?', Number(cursor)])
  return { where: conditions.map(([condition]) => condition).join(' and '), values: conditions.map(([, value]) => value) }
}
