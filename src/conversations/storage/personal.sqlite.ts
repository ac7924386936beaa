import type { Id } from '../../../schema/common.ts'
import { QUIET_SINCE } from '../../../schema/sqlite/conversations.ts'
import { OF_KEPT_AGENT, REMOVE_AGENT } from '../../agents/index.ts'
import { counterOf } from '../../personal-data/counting.sqlite.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import { listOf } from '../../platform/storage/list.ts'
import type { Work } from '../../platform/storage/work.ts'
import { AT_ONCE } from '../../platform/work/row-removal.ts'
import { conversationRows } from './removal.sqlite.ts'
import type { ConversationRow } from './rows.ts'

/** A scanned visitor: when they were last seen, and whether they have no stored conversation. */
interface Passed { number: number, seen: string, isLone: number }

/** The personal data in conversations to be removed, for `privacy/`. */
export function conversationsOfPersons (db: Database) {
  const list = listOf(db)
  const silent = db.rows<[Id, string], unknown[]>(
      `select ${conversationRows.columns} from conversations where agent_id = ? and ${QUIET_SINCE} < ? order by ${QUIET_SINCE} limit ${AT_ONCE}`
  )
  const ofVisitor = db.rows<[string, Id], unknown[]>(
      `select ${conversationRows.columns} from conversations where visitor = ? and +owner_id = ? order by number limit ${AT_ONCE}`
  )
  const passed = db.objects<{ agent: Id, since: string, seen: string, number: number }, Passed>(`
    select number, last_seen_at as seen, not exists (select 1 from conversations where visitor = visitors.id) as isLone from visitors
    where agent_id = :agent and last_seen_at < :since and (last_seen_at, number) > (:seen, :number) order by last_seen_at, number limit ${AT_ONCE}`)
  const find = db.objects<[string, Id], { number: number, agent: Id }>(
    `select number, agent_id as agent from visitors where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`
  )
  const remove = db.objects(`delete from visitors where number in (${list.marks})`)
  const owner = db.column<[string], Id>(`select owner_id from visitors where id = ? and ${OF_KEPT_AGENT}`)
  const models = db.objects<number[], { system: string, at: number }>(
    `select provider as system, max(day) as at from model_runs where conversation in (${list.marks}) group by provider`
  )
  return {
    /** Conversations of an agent with no message since a time, longest silent first: some of them. */
    * silentSince (agent: Id, since: string): Work<ConversationRow[]> {
      return (yield * silent.all(agent, since)).map(conversationRows.record)
    },
    /** A visitor's conversations, the oldest first: some of them. */
    * ofVisitor (owner: Id, visitor: string): Work<ConversationRow[]> {
      return (yield * ofVisitor.all(visitor, owner)).map(conversationRows.record)
    },
    /** The next visitors of an agent not seen since a time, in the order in which they were last seen. */
    visitorsUnseenSince: (asked: { agent: Id, since: string, seen: string, number: number }): Work<Passed[]> =>
      passed.all(asked),
    visitor: (owner: Id, id: string): Work<{ number: number, agent: Id } | undefined> => find.get(id, owner),
    /** Removes a batch of visitors; returns a count. */
    removeVisitors: (numbers: readonly number[]): Work<number> => remove.run(...list.values(numbers)),
    ownerOf: (visitor: string): Work<Id | undefined> => owner.get(visitor),
    /**
     * The providers whose models have read any of a batch of conversations, and the last day (since 1970) on which they
     * did.
     */
    readBy: (conversations: readonly number[]): Work<Array<{ system: string, at: number }>> =>
      models.all(...list.values(conversations)),
    counters: [
      counterOf(
        db, 'sum(gone) as conversations, sum(gone * messages) as messages, sum(files) as attachments',
        `messages, iif(${QUIET_SINCE} < :since, 1, 0) as gone, iif(${QUIET_SINCE} < :since, (select count(*) from attachments where conversation = number), 0) as files`,
        'conversations'
      ),
      counterOf(
        db, 'sum(gone) as visitors',
        `last_seen_at < :since and not exists (select 1 from conversations where visitor = visitors.id and ${QUIET_SINCE} >= :since) as gone`,
        'visitors'
      )
    ]
  }
}

/** What of an account is still to be removed: jobs of that kind or of agents, conversations of agents. */
export function leftToRemove (db: Database, userKind: string) {
  return db.objects<{ owner: Id }, { jobs: number, conversations: number }>(`
    select count(*) as jobs, coalesce(sum((select count(*) from conversations where agent_id = subject and kind = '${REMOVE_AGENT}')), 0) as conversations
    from jobs where kind in ('${REMOVE_AGENT}', '${userKind}') and owner = :owner`)
}

export type ConversationsOfPersons = ReturnType<typeof conversationsOfPersons>
