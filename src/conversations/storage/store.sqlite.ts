import type { Id } from '../../../schema/common.ts'
import type { ConversationRecord } from '../../../schema/conversations.ts'
import { conversations } from '../../../schema/sqlite/conversations.ts'
import { OF_KEPT_AGENT } from '../../agents/index.ts'
import type { Kernel } from '../../kernel/index.ts'
import { invalid } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import { deciding, fact } from '../../platform/storage/facts.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import { sealKept, type Seal } from '../../platform/storage/secrets.ts'
import { flatMapped, mapped, type Work } from '../../platform/storage/work.ts'
import type { NamedAttachments } from '../attachments/attachments.sqlite.ts'
import type { ModelUsage } from '../usage/ledger.ts'
import { type SideEffects, speakersIn } from '../handoff/side-effects.sqlite.ts'
import { domainEventsOf } from '../domain-events.ts'
import type { Decision } from '../life/decision.ts'
import type { RemoveConversations } from './removal.sqlite.ts'
import { listing } from './list.sqlite.ts'
import { messagesIn } from './messages.sqlite.ts'
import { conversationOf, conversationRow, type ConversationRow } from './rows.ts'
import { newestEvents } from './newest.ts'
import type { HeldAnswers } from './held.ts'
import { openIn } from './open.sqlite.ts'
import { titleOf, type ConversationWords } from './words.sqlite.ts'
import { isOfDraft } from '../handoff/policy.ts'
import { visitorsIn } from '../visitors/visitors.sqlite.ts'
import { topicOf, type ConversationStore, type Wanted } from '../store.ts'
import type { DecisionInput } from '../contract.ts'

/** Dependencies: the secrets that encrypt conversations, and who is notified of events. */
interface ConversationStoreNeeds extends Pick<
  Kernel, 'db' | 'clock' | 'secrets' | 'revisions' | 'idempotency' | 'notifier' | 'eventBus' | 'neighbours'
> {
  /** Records in the ledger a model's usage. */
  addRun: (owner: Id, conversation: number, run: ModelUsage) => Work<void>
  attachments: NamedAttachments
  removal: RemoveConversations
  words: ConversationWords
  sideEffects: SideEffects
  /** The answers this process holds. */
  held: HeldAnswers
}

