import type { ConversationRecord } from '../../../schema/conversations.ts'
import { conversations } from '../../../schema/sqlite/conversations.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import type { Seal } from '../../platform/storage/secrets.ts'
import { conversationRow, type ConversationRow } from './rows.ts'

/** Columns that never change, or not here, and indexed ones: setting these rewrites indexes. */
const FIXED = ['number', 'id', 'alias', 'agent', 'owner', 'channel', 'created_at', 'secret', 'indexed'] as const
const INDEXED = [
  'visitor', 'status', 'handled_by', 'outcome', 'person', 'assignee', 'offered_to', 'priority', 'snoozed_until', 'overdue_at'
] as const

/** Writes a conversation's current state, and indexed columns only if they changed. */
export function updating (db: Database) {
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
