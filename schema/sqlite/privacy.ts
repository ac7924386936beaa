import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text as column } from 'drizzle-orm/sqlite-core'
import { users } from './access.ts'
import { completed, completedList } from './completed.ts'
import type { Same } from '../common.ts'
import type { ReceiptRecord, RemovalKind } from '../privacy.ts'

/** The table of ReceiptRecord. It outlives the agent and the visitor that it is about. */
export const privacyReceipts = sqliteTable('privacy_receipts', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  kind: column().$type<RemovalKind>().notNull(),
  agent: integer('agent_id').notNull(),
  visitor: column(),
  data_retention_days: integer(),
  silent_since: column(),
  removed: completed('removed').notNull(),
  copies: completedList('copy').notNull(),
  backups_until: column(),
  created_at: column().notNull(),
  finished_at: column()
}, (table) => [
  index('privacy_receipts_by_owner').on(table.owner, table.id),
  index('privacy_receipts_unfinished').on(table.owner, table.agent).where(sql`${table.finished_at} is null`)
])
true satisfies Same<ReceiptRecord, typeof privacyReceipts.$inferSelect>