/** Conversations in SQLite. */
export function sqliteConversationStore ({
  db, clock, addRun, attachments: files, removal, secrets, words, revisions, idempotency, notifier, eventBus,
  sideEffects, neighbours, held
}: ConversationStoreNeeds): ConversationStore {
  const rows = rowsOf(conversations)
  const messages = messagesIn(db)
  const select = `select ${rows.columns} from conversations`
  const one = db.rows<[string, Id], unknown[]>(`${select} where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`)
  const agentOf = db.column<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?')
  const speakerOf = speakersIn(db)
  const visitorOf = visitorsIn(db, secrets)
  const knows = db.column<[string, Id], number>('select 1 from visitors where id = ? and agent_id = ?')
  const byAlias = db.column<[Id, string], string>('select id from conversations where agent_id = ? and alias = ?')
  const insert = db.column<any[], number>(
    `insert into conversations (${rows.columns}) values (${rows.placeholders}) returning number`
  )
  const update = updating(db)
  const counted = db.objects('update agents set conversations = conversations + 1 where id = ?')
  const open = openIn(db)
  const tags = tagsIn(db)
  const succeed = db.objects(
    'update conversations set successor = ?, alias = null, revision = revision + 1 where number = ?'
  )

  /** A deleted agent's conversations are not found. */
  function * find (owner: Id, id: string): Work<ConversationRow | undefined> {
    const found = yield * one.get(id, owner)
    return found && rows.record(found)
  }

  const newest = newestEvents(db, neighbours, eventBus)
  const sealOf = (secret: Id) => sealKept(secrets, secret)
  function * conversationOfRow (row: ConversationRow): Work<ConversationRecord> {
    return conversationOf(row, yield * sealOf(row.secret))
  }

  const load = loading({ sealOf, messages, files, speakerOf, visitorOf })

  function * write (row: ConversationRow, before: DecisionInput, decision: Decision) {
    const { number, secret, id, owner } = row
    const seal = yield * sealOf(secret)
    // Moved messages first, so that their numbers are free.
    for (const message of decision.messages) yield * messages.put(number, message, seal)
    for (const message of decision.messages) yield * files.keep(message.attachments)
    yield * words.ofMessages(row, decision.messages)
    if (decision.conversation !== before.conversation) yield * update(row, decision.conversation, seal)
    yield * words.ofSubject(row, titleOf(decision.conversation), titleOf(before.conversation))
    yield * tags.put(row, decision.conversation.tags, before.conversation.tags)
    yield * sideEffects.write(row, decision)
    yield * held.note(row, before, decision)
    if (decision.run) yield * addRun(owner, number, decision.run)
    yield * eventBus.publish(...domainEventsOf(before, decision), ...(decision.domainEvents ?? []))
    yield * newest.forget(id)
    yield * db.afterwards(() => notifier.notify(topicOf(id)))
  }

  function * changed<T extends Decision | undefined> (
    row: ConversationRow, wanted: Wanted, decide: (loaded: DecisionInput) => Work<T>
  ): Work<{ decision: T, loaded: DecisionInput }> {
    const loaded = yield * load(row, wanted)
    const decision = yield * deciding(() => decide(loaded))
    if (decision) yield * write(row, loaded, decision)
    return { decision, loaded }
  }

  function * add (conversation: ConversationRecord, alias: string | null): Work<ConversationRecord> {
    const secret = yield * secrets.create()
    const row = { ...conversationRow(conversation, yield * sealOf(secret)), alias, secret, indexed: true }
    yield * words.ofNew((yield * insert.get(...rows.values(row)))!, conversation)
    yield * counted.run(conversation.agent)
    yield * revisions.count(conversation.owner, clock.micros())
    yield * sideEffects.tell(conversation.owner, 'conversation.created', conversation.id, 0)
    yield * eventBus.publish({
      owner: conversation.owner, type: 'conversation.created', agent: conversation.agent, data: { conversation }
    })
    return conversation
  }

  return {
    hasAgent: async (owner, agent) => db.read(function * () { return (yield * agentOf.get(agent, owner)) === 1 }),
    create: (owner, conversation, once) =>
      db.atomically(function * () {
        if (!(yield * agentOf.get(conversation.agent, owner))) return undefined
        if (conversation.visitor !== null && (yield * knows.get(conversation.visitor, conversation.agent)) !== 1) {
          throw invalid({ field: 'visitor', message: 'visitor is not a visitor of this agent.' })
        }
        return yield * idempotency.run(owner, once, () => add(conversation, null), ({ id }) => `conversations/${id}`)
      }, { of: owner }),
    named: (owner, agent, alias, conversation) =>
      db.atomically(function * () {
        if (!(yield * agentOf.get(agent, owner))) return undefined
        return (yield * byAlias.get(agent, alias)) ?? (conversation && (yield * add(conversation, alias)).id)
      }, { of: owner }),
    get: async (owner, id) =>
      db.read(function * () {
        const found = yield * find(owner, id)
        return found && (yield * conversationOfRow(found))
      }),
    list: listing(db, words, sealOf),
    change: (owner, id, wanted, decide) =>
      db.atomically(function * () {
        const found = yield * find(owner, id)
        return found && (yield * changed(found, wanted, decide))
      }, { of: owner }),
    changeIdempotently: (owner, id, once, decide) =>
      db.atomically(function * () {
        const found = yield * find(owner, id)
        let decision: Decision | undefined
        const outcome = found && (yield * idempotency.run(owner, once, function * () {
          const done = yield * changed(found, {}, decide)
          decision = done.decision
          return decision?.conversation ?? done.loaded.conversation
        }, () => `conversations/${id}`))
        return outcome && { ...outcome, decision }
      }, { of: owner }),
    remove: (owner, id, check) =>
      db.atomically(
        function * () {
          const found = yield * find(owner, id)
          if (!found) return false
          check(yield * conversationOfRow(found))
          yield * removal(owner, found.agent, [found])
          yield * sideEffects.tell(owner, 'conversation.deleted', id, 0)
          return true
        },
        { frees: true }
      ),
    messages: async (owner, id, range, limit) =>
      db.read(function * () {
        const found = yield * find(owner, id)
        return found && (yield * messages.inOrder(found, range, limit, yield * sealOf(found.secret)))
      }),
    previews: async (owner, ids) => db.read(() => flatMapped(ids, function * (id) {
      return yield * messages.preview(yield * find(owner, id), sealOf)
    })),
    message: async (owner, id, message) =>
      db.read(function * () {
        const found = yield * find(owner, id)
        return found && (yield * load(found, { message })).message
      }),
    events: async (owner, id, since) => {
      const note = newest.reading(owner, id)
      return await db.read(function * () {
        const found = yield * find(owner, id)
        if (!found) return undefined
        const { number, secret } = found
        const seal = yield * sealOf(secret)
        const last = yield * sideEffects.lastOfConversation(number)
        note(last)
        return {
          last,
          events: yield * mapped(yield * sideEffects
            .ofConversation(number, since), function * ({ seq, type, message }) {
            return { seq, type, message: yield * messages.at(found, message, seal) }
          })
        }
      })
    },
    newest: async (owner, id) =>
      db.read(function * () {
        const found = yield * find(owner, id)
        return (
          found && {
            agent: found.agent, event: yield * sideEffects.lastOfConversation(found.number), successor: found.successor
          }
        )
      }),
    happened: async (owner, since) =>
      db.read(function * () {
        const events = yield * sideEffects.ofAccount(owner, since)
        return yield * mapped(events, function * ({ seq, type, conversation: id, message }) {
          const found = yield * find(owner, id)
          return {
            seq,
            type,
            id,
            conversation: found ? (yield * conversationOfRow(found)) : null,
            message: found ? (yield * messages.at(found, message, yield * sealOf(found.secret))) : null
          }
        })
      }),
    lastHappened: async (owner) => db.read(() => sideEffects.lastOfAccount(owner)),
    queued: async (owner) => db.read(() => open.queued(owner)),
    unoffered: async (owner) => db.read(() => open.unoffered(owner)),
    ofMember: async (owner, user) => db.read(() => open.ofMember(owner, user)),
    tags: async (owner) => db.read(() => tags.all(owner)),
    succeed: (owner, id, conversation) =>
      db.atomically(function * () {
        const found = yield * find(owner, id)
        if (!found || found.successor !== null) return found?.successor ?? undefined
        // Its alias leads to its successor.
        yield * succeed.run(conversation.id, found.number)
        return (yield * add(conversation, found.alias)).id
      }, { of: owner }),
    isNewest: newest.is,
    unfinished: async () => db.read(() => open.unfinished())
  }
}

