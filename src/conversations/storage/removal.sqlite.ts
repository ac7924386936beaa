import type { Id } from '../../../schema/common.ts'
import type { ConversationRecord } from '../../../schema/conversations.ts'
import { conversations } from '../../../schema/sqlite/conversations.ts'
import type { Kernel } from '../../kernel/index.ts'
import { listOf } from '../../platform/storage/list.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import type { Work } from '../../platform/storage/work.ts'
import type { DomainEvent } from '../../platform/work/event-bus.ts'
import type { ConversationRow } from './rows.ts'
import { topicOf } from '../store.ts'

/** What removing needs. */
type RemovalNeeds = Pick<Kernel, 'db' | 'clock' | 'revisions' | 'notifier' | 'eventBus'>

/** Removed with conversations. */
export interface Gone { ids: string[], messages: number, attachments: number }

/**
 * Removes conversations of one agent with all their messages, inside an open transaction. What belongs to a
 * conversation is deleted by the keys and triggers of its table; features receive `conversation.deleted` for each.
 * `rows` may end when its time is up. `before`: called before some of them are removed, one batch at most.
 */
export type RemoveConversations = (
  owner: Id, agent: Id, rows: Iterable<ConversationRow>, before?: (some: readonly ConversationRow[]) => Work<void>
) => Work<Gone>

/** The one place that removes them: one by one, on expiry, and with their visitor. */
export function conversationRemoval ({
  db, clock, revisions, notifier, eventBus
}: RemovalNeeds): RemoveConversations {
  const list = listOf(db)
  const files = db.column<number[], number>(`select count(*) from attachments where conversation in (${list.marks})`)
  const remove = db.objects(`delete from conversations where number in (${list.marks})`)
  const counted = db.objects('update agents set conversations = conversations - ? where id = ?')

  return function * (owner, agent, rows, before) {
    const gone: Gone = { ids: [], messages: 0, attachments: 0 }
    for (const some of list.parts(rows, ({ messages }) => messages)) {
      if (before) yield * before(some)
      const numbers = list.values(some.map(({ number }) => number))
      gone.attachments += (yield * files.get(...numbers)) ?? 0
      yield * remove.run(...numbers)
      for (const { id, messages } of some) {
        gone.ids.push(id)
        gone.messages += messages
        yield * db.afterwards(() => notifier.notify(topicOf(id)))
      }
      yield * eventBus.publish(...some.map((row): DomainEvent => (
        { owner, type: 'conversation.deleted', agent, data: { conversation: withoutWords(row) } }
      )))
    }
    if (gone.ids.length === 0) return gone
    yield * counted.run(gone.ids.length, agent)
    yield * revisions.count(owner, clock.micros())
    return gone
  }
}

/**
 * A conversation without its subject, page and tags: events do not carry content of what is deleted, and that of a
 * damaged one cannot be read.
 */
function withoutWords ({
  number: _number, alias: _alias, secret: _secret, sealed: _sealed, indexed: _indexed, ...kept
}: ConversationRow): ConversationRecord {
  return { ...kept, subject: '', page: null, tags: [] }
}

/** Rows of conversations, for callers that find those to remove. */
export const conversationRows = rowsOf(conversations)
