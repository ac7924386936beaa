import { index, integer, primaryKey, sqliteTable, text as column } from 'drizzle-orm/sqlite-core'
import type { ActorKind } from '../audit.ts'
import type { ConfigKind } from '../config.ts'
import { users } from './access.ts'

/**
 * What is kept in files of an account: by kind and number, of settings of the account the account's own. `place`: what
 * names it among all of them; `stamp`: how it was when files were last applied; `is_made`: a file made it.
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

/** Each time that files of an account were applied, the last ones of each. */
export const configApplies = sqliteTable('config_applies', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  user: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
  by: column().$type<ActorKind>().notNull(),
  ref: column().notNull(),
  changes: integer().notNull(),
  applied_at: column().notNull()
}, (table) => [index('config_applies_by_owner').on(table.owner, table.id), index('config_applies_by_user').on(table.user)])
