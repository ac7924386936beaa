import { index, integer, primaryKey, sqliteTable, text as column } from 'drizzle-orm/sqlite-core'
import type { ActorKind } from '../audit.ts'
import type { ConfigKind } from '../config.ts'
import { users } from './access.ts'

/**
 * Objects managed in files of an account: by kind and number; for account settings, the account's own. `place`: its
 * unique path among them; `stamp`: its state when files were last applied; `is_made`: a file created it.
 */
export const configObjects = sqliteTable('config_objects', {
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  kind: column().$type<ConfigKind>().notNull(),
  object: integer('object_id').notNull(),
  place: column().notNull(),
  file: column().notNull(),
  is_made: integer({ mode: 'boolean' }).notNull(),
  is_locked: integer({ mode: 'boolean' }).notNull(),
  stamp: column().notNull(),
  applied_at: column().notNull()
}, (table) => [primaryKey({ columns: [table.owner, table.kind, table.object] })])

/** The history of applying an account's files, the latest of each. */
export const configApplies = sqliteTable('config_applies', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  user: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
  by: column().$type<ActorKind>().notNull(),
  ref: column().notNull(),
  changes: integer().notNull(),
  applied_at: column().notNull()
}, (table) => [index('config_applies_by_owner').on(table.owner, table.id), index('config_applies_by_user').on(table.user)])
