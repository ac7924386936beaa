import type { Id } from '../../schema/common.ts'
import type { Ticket } from '../../schema/tickets.ts'
import { hidingDeleted, OF_KEPT_AGENT } from '../agents/index.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { partOf } from '../platform/storage/parts.ts'
import type { Secrets } from '../platform/storage/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Jobs } from '../platform/storage/sqlite/jobs.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import type { Outbox } from '../platform/storage/sqlite/outbox.ts'
import type { Vault } from '../platform/storage/vault.ts'
import type { Announcements } from '../platform/work/announcements.ts'
import type { Notifier } from '../platform/work/notifier.ts'
import { topicOf } from '../conversations/index.ts'
import { HELD, MAIL, TICKET, settled, shown, type TicketDecision } from './life.ts'
import { ticketsOfPerson } from './of-person.sqlite.ts'
import { reservedTickets } from './reserved.sqlite.ts'
import { ticketRows, type TicketRow } from './rows.sqlite.ts'
import type { TicketFilter, TicketStore } from './store.ts'
import { waitingTickets } from './waiting.sqlite.ts'

/** What the store needs. */
export interface TicketStoreNeeds {
  db: Database
  clock: Clock
  onceOnly: OnceOnly
  secrets: Secrets
  vault: Vault
  outbox: Outbox
  jobs: Jobs
  announcements: Announcements
  notifier: Notifier
}

