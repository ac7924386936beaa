import { EVENTS, type ConversationEventType } from '../../../schema/conversations.ts'
import type { Id } from '../../../schema/common.ts'
import { OF_KEPT_AGENT } from '../../agents/index.ts'
import type { Kernel } from '../../kernel/index.ts'
import type { Work } from '../../platform/storage/work.ts'
import type { Decision } from '../life/decision.ts'
import { inboxOf, topicOf } from '../store.ts'

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
