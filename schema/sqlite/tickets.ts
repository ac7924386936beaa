import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, sqliteTable, text as column, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Same } from '../common.ts'
import type {
  TicketingProviderRecord, TicketMessage, TicketRecord, TicketRole, TicketStatus
} from '../tickets.ts'
import { users } from './access.ts'
import { agents } from './agents.ts'
import { completed } from './completed.ts'
import { conversations } from './conversations.ts'

/** The table of TicketingProviderRecord. */
export const ticketingProviders = sqliteTable('ticketing_providers', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  name: column().notNull(),
  kind: column().notNull(),
  settings: completed('providerSettings').notNull(),
  credentials: blob({ mode: 'buffer' }).notNull(),
  created_at: column().notNull(),
  updated_at: column().notNull()
}, (table) => [uniqueIndex('ticketing_providers_by_name').on(table.owner, table.name)])
true satisfies Same<TicketingProviderRecord, typeof ticketingProviders.$inferSelect>

/**
 * The table of TicketRecord; requester and subject are sealed with a separate key, and it is deleted with its
 * conversation. `number`: the row id. `epoch`: that of the conversation in which a hand-off opened it, one at most.
 */
export const tickets = sqliteTable('tickets', {
  number: integer().primaryKey({ autoIncrement: true }),
  id: column().notNull(),
  owner: integer('owner_id').notNull(),
  agent: integer('agent_id').notNull().references(() => agents.id, { onDelete: 'cascade' }),
  conversation: column(),
  conversation_number: integer().references(() => conversations.number, { onDelete: 'cascade' }),
  epoch: integer(),
  status: column().$type<TicketStatus>().notNull(),
  channel: column().notNull(),
  provider: integer().references(() => ticketingProviders.id, { onDelete: 'set null' }),
  external_id: column(),
  external_url: column(),
  error: completed('fault'),
  is_answered: integer({ mode: 'boolean' }).notNull(),
  created_at: column().notNull(),
  updated_at: column().notNull(),
  secret: integer().notNull(),
  sealed: blob({ mode: 'buffer' }).notNull()
}, (table) => [
  uniqueIndex('tickets_by_id').on(table.id),
  index('tickets_by_owner').on(table.owner, table.number),
  index('tickets_by_agent').on(table.agent),
  index('tickets_by_status').on(table.owner, table.status),
  index('tickets_by_channel').on(table.owner, table.channel),
  index('tickets_loose').on(table.agent).where(sql`${table.conversation} is null`),
  uniqueIndex('tickets_by_epoch').on(table.conversation_number, table.epoch),
  index('tickets_by_external').on(table.provider, table.external_id),
  // A small subset: those that wait because there was no way to send them.
  index('tickets_waiting').on(table.agent, table.created_at, table.number)
    .where(sql`${table.status} = 'open' and ${table.error} is not null`)
])
true satisfies Same<
  Omit<TicketRecord, 'requester' | 'subject' | 'description'>,
  Omit<typeof tickets.$inferSelect, 'number' | 'conversation_number' | 'epoch' | 'secret' | 'sealed'>
>

/**
 * The table of TicketMessage, sealed with the key of its ticket. `origin`: digest of its external id, so that it is
 * received only once.
 */
export const ticketMessages = sqliteTable(
  'ticket_messages',
  {
    ticket: integer()
      .notNull()
      .references(() => tickets.number, { onDelete: 'cascade' }),
    n: integer().notNull(),
    role: column().$type<TicketRole>().notNull(),
    held: integer({ mode: 'boolean' }).notNull(),
    created_at: column().notNull(),
    origin: column(),
    sealed: blob({ mode: 'buffer' }).notNull()
  },
  (table) => [
    primaryKey({ columns: [table.ticket, table.n] }),
    uniqueIndex('ticket_messages_by_origin').on(table.ticket, table.origin)
  ]
)
true satisfies Same<
  Omit<TicketMessage, 'text' | 'from'>,
  Omit<typeof ticketMessages.$inferSelect, 'ticket' | 'origin' | 'sealed'>
>

/** Requests of a ticket's provider that were processed, as digests, so that a replayed request has no effect. */
export const ticketUpdates = sqliteTable('ticket_updates', {
  number: integer().primaryKey({ autoIncrement: true }),
  ticket: integer().notNull().references(() => tickets.number, { onDelete: 'cascade' }),
  request: column().notNull()
}, (table) => [uniqueIndex('ticket_updates_by_request').on(table.ticket, table.request)])

/** Tickets that are opened when a mail about their conversation is answered; until then only the id exists. */
export const reservedTickets = sqliteTable('reserved_tickets', {
  id: column().primaryKey(),
  conversation: integer().notNull().unique().references(() => conversations.number, { onDelete: 'cascade' })
})

/** Recipients of automatic mail, by a digest that only this installation can compute, and the day since 1970. */
export const automaticMails = sqliteTable('automatic_mails', {
  address: column().notNull(),
  day: integer().notNull()
}, (table) => [primaryKey({ columns: [table.address, table.day] }), index('automatic_mails_by_day').on(table.day)])
