import { complete, type Id } from '../../schema/common.ts'
import { DEFAULTS } from '../../schema/sqlite/completed.ts'
import { ticketMessages, tickets } from '../../schema/sqlite/tickets.ts'
import type { TicketRecord } from '../../schema/tickets.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import { damaged, type Seal, type Secrets } from '../platform/storage/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import type { Work } from '../platform/storage/work.ts'
import { atOnce } from '../platform/work/slices.ts'
import type { Kept, TicketDecision } from './life.ts'

/** A ticket as stored in its row. */
export type TicketRow = typeof tickets.$inferSelect
type Words = typeof DEFAULTS.ticket
type Said = typeof DEFAULTS.ticketMessage

/** Requests of a ticket's provider that are remembered: the newest. */
const MOST_UPDATES = 100

/** Tickets and their messages as rows, the words in them sealed; everything runs inside somebody's transaction. */
interface TicketRows {
  find (owner: Id, id: string): Work<TicketRow | undefined>
  /** The ticket that an epoch of a conversation opened. */
  ofEpoch (conversation: number, epoch: number): Work<TicketRow | undefined>
  /** Those in an index that match a condition, newest first. */
  list (scope: { index: string, where: string, values: readonly unknown[] }, limit: number): Work<TicketRow[]>
  /** A row with its own words, without what was written to it. */
  ticketOf (row: TicketRow): Work<TicketRecord>
  /** A row with everything that was written to it. */
  keptOf (row: TicketRow): Work<Kept>
  /**
   * The same, read but still sealed: the returned generator decrypts it, pausing between messages, outside any
   * transaction.
   */
  sealedOf (row: TicketRow): Work<() => Generator<void, Kept>>
  /** Writes a new one; its number. */
  add (ticket: TicketRecord, conversation: number | null, epoch: number | null): Work<number>
  /** Writes a ticket's new state and message. False if that message or its request was taken in before. */
  write (row: TicketRow, decision: TicketDecision): Work<boolean>
}

/** See TicketRows. */
export function ticketRows (db: Database, secrets: Secrets): TicketRows {
  const rows = rowsOf(tickets)
  const messageRows = rowsOf(ticketMessages)
  const select = `select ${rows.columns} from tickets`
  const one = db.rows<[string, Id], unknown[]>(`${select} where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`)
  const ofEpoch = db.rows<[number, number], unknown[]>(`${select} where conversation_number = ? and epoch = ?`)
  const messagesOf = db.rows<[number], unknown[]>(`select ${messageRows.columns} from ticket_messages where ticket = ? order by n`)
  const insert = db.column<unknown[], number>(`insert into tickets (${rows.columns}) values (${rows.placeholders}) returning number`)
  const replace =
    db.objects(`update tickets set status = :status, channel = :channel, provider = :provider, external_id = :external_id, external_url = :external_url, error = :error,
    is_answered = :is_answered, updated_at = :updated_at, sealed = :sealed where number = :number`)
  const insertMessage = db.objects(
    `insert into ticket_messages (${messageRows.columns}) values (${messageRows.placeholders})`
  )
  const release = db.objects('update ticket_messages set held = 0 where ticket = ? and n = ?')
  const isTaken = db.column<[number, string], number>('select 1 from ticket_messages where ticket = ? and origin = ?')

  const heed = db.objects('insert into ticket_updates (ticket, request) values (?, ?) on conflict do nothing')
  const forget = db.objects(
    `delete from ticket_updates where ticket = :ticket and number <= (
      select number from ticket_updates where ticket = :ticket order by number desc limit 1 offset ${MOST_UPDATES})`
  )

  function * sealOf (secret: Id): Work<Seal> {
    const seal = yield * secrets.seal(secret)
    if (!seal) throw damaged()
    return seal
  }
  const recordOf = (values: unknown[] | undefined) => values && rows.record(values)
  function * ticketOf ({
    number: _number, conversation_number: _conversation, epoch: _epoch, secret, sealed, ...kept
  }: TicketRow): Work<TicketRecord> {
    const { requester = null, ...words } =
      JSON.parse((yield * sealOf(secret)).open(`ticket/${kept.id}`, sealed).toString()) as Partial<Words>
    return {
      ...kept, ...complete(DEFAULTS.ticket, words), requester: requester && complete(DEFAULTS.requester, requester)
    }
  }

  function * sealedOf (row: TicketRow): Work<() => Generator<void, Kept>> {
    const seal = yield * sealOf(row.secret)
    const all = yield * messagesOf.all(row.number)
    const ticket = yield * ticketOf(row)
    return function * () {
      const messages: Kept['messages'] = []
      for (const values of all) {
        const { ticket: _ticket, origin: _origin, sealed, ...message } = messageRows.record(values)
        const said = JSON.parse(seal.open(`ticket/${row.id}/${message.n}`, sealed).toString()) as Partial<Said>
        messages.push({ ...message, ...complete(DEFAULTS.ticketMessage, said) })
        yield
      }
      return { ticket, messages }
    }
  }

  return {
    * find (owner, id) { return recordOf(yield * one.get(id, owner)) },
    * ofEpoch (conversation, epoch) { return recordOf(yield * ofEpoch.get(conversation, epoch)) },
    * list ({ index, where, values }, limit) {
      return (yield * db.rows<unknown[], unknown[]>(`${select} indexed by ${index} where ${where} order by number desc limit ?`)
        .all(...values, limit))
        .map(rows.record)
    },
    ticketOf,

    * keptOf (row) { return atOnce((yield * sealedOf(row))()) },
    sealedOf,

    * add (ticket, conversation, epoch) {
      const secret = yield * secrets.create()
      return (yield * insert.get(
        ...rows.values({ ...sealed(ticket, yield * sealOf(secret)), conversation_number: conversation, epoch, secret })
      ))!
    },

    * write (row, { ticket, said, released = [], origin = null, request }) {
      if (origin !== null && (yield * isTaken.get(row.number, origin)) === 1) return false
      if (request !== undefined) {
        if ((yield * heed.run(row.number, request)) === 0) return false
        yield * forget.run({ ticket: row.number })
      }
      const seal = yield * sealOf(row.secret)
      const { error, is_answered: isAnswered, ...next } = sealed(ticket, seal)
      const { status, channel, provider, external_id: externalId, external_url: url, updated_at: updated } = next
      yield * replace.run({
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
      for (const n of released) yield * release.run(row.number, n)
      if (said) {
        const { text, from, ...kept } = said
        const words = seal.close(`ticket/${row.id}/${said.n}`, JSON.stringify({ text, from } satisfies Said))
        yield * insertMessage.run(...messageRows.values({ ...kept, ticket: row.number, origin, sealed: words }))
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
