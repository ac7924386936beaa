import type { OutboxRecord } from '../../schema/sqlite/storage.ts'
import { OF_KEPT_AGENT } from '../agents/index.ts'
import type { Clock } from '../platform/clock.ts'
import { slidingWindow } from '../platform/work/sliding-window.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'

/** How long after a visitor's hand-off the desk is told of another one of theirs. */
const AGAIN_MS = 10 * 60_000
/** Visitors that are remembered; beyond, those that have been quiet longest are forgotten. */
const REMEMBERED = 20_000

/**
 * Milliseconds for which a ticket that a hand-off opened waits to be sent: whoever asks for a person in one
 * conversation after another is told of once in ten minutes. What the business opens by itself, and messages, go at
 * once.
 */
export function deskPace ({ db, clock }: { db: Database, clock: Clock }) {
  const told = slidingWindow({ clock, most: REMEMBERED, windowMs: AGAIN_MS })
  const visitorOf = db.column<[string], string | null>(
      `select visitor from conversations where number = (
        select conversation_number from tickets where id = ? and epoch is not null and ${OF_KEPT_AGENT})`
  )
  return function * ({ payload, attempts }: Pick<OutboxRecord, 'payload' | 'attempts'>): Work<number> {
    const { ticket, n } = payload as { ticket: string, n: number }
    // What was tried before was let through then.
    const visitor = n === 0 && attempts === 0 ? (yield * visitorOf.get(ticket)) : undefined
    if (!visitor) return 0
    const { allowed, freesMs } = told.take(visitor, 1)
    return allowed ? 0 : freesMs
  }
}
