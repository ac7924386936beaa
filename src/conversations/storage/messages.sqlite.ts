import type { Id } from '../../../schema/common.ts'
import type { MessagePreview, MessageRecord } from '../../../schema/conversations.ts'
import { messages } from '../../../schema/sqlite/conversations.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import type { Seal } from '../../platform/storage/secrets.ts'
import { messageOf, messageRow, previewOf, type ConversationRow, type MessageRow } from './rows.ts'

type In = Pick<ConversationRow, 'number' | 'id'>

/** The messages of a conversation that was found; its seal opens them. */
export interface Messages {
  put (conversation: number, message: MessageRecord, seal: Seal): void
  /** The answer that is being written. */
  generating (conversation: In, seal: Seal): MessageRecord | undefined
  byId (conversation: In, id: string, seal: Seal): MessageRecord | undefined
  /** What was sent under this `client_id`. */
  byClient (conversation: In, clientId: string, seal: Seal): MessageRecord | undefined
  /**
   * How the newest begins that somebody has said to the end, if there is one; what the system says is none.
   */
  preview (conversation: ConversationRow | undefined, sealOf: (secret: Id) => Seal): MessagePreview[]
  at (conversation: In, seq: number, seal: Seal): MessageRecord | null
  /** In order; those after or before a seq, the nearest `limit` of them. */
  inOrder (conversation: In, range: { before?: number, after?: number }, limit: number, seal: Seal): MessageRecord[]
}

/** Messages in SQLite. */
export function messagesIn (raw: Database['raw']): Messages {
  const rows = rowsOf(messages)
  const select = `select ${rows.columns} from messages`
  // Changed where it lies: a row that is taken out and put in again leaves a hole in its page.
  const write = raw.prepare(
    `insert into messages (${rows.columns}) values (${rows.placeholders}) on conflict (conversation, seq) do update set ${rows.updates}`
  )
  const bySeq = (order: string, condition: string) =>
    raw
      .prepare<unknown[], unknown[]>(
        `${select} where conversation = ? and ${condition} order by seq ${order} limit +?`
      )
      .raw()
  const after = bySeq('asc', 'seq > ?')
  const before = bySeq('desc', 'seq < ?')
  const named = raw.prepare<[number, string], unknown[]>(`${select} where conversation = ? and id = ?`).raw()
  const unfinished = raw
    .prepare<[number], unknown[]>(`${select} where conversation = ? and status = 'generating'`)
    .raw()
  const sent = raw
    .prepare<[number, string], unknown[]>(`${select} where conversation = ? and client_id = ? limit 1`)
    .raw()

  const newest = raw
    .prepare<[number], unknown[]>(
      `${select} where conversation = ? and role <> 'system' and status <> 'generating' order by seq desc limit 1`
    )
    .raw()

  const recordOf = (row: unknown[] | undefined, { id }: In, seal: Seal): MessageRecord | undefined =>
    row && messageOf(rows.record(row) as MessageRow, id, seal)

  return {
    put: (conversation, message, seal) => { write.run(...rows.values(messageRow(message, conversation, seal))) },
    generating: (conversation, seal) => recordOf(unfinished.get(conversation.number), conversation, seal),
    byId: (conversation, id, seal) => recordOf(named.get(conversation.number, id), conversation, seal),
    byClient: (conversation, clientId, seal) => recordOf(sent.get(conversation.number, clientId), conversation, seal),
    preview (conversation, sealOf) {
      const last = conversation &&
        recordOf(newest.get(conversation.number), conversation, sealOf(conversation.secret))
      return last ? [previewOf(last)] : []
    },
    // What is about no message has no first one either.
    at: (conversation, seq, seal) => seq === 0
      ? null
      : recordOf(after.get(conversation.number, seq - 1, 1), conversation, seal) ?? null,
    inOrder ({ number, id }, range, limit, seal) {
      const inOrder =
        range.before === undefined
          ? after.all(number, range.after ?? 0, limit)
          : before.all(number, range.before, limit).reverse()
      return inOrder.map((row) => messageOf(rows.record(row), id, seal))
    }
  }
}
