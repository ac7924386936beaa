import { blob, index, integer, sqliteTable, text as column } from 'drizzle-orm/sqlite-core'
import type { Same } from '../common.ts'
import type { WidgetKeyRecord } from '../widget.ts'
import { agents } from './agents.ts'
import { completedList, listOf } from './completed.ts'

/** The table of WidgetKeyRecord. */
export const widgetKeys = sqliteTable('widget_keys', {
  id: column().primaryKey(),
  agent: integer('agent_id').notNull().references(() => agents.id, { onDelete: 'cascade' }),
  owner: integer('owner_id').notNull(),
  name: column().notNull(),
  origins: listOf().notNull(),
  identity_secrets: completedList('identitySecret').notNull(),
  created_at: column().notNull(),
  updated_at: column().notNull(),
  secret: integer().notNull(),
  sealed: blob({ mode: 'buffer' }).notNull()
}, (table) => [index('widget_keys_by_agent').on(table.agent)])
true satisfies Same<WidgetKeyRecord, typeof widgetKeys.$inferSelect>
