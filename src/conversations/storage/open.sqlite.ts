import type BetterSqlite3 from 'better-sqlite3'
import type { Id } from '../../../schema/common.ts'
import { OF_KEPT_AGENT } from '../../agents/index.ts'

/** One statement for each index: by one condition of three, SQLite would read every conversation. */
const OF_MEMBER = ['person', 'offered_to', 'assignee'].map((column) =>
  `select id from conversations indexed by conversations_by_owner_${column} where owner_id = ? and ${column} = ? and status <> 'closed' and ${OF_KEPT_AGENT}`
).join(' union ')

/** Conversations in which something is to be done, see ConversationStore; each in a transaction. */
export function openIn (raw: BetterSqlite3.Database) {
  const queued = raw
    .prepare<[Id], string>(
      `select id from conversations where owner_id = ? and handled_by = 'queue' and ${OF_KEPT_AGENT} order by course ->> 'asked_at', number`
    )
    .pluck()
  const ofMember = raw.prepare<[Id, Id, Id, Id, Id, Id], string>(OF_MEMBER).pluck()
  const unfinished = raw.prepare<[], { owner: Id, conversation: string }>(
    `select c.owner_id as owner, c.id as conversation from messages m join conversations c on c.number = m.conversation
    where m.status = 'generating' and ${OF_KEPT_AGENT}`
  )
  return {
    queued: (owner: Id) => queued.all(owner),
    ofMember: (owner: Id, user: Id) => ofMember.all(owner, user, owner, user, owner, user),
    unfinished: () => unfinished.all()
  }
}
