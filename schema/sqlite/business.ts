import { blob, integer, sqliteTable, text as column } from 'drizzle-orm/sqlite-core'
import { NO_TARGETS, type BusinessRecord } from '../business.ts'
import type { Same } from '../common.ts'
import { users } from './access.ts'
import { completed, listOf } from './completed.ts'

/** The table of BusinessRecord. An account that has set nothing has no row. */
export const businesses = sqliteTable('businesses', {
  owner: integer('owner_id').primaryKey().references(() => users.id, { onDelete: 'cascade' }),
  time_zone: column().notNull(),
  hours: completed('hours'),
  closed_on: listOf().notNull(),
  notices: completed('notices').notNull(),
  team_chat_host: column(),
  team_chat_url: blob({ mode: 'buffer' }),
  updated_at: column(),
  name: column().notNull().default(''),
  targets: completed('targets').notNull().default(NO_TARGETS),
  asks_satisfaction: integer({ mode: 'boolean' }).notNull().default(false),
  gaps_mail: column().$type<BusinessRecord['gaps_mail']>().notNull().default('en'),
  address: column().notNull().default('')
})
true satisfies Same<BusinessRecord, typeof businesses.$inferSelect>
