import type { Id } from '../../schema/common.ts'
import type { Copy, ReceiptRecord, Removed } from '../../schema/privacy.ts'
import { QUIET_SINCE } from '../../schema/sqlite/conversations.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import {
  conversationRows, type ConversationRow, type Conversations, type RemoveConversations
} from '../conversations/index.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import { AT_ONCE, whileThereIsTime } from '../platform/work/row-removal.ts'
import { inSlices } from '../platform/work/slices.ts'
import type { Tickets } from '../tickets/index.ts'
import { silentSince, type Occasion } from './retention.ts'
import type { PrivacyStore } from './store.ts'

/** What one slice takes, in milliseconds: less than other work's, for what is removed is found and told as well. */
const SLICE_MS = 2

/** What removing needs. */
export interface RemovingNeeds {
  db: Database
  clock: Clock
  onceOnly: Pick<OnceOnly, 'forgetSome'>
  removal: RemoveConversations
  visitors: Pick<Conversations['visitors'], 'get'>
  /** Finds tickets that no conversation takes along. */
  tickets: Pick<Tickets['store'], 'ofPerson'>
  /** Ends the answer that is being written in a conversation that is gone. */
  drop: (conversation: string) => void
  /** The days that an agent keeps its conversations; null: for ever, or there is no such agent. */
  daysOf: (owner: Id, agent: Id) => number | null
  /** Keeps the receipt; runs inside the transaction that removes. */
  note: (
    owner: Id, occasion: Occasion, more: { removed: Partial<Removed>, copies?: readonly Copy[] }, isDone: boolean
  ) => ReceiptRecord | undefined
}

/** See PrivacyStore.retain. */
export function retention ({ db, clock, onceOnly, removal, daysOf, note }: RemovingNeeds): PrivacyStore['retain'] {
  const { raw } = db
  const agents = raw.prepare<[], { owner: Id, agent: Id, days: number }>(`
    select owner_id as owner, id as agent, json_extract(gdpr_settings, '$.data_retention_days') as days from agents where days is not null and owner_id is not null order by id`)
  const silent = raw
    .prepare<[Id, string], unknown[]>(
      `select ${conversationRows.columns} from conversations where agent_id = ? and ${QUIET_SINCE} < ? order by ${QUIET_SINCE} limit ${AT_ONCE}`
    )
    .raw()
  const lone = lonely(raw)
  const quiet = raw.prepare<[Id, string], string>(`
    select id from tickets indexed by tickets_loose where agent_id = ? and conversation is null and updated_at < ? limit ${AT_ONCE}`).pluck()
  const removeTicket = ticketRemoval(raw)

  /** Removes some of what an agent keeps no longer. Whether there may be more. */
  function removeSome (
    owner: Id, occasion: Occasion & { silent_since: string }, visitors: ReturnType<typeof lone>
  ): boolean {
    const { agent, data_retention_days: days, silent_since: since } = occasion
    // Somebody decided otherwise meanwhile.
    const isWanted = daysOf(owner, agent) === days
    const gone = removal(
      owner, agent, whileThereIsTime(isWanted ? silent.all(agent, since).map(conversationRows.record) : [], SLICE_MS)
    )
    const isNext = isWanted && gone.ids.length === 0
    let tickets = 0
    for (const id of whileThereIsTime(isNext ? quiet.all(agent, since) : [], SLICE_MS)) {
      tickets += removeTicket(owner, id)
    }
    const found = isNext && tickets === 0 ? visitors.removeSome() : { removed: 0, more: false }
    const more = gone.ids.length + tickets > 0 || found.more
    const { messages, attachments } = gone
    const removed = { conversations: gone.ids.length, messages, attachments, visitors: found.removed, tickets }
    note(owner, occasion, { removed }, !more)
    return more
  }

  return async (signal) => {
    const slice = inSlices(db, signal)
    while (await slice(() => onceOnly.forgetSome()));
    for (const { owner, agent, days } of db.read(() => agents.all())) {
      const since = silentSince(days, clock.micros())
      const visitors = lone(agent, since)
      const occasion = {
        kind: 'retention' as const, agent, visitor: null, data_retention_days: days, silent_since: since
      }
      while (await slice(() => removeSome(owner, occasion, visitors)));
      if (signal.aborted) return
    }
  }
}

/** Walks once over visitors who have not been seen since a time, and removes those of whom no conversation is kept. */
function lonely (raw: Database['raw']) {
  const next = raw.prepare<
    { agent: Id, since: string, seen: string, number: number },
    { number: number, seen: string, isLone: number }
  >(`
    select number, last_seen_at as seen, not exists (select 1 from conversations where visitor = visitors.id) as isLone from visitors
    where agent_id = :agent and last_seen_at < :since and (last_seen_at, number) > (:seen, :number) order by last_seen_at, number limit ${AT_ONCE}`)
  const remove = raw.prepare('delete from visitors where number = ?')
  return (agent: Id, since: string) => {
    let at = { seen: '', number: 0 }
    return {
      removeSome () {
        let removed = 0
        let looked = 0
        for (const { number, seen, isLone } of whileThereIsTime(next.all({ agent, since, ...at }), SLICE_MS)) {
          at = { seen, number }
          looked++
          if (isLone) removed += remove.run(number).changes
        }
        return { removed, more: looked > 0 }
      }
    }
  }
}

