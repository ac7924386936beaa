import type { Id } from '../../schema/common.ts'
import type { Copy, ReceiptRecord, Removed } from '../../schema/privacy.ts'
import type { AgentsOfPersons } from '../agents/index.ts'
import type { ConversationRow, Conversations, ConversationsOfPersons, RemoveConversations } from '../conversations/index.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Sending } from '../personal-data/contract.ts'
import { timestamp } from '../platform/clock.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { listOf, type List } from '../platform/storage/list.ts'
import type { Idempotency } from '../platform/storage/sqlite/idempotency.ts'
import type { Work } from '../platform/storage/work.ts'
import { AT_ONCE, whileThereIsTime } from '../platform/work/row-removal.ts'
import { inSlices } from '../platform/work/slices.ts'
import type { Tickets, TicketsOfPersons } from '../tickets/index.ts'
import { silentSince, type Occasion } from './retention.ts'
import type { PrivacyStore } from './store.ts'

/**
 * Time limit of one slice in a file, in milliseconds: less than other work's, since finding and announcing what is
 * removed takes time as well.
 */
const SLICE_MS = 2

/** What features declare about persons. */
export interface Persons {
  agents: AgentsOfPersons
  conversations: ConversationsOfPersons
  tickets: TicketsOfPersons
  /** Recipients of what was sent about an object with this outbox name. */
  sendings: (abouts: readonly string[]) => Work<Sending[]>
}

/** Dependencies of removing. */
export interface RemovingNeeds extends Pick<Kernel, 'db' | 'clock'> {
  idempotency: Pick<Idempotency, 'forgetSome'>
  removal: RemoveConversations
  visitors: Pick<Conversations['visitors'], 'get'>
  /** Finds tickets that belong to no conversation. */
  tickets: Pick<Tickets['store'], 'ofPerson'>
  /** Stops the answer being written in a deleted conversation. */
  drop: (conversation: string) => void
  /** What features know of persons. */
  persons: Persons
  /** Stores the receipt; runs inside the transaction that removes. */
  note: (
    owner: Id, occasion: Occasion, more: { removed: Partial<Removed>, copies?: readonly Copy[] }, isDone: boolean
  ) => Work<ReceiptRecord | undefined>
}

