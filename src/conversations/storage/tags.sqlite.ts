import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { Work } from '../../platform/storage/work.ts'
import type { Id } from '../../../schema/common.ts'
import type { ConversationRow } from './rows.ts'

/** Most tags of an account that are listed. */
const MOST_LISTED = 1000

/** Which conversations have which tags. Both are called inside a transaction. */
export interface Tags {
  /** Saves those of a conversation, replacing those it had `before`. */
  put (row: Pick<ConversationRow, 'number' | 'owner'>, tags: readonly string[], before: readonly string[]): Work<void>
  /** All of an account, in alphabetical order; 1,000 at most. */
  all (owner: Id): Work<string[]>
}

/** See Tags. */
export function tagsIn (db: Database): Tags {
  const add = db.objects('insert into conversation_tags (account_id, tag, conversation) values (?, ?, ?)')
  const remove = db.objects('delete from conversation_tags where account_id = ? and tag = ? and conversation = ?')
  // Skips from one tag to the next: however many conversations share it, it is read once.
  const all = db.column<[Id, Id], string>(`
    with recursive listed (tag) as (
      select min(tag) from conversation_tags where account_id = ?
      union all
      select (select min(tag) from conversation_tags where account_id = ? and conversation_tags.tag > listed.tag)
      from listed where tag is not null
    ) select tag from listed where tag is not null limit ${MOST_LISTED}`)
  return {
    * put ({ number, owner }, tags, before) {
      if (tags === before) return
      for (const tag of before) if (!tags.includes(tag)) yield * remove.run(owner, tag, number)
      for (const tag of tags) if (!before.includes(tag)) yield * add.run(owner, tag, number)
    },
    all: (owner) => all.all(owner, owner)
  }
}