/** Tickets in SQLite, each sealed with a key of its own. */
export function sqliteTicketStore ({
  db, clock, onceOnly, secrets, vault, outbox, jobs, announcements, notifier
}: TicketStoreNeeds): TicketStore {
  const { raw } = db
  const rows = ticketRows(db, secrets)
  const hiding = hidingDeleted(raw)
  const reserved = reservedTickets({ db, clock, vault })
  const numberOf = raw
    .prepare<[string, Id], number>(`select number from conversations where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`)
    .pluck()
  const hasAgent = raw.prepare<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?').pluck()
  const noted = raw.prepare(
    "update conversations set tickets = json_insert(tickets, '$[#]', ?), revision = revision + 1, updated_at = ? where number = ?"
  )
  const ownerOf = raw.prepare<[string], Id>(`select owner_id from tickets where id = ? and ${OF_KEPT_AGENT}`).pluck()
  const byExternal = raw
    .prepare<[Id, Id, string], string>(`
      select id from tickets indexed by tickets_by_external where owner_id = ? and provider = ? and external_id = ? and ${OF_KEPT_AGENT}`)
    .pluck()
  const name = raw.prepare(
    'update tickets set external_id = :external_id, external_url = :external_url where id = :id and owner_id = :owner'
  )
  const isMember = raw
    .prepare<{ owner: Id, email: string }, number>(
      `select 1 from users where lower(email) = :email
    and (id = :owner or id in (select user_id from members where account_id = :owner))`
    )
    .pluck()

  /** Sends, asks and announces what follows. */
  function follow ({ ticket, dispatches, jobs: asked, happenings }: TicketDecision, number: number) {
    outbox.add(...dispatches)
    jobs.ask(...asked.map((job) => ({ ...job, subject: number })))
    announcements.announce(...happenings)
    if (ticket.conversation !== null) notifier.notify(topicOf(ticket.conversation))
  }

  function write (row: TicketRow, decision: TicketDecision) {
    if (rows.write(row, decision)) follow(decision, row.number)
  }

  const shownRow = (row: TicketRow): Ticket => shown(rows.keptOf(row))

  /** How what is sent about a ticket came to its end is the ticket's own. */
  for (const channel of [MAIL, TICKET]) {
    outbox.onSettled(channel, ({ owner, payload, state, error }) => {
      const { ticket, n, type } = payload as { ticket: string, n: number, type: string }
      // That something is held has been told, or not: the ticket is as it was.
      const row = type === HELD ? undefined : rows.find(owner, ticket)
      const outcome = state === 'sent' ? { state } : { state: 'dead' as const, error }
      const decision = row && settled(rows.ticketOf(row), outcome, n, timestamp(clock.micros()))
      if (decision) write(row, decision)
    })
  }

  return {
    add: (owner, decision, binding, once) =>
      db.atomically(() => {
        const { ticket } = decision
        const number = binding && numberOf.get(binding.conversation, owner)
        if (hasAgent.get(ticket.agent, owner) !== 1 || (binding && number === undefined)) return undefined
        return onceOnly.run(
          owner,
          once,
          () => {
            const epoch = binding?.epoch ?? null
            const before = rows.find(owner, ticket.id) ??
              (number !== undefined && epoch !== null ? rows.ofEpoch(number, epoch) : undefined)
            if (before) return shownRow(before)
            const made = rows.add(ticket, number ?? null, epoch)
            if (number !== undefined) noted.run(ticket.id, ticket.created_at, number)
            follow(decision, made)
            return shown({ ticket, messages: [] })
          },
          goesWith
        )
      }),

    get: async (owner, id) =>
      db.read(() => {
        const row = rows.find(owner, id)
        return row && rows.keptOf(row)
      }),

    list: async (owner, filter, cursor, limit) => await partOf(db, {
      read: (before, asked) => rows.list(scope(owner, filter, before), asked),
      placeOf: ({ number }) => number,
      hiding,
      show: shownRow
    }, cursor === undefined ? undefined : Number(cursor), limit),

    change: (owner, id, decide, once) =>
      db.atomically(() => {
        const row = rows.find(owner, id)
        return (
          row &&
          onceOnly.run(
            owner,
            once,
            () => {
              const decision = decide(rows.keptOf(row))
              if (decision) write(row, decision)
              return shownRow(rows.find(owner, id)!)
            },
            goesWith
          )
        )
      }),

    named: (owner, id, external) =>
      db.atomically(() => {
        name.run({ ...external, id, owner })
      }),
    byExternal: async (owner, provider, externalId) => db.read(() => byExternal.get(owner, provider, externalId)),
    ofPerson: ticketsOfPerson(db, secrets),
    ownerOf: async (id) => db.read(() => ownerOf.get(id)),
    ...waitingTickets(db),
    reserved: async (id) => db.read(() => reserved.of(id)),
    isMember: async (owner, email) => db.read(() => isMember.get({ owner, email: email.toLowerCase() }) === 1),
    noteAutomatic: (address) => db.atomically(() => reserved.note(address))
  }
}

/** What is kept to answer a repeat with a ticket goes with its conversation; else with the ticket. */
const goesWith = (
  { id, conversation }: Ticket
) => conversation === null ? `tickets/${id}` : `conversations/${conversation}`

/**
 * Which tickets a filter lets through: fixed texts alone, and the values for the question marks. It names the index
 * that holds the fewest of them, in which they stand newest first: left to itself, SQLite walks through all.
 */
function scope (owner: Id, filter: TicketFilter, before: number) {
  const conditions: Array<[string, unknown]> = [['owner_id = ?', owner]]
  for (const field of ['status', 'channel'] as const) {
    if (filter[field] !== undefined) conditions.push([`${field} = ?`, filter[field]])
  }
  if (filter.agent !== undefined) conditions.push(['agent_id = ?', filter.agent])
  if (filter.conversation !== undefined) {
    conditions.push(['conversation_number = (select number from conversations where id = ?)', filter.conversation])
  }
  conditions.push(['number < ?', before])
  const index = filter.conversation !== undefined
    ? 'epoch'
    : (['agent', 'status', 'channel'] as const).find((field) => filter[field] !== undefined) ?? 'owner'
  return {
    index: `tickets_by_${index}`,
    where: conditions.map(([condition]) => condition).join(' and '),
    values: conditions.map(([, value]) => value)
  }
}
