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
 * Files and texts, kept in chunks; see src/platform/storage/sqlite/blobs.ts. `secret`: what the chunks are sealed with,
 * NULL once it is destroyed.
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
 * Chunks as 0.3 kept them, open, between bytes that keep them in overflow pages. They are sealed in the background;
 * nothing is added here.
 */
export const blobPieces = sqliteTable('blob_pieces', {
  blob: integer().notNull(),
  ordinal: integer().notNull(),
  padding: integer().notNull(),
  data: blob().notNull()
}, (table) => [primaryKey({ columns: [table.blob, table.ordinal] })])

/**
 * Work that survives a crash; see src/platform/storage/sqlite/jobs.ts. Times are microseconds of the queue's own
 * reckoning, near those since 1970.
 */
export const jobs = sqliteTable('jobs', {
  id: integer().primaryKey({ autoIncrement: true }),
  kind: column().notNull(),
  subject: integer().notNull(),
  owner: integer().notNull(),
  attempts: integer().notNull().default(0),
  due: integer().notNull(),
  leased_until: integer().notNull().default(0),
  /** When it began to wait: it waits no longer than from then until `due`, whatever becomes of the clock. */
  asked: integer().notNull().default(0),
  lane: column().$type<'here' | 'outside'>().notNull().default('here'),
  /** What the handler needs beside the subject. */
  payload: column({ mode: 'json' }),
  /** What was wrong the last time, for the operator. */
  error: column(),
  /** When it was given up; it stays until somebody asks for it again. */
  died: integer()
}, (table) => [
  uniqueIndex('jobs_by_subject').on(table.kind, table.subject),
  index('jobs_by_due').on(table.lane, table.leased_until, table.due),
  index('jobs_by_asked').on(table.asked)
])

/**
 * What is to leave the house, and what has become of it; see src/platform/work/outbox.ts. Times are microseconds since
 * 1970.
 */
export const outbox = sqliteTable('outbox', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  /** Who sends it: mail, webhook … */
  channel: column().notNull(),
  /** The same for every attempt, so that the other side can tell a repeat. */
  key: column().notNull(),
  /** What it belongs to, and goes with: `conversations/conv_…`. */
  about: column().notNull(),
  payload: column({ mode: 'json' }).notNull(),
  state: column().$type<'waiting' | 'sent' | 'dead'>().notNull(),
  attempts: integer().notNull(),
  /** An attempt was begun of which nobody knows how it ended. */
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

/** Answers kept so that a repeated POST is answered again instead of done again. */
export const idempotencyRecords = sqliteTable('idempotency_records', {
  id: integer().primaryKey({ autoIncrement: true }),
  user: integer('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  /** SHA-256 of the route and the Idempotency-Key. */
  slot: column().notNull(),
  /** SHA-256 of what was asked; another one under the same key is a mistake of the caller. */
  fingerprint: column().notNull(),
  /** What the verb returned, as JSON, sealed with the Idempotency-Key, which is not kept. */
  answer: column().notNull(),
  created_at: integer().notNull(),
  /** What it belongs to, and goes with: `conversations/conv_…`. */
  about: column()
}, (table) => [
  index('idempotency_records_by_age').on(table.created_at),
  index('idempotency_records_by_about').on(table.about),
  uniqueIndex('idempotency_records_by_slot').on(table.user, table.slot)
])

/** Which agenthall.key belongs to this file: one row, once a key was made. See src/platform/storage/vault.ts. */
export const vaultKeys = sqliteTable('vault_keys', {
  id: integer().primaryKey(),
  fingerprint: column().notNull(),
  /** When a copy of it was seen in another place, ISO 8601. */
  copied_at: column()
})

/** Secrets whose owners were deleted, by triggers where a whole agent goes: destroyed soon after. */
export const doomedSecrets = sqliteTable('doomed_secrets', { secret: integer().primaryKey() })
