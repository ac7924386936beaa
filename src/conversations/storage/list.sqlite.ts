import type { Id } from '../../../schema/common.ts'
import type { ConversationRecord } from '../../../schema/conversations.ts'
import { conversations } from '../../../schema/sqlite/conversations.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import type { Seal } from '../../platform/storage/secrets.ts'
import type { ConversationFilter, Slice } from '../store.ts'
import type { Messages } from './messages.sqlite.ts'
import { conversationOf, type ConversationRow } from './rows.ts'

/** Conversations whose words a search reads for one part of a list. */
const SEARCHED = 500

/**
 * A part of the owner's conversations, newest first. Words are looked for in subjects and messages, which only their
 * keys open.
 */
export function listing (raw: Database['raw'], messages: Messages, sealOf: (secret: Id) => Seal) {
  const rows = rowsOf(conversations)
  const select = `select ${rows.columns} from conversations`

  function says (row: ConversationRow, word: string): boolean {
    const seal = sealOf(row.secret)
    if (conversationOf(row, seal).subject.toLowerCase().includes(word)) return true
    return messages.inOrder(row, {}, SEARCHED, seal).some(({ text }) => text.toLowerCase().includes(word))
  }

  return (
    owner: Id, filter: ConversationFilter, cursor: string | undefined, limit: number
  ): Slice<ConversationRecord> => {
    const { where, values } = scope(owner, filter, cursor)
    const word = filter.search?.toLowerCase()
    const found = raw
      .prepare<unknown[], unknown[]>(`${select} where ${where} order by number desc limit ?`)
      .raw()
      .all(...values, word === undefined ? limit + 1 : SEARCHED)
      .map((row) => rows.record(row))
    const wanted = word === undefined ? found : found.filter((row) => says(row, word))
    const items = wanted.slice(0, limit)
    const isMore = wanted.length > limit || (word !== undefined && found.length === SEARCHED)
    const last = wanted.length > limit ? items.at(-1) : found.at(-1)
    return {
      items: items.map((row) => conversationOf(row, sealOf(row.secret))),
      next: isMore && last ? String(last.number) : null
    }
  }
}

/** Which conversations a filter lets through: fixed texts alone, and the values for the question marks. */
function scope (owner: Id, filter: ConversationFilter, cursor: string | undefined) {
  // Of a visitor there are few: `+` keeps SQLite from walking through all that the owner or the agent has.
  const wide = filter.visitor === undefined ? '' : '+'
  const conditions: Array<[string, unknown]> = [[`${wide}owner_id = ?`, owner]]
  if (filter.agent !== undefined) conditions.push([`${wide}agent_id = ?`, filter.agent])
  if (filter.visitor !== undefined) conditions.push(['visitor = ?', filter.visitor])
  for (const field of ['status', 'handled_by', 'outcome'] as const) {
    if (filter[field] !== undefined) conditions.push([`${wide}${field} = ?`, filter[field]])
  }
  if (filter.since !== undefined) conditions.push(['coalesce(last_message_at, created_at) >= ?', filter.since])
  if (cursor !== undefined) conditions.push(['number < ?', Number(cursor)])
  return {
    where: conditions.map(([condition]) => condition).join(' and '), values: conditions.map(([, value]) => value)
  }
}
