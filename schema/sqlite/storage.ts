import { blob, index, integer, primaryKey, sqliteTable, text as column, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Plain } from '../common.ts'
import { users } from './access.ts'

/** Files and texts, kept in pieces; see src/platform/storage/sqlite/blobs.ts. */
export const blobs = sqliteTable('blobs', {
  id: integer().primaryKey({ autoIncrement: true }),
  state: column().$type<'staged' | 'kept' | 'dropped'>().notNull(),
  created_at: integer().notNull()
}, (table) => [index('blobs_by_state').on(table.state)])

/** One piece: text of a text, bytes of a file, between bytes that keep it in overflow pages; see src/platform/storage/sqlite/overflow.ts. */
export const blobPieces = sqliteTable('blob_pieces', {
  blob: integer().notNull(),
  ordinal: integer().notNull(),
  padding: integer().notNull(),
  data: blob().notNull()
}, (table) => [primaryKey({ columns: [table.blob, table.ordinal] })])

/** Work that survives a crash; see src/platform/storage/sqlite/jobs.ts. Times are microseconds since 1970. */
export const jobs = sqliteTable('jobs', {
  id: integer().primaryKey({ autoIncrement: true }),
  kind: column().notNull(),
  subject: integer().notNull(),
  owner: integer().notNull(),
  attempts: integer().notNull().default(0),
  due: integer().notNull(),
  leased_until: integer().notNull().default(0)
}, (table) => [
  uniqueIndex('jobs_by_subject').on(table.kind, table.subject),
  index('jobs_by_due').on(table.leased_until, table.due),
  index('jobs_by_owner').on(table.owner, table.leased_until)
])

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
  created_at: integer().notNull()
}, (table) => [
  index('idempotency_records_by_age').on(table.created_at),
  uniqueIndex('idempotency_records_by_slot').on(table.user, table.slot)
])
export type IdempotencyRecord = Plain<typeof idempotencyRecords.$inferSelect>
