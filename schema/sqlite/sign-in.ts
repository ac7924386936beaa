import { sql } from 'drizzle-orm'
import { blob, index, integer, sqliteTable, text as column } from 'drizzle-orm/sqlite-core'
import type { Permission } from '../access.ts'
import type { Same } from '../common.ts'
import type { LinkKind, LinkRecord, PasskeyRecord, PasswordRecord, SessionRecord } from '../sign-in.ts'
import { users } from './access.ts'
import { listOf } from './completed.ts'

/** The table of PasswordRecord. */
export const passwords = sqliteTable('passwords', {
  user: integer('user_id').primaryKey().references(() => users.id, { onDelete: 'cascade' }),
  hash: column().notNull(),
  changed_at: column().notNull()
})
true satisfies Same<PasswordRecord, typeof passwords.$inferSelect>

/** The table of SessionRecord. */
export const sessions = sqliteTable('sessions', {
  id: integer().primaryKey({ autoIncrement: true }),
  user: integer('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  digest: column().notNull().unique(),
  account: integer('account_id'),
  browser: column().notNull(),
  created_at: column().notNull(),
  last_used_at: column().notNull(),
  expires_at: column().notNull()
}, (table) => [index('sessions_by_user').on(table.user, table.id)])
true satisfies Same<SessionRecord, typeof sessions.$inferSelect>

/** The table of LinkRecord. */
export const links = sqliteTable('links', {
  id: integer().primaryKey({ autoIncrement: true }),
  kind: column().$type<LinkKind>().notNull(),
  digest: column().notNull().unique(),
  mailed_digest: column().unique(),
  user: integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
  account: integer('account_id').references(() => users.id, { onDelete: 'cascade' }),
  permissions: listOf<Permission>(),
  email: column(),
  inviter: integer('inviter_id'),
  created_at: column().notNull(),
  expires_at: column().notNull(),
  used_at: column()
}, (table) => [
  index('links_by_user').on(table.user),
  index('links_by_account').on(table.account, table.id),
  index('links_by_email').on(sql`${table.email} collate nocase`)
])
true satisfies Same<LinkRecord, typeof links.$inferSelect>

/** The table of PasskeyRecord. */
export const passkeys = sqliteTable('passkeys', {
  id: integer().primaryKey({ autoIncrement: true }),
  user: integer('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  credential: column().notNull().unique(),
  public_key: blob({ mode: 'buffer' }).notNull(),
  counter: integer().notNull(),
  transports: listOf().notNull(),
  name: column().notNull(),
  created_at: column().notNull(),
  last_used_at: column()
}, (table) => [index('passkeys_by_user').on(table.user, table.id)])
true satisfies Same<PasskeyRecord, typeof passkeys.$inferSelect>
