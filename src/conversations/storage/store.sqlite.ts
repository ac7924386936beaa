import type { Id } from '../../../schema/common.ts'
import type { ConversationRecord } from '../../../schema/conversations.ts'
import { conversations } from '../../../schema/sqlite/conversations.ts'
import { OF_KEPT_AGENT } from '../../agents/index.ts'
import { invalid } from '../../platform/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { OnceOnly } from '../../platform/storage/sqlite/once.ts'
import type { Revisions } from '../../platform/storage/sqlite/revisions.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import { sealKept, type Secrets } from '../../platform/storage/secrets.ts'
import type { Announcements } from '../../platform/work/announcements.ts'
import type { Notifier } from '../../platform/work/notifier.ts'
import type { NamedAttachments } from '../attachments/attachments.sqlite.ts'
import type { Run } from '../usage/ledger.ts'
import type { Consequences } from '../hands/consequences.sqlite.ts'
import { happeningsOf } from '../happenings.ts'
import type { Decision } from '../life/decision.ts'
import type { RemoveConversations } from './removal.sqlite.ts'
import { listing } from './list.sqlite.ts'
import { messagesIn } from './messages.sqlite.ts'
import { conversationOf, conversationRow, type ConversationRow } from './rows.ts'
import { newestEvents } from './newest.ts'
import { openIn } from './open.sqlite.ts'
import { tagsIn } from './tags.sqlite.ts'
import { updating } from './updating.sqlite.ts'
import { titleOf, type ConversationWords } from './words.sqlite.ts'
import { isOfDraft } from '../hands/hands.ts'
import { speakersIn } from '../hands/speaker.sqlite.ts'
import { visitorsIn } from '../visitors/visitors.sqlite.ts'
import { topicOf, type ConversationStore, type Wanted } from '../store.ts'
import type { Loaded } from '../contract.ts'

/** What the store needs: the secrets that conversations are sealed with, and who is told of what happened. */
export interface ConversationStoreNeeds {
  db: Database
  clock: Clock
  /** Notes in the ledger what a model took. */
  addRun: (owner: Id, conversation: number, run: Run) => void
  attachments: NamedAttachments
  removal: RemoveConversations
  secrets: Secrets
  words: ConversationWords
  revisions: Revisions
  onceOnly: OnceOnly
  notifier: Notifier
  announcements: Announcements
  consequences: Consequences
}

