import { index, integer, sqliteTable, text as column } from 'drizzle-orm/sqlite-core'
import type { ActorKind, AuditRecord } from '../audit.ts'
import type { Plain, Same } from '../common.ts'
import { users } from './access.ts'
import { listOf } from './completed.ts'

/** What was done in an account, and by whom; see src/audit. Rows are added in the transaction that they record. */
export const auditEvents = sqliteTable('audit_events', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  at: column().notNull(),
  /** Stays when the user is deleted, so no reference. */
  user: integer('user_id'),
  by: column().$type<ActorKind>().notNull(),
  key: integer('key_id'),
  action: column().notNull(),
  target: column().notNull(),
  fields: listOf().notNull(),
  previous: column().notNull(),
  hash: column().notNull()
}, (table) => [
  index('audit_events_by_owner').on(table.owner, table.id),
  index('audit_events_by_user').on(table.owner, table.user, table.id),
  index('audit_events_by_target').on(table.owner, table.target, table.id),
  index('audit_events_by_age').on(table.at)
])

true satisfies Same<AuditRecord, Plain<typeof auditEvents.$inferSelect>>
