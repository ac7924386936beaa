import { type ConversationEventType, EVENTS } from '../../../schema/conversations.ts'
import type { Id } from '../../../schema/common.ts'
import { OF_KEPT_AGENT } from '../../agents/index.ts'
import type { Kernel } from '../../kernel/index.ts'
import type { Work } from '../../platform/storage/work.ts'
import type { Decision } from '../life/decision.ts'
import { inboxOf, topicOf } from '../store.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { GuardRule } from '../../../schema/guards.ts'
import { hasTickets, type TicketWays } from './policy.ts'
import type { Speaker } from '../contract.ts'

/** Events kept for each conversation, and for each account. */
const EVENTS_STORED = { conversation: 500, account: 500 }
const EVENTS_AT_ONCE = 100

/** An event as stored. */
interface KeptEvent { seq: number, type: ConversationEventType, conversation: string, message: number }

/**
 * Written beside a conversation and its messages, in the transaction of a decision: events, jobs, outcomes of episodes.
 */
export interface SideEffects {
  write (conversation: { number: number, id: string, owner: Id, agent: Id }, decision: Decision): Work<void>
  /** Notifies watchers of all of an account's conversations. `message`: its seq, 0 for none. */
  tell (owner: Id, type: ConversationEventType, conversation: string, message: number): Work<void>
  /** Notifies them, and watchers of the conversation, its visitor too; nobody if it was deleted. */
  tellWatchers (owner: Id, type: ConversationEventType, conversation: string): Work<void>
  /**
   * Events of a conversation, or of an account, after this one, oldest first, 100 at most; and the number of the
   * newest.
   */
  ofConversation (number: number, after: number): Work<KeptEvent[]>
  lastOfConversation (number: number): Work<number>
  ofAccount (owner: Id, after: number): Work<KeptEvent[]>
  lastOfAccount (owner: Id): Work<number>
}

/** See SideEffects. */
export function sideEffectsIn ({
  db, jobs, notifier
}: Pick<Kernel, 'db' | 'jobs' | 'notifier'>): SideEffects {
  const numbered = (table: string, key: string, kept: number) => ({
    last: db.column<[number], number>(`select coalesce(max(seq), 0) from ${table} where ${key} = +?`),
    trim: db.objects(
      `delete from ${table} where ${key} = +:key and seq <= (
        select max(seq) from ${table} where ${key} = +:key
      ) - ${kept}`
    )
  })
  const ofEach = numbered('conversation_events', 'conversation', EVENTS_STORED.conversation)
  const account = numbered('account_events', 'owner_id', EVENTS_STORED.account)
  const addToConversation = db.objects(`insert into conversation_events (conversation, seq, type, message)
    select cast(:number as bigint), coalesce(max(seq), 0) + 1, :type, :message from conversation_events where conversation = +:number`)
  const addToAccount = db.objects(`insert into account_events (owner_id, seq, type, conversation, message, gone)
    select cast(:owner as bigint), coalesce(max(seq), 0) + 1, :type, :number, :message, :gone from account_events where owner_id = +:owner`)
  const numberOf = db.column<[string, Id], number>('select number from conversations where id = ? and owner_id = ?')
  const ofConversation = db.objects<[number, number], { seq: number, type: number, message: number }>(
    `select seq, type, message from conversation_events where conversation = ? and seq > ? order by seq limit ${EVENTS_AT_ONCE}`
  )
  const ofAccount = db.objects<[Id, number], { seq: number, type: number, conversation: string, message: number }>(`
    select seq, type, coalesce(id, gone, '') as conversation, message from account_events left join conversations on number = conversation and ${OF_KEPT_AGENT}
    where account_events.owner_id = ? and seq > ? order by seq limit ${EVENTS_AT_ONCE}`)
  const end =
    db.objects(`insert into episodes (
      conversation, episode, owner_id, agent_id, began_at, asked_at, reason, taken_at, ended_at, outcome
    )
    values (
      :number, :episode, :owner, :agent, :began_at, :asked_at, :reason, :taken_at, :ended_at, :outcome
    ) on conflict do nothing`)
  const takeBack = db.objects('update episodes set reopened_at = ? where conversation = ? and episode = ?')

  function * tell (owner: Id, type: ConversationEventType, conversation: string, message: number) {
    const number = yield * numberOf.get(conversation, owner)
    yield * addToAccount.run({
      owner,
      type: EVENTS.indexOf(type),
      number: number ?? 0,
      message,
      gone: number === undefined ? conversation : null
    })
    yield * account.trim.run({ key: owner })
    yield * db.afterwards(() => notifier.notify(inboxOf(owner)))
  }

  return {
    tell,
    * tellWatchers (owner, type, conversation) {
      const number = yield * numberOf.get(conversation, owner)
      if (number === undefined) return
      yield * addToConversation.run({ number, type: EVENTS.indexOf(type), message: 0 })
      yield * ofEach.trim.run({ key: number })
      yield * tell(owner, type, conversation, 0)
      yield * db.afterwards(() => notifier.notify(topicOf(conversation)))
    },
    * write ({ number, id, owner, agent }, { events, jobs: asked = [], ended, takenBack }) {
      for (const { type, seq } of events) {
        yield * addToConversation.run({ number, type: EVENTS.indexOf(type), message: seq })
        yield * tell(owner, type, id, seq)
      }
      yield * ofEach.trim.run({ key: number })
      yield * jobs.ask(
        ...asked.map((job) => ({
          ...job, subject: number, owner, payload: { ...(job.payload as object), conversation: id }
        }))
      )
      if (ended) yield * end.run({ ...ended, number, owner, agent })
      if (takenBack) yield * takeBack.run(takenBack.at, number, takenBack.episode)
    },
    * ofConversation (number, after) {
      return (yield * ofConversation.all(number, after)).map(
        (event) => ({ ...event, conversation: '', type: EVENTS[event.type]! })
      )
    },
    * lastOfConversation (number) { return (yield * ofEach.last.get(number))! },
    * ofAccount (owner, after) {
      return (yield * ofAccount.all(owner, after)).map((event) => ({ ...event, type: EVENTS[event.type]! }))
    },
    * lastOfAccount (owner) { return (yield * account.last.get(owner))! }
  }
}

