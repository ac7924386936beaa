import type BetterSqlite3 from 'better-sqlite3'
import type { Id } from '../../../schema/common.ts'
import type { ConversationRow } from './rows.ts'

/** Tags of an account that are listed at most. */
const MOST_LISTED = 1000

/** Which conversations have which tags. Both are called inside a transaction. */
export interface Tags {
  /** Notes those that a conversation has, in place of those that it had `before`. */
  put (row: Pick<ConversationRow, 'number' | 'owner'>, tags: readonly string[], before: readonly string[]): void
  /** All of an account, in alphabetical order; 1,000 at most. */
  all (owner: Id): string[]
}

/** See Tags. */
export function tagsIn (raw: BetterSqlite3.Database): Tags {
  const add = raw.prepare('insert into conversation_tags (account_id, tag, conversation) values (?, ?, ?)')
  const remove = raw.prepare('delete from conversation_tags where account_id = ? and tag = ? and conversation = ?')
  // From one tag to the next one: however many conversations have the same, it is read once.
  const all = raw.prepare<[Id, Id], string>(`
    with recursive listed (tag) as (
      select min(tag) from conversation_tags where account_id = ?
      union all
      select (select min(tag) from conversation_tags where account_id = ? and conversation_tags.tag > listed.tag)
      from listed where tag is not null
    ) select tag from listed where tag is not null limit ${MOST_LISTED}`).pluck()
  return {
    put ({ number, owner }, tags, before) {
      if (tags === before) return
      for (const tag of before) if (!tags.includes(tag)) remove.run(owner, tag, number)
      for (const tag of tags) if (!before.includes(tag)) add.run(owner, tag, number)
    },
    all: (owner) => all.all(owner, owner)
  }
}
