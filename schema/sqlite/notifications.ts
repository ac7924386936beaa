import { blob, index, integer, sqliteTable, text as column, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { users } from './access.ts'
import { conversations } from './conversations.ts'
import { sessions } from './sign-in.ts'

/**
 * Push subscriptions of browsers, one per session, with which it ends. `host`: the push service; `sealed`: its address
 * and keys; `digest`: identifies the same browser.
 */
export const pushSubscriptions = sqliteTable('push_subscriptions', {
  session: integer('session_id').primaryKey().references(() => sessions.id, { onDelete: 'cascade' }),
  user: integer('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  host: column().notNull(),
  language: column().notNull(),
  digest: column().notNull().unique(),
  sealed: blob({ mode: 'buffer' }).notNull(),
  created_at: column().notNull()
}, (table) => [index('push_subscriptions_by_user').on(table.user)])

/**
 * Pending pushes: only the newest of a conversation for each browser. `message`: the visitor's message; `epoch`: the
 * one in which they wait for a person; 0 if it is not about that.
 */
export const pushCalls = sqliteTable('push_calls', {
  id: integer().primaryKey({ autoIncrement: true }),
  session: integer('session_id').notNull().references(() => pushSubscriptions.session, { onDelete: 'cascade' }),
  conversation: integer().notNull().references(() => conversations.number, { onDelete: 'cascade' }),
  message: integer().notNull(),
  epoch: integer().notNull()
}, (table) => [
  uniqueIndex('push_calls_by_session').on(table.session, table.conversation),
  index('push_calls_by_conversation').on(table.conversation)
])
