import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text as column } from 'drizzle-orm/sqlite-core'
import { users } from './access.ts'
import type { Same } from '../common.ts'
import type { Copy, ReceiptRecord, RemovalKind, Removed } from '../privacy.ts'

/** The table of ReceiptRecord. It outlives the agent and the visitor that it is about. */
export const privacyReceipts = sqliteTable('privacy_receipts', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  kind: column().$type<RemovalKind>().notNull(),
  agent: integer('agent_id').notNull(),
  visitor: column(),
  data_retention_days: integer(),
  silent_since: column(),
  removed: column({ mode: 'json' }).$type<Removed>().notNull(),
  copies: column({ mode: 'json' }).$type<Copy[]>().notNull(),
  backups_until: column(),
  created_at: column().notNull(),
  finished_at: column()
}, (table) => [
  index('privacy_receipts_by_owner').on(table.owner, table.id),
  index('privacy_receipts_unfinished').on(table.owner, table.agent).where(sql`${table.finished_at} is null`)
])
true satisfies Same<ReceiptRecord, typeof privacyReceipts.$inferSelect>