/** The input of a decision: a conversation with the requested items. */
function loading ({ sealOf, messages, files, speakerOf, visitorOf }: {
  sealOf: (secret: Id) => Work<Seal>
  messages: ReturnType<typeof messagesIn>
  files: ConversationStoreNeeds['attachments']
  speakerOf: ReturnType<typeof speakersIn>
  visitorOf: ReturnType<typeof visitorsIn>
}) {
  return function * (row: ConversationRow, { clientId, message, attachments = [] }: Wanted): Work<DecisionInput> {
    const seal = yield * sealOf(row.secret)
    const speaking = (id: Id) => speakerOf(row.owner, id, isOfDraft(row))
    const other = row.speaker === null ? undefined : (yield * speaking(row.speaker))
    return {
      conversation: conversationOf(row, seal),
      generating: yield * messages.generating(row, seal),
      speaker: other?.status === 'Active' ? other : (yield * speaking(row.agent))!,
      agent: (id) => fact(() => speaking(id)),
      hasAddress: () => row.visitor !== null && Boolean(fact(() => visitorOf(row.owner, row.visitor!))?.email),
      repeated: clientId ? (yield * messages.byClient(row, clientId, seal)) : undefined,
      message: message === undefined ? undefined : (yield * messages.byId(row, message, seal)),
      attachments: yield * files.find(row.number, attachments, seal)
    }
  }
}

/** Columns that never change, or not here, and indexed ones: setting these rewrites indexes. */
const FIXED = ['number', 'id', 'alias', 'agent', 'owner', 'channel', 'created_at', 'secret', 'indexed'] as const
const INDEXED = [
  'visitor', 'status', 'handled_by', 'outcome', 'person', 'assignee', 'offered_to', 'priority', 'snoozed_until', 'overdue_at'
] as const

/** Writes a conversation's current state, and indexed columns only if they changed. */
function updating (db: Database) {
  const setting = (without: ReadonlyArray<keyof ConversationRow>) => {
    const rows = rowsOf(conversations, without)
    return { rows, update: db.objects(`update conversations set ${rows.settings} where number = ?`) }
  }
  const most = setting([...FIXED, ...INDEXED])
  const all = setting(FIXED)
  return function * (row: ConversationRow, conversation: ConversationRecord, seal: Seal) {
    const next = { ...row, ...conversationRow(conversation, seal) }
    const { rows, update } = INDEXED.every((field) => next[field] === row[field]) ? most : all
    yield * update.run(...rows.values(next), row.number)
  }
}

/** Most tags of an account that are listed. */
const MOST_LISTED = 1000

/** Which conversations have which tags. Both are called inside a transaction. */
interface Tags {
  /** Saves those of a conversation, replacing those it had `before`. */
  put (row: Pick<ConversationRow, 'number' | 'owner'>, tags: readonly string[], before: readonly string[]): Work<void>
  /** All of an account, in alphabetical order; 1,000 at most. */
  all (owner: Id): Work<string[]>
}

/** See Tags. */
function tagsIn (db: Database): Tags {
  const add = db.objects('insert into conversation_tags (account_id, tag, conversation) values (?, ?, ?)')
  const remove = db.objects('delete from conversation_tags where account_id = ? and tag = ? and conversation = ?')
  // Skips from one tag to the next: however many conversations share it, it is read once.
  const all = db.column<[Id, Id], string>(`
    with recursive listed (tag) as (
      select min(tag) from conversation_tags where account_id = ?
      union all
      select (select min(tag) from conversation_tags where account_id = ? and conversation_tags.tag > listed.tag)
      from listed where tag is not null
    ) select tag from listed where tag is not null limit ${MOST_LISTED}`)
  return {
    * put ({ number, owner }, tags, before) {
      if (tags === before) return
      for (const tag of before) if (!tags.includes(tag)) yield * remove.run(owner, tag, number)
      for (const tag of tags) if (!before.includes(tag)) yield * add.run(owner, tag, number)
    },
    all: (owner) => all.all(owner, owner)
  }
}
