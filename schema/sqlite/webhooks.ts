import { blob, index, integer, sqliteTable, text as column, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Same } from '../common.ts'
import type { EventType, WebhookRecord } from '../webhooks.ts'
import { users } from './access.ts'
import { listOf } from './completed.ts'

/** The table of WebhookRecord. */
export const webhooks = sqliteTable('webhooks', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  url: column().notNull(),
  events: listOf<EventType>().notNull(),
  description: column().notNull(),
  is_active: integer({ mode: 'boolean' }).notNull(),
  secret: blob({ mode: 'buffer' }).notNull(),
  previous_secret: blob({ mode: 'buffer' }),
  previous_until: integer(),
  created_at: column().notNull(),
  updated_at: column().notNull(),
  /** Its key in files of the account. */
  key: column()
}, (table) => [
  index('webhooks_by_owner').on(table.owner, table.id), uniqueIndex('webhooks_by_key').on(table.owner, table.key)
])
true satisfies Same<WebhookRecord, Omit<typeof webhooks.$inferSelect, 'key'>>
