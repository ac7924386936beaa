import { blob, index, integer, primaryKey, sqliteTable, text as column, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Plain } from '../common.ts'
import { users } from './access.ts'
import { completed } from './completed.ts'

/**
 * Secrets, many to a row between bytes that keep them in overflow pages; see src/platform/storage/sqlite/secrets.ts.
 * `live`: those not destroyed.
 */
export const secretPages = sqliteTable('secret_pages', {
  id: integer().primaryKey({ autoIncrement: true }),
  used: integer().notNull(),
  live: integer().notNull(),
  keys: blob().notNull()
})

/**
 * Files and texts, stored in chunks; see src/platform/storage/sqlite/blobs.ts. `secret`: seals the chunks, NULL once it
 * is destroyed.
 */
export const blobs = sqliteTable('blobs', {
  id: integer().primaryKey({ autoIncrement: true }),
  state: column().$type<'staged' | 'kept' | 'dropped'>().notNull(),
  created_at: integer().notNull(),
  secret: integer()
}, (table) => [index('blobs_by_state').on(table.state)])

/** One chunk, sealed. */
export const blobChunks = sqliteTable('blob_chunks', {
  blob: integer().notNull(),
  ordinal: integer().notNull(),
  data: blob().notNull()
}, (table) => [primaryKey({ columns: [table.blob, table.ordinal] })])

/**
 * Chunks as 0.3 stored them, unencrypted, between bytes that keep them in overflow pages. They are sealed in the
 * background; nothing is added here.
 */
export const blobPieces = sqliteTable('blob_pieces', {
  blob: integer().notNull(),
  ordinal: integer().notNull(),
  padding: integer().notNull(),
  data: blob().notNull()
}, (table) => [primaryKey({ columns: [table.blob, table.ordinal] })])

/**
 * Durable jobs; see src/platform/storage/sqlite/jobs.ts. Times are microseconds of the queue's own clock, close to
 * those since 1970.
 */
export const jobs = sqliteTable('jobs', {
  id: integer().primaryKey({ autoIncrement: true }),
  kind: column().notNull(),
  subject: integer().notNull(),
  owner: integer().notNull(),
  attempts: integer().notNull().default(0),
  due: integer().notNull(),
  leased_until: integer().notNull().default(0),
  /** When it began to wait: it waits at most from then until `due`, even if the clock is changed. */
  asked: integer().notNull().default(0),
  lane: column().$type<'here' | 'outside'>().notNull().default('here'),
  /** The handler's input besides the subject. */
  payload: column({ mode: 'json' }),
  /** The last error, for the operator. */
  error: column(),
  /** When it was given up; it stays until somebody requests it again. */
  died: integer()
}, (table) => [
  uniqueIndex('jobs_by_subject').on(table.kind, table.subject),
  index('jobs_by_due').on(table.lane, table.leased_until, table.due),
  index('jobs_by_asked').on(table.asked)
])

/** Outgoing messages and their state (outbox); see src/platform/work/outbox.ts. Times are microseconds since 1970. */
export const outbox = sqliteTable('outbox', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  /** The channel: mail, webhook … */
  channel: column().notNull(),
  /** The same for every attempt, so that the receiver can detect a repeat. */
  key: column().notNull(),
  /** What it belongs to, and is deleted with: `conversations/conv_…`. */
  about: column().notNull(),
  payload: column({ mode: 'json' }).notNull(),
  state: column().$type<'waiting' | 'sent' | 'dead'>().notNull(),
  attempts: integer().notNull(),
  /** An attempt was begun whose outcome is unknown. */
  is_open: integer({ mode: 'boolean' }).notNull(),
  external_id: column(),
  error: completed('fault'),
  created_at: integer().notNull(),
  settled_at: integer()
}, (table) => [
  uniqueIndex('outbox_by_key').on(table.key),
  index('outbox_by_owner').on(table.owner, table.state, table.id),
  index('outbox_by_age').on(table.owner, table.id),
  index('outbox_by_about').on(table.about),
  index('outbox_by_channel').on(table.owner, table.channel, table.id),
  index('outbox_by_settled').on(table.settled_at)
])
export type OutboxRecord = Plain<typeof outbox.$inferSelect>

/** Stored responses, so that a repeated POST gets the same response instead of running again. */
export const idempotencyRecords = sqliteTable('idempotency_records', {
  id: integer().primaryKey({ autoIncrement: true }),
  user: integer('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  /** SHA-256 of the route and the Idempotency-Key. */
  slot: column().notNull(),
  /** SHA-256 of the request; a different one with the same key is a mistake of the caller. */
  fingerprint: column().notNull(),
  /** The handler's result, as JSON, sealed with the Idempotency-Key, which is not stored. */
  answer: column().notNull(),
  created_at: integer().notNull(),
  /** What it belongs to, and is deleted with: `conversations/conv_…`. */
  about: column()
}, (table) => [
  index('idempotency_records_by_age').on(table.created_at),
  index('idempotency_records_by_about').on(table.about),
  uniqueIndex('idempotency_records_by_slot').on(table.user, table.slot)
])

/** Which agenthall.key belongs to this file: one row, once a key was created. See src/platform/storage/vault.ts. */
export const vaultKeys = sqliteTable('vault_keys', {
  id: integer().primaryKey(),
  fingerprint: column().notNull(),
  /** When a copy of it was seen in another place, ISO 8601. */
  copied_at: column()
})

/** Secrets whose owners were deleted, added by triggers when a whole agent is deleted: destroyed soon after. */
export const doomedSecrets = sqliteTable('doomed_secrets', { secret: integer().primaryKey() })