/** See PrivacyStore.erase. */
export function erasure ({ db, removal, visitors, tickets, drop, note }: RemovingNeeds): PrivacyStore['erase'] {
  const { raw } = db
  const find = raw.prepare<[string, Id], { number: number, agent: Id }>(
    `select number, agent_id as agent from visitors where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`
  )
  const conversations = raw
    .prepare<[string, Id], unknown[]>(
      `select ${conversationRows.columns} from conversations where visitor = ? and +owner_id = ? order by number limit ${AT_ONCE}`
    )
    .raw()
  const remove = raw.prepare('delete from visitors where number = ?')
  const removeTicket = ticketRemoval(raw)
  const copiesOf = copiesIn(raw)

  /** Their tickets that belong to no conversation. What cannot be read of who is damaged has no address. */
  async function ticketsOf (owner: Id, id: string): Promise<string[]> {
    const visitor = await visitors.get(owner, id).catch(() => undefined)
    return visitor && visitor.email !== null ? await tickets.ofPerson(owner, visitor.agent, visitor.email) : []
  }

  /**
   * Removes some of it, `loose` tickets last: the receipt by now, and which conversations went. Undefined when there is
   * no such visitor.
   */
  function eraseSome (owner: Id, id: string, loose: string[]): {
    receipt: ReceiptRecord, ids: string[], isDone: boolean
  } | undefined {
    const visitor = find.get(id, owner)
    if (!visitor) return undefined
    const rows = conversations.all(id, owner).map(conversationRows.record)
    const isLast = rows.length === 0
    const going = isLast ? loose.splice(0, AT_ONCE) : []
    const isDone = isLast && loose.length === 0
    const copies: Copy[] = [...going.flatMap(copiesOf.ticket), ...isDone ? copiesOf.visitor(id) : []]
    const gone = removal(owner, visitor.agent, withCopies(rows, copies))
    for (const ticket of going) removeTicket(owner, ticket)
    if (isDone) remove.run(visitor.number)
    const occasion: Occasion = {
      kind: 'erasure', agent: visitor.agent, visitor: id, data_retention_days: null, silent_since: null
    }
    const { messages, attachments } = gone
    const removed = {
      conversations: gone.ids.length, messages, attachments, visitors: Number(isDone), tickets: going.length
    }
    return { receipt: note(owner, occasion, { removed, copies }, isDone)!, ids: gone.ids, isDone }
  }

  /** Notes, before each goes, who else has a copy of it. */
  function * withCopies (rows: readonly ConversationRow[], copies: Copy[]): Generator<ConversationRow> {
    for (const row of whileThereIsTime(rows, SLICE_MS)) {
      copies.push(...copiesOf.conversation(row))
      yield row
    }
  }

  return async (owner, id) => {
    // What is asked for is done, whether the server is told to stop or not: each slice is soon over.
    const slice = inSlices(db, new AbortController().signal)
    const loose = await ticketsOf(owner, id)
    let last: ReturnType<typeof eraseSome>
    const some = () => {
      last = eraseSome(owner, id, loose)
      return last !== undefined && !last.isDone
    }
    for (let more = true; more;) {
      more = await slice(some)
      for (const gone of last?.ids ?? []) drop(gone)
    }
    return last?.receipt
  }
}

/**
 * Removes a ticket with what would answer a repeat with it; the rest goes by the triggers of its table. How many went.
 */
function ticketRemoval (raw: Database['raw']) {
  const remove = raw.prepare('delete from tickets where id = ? and owner_id = ?')
  const forget = raw.prepare("delete from idempotency_records where about = 'tickets/' || ?")
  return (owner: Id, id: string): number => {
    forget.run(id)
    return remove.run(id, owner).changes
  }
}

/** Who else has copies of what is removed: those to whom it was sent, and the models that read it. */
function copiesIn (raw: Database['raw']) {
  const sent = raw.prepare<[string], { system: string, reference: string | null, at: number }>(
    "select channel as system, external_id as reference, coalesce(settled_at, created_at) as at from outbox where about = ? and (state = 'sent' or is_open)"
  )
  const models = raw.prepare<[number], { system: string, at: number }>(
    'select provider as system, max(day) as at from model_runs where conversation = ? group by provider'
  )
  const tickets = raw
    .prepare<[number], string>("select 'tickets/' || id from tickets where conversation_number = ?")
    .pluck()
  const deliveries = (about: string) =>
    sent.all(about).map(({ at, ...copy }): Copy => ({ kind: 'delivery', ...copy, at: timestamp(at) }))
  return {
    conversation: ({ id, number }: ConversationRow): Copy[] => [
      ...[`conversations/${id}`, ...tickets.all(number)].flatMap(deliveries),
      ...models
        .all(number)
        .map(({ system, at }): Copy => ({ kind: 'model', system, reference: null, at: timestamp(at * 86_400_000_000) }))
    ],
    ticket: (id: string): Copy[] => deliveries(`tickets/${id}`),
    visitor: (id: string): Copy[] => deliveries(`visitors/${id}`)
  }
}
