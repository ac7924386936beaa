import { complete, type Id } from '../../schema/common.ts'
import { DEFAULTS } from '../../schema/sqlite/completed.ts'
import { ticketMessages, tickets } from '../../schema/sqlite/tickets.ts'
import type { TicketRecord } from '../../schema/tickets.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import { damaged, type Seal, type Secrets } from '../platform/storage/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import type { Kept, TicketDecision } from './life.ts'

/** A ticket as its row keeps it. */
export type TicketRow = typeof tickets.$inferSelect
type Words = typeof DEFAULTS.ticket
type Said = typeof DEFAULTS.ticketMessage

/** Requests remembered of a ticket's provider, the newest. */
const MOST_UPDATES = 100

/** Tickets and their messages as rows, the words in them sealed; everything runs inside somebody's transaction. */
export interface TicketRows {
  find (owner: Id, id: string): TicketRow | undefined
  /** The ticket that an epoch of a conversation opened. */
  ofEpoch (conversation: number, epoch: number): TicketRow | undefined
  /** Those in an index that fulfil a condition, newest first. */
  list (scope: { index: string, where: string, values: readonly unknown[] }, limit: number): TicketRow[]
  /** A row with its own words, without what was written to it. */
  ticketOf (row: TicketRow): TicketRecord
  /** A row with everything that was written to it. */
  keptOf (row: TicketRow): Kept
  /** Writes a new one; its number. */
  add (ticket: TicketRecord, conversation: number | null, epoch: number | null): number
  /** Writes what a ticket becomes, and what is said to it. False where that, or its request, was taken in before. */
  write (row: TicketRow, decision: TicketDecision): boolean
}

/** See TicketRows. */
export function ticketRows ({ raw }: Pick<Database, 'raw'>, secrets: Secrets): TicketRows {
  const rows = rowsOf(tickets)
  const messageRows = rowsOf(ticketMessages)
  const select = `select ${rows.columns} from tickets`
  const one = raw.prepare<[string, Id], unknown[]>(`${select} where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`).raw()
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
    raw.prepare(`update tickets set status = :status, channel = :channel, provider = :provider, external_id = :external_id, external_url = :external_url, error = :error,
    is_answered = :is_answered, updated_at = :updated_at, sealed = :sealed where number = :number`)
  const insertMessage = raw.prepare(
    `insert into ticket_messages (${messageRows.columns}) values (${messageRows.placeholders})`
  )
  const release = raw.prepare('update ticket_messages set held = 0 where ticket = ? and n = ?')
  const isTaken = raw
    .prepare<[number, string], number>('select 1 from ticket_messages where ticket = ? and origin = ?')
    .pluck()

  const heed = raw.prepare('insert into ticket_updates (ticket, request) values (?, ?) on conflict do nothing')
  const forget = raw.prepare(
    `delete from ticket_updates where ticket = :ticket and number <= (
      select number from ticket_updates where ticket = :ticket order by number desc limit 1 offset ${MOST_UPDATES})`
  )

  const sealOf = (secret: Id): Seal => {
    const seal = secrets.seal(secret)
    if (!seal) throw damaged()
    return seal
  }
  const recordOf = (values: unknown[] | undefined) => values && rows.record(values)
  const ticketOf = ({
    number: _number, conversation_number: _conversation, epoch: _epoch, secret, sealed, ...kept
  }: TicketRow): TicketRecord => {
    const { requester = null, ...words } =
      JSON.parse(sealOf(secret).open(`ticket/${kept.id}`, sealed).toString()) as Partial<Words>
    return {
      ...kept, ...complete(DEFAULTS.ticket, words), requester: requester && complete(DEFAULTS.requester, requester)
    }
  }

  return {
    find: (owner, id) => recordOf(one.get(id, owner)),
    ofEpoch: (conversation, epoch) => recordOf(ofEpoch.get(conversation, epoch)),
    list: ({ index, where, values }, limit) => raw
      .prepare<unknown[], unknown[]>(`${select} indexed by ${index} where ${where} order by number desc limit ?`)
      .raw()
      .all(...values, limit)
      .map(rows.record),
    ticketOf,

    keptOf (row) {
      const seal = sealOf(row.secret)
      const messages = messagesOf.all(row.number).map((values) => {
        const { ticket: _ticket, origin: _origin, sealed, ...message } = messageRows.record(values)
        const said = JSON.parse(seal.open(`ticket/${row.id}/${message.n}`, sealed).toString()) as Partial<Said>
        return { ...message, ...complete(DEFAULTS.ticketMessage, said) }
      })
      return { ticket: ticketOf(row), messages }
    },

    add (ticket, conversation, epoch) {
      const secret = secrets.create()
      return insert.get(
        ...rows.values({ ...sealed(ticket, sealOf(secret)), conversation_number: conversation, epoch, secret })
      )!
    },

    write (row, { ticket, said, released = [], origin = null, request }) {
      if (origin !== null && isTaken.get(row.number, origin) === 1) return false
      if (request !== undefined) {
        if (heed.run(row.number, request).changes === 0) return false
        forget.run({ ticket: row.number })
      }
      const seal = sealOf(row.secret)
      const { error, is_answered: isAnswered, ...next } = sealed(ticket, seal)
      const { status, channel, provider, external_id: externalId, external_url: url, updated_at: updated } = next
      replace.run({
        status,
        channel,
        provider,
        external_id: externalId,
        external_url: url,
        updated_at: updated,
        sealed: next.sealed,
        error: error && JSON.stringify(error),
        is_answered: Number(isAnswered),
        number: row.number
      })
      for (const n of released) release.run(row.number, n)
      if (said) {
        const { text, from, ...kept } = said
        const words = seal.close(`ticket/${row.id}/${said.n}`, JSON.stringify({ text, from } satisfies Said))
        insertMessage.run(...messageRows.values({ ...kept, ticket: row.number, origin, sealed: words }))
      }
      return true
    }
  }
}

function sealed ({ requester, subject, description, ...kept }: TicketRecord, seal: Seal) {
  return {
    ...kept,
    sealed: seal.close(`ticket/${kept.id}`, JSON.stringify({ requester, subject, description } satisfies Words))
  }
}
