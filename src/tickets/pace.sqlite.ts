import type { OutboxRecord } from '../../schema/sqlite/storage.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Work } from '../platform/storage/work.ts'

/** Minimum time between a visitor's hand-offs that reach the desk. */
const AGAIN_MS = 10 * 60_000
/** One that failed more often was begun longer ago than that: it does not delay others until it is given up. */
const RECENT_ATTEMPTS = 2

/**
 * Milliseconds for which a ticket that a hand-off opened waits to be sent: a visitor who asks for a person in one
 * conversation after another is reported once in ten minutes, whichever servers send. Tickets that the business opens,
 * and messages, are sent at once.
 */
export function deskPace ({ db, clock }: Pick<Kernel, 'db' | 'clock'>) {
  const visitorOf = db.column<[string], string | null>(
      `select visitor from conversations where number = (
        select conversation_number from tickets where id = ? and epoch is not null and ${OF_KEPT_AGENT})`
  )
  // Keys of what opens a ticket begin with its id and /0/, and / is followed by 0.
  const told = db.rows<[visitor: string, since: number], [settled: number | null]>(`
    select outbox.settled_at from conversations
    join tickets on tickets.conversation_number = conversations.number and tickets.epoch is not null
    join outbox on outbox.key > tickets.id || '/0/' and outbox.key < tickets.id || '/00'
    where conversations.visitor = ? and outbox.attempts > 0 and (
      outbox.settled_at > ? or (outbox.settled_at is null and outbox.attempts <= ${RECENT_ATTEMPTS}))`)
  return function * ({ payload, attempts }: Pick<OutboxRecord, 'payload' | 'attempts'>): Work<number> {
    const { ticket, n } = payload as { ticket: string, n: number }
    // Tickets already attempted were let through then.
    const visitor = n === 0 && attempts === 0 ? (yield * visitorOf.get(ticket)) : undefined
    if (!visitor) return 0
    const now = clock.micros()
    const since = now - AGAIN_MS * 1000
    const times = (yield * told.all(visitor, since)).map(([settled]) => Math.min(settled ?? now, now))
    return Math.max(0, ...times.map((time) => (time - since) / 1000))
  }
}
