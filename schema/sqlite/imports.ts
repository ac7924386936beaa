import { index, integer, sqliteTable, text as column } from 'drizzle-orm/sqlite-core'
import type { Same } from '../common.ts'
import type { ImportRecord } from '../imports.ts'
import { users } from './access.ts'
import { completed, completedList, listOf } from './completed.ts'

/**
 * The table of ImportRecord. `files` names the blobs of the uploaded files, until they expire; `shown` and `report` are
 * blobs with the displayed plan and the whole report. A trigger drops all of them with the row.
 */
export const imports = sqliteTable('imports', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  files: completedList('importFile').notNull(),
  bytes: integer().notNull(),
  from: column('said_kind').$type<ImportRecord['from']>(),
  kind: column().$type<ImportRecord['kind']>(),
  state: column().$type<ImportRecord['state']>().notNull(),
  error: completed('importError'),
  counts: completed('importCounts'),
  agents: listOf<number>().notNull(),
  shown: integer(),
  report: integer(),
  expires_at: column(),
  applied_at: column(),
  created_at: column().notNull(),
  updated_at: column().notNull()
}, (table) => [index('imports_by_owner').on(table.owner, table.id), index('imports_by_expiry').on(table.expires_at)])
true satisfies Same<ImportRecord, typeof imports.$inferSelect>
