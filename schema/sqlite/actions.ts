import { blob, index, integer, sqliteTable, text as column, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type {
  ActionRecord, CallFailure, CallRecord, CallState, Confirm, ConnectionAuth, ConnectionKind, ConnectionRecord, Effect
} from '../actions.ts'
import type { Same } from '../common.ts'
import { users } from './access.ts'
import { completed, completedList, listOf } from './completed.ts'
import { conversations } from './conversations.ts'

/** The table of ConnectionRecord. */
export const connections = sqliteTable('connections', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  name: column().notNull(),
  kind: column().$type<ConnectionKind>().notNull(),
  base_url: column().notNull(),
  auth: column().$type<ConnectionAuth>().notNull(),
  auth_name: column(),
  token_url: column(),
  secret: blob({ mode: 'buffer' }),
  allowed_hosts: listOf().notNull(),
  last_ok: column(),
  last_error: column(),
  last_error_code: column().$type<CallFailure>(),
  created_at: column().notNull(),
  updated_at: column().notNull(),
  /** Its key in files, as an agent's. */
  key: column()
}, (table) => [
  index('connections_by_owner').on(table.owner, table.id), uniqueIndex('connections_by_key').on(table.owner, table.key)
])
true satisfies Same<ConnectionRecord, Omit<typeof connections.$inferSelect, 'key'>>

/** The table of ActionRecord. */
export const actions = sqliteTable('actions', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  connection: integer('connection_id').notNull().references(() => connections.id, { onDelete: 'cascade' }),
  name: column().notNull(),
  title: column().notNull(),
  when: column('used_when').notNull(),
  effect: column().$type<Effect>().notNull(),
  method: column().$type<ActionRecord['method']>().notNull(),
  path: column().notNull(),
  parameters: completedList('parameter').notNull(),
  result: completed('actionResult').notNull(),
  confirm: column().$type<Confirm>().notNull(),
  needs_verified: integer({ mode: 'boolean' }).notNull(),
  as_form: integer({ mode: 'boolean' }).notNull(),
  button: column().notNull().default(''),
  limits: completed('actionLimits').notNull(),
  lookup: column(),
  version: integer().notNull(),
  enabled: integer({ mode: 'boolean' }).notNull(),
  schema_digest: column(),
  created_at: column().notNull(),
  updated_at: column().notNull(),
  /** Its key in files, as an agent's; its name, unless a file says otherwise. */
  key: column()
}, (table) => [
  uniqueIndex('actions_by_key').on(table.owner, table.key),
  uniqueIndex('actions_by_name').on(table.owner, table.name),
  index('actions_by_connection').on(table.connection)
])
true satisfies Same<ActionRecord, Omit<typeof actions.$inferSelect, 'key'>>

/**
 * The table of CallRecord. Arguments and results are sealed with the secret of the conversation, and deleted with it; a
 * test of an action has neither.
 */
export const calls = sqliteTable('calls', {
  number: integer().primaryKey({ autoIncrement: true }),
  id: column().notNull(),
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  conversation_number: integer().references(() => conversations.number, { onDelete: 'cascade' }),
  conversation: column(),
  message: column(),
  action: integer('action_id').notNull(),
  action_name: column().notNull(),
  action_version: integer().notNull(),
  title: column().notNull(),
  effect: column().$type<Effect>().notNull(),
  confirm: column().$type<Confirm>().notNull(),
  state: column().$type<CallState>().notNull(),
  digest: column().notNull(),
  expires_at: column(),
  confirmed_by: column(),
  status: integer(),
  ms: integer(),
  result_digest: column(),
  error: column(),
  error_code: column().$type<CallFailure>(),
  /** Who spoke in the conversation when it was proposed; the call is valid only while that is unchanged. */
  epoch: integer().notNull(),
  sealed: blob({ mode: 'buffer' }),
  created_at: column().notNull(),
  updated_at: column().notNull()
}, (table) => [
  uniqueIndex('calls_by_id').on(table.id),
  index('calls_by_owner').on(table.owner, table.number),
  index('calls_by_owner_and_state').on(table.owner, table.state, table.number),
  index('calls_by_owner_and_action').on(table.owner, table.action, table.number),
  index('calls_by_conversation').on(table.conversation_number, table.number),
  index('calls_by_action').on(table.action, table.created_at),
  index('calls_by_state').on(table.state, table.number)
])
true satisfies Same<CallRecord, Omit<typeof calls.$inferSelect, 'number' | 'conversation_number' | 'epoch' | 'sealed'>>