/** See PrivacyStore.retain. */
export function retention (
  { db, clock, idempotency, removal, persons, note }: RemovingNeeds
): PrivacyStore['retain'] {
  const { agents, conversations, tickets: loose } = persons
  const [list, sliceMs] = [listOf(db), SLICE_MS * db.portion.times]
  const lone = lonely(db, conversations, list, sliceMs)

  /** Removes some of an agent's expired data. Whether there may be more. */
  function * removeSome (
    owner: Id, occasion: Occasion & { silent_since: string }, visitors: ReturnType<typeof lone>
  ): Work<boolean> {
    const { agent, data_retention_days: days, silent_since: since } = occasion
    // Somebody changed the setting meanwhile.
    const isWanted = (yield * agents.keptFor(owner, agent))?.days === days
    const gone = yield * removal(
      owner, agent, whileThereIsTime(
        isWanted ? (yield * conversations.silentSince(agent, since)) : [], sliceMs
      )
    )
    const isNext = isWanted && gone.ids.length === 0
    let tickets = 0
    const quiet = whileThereIsTime(isNext ? (yield * loose.quietSince(agent, since)) : [], sliceMs)
    for (const some of list.parts(quiet)) tickets += yield * loose.remove(owner, some)
    const found = isNext && tickets === 0 ? (yield * visitors.removeSome()) : { removed: 0, more: false }
    const more = gone.ids.length + tickets > 0 || found.more
    const { messages, attachments } = gone
    const removed = { conversations: gone.ids.length, messages, attachments, visitors: found.removed, tickets }
    yield * note(owner, occasion, { removed }, !more)
    return more
  }

  return async (signal) => {
    const slice = inSlices(db, signal)
    while (await slice(() => idempotency.forgetSome()));
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

/** Walks once over visitors not seen since a time, and removes those without conversations. */
function lonely (
  db: Pick<Database, 'afterwards'>, conversations: ConversationsOfPersons, list: List, sliceMs: number
) {
  return (agent: Id, since: string) => {
    let at = { seen: '', number: 0 }
    return {
      * removeSome () {
        let removed = 0
        let looked = 0
        let next = at
        const found = whileThereIsTime(yield * conversations.visitorsUnseenSince({ agent, since, ...at }), sliceMs)
        for (const some of list.parts(found)) {
          const { number, seen } = some.at(-1)!
          next = { seen, number }
          looked += some.length
          const lone = some.filter(({ isLone }) => isLone).map(({ number }) => number)
          if (lone.length > 0) removed += yield * conversations.removeVisitors(lone)
        }
        yield * db.afterwards(() => { at = next })
        return { removed, more: looked > 0 }
      }
    }
  }
}

/** What was erased of a visitor so far. */
interface Erased { receipt: ReceiptRecord, ids: string[], isDone: boolean }

/** See PrivacyStore.erase. */
export function erasure (
  { db, removal, visitors, tickets, persons, drop, note }: RemovingNeeds
): PrivacyStore['erase'] {
  const { conversations, tickets: loose } = persons
  const [list, sliceMs] = [listOf(db), SLICE_MS * db.portion.times]
  const copiesOf = copiesKnownTo(persons)

  /** Their tickets that belong to no conversation. A visitor whose record cannot be decrypted has no address. */
  async function ticketsOf (owner: Id, id: string): Promise<string[]> {
    const visitor = await visitors.get(owner, id).catch(() => undefined)
    return visitor && visitor.email !== null ? await tickets.ofPerson(owner, visitor.agent, visitor.email) : []
  }

  /**
   * Removes some of it, `lone` tickets last: returns the receipt so far, and the removed conversations. Undefined when
   * there is no such visitor.
   */
  function * eraseSome (owner: Id, id: string, lone: string[]): Work<Erased | undefined> {
    const visitor = yield * conversations.visitor(owner, id)
    if (!visitor) return undefined
    const rows = yield * conversations.ofVisitor(owner, id)
    const isLast = rows.length === 0
    const going = isLast ? lone.slice(0, AT_ONCE) : []
    yield * db.afterwards(() => { lone.splice(0, going.length) })
    const isDone = isLast && lone.length === going.length
    const copies: Copy[] = [
      ...yield * copiesOf.tickets(going), ...isDone ? (yield * copiesOf.visitor(id)) : []
    ]
    const gone = yield * removal(owner, visitor.agent, whileThereIsTime(rows, sliceMs), function * (some) {
      copies.push(...yield * copiesOf.conversations(some))
    })
    for (const some of list.parts(going)) yield * loose.remove(owner, some)
    if (isDone) yield * conversations.removeVisitors([visitor.number])
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
    // An erasure is completed even if the server is told to stop: each slice takes little time.
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

/** Who else has copies of what is removed: its recipients, and the models that read it. */
function copiesKnownTo ({ conversations, tickets, sendings }: Persons) {
  function * deliveries (abouts: readonly string[]) {
    return (yield * sendings(abouts)).map(({ at, ...copy }): Copy => ({ kind: 'delivery', ...copy, at: timestamp(at) }))
  }
  return {
    /** For a portion of them. */
    * conversations (some: readonly ConversationRow[]): Work<Copy[]> {
      const numbers = some.map(({ number }) => number)
      return [
        ...yield * deliveries([...some.map(({ id }) => `conversations/${id}`), ...yield * tickets.namesOf(numbers)]),
        ...(yield * conversations.readBy(numbers))
          .map(
            ({ system, at }): Copy => ({ kind: 'model', system, reference: null, at: timestamp(at * 86_400_000_000) })
          )
      ]
    },
    tickets: (ids: readonly string[]): Work<Copy[]> => deliveries(ids.map((id) => `tickets/${id}`)),
    visitor: (id: string): Work<Copy[]> => deliveries([`visitors/${id}`])
  }
}
