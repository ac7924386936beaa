import { blob, index, integer, primaryKey, sqliteTable, text as column, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Outcome } from '../conversations.ts'
import type { HandoffReason } from '../handoff.ts'
import { users } from './access.ts'
import { conversations } from './conversations.ts'

/**
 * How each episode of a conversation ended: the basis of the figures. `began_at`: when the visitor first wrote in it;
 * `asked_at`, `reason`: when and why a person was first requested; `taken_at`: when the first one joined;
 * `reopened_at`: when the visitor came back, which revokes a resolution.
 */
export const episodes = sqliteTable('episodes', {
  conversation: integer().notNull().references(() => conversations.number, { onDelete: 'cascade' }),
  episode: integer().notNull(),
  owner: integer('owner_id').notNull(),
  agent: integer('agent_id').notNull(),
  began_at: column(),
  asked_at: column(),
  reason: column().$type<HandoffReason>(),
  taken_at: column(),
  ended_at: column().notNull(),
  outcome: column().$type<Outcome>().notNull(),
  reopened_at: column(),
  /** What it was counted by (see src/analytics/parts.ts), so that exactly that can be subtracted again. */
  parts: column()
}, (table) => [
  primaryKey({ columns: [table.conversation, table.episode] }),
  index('episodes_by_owner').on(table.owner, table.ended_at)
])

/**
 * The newest events of an account's conversations, numbered in each account from 1, for watchers. `type`: its index in
 * EVENTS; `conversation`: its number; `gone`: the id of a deleted one; `message`: its seq, 0 for none.
 */
export const accountEvents = sqliteTable('account_events', {
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  seq: integer().notNull(),
  type: integer().notNull(),
  conversation: integer().notNull(),
  message: integer().notNull(),
  gone: column()
}, (table) => [primaryKey({ columns: [table.owner, table.seq] })])

/** Members' settings of whether they are available for visitors. */
export const duties = sqliteTable('duties', {
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  user: integer('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  on: integer({ mode: 'boolean' }).notNull()
}, (table) => [primaryKey({ columns: [table.owner, table.user] }), index('duties_by_user').on(table.user)])

/**
 * How many conversations each member holds at once, null for no limit, and when one was last offered to them or taken
 * by them, in microseconds since 1970.
 */
export const hands = sqliteTable('hands', {
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  user: integer('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  capacity: integer(),
  called_at: integer()
}, (table) => [primaryKey({ columns: [table.owner, table.user] }), index('hands_by_user').on(table.user)])

/** Notes of the team on conversations; their words are sealed with the secret of the conversation. */
export const notes = sqliteTable('notes', {
  number: integer().primaryKey({ autoIncrement: true }),
  id: column().notNull(),
  conversation: integer().notNull().references(() => conversations.number, { onDelete: 'cascade' }),
  person: integer().notNull(),
  created_at: column().notNull(),
  sealed: blob({ mode: 'buffer' }).notNull()
}, (table) => [uniqueIndex('notes_by_id').on(table.id), index('notes_by_conversation').on(table.conversation)])

/** Up to which message of the team's the visitor has seen a conversation, and since when. */
export const visitorSeen = sqliteTable('visitor_seen', {
  conversation: integer().primaryKey().references(() => conversations.number, { onDelete: 'cascade' }),
  message: integer().notNull(),
  at: column().notNull()
})

/** The last message of a conversation that each member has seen. */
export const seenMarks = sqliteTable('seen_marks', {
  conversation: integer().notNull().references(() => conversations.number, { onDelete: 'cascade' }),
  user: integer('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  message: integer().notNull()
}, (table) => [
  primaryKey({ columns: [table.conversation, table.user] }), index('seen_marks_by_user').on(table.user)
])
