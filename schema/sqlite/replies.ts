import { sql } from 'drizzle-orm'
import { integer, index, sqliteTable, text as column, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Same } from '../common.ts'
import type { SavedReplyRecord } from '../replies.ts'
import { users } from './access.ts'
import { completed } from './completed.ts'

/** The table of SavedReplyRecord. */
export const savedReplies = sqliteTable('saved_replies', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  user: integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
  key: column().notNull(),
  texts: completed('replyTexts').notNull(),
  created_at: column().notNull(),
  updated_at: column().notNull()
}, (table) => [
  uniqueIndex('saved_replies_by_key').on(table.owner, sql`lower(${table.key})`).where(sql`${table.user} is null`),
  uniqueIndex('saved_replies_by_own_key').on(table.owner, table.user, sql`lower(${table.key})`)
    .where(sql`${table.user} is not null`),
  index('saved_replies_by_owner').on(table.owner, table.user),
  index('saved_replies_by_user').on(table.user)
])
true satisfies Same<SavedReplyRecord, typeof savedReplies.$inferSelect>