/** Conversations in SQLite. */
export function sqliteConversationStore ({
  db, clock, addRun, attachments: files, removal, secrets, words, revisions, onceOnly, notifier, announcements,
  consequences
}: ConversationStoreNeeds): ConversationStore {
  const [{ raw }, rows] = [db, rowsOf(conversations)]
  const messages = messagesIn(raw)
  const select = `select ${rows.columns} from conversations`
  const one = raw.prepare<[string, Id], unknown[]>(`${select} where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`).raw()
  const agentOf = raw.prepare<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?').pluck()
  const speakerOf = speakersIn(raw)
  const visitorOf = visitorsIn(raw, secrets)
  const knows = raw.prepare<[string, Id], number>('select 1 from visitors where id = ? and agent_id = ?').pluck()
  const byAlias = raw.prepare<[Id, string], string>('select id from conversations where agent_id = ? and alias = ?').pluck()
  const insert = raw.prepare(`insert into conversations (${rows.columns}) values (${rows.placeholders})`)
  const update = updating(raw)
  const counted = raw.prepare('update agents set conversations = conversations + 1 where id = ?')
  const open = openIn(raw)
  const tags = tagsIn(raw)
  const succeed = raw.prepare('update conversations set successor = ?, alias = null, revision = revision + 1 where number = ?')

  /** Nothing is found of an agent that was deleted. */
  function find (owner: Id, id: string): ConversationRow | undefined {
    const found = one.get(id, owner)
    return found && rows.record(found)
  }

  const newest = newestEvents(() => db.generation())
  announcements.on((one) => { if (one.type === 'conversation.deleted') newest.forget(one.data.conversation.id) })
  const sealOf = (secret: Id) => sealKept(secrets, secret)
  const conversationOfRow = (row: ConversationRow): ConversationRecord => conversationOf(row, sealOf(row.secret))

  function load (row: ConversationRow, { clientId, message, attachments = [] }: Wanted): Loaded {
    const seal = sealOf(row.secret)
    const agent = (id: Id) => speakerOf(row.owner, id, isOfDraft(row))
    const other = row.speaker === null ? undefined : agent(row.speaker)
    return {
      conversation: conversationOf(row, seal),
      generating: messages.generating(row, seal),
      speaker: other?.status === 'Active' ? other : agent(row.agent)!,
      agent,
      hasAddress: () => row.visitor !== null && Boolean(visitorOf(row.owner, row.visitor)?.email),
      repeated: clientId ? messages.byClient(row, clientId, seal) : undefined,
      message: message === undefined ? undefined : messages.byId(row, message, seal),
      attachments: files.find(row.number, attachments, seal)
    }
  }

  function write (row: ConversationRow, before: Loaded, decision: Decision) {
    const { number, secret, id, owner } = row
    const seal = sealOf(secret)
    // What moves leaves its place to what is written there with it.
    for (const message of decision.messages) messages.put(number, message, seal)
    for (const message of decision.messages) files.keep(message.attachments)
    words.ofMessages(row, decision.messages)
    if (decision.conversation !== before.conversation) update(row, decision.conversation, seal)
    words.ofSubject(row, titleOf(decision.conversation), titleOf(before.conversation))
    tags.put(row, decision.conversation.tags, before.conversation.tags)
    consequences.write(row, decision)
    newest.forget(id)
    if (decision.run) addRun(owner, number, decision.run)
    announcements.announce(...happeningsOf(before, decision), ...(decision.happenings ?? []))
    notifier.notify(topicOf(id))
  }

  function changed<T extends Decision | undefined> (
    row: ConversationRow, wanted: Wanted, decide: (loaded: Loaded) => T
  ): { decision: T, loaded: Loaded } {
    const loaded = load(row, wanted)
    const decision = decide(loaded)
    if (decision) write(row, loaded, decision)
    return { decision, loaded }
  }

  function add (conversation: ConversationRecord, alias: string | null): ConversationRecord {
    const secret = secrets.create()
    const row = { ...conversationRow(conversation, sealOf(secret)), alias, secret, indexed: true }
    words.ofNew(Number(insert.run(...rows.values(row)).lastInsertRowid), conversation)
    counted.run(conversation.agent)
    revisions.count(conversation.owner, clock.micros())
    consequences.tell(conversation.owner, 'conversation.created', conversation.id, 0)
    announcements.announce({
      owner: conversation.owner, type: 'conversation.created', agent: conversation.agent, data: { conversation }
    })
    return conversation
  }

  return {
    hasAgent: async (owner, agent) => db.read(() => agentOf.get(agent, owner) === 1),
    create: (owner, conversation, once) =>
      db.atomically(() => {
        if (!agentOf.get(conversation.agent, owner)) return undefined
        if (conversation.visitor !== null && knows.get(conversation.visitor, conversation.agent) !== 1) {
          throw invalid({ field: 'visitor', message: 'visitor is not a visitor of this agent.' })
        }
        return onceOnly.run(owner, once, () => add(conversation, null), ({ id }) => `conversations/${id}`)
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
    list: listing(db, words, sealOf),
    change: (owner, id, wanted, decide) =>
      db.atomically(() => {
        const found = find(owner, id)
        return found && changed(found, wanted, decide)
      }),
    changeOnce: (owner, id, once, decide) =>
      db.atomically(() => {
        const found = find(owner, id)
        let decision: Decision | undefined
        const outcome = found && onceOnly.run(owner, once, () => {
          const done = changed(found, {}, decide)
          decision = done.decision
          return decision?.conversation ?? done.loaded.conversation
        }, () => `conversations/${id}`)
        return outcome && { ...outcome, decision }
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
        return found && messages.inOrder(found, range, limit, sealOf(found.secret))
      }),
    previews: async (owner, ids) => db.read(() => ids.flatMap((id) => messages.preview(find(owner, id), sealOf))),
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
            .map(({ seq, type, message }) => ({ seq, type, message: messages.at(found, message, seal) }))
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
            message: found ? messages.at(found, message, sealOf(found.secret)) : null
          }
        })
      ),
    lastHappened: async (owner) => db.read(() => consequences.lastOfAccount(owner)),
    queued: async (owner) => db.read(() => open.queued(owner)),
    ofMember: async (owner, user) => db.read(() => open.ofMember(owner, user)),
    tags: async (owner) => db.read(() => tags.all(owner)),
    succeed: (owner, id, conversation) =>
      db.atomically(() => {
        const found = find(owner, id)
        if (!found || found.successor !== null) return found?.successor ?? undefined
        // Its alias leads to where it goes on.
        succeed.run(conversation.id, found.number)
        return add(conversation, found.alias).id
      }),
    isNewest: newest.is,
    unfinished: async () => db.read(() => open.unfinished())
  }
}