type Row = Omit<Speaker, 'expertHandoff' | 'aiToAiHandoff' | 'contact' | 'hasTickets' | 'guardRules'> &
  Omit<TicketWays, 'hasProvider'> & Record<'expertHandoff' | 'aiToAiHandoff' | 'hasProvider', number> & { guards: string | null }

/** Loads only the few agent fields hand-off needs; runs on every message. */
export function speakersIn (
  db: Database
): (owner: Id, agent: Id, isDraft: boolean) => Work<Speaker | undefined> {
  const live = speakersFrom(db, 'agents')
  const draft = speakersFrom(db, DRAFTS)
  return function * (owner, agent, isDraft) {
    return isDraft ? (yield * draft(owner, agent)) : (yield * live(owner, agent))
  }
}

/** Agents from their drafts; unpublished ones have no version. */
const DRAFTS = `(select id, owner_id, case when draft is null then live_version end as live_version, ${
  ['status', 'appearance', 'behavior', 'default_ticketing_provider', 'ticketing_providers'].map((column) =>
    `case when draft is null then ${column} else draft ->> '$.${column}' end as ${column}`).join(', ')
} from agents) as drafts`

function speakersFrom (db: Database, table: string) {
  const one = db.objects<[Id, Id], Row>(`
    select id, status, live_version as version, appearance ->> '$.chatbotName' as name, cast(
      behavior ->> '$.expertHandoff' as bigint
    ) as expertHandoff,
      cast(behavior ->> '$.aiToAiHandoff' as bigint) as aiToAiHandoff,
      behavior ->> '$.agentHandoffPrompt' as agentHandoffPrompt,
      behavior ->> '$.ticketType' as ticketType, behavior ->> '$.email' as email,
      default_ticketing_provider is not null or ticketing_providers <> '[]' as hasProvider,
      behavior -> '$.guardRules' as guards
    from ${table} where id = ? and owner_id = ?`)
  return function * (owner: Id, agent: Id): Work<Speaker | undefined> {
    const row = yield * one.get(agent, owner)
    if (!row) return undefined
    const { expertHandoff, aiToAiHandoff, ticketType, email, hasProvider, guards, ...rest } = row
    return {
      ...rest,
      expertHandoff: expertHandoff === 1,
      aiToAiHandoff: aiToAiHandoff === 1,
      contact: email,
      hasTickets: hasTickets({ ticketType, email, hasProvider: hasProvider === 1 }),
      guardRules: JSON.parse(guards ?? '[]') as GuardRule[]
    }
  }
}
