import type { Database } from '../../platform/storage/sqlite/database.ts'
import { ANSWER } from './held.ts'
import type { Id } from '../../../schema/common.ts'
import { OF_KEPT_AGENT } from '../../agents/index.ts'

/** One per index: with a condition of three parts, SQLite would read every conversation. */
const OF_MEMBER = ['person', 'offered_to', 'assignee'].map((column) =>
  `select id from conversations indexed by conversations_by_owner_${column} where owner_id = ? and ${column} = ? and status <> 'closed' and ${OF_KEPT_AGENT}`
).join(' union ')

/** Conversations that need action, see ConversationStore; each in a transaction. */
export function openIn (db: Database) {
  const waiting = (which: string) => db.column<[Id], string>(
    `select id from conversations where owner_id = ? and handled_by = 'queue'${which} and ${OF_KEPT_AGENT} order by course ->> 'asked_at', number`
  )
  const [queued, unoffered] = [waiting(''), waiting(' and offered_to is null')]
  const ofMember = db.column<[Id, Id, Id, Id, Id, Id], string>(OF_MEMBER)
  const unfinished = db.objects<[], { owner: Id, conversation: string }>(
    `select c.owner_id as owner, c.id as conversation from messages m join conversations c on c.number = m.conversation
    where m.status = 'generating' and ${OF_KEPT_AGENT}
      and not exists (select 1 from jobs where kind = '${ANSWER}' and subject = c.number)`
  )
  return {
    queued: (owner: Id) => queued.all(owner),
    unoffered: (owner: Id) => unoffered.all(owner),
    ofMember: (owner: Id, user: Id) => ofMember.all(owner, user, owner, user, owner, user),
    unfinished: () => unfinished.all()
  }
}
