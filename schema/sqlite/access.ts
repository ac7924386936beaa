import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, uniqueIndex, text as column } from 'drizzle-orm/sqlite-core'
import type { ApiKeyRecord, Permission, UserRecord } from '../access.ts'
import type { Same } from '../common.ts'
import type { Tier } from '../plans.ts'
import { listOf } from './completed.ts'

/** The table of UserRecord. */
export const users = sqliteTable('users', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: column().notNull(),
  email: column(),
  tier: column().$type<Tier>().notNull(),
  revision: integer().notNull(),
  tally: integer().notNull().default(0),
  created_at: column().notNull(),
  updated_at: column().notNull()
}, (table) => [uniqueIndex('users_by_email').on(sql`lower(${table.email})`)])
true satisfies Same<UserRecord, typeof users.$inferSelect>

/** The table of ApiKeyRecord. */
export const apiKeys = sqliteTable('api_keys', {
  id: integer().primaryKey({ autoIncrement: true }),
  user: integer('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  account: integer('account_id').notNull().default(0),
  name: column().notNull(),
  digest: column().notNull().unique(),
  hint: column().notNull(),
  permissions: listOf<Permission>().notNull(),
  created_at: column().notNull(),
  last_used_at: column(),
  expires_at: column(),
  revoked_at: column()
}, (table) => [index('api_keys_by_user').on(table.user, table.id)])
true satisfies Same<ApiKeyRecord, typeof apiKeys.$inferSelect>
