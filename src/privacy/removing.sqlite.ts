import type { Id } from '../../schema/common.ts'
import type { Copy, ReceiptRecord, Removed } from '../../schema/privacy.ts'
import type { AgentsOfPersons } from '../agents/index.ts'
import type { ConversationRow, Conversations, ConversationsOfPersons, RemoveConversations } from '../conversations/index.ts'
import type { Sending } from '../personal-data/contract.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import { flatMapped, type Work } from '../platform/storage/work.ts'
import { AT_ONCE, whileThereIsTime } from '../platform/work/row-removal.ts'
import { inSlices } from '../platform/work/slices.ts'
import type { Tickets, TicketsOfPersons } from '../tickets/index.ts'
import { silentSince, type Occasion } from './retention.ts'
import type { PrivacyStore } from './store.ts'

/** What one slice takes, in milliseconds: less than other work's, for what is removed is found and told as well. */
const SLICE_MS = 2

/** What features know of persons, as they hand it in. */
export interface Persons {
  agents: AgentsOfPersons
  conversations: ConversationsOfPersons
  tickets: TicketsOfPersons
  /** To whom something was sent about what the outbox names so. */
  sendings: (about: string) => Work<Sending[]>
}

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
  /** What features know of persons. */
  persons: Persons
  /** Keeps the receipt; runs inside the transaction that removes. */
  note: (
    owner: Id, occasion: Occasion, more: { removed: Partial<Removed>, copies?: readonly Copy[] }, isDone: boolean
  ) => Work<ReceiptRecord | undefined>
}

/** See PrivacyStore.retain. */
export function retention (
  { db, clock, onceOnly, removal, persons, note }: RemovingNeeds
): PrivacyStore['retain'] {
  const { agents, conversations, tickets: loose } = persons
  const lone = lonely(conversations)

  /** Removes some of what an agent keeps no longer. Whether there may be more. */
  function * removeSome (
    owner: Id, occasion: Occasion & { silent_since: string }, visitors: ReturnType<typeof lone>
  ): Work<boolean> {
    const { agent, data_retention_days: days, silent_since: since } = occasion
    // Somebody decided otherwise meanwhile.
    const isWanted = (yield * agents.keptFor(owner, agent))?.days === days
    const gone = yield * removal(
      owner, agent, whileThereIsTime(
        isWanted ? (yield * conversations.silentSince(agent, since)) : [], SLICE_MS
      )
    )
    const isNext = isWanted && gone.ids.length === 0
    let tickets = 0
    for (const id of whileThereIsTime(isNext ? (yield * loose.quietSince(agent, since)) : [], SLICE_MS)) {
      tickets += yield * loose.remove(owner, id)
    }
    const found = isNext && tickets === 0 ? (yield * visitors.removeSome()) : { removed: 0, more: false }
    const more = gone.ids.length + tickets > 0 || found.more
    const { messages, attachments } = gone
    const removed = { conversations: gone.ids.length, messages, attachments, visitors: found.removed, tickets }
    yield * note(owner, occasion, { removed }, !more)
    return more
  }

  return async (signal) => {
    const slice = inSlices(db, signal)
    while (await slice(() => onceOnly.forgetSome()));
    for (const { owner, agent, days } of await db.read(() => agents.keepingForDays())) {
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
function lonely (conversations: ConversationsOfPersons) {
  return (agent: Id, since: string) => {
    let at = { seen: '', number: 0 }
    return {
      * removeSome () {
        let removed = 0
        let looked = 0
        const found = whileThereIsTime(yield * conversations.visitorsUnseenSince({ agent, since, ...at }), SLICE_MS)
        for (const { number, seen, isLone } of found) {
          at = { seen, number }
          looked++
          if (isLone) removed += yield * conversations.removeVisitor(number)
        }
        return { removed, more: looked > 0 }
      }
    }
  }
}

/** What was erased of somebody by now. */
interface Erased { receipt: ReceiptRecord, ids: string[], isDone: boolean }

/** See PrivacyStore.erase. */
export function erasure (
  { db, removal, visitors, tickets, persons, drop, note }: RemovingNeeds
): PrivacyStore['erase'] {
  const { conversations, tickets: loose } = persons
  const copiesOf = copiesKnownTo(persons)

  /** Their tickets that belong to no conversation. What cannot be read of who is damaged has no address. */
  async function ticketsOf (owner: Id, id: string): Promise<string[]> {
    const visitor = await visitors.get(owner, id).catch(() => undefined)
    return visitor && visitor.email !== null ? await tickets.ofPerson(owner, visitor.agent, visitor.email) : []
  }

  /**
   * Removes some of it, `lone` tickets last: the receipt by now, and which conversations went. Undefined when there is
   * no such visitor.
   */
  function * eraseSome (owner: Id, id: string, lone: string[]): Work<Erased | undefined> {
    const visitor = yield * conversations.visitor(owner, id)
    if (!visitor) return undefined
    const rows = yield * conversations.ofVisitor(owner, id)
    const isLast = rows.length === 0
    const going = isLast ? lone.splice(0, AT_ONCE) : []
    const isDone = isLast && lone.length === 0
    const copies: Copy[] = [
      ...yield * flatMapped(going, copiesOf.ticket), ...isDone ? (yield * copiesOf.visitor(id)) : []
    ]
    const gone = yield * removal(owner, visitor.agent, whileThereIsTime(rows, SLICE_MS), function * (row) {
      copies.push(...yield * copiesOf.conversation(row))
    })
    for (const ticket of going) yield * loose.remove(owner, ticket)
    if (isDone) yield * conversations.removeVisitor(visitor.number)
    const occasion: Occasion = {
      kind: 'erasure', agent: visitor.agent, visitor: id, data_retention_days: null, silent_since: null
    }
    const { messages, attachments } = gone
    const removed = {
      conversations: gone.ids.length, messages, attachments, visitors: Number(isDone), tickets: going.length
    }
    return { receipt: (yield * note(owner, occasion, { removed, copies }, isDone))!, ids: gone.ids, isDone }
  }

  return async (owner, id) => {
    // What is asked for is done, whether the server is told to stop or not: each slice is soon over.
    const slice = inSlices(db, new AbortController().signal)
    const lone = await ticketsOf(owner, id)
    let last: Erased | undefined
    function * some () {
      last = yield * eraseSome(owner, id, lone)
      return last !== undefined && !last.isDone
    }
    for (let more = true; more;) {
      more = await slice(some)
      for (const gone of last?.ids ?? []) drop(gone)
    }
    return last?.receipt
  }
}

/** Who else has copies of what is removed: those to whom it was sent, and the models that read it. */
function copiesKnownTo ({ conversations, tickets, sendings }: Persons) {
  function * deliveries (about: string) {
    return (yield * sendings(about)).map(({ at, ...copy }): Copy => ({ kind: 'delivery', ...copy, at: timestamp(at) }))
  }
  return {
    * conversation ({ id, number }: ConversationRow): Work<Copy[]> {
      return [
        ...yield * flatMapped([`conversations/${id}`, ...yield * tickets.namesOf(number)], deliveries),
        ...(yield * conversations.readBy(number))
          .map(
            ({ system, at }): Copy => ({ kind: 'model', system, reference: null, at: timestamp(at * 86_400_000_000) })
          )
      ]
    },
    ticket: (id: string): Work<Copy[]> => deliveries(`tickets/${id}`),
    visitor: (id: string): Work<Copy[]> => deliveries(`visitors/${id}`)
  }
}
