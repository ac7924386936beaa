import type { Id } from '../../schema/common.ts'
import type { Ticket } from '../../schema/tickets.ts'
import { hidingDeleted, OF_KEPT_AGENT } from '../agents/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import { partOf } from '../platform/storage/parts.ts'
import type { Work } from '../platform/storage/work.ts'
import { inTurns } from '../platform/work/slices.ts'
import { topicOf } from '../conversations/index.ts'
import { HELD, MAIL, TICKET, settled, shown, type TicketDecision } from './life.ts'
import { ticketsOfPerson } from './of-person.sqlite.ts'
import { reservedTickets } from './reserved.sqlite.ts'
import { ticketRows, type TicketRow } from './rows.sqlite.ts'
import type { TicketFilter, TicketStore } from './store.ts'
import { waitingTickets } from './waiting.sqlite.ts'

/** What the store needs. */
export type TicketStoreNeeds = Pick<
  Kernel, 'db' | 'clock' | 'idempotency' | 'secrets' | 'vault' | 'outbox' | 'jobs' | 'eventBus' | 'notifier'
>

/** Tickets in SQLite, each sealed with a separate key. */
export function sqliteTicketStore ({
  db, clock, idempotency, secrets, vault, outbox, jobs, eventBus, notifier
}: TicketStoreNeeds): TicketStore {
  const rows = ticketRows(db, secrets)
  const hiding = hidingDeleted(db)
  const reserved = reservedTickets({ db, clock, vault })
  const numberOf = db.column<[string, Id], number>(`select number from conversations where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`)
  const hasAgent = db.column<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?')
  const noted = db.objects(
    "update conversations set tickets = json_insert(tickets, '$[#]', ?), revision = revision + 1, updated_at = ? where number = ?"
  )
  const ownerOf = db.column<[string], Id>(`select owner_id from tickets where id = ? and ${OF_KEPT_AGENT}`)
  const byExternal = db.column<[Id, Id, string], string>(`
      select id from tickets indexed by tickets_by_external where owner_id = ? and provider = ? and external_id = ? and ${OF_KEPT_AGENT}`)
  const name = db.objects(
    'update tickets set external_id = :external_id, external_url = :external_url where id = :id and owner_id = :owner'
  )
  const isMember = db.column<{ owner: Id, email: string }, number>(
      `select 1 from users where lower(email) = :email
    and (id = :owner or id in (select user_id from members where account_id = :owner))`
  )

  /** Sends, queues and publishes what follows. */
  function * follow ({ ticket, dispatches, jobs: asked, domainEvents }: TicketDecision, number: number) {
    yield * outbox.add(...dispatches)
    yield * jobs.ask(...asked.map((job) => ({ ...job, subject: number })))
    yield * eventBus.publish(...domainEvents)
    const { conversation } = ticket
    if (conversation !== null) yield * db.afterwards(() => notifier.notify(topicOf(conversation)))
  }

  function * write (row: TicketRow, decision: TicketDecision) {
    if (yield * rows.write(row, decision)) yield * follow(decision, row.number)
  }

  function * shownRow (row: TicketRow): Work<Ticket> { return shown(yield * rows.keptOf(row)) }

  /** The final delivery state is recorded in the ticket. */
  for (const channel of [MAIL, TICKET]) {
    outbox.onSettled(channel, function * ({ owner, payload, state, error }) {
      const { ticket, n, type } = payload as { ticket: string, n: number, type: string }
      // A held notice was delivered or failed: the ticket is unchanged.
      const row = type === HELD ? undefined : (yield * rows.find(owner, ticket))
      const outcome = state === 'sent' ? { state } : { state: 'dead' as const, error }
      const decision = row && settled(yield * rows.ticketOf(row), outcome, n, timestamp(clock.micros()))
      if (decision) yield * write(row, decision)
    })
  }

  return {
    add: (owner, decision, binding, once) =>
      db.atomically(function * () {
        const { ticket } = decision
        const number = binding && (yield * numberOf.get(binding.conversation, owner))
        if ((yield * hasAgent.get(ticket.agent, owner)) !== 1 || (binding && number === undefined)) return undefined
        return yield * idempotency.run(
          owner,
          once,
          function * () {
            const epoch = binding?.epoch ?? null
            const before = (yield * rows.find(owner, ticket.id)) ??
              (number !== undefined && epoch !== null ? (yield * rows.ofEpoch(number, epoch)) : undefined)
            if (before) return yield * shownRow(before)
            const made = yield * rows.add(ticket, number ?? null, epoch)
            if (number !== undefined) yield * noted.run(ticket.id, ticket.created_at, number)
            yield * follow(decision, made)
            return shown({ ticket, messages: [] })
          },
          goesWith
        )
      }),

    async get (owner, id) {
      const opening = await db.read(function * () {
        const row = yield * rows.find(owner, id)
        return row && (yield * rows.sealedOf(row))
      })
      return opening && await inTurns(opening())
    },

    list: async (owner, filter, cursor, limit) => await partOf(db, {
      read: (before, asked) => rows.list(scope(owner, filter, before), asked),
      placeOf: ({ number }) => number,
      hiding,
      show: shownRow
    }, cursor === undefined ? undefined : Number(cursor), limit),

    change: (owner, id, decide, once) =>
      db.atomically(function * () {
        const row = yield * rows.find(owner, id)
        return (
          row &&
          (yield * idempotency.run(
            owner,
            once,
            function * () {
              const decision = decide(yield * rows.keptOf(row))
              if (decision) yield * write(row, decision)
              return yield * shownRow((yield * rows.find(owner, id))!)
            },
            goesWith
          ))
        )
      }),

    named: (owner, id, external) =>
      db.atomically(function * () {
        yield * name.run({ ...external, id, owner })
      }),
    byExternal: async (owner, provider, externalId) => db.read(() => byExternal.get(owner, provider, externalId)),
    ofPerson: ticketsOfPerson(db, secrets),
    ownerOf: async (id) => db.read(() => ownerOf.get(id)),
    ...waitingTickets(db),
    reserved: async (id) => db.read(() => reserved.of(id)),
    isMember: async (owner, email) => db.read(function * () {
      return (yield * isMember.get({ owner, email: email.toLowerCase() })) === 1
    }),
    noteAutomatic: (address) => db.atomically(() => reserved.note(address))
  }
}

/** A ticket's idempotency record is deleted with its conversation; else with the ticket. */
const goesWith = (
  { id, conversation }: Ticket
) => conversation === null ? `tickets/${id}` : `conversations/${conversation}`

/**
 * Which tickets a filter lets through: fixed texts alone, and the values for the question marks. It names the index
 * that holds the fewest of them, sorted newest first: otherwise SQLite scans them all.
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
