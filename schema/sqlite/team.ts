import { integer, index, sqliteTable, text as column, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Permission } from '../access.ts'
import type { Same } from '../common.ts'
import type { MemberRecord } from '../team.ts'
import { users } from './access.ts'
import { listOf } from './completed.ts'

/** The table of MemberRecord. */
export const members = sqliteTable(
  'members',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    account: integer('account_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    user: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    permissions: listOf<Permission>().notNull(),
    created_at: column().notNull()
  },
  (table) => [uniqueIndex('members_by_account').on(table.account, table.user), index('members_by_user').on(table.user)]
)
true satisfies Same<MemberRecord, typeof members.$inferSelect>
