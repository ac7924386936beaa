import type { Id } from '../../schema/common.ts'
import type { Ticket, TicketMessage, TicketRecord } from '../../schema/tickets.ts'
import { ticketMessages, tickets } from '../../schema/sqlite/tickets.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { damaged, type Seal, type Secrets } from '../platform/storage/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Jobs } from '../platform/storage/sqlite/jobs.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import type { Outbox } from '../platform/storage/sqlite/outbox.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import type { Vault } from '../platform/storage/vault.ts'
import type { Announcements } from '../platform/work/announcements.ts'
import type { Notifier } from '../platform/work/notifier.ts'
import { topicOf } from '../conversations/index.ts'
import { MAIL, TICKET, settled, type Kept, type TicketDecision } from './life.ts'
import { ticketsOfPerson } from './of-person.sqlite.ts'
import type { TicketFilter, TicketStore } from './store.ts'

type Row = typeof tickets.$inferSelect
type Words = Pick<TicketRecord, 'requester' | 'subject' | 'description'>

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
  const rows = rowsOf(tickets)
  const messageRows = rowsOf(ticketMessages)
  const select = `select ${rows.columns} from tickets`
  const one = raw.prepare<[string, Id], unknown[]>(`${select} where id = ? and owner_id = ?`).raw()
  const ofEpoch = raw
    .prepare<[number, number], unknown[]>(`${select} where conversation_number = ? and epoch = ?`)
    .raw()
  const messagesOf = raw
    .prepare<[number], unknown[]>(`select ${messageRows.columns} from ticket_messages where ticket = ? order by n`)
    .raw()
  const insert = raw
    .prepare<unknown[], number>(`insert into tickets (${rows.columns}) values (${rows.placeholders}) returning number`)
    .pluck()
  const replace =
    raw.prepare(`update tickets set status = :status, external_id = :external_id, external_url = :external_url, error = :error,
    is_answered = :is_answered, updated_at = :updated_at, sealed = :sealed where number = :number`)
  const insertMessage = raw.prepare(
    `insert into ticket_messages (${messageRows.columns}) values (${messageRows.placeholders})`
  )
  const isTaken = raw
    .prepare<[number, string], number>('select 1 from ticket_messages where ticket = ? and origin = ?')
    .pluck()
  const numberOf = raw
    .prepare<[string, Id], number>('select number from conversations where id = ? and owner_id = ?')
    .pluck()
  const hasAgent = raw.prepare<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?').pluck()
  const noted = raw.prepare(
    "update conversations set tickets = json_insert(tickets, '$[#]', ?), revision = revision + 1, updated_at = ? where number = ?"
  )
  const ownerOf = raw.prepare<[string], Id>('select owner_id from tickets where id = ?').pluck()
  const byExternal = raw
    .prepare<[Id, Id, string], string>('select id from tickets where owner_id = ? and provider = ? and external_id = ?')
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
  const noteMail = raw.prepare('insert or ignore into automatic_mails (address, day) values (?, ?)')
  const forgetMails = raw.prepare('delete from automatic_mails where day < ?')

  const sealOf = (secret: Id): Seal => {
    const seal = secrets.seal(secret)
    if (!seal) throw damaged()
    return seal
  }
  const ticketOf = ({
    number: _number, conversation_number: _conversation, epoch: _epoch, secret, sealed, ...kept
  }: Row): TicketRecord => ({
    ...kept, ...(JSON.parse(sealOf(secret).open(`ticket/${kept.id}`, sealed).toString()) as Words)
  })

  function keptOf (row: Row): Kept {
    const seal = sealOf(row.secret)
    const messages = messagesOf.all(row.number).map((values) => {
      const { ticket: _ticket, origin: _origin, sealed, ...message } = messageRows.record(values)
      return {
        ...message,
        ...(JSON.parse(seal.open(`ticket/${row.id}/${message.n}`, sealed).toString()) as Pick<
          TicketMessage,
          'text' | 'from'
        >)
      }
    })
    return { ticket: ticketOf(row), messages }
  }

  function find (owner: Id, id: string): Row | undefined {
    const values = one.get(id, owner)
    return values && rows.record(values)
  }

  function sealed ({ requester, subject, description, ...kept }: TicketRecord, seal: Seal) {
    return {
      ...kept,
      sealed: seal.close(`ticket/${kept.id}`, JSON.stringify({ requester, subject, description } satisfies Words))
    }
  }

  /** Sends, asks and announces what follows. */
  function follow ({ ticket, dispatches, jobs: asked, happenings }: TicketDecision, number: number) {
    outbox.add(...dispatches)
    jobs.ask(...asked.map((job) => ({ ...job, subject: number })))
    announcements.announce(...happenings)
    if (ticket.conversation !== null) notifier.notify(topicOf(ticket.conversation))
  }

  function write (row: Row, decision: TicketDecision) {
    const { ticket, said, origin = null } = decision
    if (origin !== null && isTaken.get(row.number, origin) === 1) return
    const seal = sealOf(row.secret)
    const { error, is_answered: isAnswered, ...next } = sealed(ticket, seal)
    const { status, external_id: externalId, external_url: url, updated_at: updated } = next
    replace.run({
      status,
      external_id: externalId,
      external_url: url,
      updated_at: updated,
      sealed: next.sealed,
      error: error && JSON.stringify(error),
      is_answered: Number(isAnswered),
      number: row.number
    })
    if (said) {
      const { text, from, ...kept } = said
      insertMessage.run(
        ...messageRows.values({
          ...kept,
          ticket: row.number,
          origin,
          sealed: seal.close(`ticket/${row.id}/${said.n}`, JSON.stringify({ text, from }))
        })
      )
    }
    follow(decision, row.number)
  }

  const shownRow = (row: Row): Ticket => shown(keptOf(row))

  /** How what opens a ticket came to its end is the ticket's own. */
  for (const channel of [MAIL, TICKET]) {
    outbox.onSettled(channel, ({ owner, payload, state, error }) => {
      const { ticket, n } = payload as { ticket: string, n: number }
      const row = find(owner, ticket)
      if (!row || (n > 0 && state === 'sent')) return
      write(
        row,
        settled(ticketOf(row), state === 'sent' ? { state } : { state: 'dead', error }, timestamp(clock.micros()))
      )
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
            const before =
              number !== undefined && binding && binding.epoch !== null ? ofEpoch.get(number, binding.epoch) : undefined
            if (before) return shownRow(rows.record(before))
            const secret = secrets.create()
            const row = {
              ...sealed(ticket, sealOf(secret)),
              conversation_number: number ?? null,
              epoch: binding?.epoch ?? null,
              secret
            }
            const made = insert.get(...rows.values(row))!
            if (number !== undefined) noted.run(ticket.id, ticket.created_at, number)
            follow(decision, made)
            return shown({ ticket, messages: [] })
          },
          goesWith
        )
      }),

    get: async (owner, id) =>
      db.read(() => {
        const row = find(owner, id)
        return row && keptOf(row)
      }),

    list: async (owner, filter, cursor, limit) =>
      db.read(() => {
        const { where, values } = scope(owner, filter, cursor)
        const found = raw
          .prepare<unknown[], unknown[]>(`${select} where ${where} order by number desc limit ?`)
          .raw()
          .all(...values, limit + 1)
          .map(rows.record)
        const items = found.slice(0, limit)
        return { items: items.map(shownRow), next: found.length > limit ? String(items.at(-1)?.number) : null }
      }),

    change: (owner, id, decide, once) =>
      db.atomically(() => {
        const row = find(owner, id)
        return (
          row &&
          onceOnly.run(
            owner,
            once,
            () => {
              const decision = decide(keptOf(row))
              if (decision) write(row, decision)
              return shownRow(find(owner, id)!)
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
    isMember: async (owner, email) => db.read(() => isMember.get({ owner, email: email.toLowerCase() }) === 1),
    noteAutomatic: (address) =>
      db.atomically(() => {
        const day = Math.floor(clock.micros() / 86_400_000_000)
        forgetMails.run(day - 1)
        return noteMail.run(vault.mac('automatic mail', address.toLowerCase()).toString('base64url'), day).changes === 1
      })
  }
}

/** What is kept to answer a repeat with a ticket goes with its conversation; else with the ticket. */
const goesWith = (
  { id, conversation }: Ticket
) => conversation === null ? `tickets/${id}` : `conversations/${conversation}`

/** A ticket as answers show it. */
export function shown ({
  ticket: { owner: _owner, provider: _provider, is_answered: _answered, ...ticket }, messages
}: Kept): Ticket {
  return { ...ticket, messages }
}

/** Which tickets a filter lets through: fixed texts alone, and the values for the question marks. */
function scope (owner: Id, filter: TicketFilter, cursor: string | undefined) {
  const conditions: Array<[string, unknown]> = [['owner_id = ?', owner]]
  if (filter.agent !== undefined) conditions.push(['agent_id = ?', filter.agent])
  for (const field of ['status', 'channel', 'conversation'] as const) {
    if (filter[field] !== undefined) conditions.push([`${field} = ?`, filter[field]])
  }
  if (cursor !== undefined) conditions.push(['number < ?', Number(cursor)])
  return {
    where: conditions.map(([condition]) => condition).join(' and '), values: conditions.map(([, value]) => value)
  }
}
