import { eq } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord, MessageRecord } from '../../schema/conversations.ts'
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
import type { Consequences } from './hands/consequences.sqlite.ts'
import { happeningsOf } from './happenings.ts'
import type { Decision } from './life.ts'
import type { RemoveConversations } from './removal.sqlite.ts'
import {
  conversationOf, conversationRow, messageOf, messageRow, type ConversationRow, type MessageRow
} from './rows.ts'
import { newestEvents } from './newest.ts'
import { speakersIn } from './hands/speaker.sqlite.ts'
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
  consequences: Consequences
}

/** Conversations whose words a search reads for one part of a list. */
const SEARCHED = 500

/** Conversations in SQLite. */
export function sqliteConversationStore ({
  db, clock, addRun, attachmentsOf, removal, secrets, revisions, onceOnly, notifier, announcements, consequences
}: ConversationStoreNeeds): ConversationStore {
  const { raw } = db
  const rows = rowsOf(conversations)
  const messageRows = rowsOf(messages)
  const select = `select ${rows.columns} from conversations`
  const selectMessages = `select ${messageRows.columns} from messages`
  const one = raw.prepare<[string, Id], unknown[]>(`${select} where id = ? and owner_id = ?`).raw()
  const agentOf = raw.prepare<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?').pluck()
  const speakerOf = speakersIn(raw)
  const knows = raw.prepare<[string, Id], number>('select 1 from visitors where id = ? and agent_id = ?').pluck()
  const byAlias = raw
    .prepare<[Id, string], string>('select id from conversations where agent_id = ? and alias = ?')
    .pluck()
  const insert = raw.prepare(`insert into conversations (${rows.columns}) values (${rows.placeholders})`)
  // Changed where it lies: a row that is taken out and put in again leaves a hole in its page.
  const put = raw.prepare(
    `insert into messages (${messageRows.columns}) values (${messageRows.placeholders}) on conflict (conversation, seq) do update set ${messageRows.updates}`
  )
  const bySeq = (order: string, condition: string) =>
    raw
      .prepare<unknown[], unknown[]>(
        `${selectMessages} where conversation = ? and ${condition} order by seq ${order} limit ?`
      )
      .raw()
  const after = bySeq('asc', 'seq > ?')
  const before = bySeq('desc', 'seq < ?')
  const byId = raw.prepare<[number, string], unknown[]>(`${selectMessages} where conversation = ? and id = ?`).raw()
  const generating = raw
    .prepare<[number], unknown[]>(`${selectMessages} where conversation = ? and status = 'generating'`)
    .raw()
  const byClient = raw
    .prepare<[number, string], unknown[]>(`${selectMessages} where conversation = ? and client_id = ? limit 1`)
    .raw()
  const counted = raw.prepare('update agents set conversations = conversations + 1 where id = ?')
  const queued = raw
    .prepare<[Id], string>("select id from conversations where owner_id = ? and handled_by = 'queue'")
    .pluck()
  const succeed = raw.prepare(
    'update conversations set successor = ?, alias = null, revision = revision + 1 where number = ?'
  )
  const unfinished = raw.prepare<[], { owner: Id, conversation: string }>(
    "select c.owner_id as owner, c.id as conversation from messages m join conversations c on c.number = m.conversation where m.status = 'generating'"
  )

  /** Of an agent that is gone nothing is left; of a user who is gone, no agent. */
  function find (owner: Id, id: string): ConversationRow | undefined {
    const found = one.get(id, owner)
    return found && rows.record(found)
  }

  const newest = newestEvents(() => db.generation())
  announcements.on((happening) => {
    if (happening.type === 'conversation.deleted') newest.forget(happening.data.conversation.id)
  })
  const sealOf = (secret: Id) => sealKept(secrets, secret)
  const messageOfRow = (row: unknown[] | undefined, conversation: string, seal: Seal): MessageRecord | undefined =>
    row && messageOf(messageRows.record(row) as MessageRow, conversation, seal)
  const conversationOfRow = (row: ConversationRow): ConversationRecord => conversationOf(row, sealOf(row.secret))

  function messageAt ({ number, id }: ConversationRow, seq: number, seal: Seal): MessageRecord | null {
    return messageOfRow(after.get(number, seq - 1, 1), id, seal) ?? null
  }

  function load (row: ConversationRow, { clientId, message, attachments = [] }: Wanted): Loaded {
    const seal = sealOf(row.secret)
    const agent = (id: Id) => speakerOf(row.owner, id)
    const other = row.speaker === null ? undefined : agent(row.speaker)
    return {
      conversation: conversationOf(row, seal),
      generating: messageOfRow(generating.get(row.number), row.id, seal),
      speaker: other?.status === 'Active' ? other : agent(row.agent)!,
      agent,
      repeated: clientId ? messageOfRow(byClient.get(row.number, clientId), row.id, seal) : undefined,
      message: message === undefined ? undefined : messageOfRow(byId.get(row.number, message), row.id, seal),
      attachments: attachmentsOf(row.number, attachments, seal)
    }
  }

  function write (row: ConversationRow, before: Loaded, decision: Decision) {
    const { number, secret, id, owner } = row
    const seal = sealOf(secret)
    // What moves leaves its place to what is written there with it.
    for (const message of decision.messages) put.run(...messageRows.values(messageRow(message, number, seal)))
    if (decision.conversation !== before.conversation) updateRow(number, decision.conversation, seal)
    consequences.write(row, decision)
    newest.forget(id)
    if (decision.run) addRun(owner, number, decision.run)
    announcements.announce(...happeningsOf(before, decision), ...(decision.happenings ?? []))
    notifier.notify(topicOf(id))
  }

  function add (conversation: ConversationRecord, alias: string | null): ConversationRecord {
    const secret = secrets.create()
    insert.run(...rows.values({ ...conversationRow(conversation, sealOf(secret)), alias, secret }))
    counted.run(conversation.agent)
    revisions.count(conversation.owner, clock.micros())
    consequences.tell(conversation.owner, 'conversation.created', conversation.id, 0)
    announcements.announce({
      owner: conversation.owner, type: 'conversation.created', agent: conversation.agent, data: { conversation }
    })
    return conversation
  }

  function updateRow (number: number, conversation: ConversationRecord, seal: Seal) {
    db.orm.update(conversations).set(conversationRow(conversation, seal)).where(eq(conversations.number, number)).run()
  }

  return {
    hasAgent: async (owner, agent) => db.read(() => agentOf.get(agent, owner) === 1),
    create: (owner, conversation, once) =>
      db.atomically(() => {
        if (!agentOf.get(conversation.agent, owner)) return undefined
        if (conversation.visitor !== null && knows.get(conversation.visitor, conversation.agent) !== 1) {
          throw invalid({ field: 'visitor', message: 'visitor is not a visitor of this agent.' })
        }
        return onceOnly.run(
          owner, once, () => add(conversation, null), ({ id }) => `conversations/${id}`
        )
      }),
    named: (owner, agent, alias, conversation) =>
      db.atomically(() => {
        if (!agentOf.get(agent, owner)) return undefined
        return byAlias.get(agent, alias) ?? (conversation && add(conversation, alias).id)
      }),
    get: async (owner, id) =>
      db.read(() => {
        const found = find(owner, id)
        return found && conversationOfRow(found)
      }),
    list: async (owner, filter, cursor, limit) => db.read(() => list(owner, filter, cursor, limit)),
    change: (owner, id, wanted, decide) =>
      db.atomically(() => {
        const found = find(owner, id)
        if (!found) return undefined
        const loaded = load(found, wanted)
        const decision = decide(loaded)
        if (decision) write(found, loaded, decision)
        return { decision, loaded }
      }),
    remove: (owner, id, check) =>
      db.atomically(
        () => {
          const found = find(owner, id)
          if (!found) return false
          check(conversationOfRow(found))
          removal(owner, found.agent, [found])
          consequences.tell(owner, 'conversation.deleted', id, 0)
          return true
        },
        { frees: true }
      ),
    messages: async (owner, id, range, limit) =>
      db.read(() => {
        const found = find(owner, id)
        if (!found) return undefined
        const { number, secret } = found
        const seal = sealOf(secret)
        const inOrder =
          range.before === undefined
            ? after.all(number, range.after ?? 0, limit)
            : before.all(number, range.before, limit).reverse()
        return inOrder.map((row) => messageOf(messageRows.record(row), id, seal))
      }),
    message: async (owner, id, message) =>
      db.read(() => {
        const found = find(owner, id)
        return found && load(found, { message }).message
      }),
    events: async (owner, id, since) =>
      db.read(() => {
        const found = find(owner, id)
        if (!found) return undefined
        const { number, secret } = found
        const seal = sealOf(secret)
        const last = consequences.lastOfConversation(number)
        newest.note(owner, id, last)
        return {
          last,
          events: consequences
            .ofConversation(number, since)
            .map(({ seq, type, message }) => ({ seq, type, message: messageAt(found, message, seal) }))
        }
      }),
    newest: async (owner, id) =>
      db.read(() => {
        const found = find(owner, id)
        return (
          found && {
            agent: found.agent, event: consequences.lastOfConversation(found.number), successor: found.successor
          }
        )
      }),
    happened: async (owner, since) =>
      db.read(() =>
        consequences.ofAccount(owner, since).map(({ seq, type, conversation: id, message }) => {
          const found = find(owner, id)
          return {
            seq,
            type,
            id,
            conversation: found ? conversationOfRow(found) : null,
            message: found ? messageAt(found, message, sealOf(found.secret)) : null
          }
        })
      ),
    lastHappened: async (owner) => db.read(() => consequences.lastOfAccount(owner)),
    queued: async (owner) => db.read(() => queued.all(owner)),
    succeed: (owner, id, conversation) =>
      db.atomically(() => {
        const found = find(owner, id)
        if (!found || found.successor !== null) return found?.successor ?? undefined
        // Its alias leads to where it goes on.
        succeed.run(conversation.id, found.number)
        return add(conversation, found.alias).id
      }),
    isNewest: newest.is,
    unfinished: async () => db.read(() => unfinished.all())
  }

  /**
   * A part of the owner's conversations, newest first. Words are looked for in subjects and messages, which only their
   * keys open.
   */
  function list (owner: Id, filter: ConversationFilter, cursor: string | undefined, limit: number) {
    const { where, values } = scope(owner, filter, cursor)
    const found = raw
      .prepare<unknown[], unknown[]>(`${select} where ${where} order by number desc limit ?`)
      .raw()
      .all(...values, filter.search === undefined ? limit + 1 : SEARCHED)
      .map((row) => rows.record(row))
    const wanted = filter.search === undefined ? found : found.filter((row) => says(row, filter.search!.toLowerCase()))
    const items = wanted.slice(0, limit)
    const isMore = wanted.length > limit || (filter.search !== undefined && found.length === SEARCHED)
    const last = wanted.length > limit ? items.at(-1) : found.at(-1)
    return { items: items.map(conversationOfRow), next: isMore && last ? String(last.number) : null }
  }

  function says (row: ConversationRow, word: string): boolean {
    const seal = sealOf(row.secret)
    if (conversationOf(row, seal).subject.toLowerCase().includes(word)) return true
    return after
      .all(row.number, 0, SEARCHED)
      .some((message) => messageOf(messageRows.record(message), row.id, seal).text.toLowerCase().includes(word))
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
  return {
    where: conditions.map(([condition]) => condition).join(' and '), values: conditions.map(([, value]) => value)
  }
}
