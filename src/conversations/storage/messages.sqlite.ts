import type { Id } from '../../../schema/common.ts'
import type { MessagePreview, MessageRecord } from '../../../schema/conversations.ts'
import { messages } from '../../../schema/sqlite/conversations.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import type { Seal } from '../../platform/storage/secrets.ts'
import type { Work } from '../../platform/storage/work.ts'
import { messageOf, messageRow, previewOf, type ConversationRow, type MessageRow } from './rows.ts'

type In = Pick<ConversationRow, 'number' | 'id'>

/** The messages of a found conversation; its seal decrypts them. */
export interface Messages {
  put (conversation: number, message: MessageRecord, seal: Seal): Work<void>
  /** The answer being written. */
  generating (conversation: In, seal: Seal): Work<MessageRecord | undefined>
  byId (conversation: In, id: string, seal: Seal): Work<MessageRecord | undefined>
  /** What was sent under this `client_id`. */
  byClient (conversation: In, clientId: string, seal: Seal): Work<MessageRecord | undefined>
  /**
   * The start of the newest complete message; system messages do not count.
   */
  preview (conversation: ConversationRow | undefined, sealOf: (secret: Id) => Work<Seal>): Work<MessagePreview[]>
  at (conversation: In, seq: number, seal: Seal): Work<MessageRecord | null>
  /** In order; those after or before a seq, the nearest `limit` of them. */
  inOrder (
    conversation: In, range: { before?: number, after?: number }, limit: number, seal: Seal
  ): Work<MessageRecord[]>
}

/** Messages in SQLite. */
export function messagesIn (db: Database): Messages {
  const rows = rowsOf(messages)
  const select = `select ${rows.columns} from messages`
  // Updated in place: deleting and reinserting a row leaves a hole in its page.
  const write = db.objects(
    `insert into messages (${rows.columns}) values (${rows.placeholders}) on conflict (conversation, seq) do update set ${rows.updates}`
  )
  const bySeq = (order: string, condition: string) =>
    db.rows<unknown[], unknown[]>(
        `${select} where conversation = ? and ${condition} order by seq ${order} limit +?`
    )
  const after = bySeq('asc', 'seq > ?')
  const before = bySeq('desc', 'seq < ?')
  const named = db.rows<[number, string], unknown[]>(`${select} where conversation = ? and id = ?`)
  const unfinished = db.rows<[number], unknown[]>(`${select} where conversation = ? and status = 'generating'`)
  const sent = db.rows<[number, string], unknown[]>(`${select} where conversation = ? and client_id = ? limit 1`)

  const newest = db.rows<[number], unknown[]>(
      `${select} where conversation = ? and role <> 'system' and status <> 'generating' order by seq desc limit 1`
  )

  const recordOf = (row: unknown[] | undefined, { id }: In, seal: Seal): MessageRecord | undefined =>
    row && messageOf(rows.record(row) as MessageRow, id, seal)

  return {
    * put (conversation, message, seal) { yield * write.run(...rows.values(messageRow(message, conversation, seal))) },
    * generating (conversation, seal) {
      return recordOf(yield * unfinished.get(conversation.number), conversation, seal)
    },
    * byId (conversation, id, seal) { return recordOf(yield * named.get(conversation.number, id), conversation, seal) },
    * byClient (conversation, clientId, seal) {
      return recordOf(yield * sent.get(conversation.number, clientId), conversation, seal)
    },
    * preview (conversation, sealOf) {
      const last = conversation &&
        recordOf(yield * newest.get(conversation.number), conversation, yield * sealOf(conversation.secret))
      return last ? [previewOf(last)] : []
    },
    // Seq 0 means no message, not the first one.
    * at (conversation, seq, seal) {
      return seq === 0
        ? null
        : recordOf(yield * after.get(conversation.number, seq - 1, 1), conversation, seal) ?? null
    },
    * inOrder ({ number, id }, range, limit, seal) {
      const inOrder =
        range.before === undefined
          ? (yield * after.all(number, range.after ?? 0, limit))
          : (yield * before.all(number, range.before, limit)).reverse()
      return inOrder.map((row) => messageOf(rows.record(row), id, seal))
    }
  }
}
