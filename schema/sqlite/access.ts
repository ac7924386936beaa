import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, uniqueIndex, text as column } from 'drizzle-orm/sqlite-core'
import type { ApiKeyRecord, Permission, UserRecord } from '../access.ts'
import type { Same } from '../common.ts'
import type { Tier } from '../plans.ts'
import type { GrantRecord } from '../assistants.ts'
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
  revoked_at: column(),
  via: column().$type<ApiKeyRecord['via']>().notNull().default('hand'),
  client: column(),
  token_until: column()
}, (table) => [index('api_keys_by_user').on(table.user, table.id)])
true satisfies Same<ApiKeyRecord, typeof apiKeys.$inferSelect>

/** The table of GrantRecord. */
export const grants = sqliteTable('grants', {
  id: integer().primaryKey({ autoIncrement: true }),
  user: integer('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  account: integer('account_id').notNull(),
  client: column().notNull(),
  name: column().notNull(),
  redirect_uri: column().notNull(),
  permissions: listOf<Permission>().notNull(),
  challenge: column().notNull(),
  code_digest: column().notNull().unique(),
  code_until: column().notNull(),
  key: integer('key_id').references(() => apiKeys.id, { onDelete: 'cascade' }),
  family_digest: column().unique(),
  refresh_digest: column(),
  expires_at: column().notNull(),
  created_at: column().notNull()
}, (table) => [index('grants_by_user').on(table.user, table.id), index('grants_by_key').on(table.key)])
true satisfies Same<GrantRecord, typeof grants.$inferSelect>
