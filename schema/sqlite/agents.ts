import { index, integer, sqliteTable, text as column } from 'drizzle-orm/sqlite-core'
import type { AgentRecord, AgentStatus, VocabularyRecord } from '../agents.ts'
import type { Id, Same } from '../common.ts'
import { users } from './access.ts'
import { completed, completedList, listOf } from './completed.ts'

/**
 * The table of AgentRecord. Nobody owns an agent that was deleted: its row goes last, when a job has removed everything
 * that belongs to it.
 */
export const agents = sqliteTable('agents', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').references(() => users.id, { onDelete: 'cascade' }),
  name: column().notNull(),
  description: column().notNull(),
  status: column().$type<AgentStatus>().notNull(),
  appearance: completed('appearance').notNull(),
  behavior: completed('behavior').notNull(),
  model: completed('model').notNull(),
  agentType: column('agent_type').notNull(),
  agent_category: column().notNull(),
  systemPrompt: column('system_prompt').notNull(),
  ticketing_providers: listOf().notNull(),
  default_ticketing_provider: column(),
  is_chatapp_enabled: integer({ mode: 'boolean' }).notNull(),
  privacy_url: column(),
  gdpr_settings: completed('gdpr_settings').notNull(),
  translations: completed('translations').notNull().default({}),
  is_white_label: integer({ mode: 'boolean' }).notNull(),
  created_at: column().notNull(),
  updated_at: column().notNull(),
  conversations: integer().notNull(),
  total_training_usage_bytes: integer().notNull(),
  revision: integer().notNull(),
  version: integer().notNull().default(0),
  search_text: column().notNull()
}, (table) => [index('agents_by_owner').on(table.owner, table.id)])
type Row = typeof agents.$inferSelect
true satisfies Same<AgentRecord, { [Column in keyof Row]: Column extends 'owner' ? Id : Row[Column] }>

/** The table of VocabularyRecord. An agent to which none was given has no row. */
export const vocabularies = sqliteTable('vocabularies', {
  agent: integer('agent_id').primaryKey().references(() => agents.id, { onDelete: 'cascade' }),
  terms: completedList('term').notNull(),
  version: integer().notNull(),
  updated_at: column().notNull()
})
true satisfies Same<VocabularyRecord, typeof vocabularies.$inferSelect>
