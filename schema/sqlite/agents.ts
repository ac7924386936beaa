import { blob, index, integer, sqliteTable, text as column, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { AgentRecord, AgentStatus, VocabularyRecord } from '../agents.ts'
import type { Id, Same } from '../common.ts'
import { users } from './access.ts'
import { completed, completedList, listOf, settings } from './completed.ts'

/**
 * The table of AgentRecord. The settings columns hold the published values, which every reader gets; `draft` holds
 * unpublished ones. A deleted agent has no owner: its row is deleted last, after a job has removed everything that
 * belongs to it.
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
  publish_on_save: integer({ mode: 'boolean' }).notNull().default(true),
  live_version: integer().notNull().default(1),
  draft: settings(),
  created_at: column().notNull(),
  updated_at: column().notNull(),
  conversations: integer().notNull(),
  total_training_usage_bytes: integer().notNull(),
  revision: integer().notNull(),
  version: integer().notNull().default(0),
  search_text: column().notNull(),
  /** Its key in files of an account: see src/config-as-code. A trigger assigns one if it is missing. */
  key: column()
}, (table) => [
  index('agents_by_owner').on(table.owner, table.id), uniqueIndex('agents_by_key').on(table.owner, table.key)
])
type Row = Omit<typeof agents.$inferSelect, 'key'>
true satisfies Same<AgentRecord, { [Column in keyof Row]: Column extends 'owner' ? Id : Row[Column] }>

/**
 * The table of VersionRecord: what is published, and drafts that were replaced. `sealed` holds the settings and
 * everything else written by somebody, sealed with a separate secret.
 */
export const agentVersions = sqliteTable('agent_versions', {
  id: integer().primaryKey({ autoIncrement: true }),
  agent: integer('agent_id').notNull().references(() => agents.id, { onDelete: 'cascade' }),
  number: integer().notNull(),
  copy_of: integer(),
  /** Its name in messages from before there were versions. */
  known_as: integer(),
  published_by: integer(),
  published_at: column().notNull(),
  expires_at: column(),
  secret: integer().notNull(),
  sealed: blob({ mode: 'buffer' }).notNull()
}, (table) => [
  uniqueIndex('agent_versions_by_number').on(table.agent, table.number),
  index('agent_versions_by_name').on(table.agent, table.known_as),
  index('agent_versions_by_expiry').on(table.expires_at)
])

/** The table of VocabularyRecord. An agent without a vocabulary has no row. */
export const vocabularies = sqliteTable('vocabularies', {
  agent: integer('agent_id').primaryKey().references(() => agents.id, { onDelete: 'cascade' }),
  terms: completedList('term').notNull(),
  version: integer().notNull(),
  updated_at: column().notNull()
})
true satisfies Same<VocabularyRecord, typeof vocabularies.$inferSelect>
