import { blob, index, integer, sqliteTable, text as column } from 'drizzle-orm/sqlite-core'
import { users } from './access.ts'
import { listOf } from './completed.ts'
import type { Same } from '../common.ts'
import type { ModelProviderRecord, ProviderKind } from '../models.ts'

/** The table of ModelProviderRecord. */
export const modelProviders = sqliteTable('model_providers', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  name: column().notNull(),
  provider: column().$type<ProviderKind>().notNull(),
  url: column().notNull(),
  models: listOf().notNull(),
  key_hint: column().notNull(),
  secret: integer(),
  key: blob({ mode: 'buffer' }),
  created_at: column().notNull()
}, (table) => [index('model_providers_by_owner').on(table.owner, table.id)])
true satisfies Same<ModelProviderRecord, typeof modelProviders.$inferSelect>
