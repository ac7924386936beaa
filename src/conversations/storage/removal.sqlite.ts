import type { Id } from '../../../schema/common.ts'
import type { ConversationRecord } from '../../../schema/conversations.ts'
import { conversations } from '../../../schema/sqlite/conversations.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { Revisions } from '../../platform/storage/sqlite/revisions.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import type { Work } from '../../platform/storage/work.ts'
import type { Announcements } from '../../platform/work/announcements.ts'
import type { Notifier } from '../../platform/work/notifier.ts'
import type { ConversationRow } from './rows.ts'
import { topicOf } from '../store.ts'

/** What removing needs. */
export interface RemovalNeeds {
  db: Database, clock: Clock, revisions: Revisions, notifier: Notifier, announcements: Announcements
}

/** What went with conversations. */
export interface Gone { ids: string[], messages: number, attachments: number }

/**
 * Removes conversations of one agent with everything that was said in them, inside a transaction that is open. What
 * belongs to a conversation goes by the keys and triggers of its table; features hear of each as
 * `conversation.deleted`.
 * `rows` may end when its time is up. `before`: done before each is removed.
 */
export type RemoveConversations = (
  owner: Id, agent: Id, rows: Iterable<ConversationRow>, before?: (row: ConversationRow) => Work<void>
) => Work<Gone>

/** The one place that removes them: one by one, when their time is over, and with their visitor. */
export function conversationRemoval ({
  db, clock, revisions, notifier, announcements
}: RemovalNeeds): RemoveConversations {
  const files = db.column<[number], number>('select count(*) from attachments where conversation = ?')
  const remove = db.objects('delete from conversations where number = ?')
  const counted = db.objects('update agents set conversations = conversations - ? where id = ?')

  return function * (owner, agent, rows, before) {
    const gone: Gone = { ids: [], messages: 0, attachments: 0 }
    for (const row of rows) {
      if (before) yield * before(row)
      const conversation = withoutWords(row)
      gone.ids.push(row.id)
      gone.messages += row.messages
      gone.attachments += (yield * files.get(row.number)) ?? 0
      yield * remove.run(row.number)
      yield * announcements.announce({ owner, type: 'conversation.deleted', agent, data: { conversation } })
      yield * db.afterwards(() => notifier.notify(topicOf(row.id)))
    }
    if (gone.ids.length === 0) return gone
    yield * counted.run(gone.ids.length, agent)
    yield * revisions.count(owner, clock.micros())
    return gone
  }
}

/**
 * A conversation without its subject, page and tags: events do not carry the words of what is deleted, and those of a
 * damaged one cannot be read.
 */
function withoutWords ({
  number: _number, alias: _alias, secret: _secret, sealed: _sealed, indexed: _indexed, ...kept
}: ConversationRow): ConversationRecord {
  return { ...kept, subject: '', page: null, tags: [] }
}

/** Rows of conversations, for who finds those that are to be removed. */
export const conversationRows = rowsOf(conversations)
