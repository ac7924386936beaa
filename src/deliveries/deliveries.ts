import type { Id } from '../../schema/common.ts'
import type { Delivery } from '../../schema/webhooks.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { Once, Outcome } from '../platform/storage/contract.ts'
import type { DispatchPayload, Listed, OutboxFilter, OutboxStore, Sender } from '../platform/work/outbox.ts'
import type { Worker } from '../platform/work/worker.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** What leaves the house, as its owner sees it. What is missing, or somebody else's, is `undefined`. */
export interface Deliveries {
  /** A part, newest first; `next` is null at the end. */
  list (
    owner: Id, filter: OutboxFilter, cursor: string | undefined, limit: number
  ): Promise<{ items: Delivery[], next: string | null }>
  get (owner: Id, id: Id): Promise<Delivery | undefined>
  /** Sends one anew. Refuses with `in_progress` what waits, with `already_sent` what
   * was sent and cannot be told from a repeat. */
  replay (owner: Id, id: Id, once?: Once): Promise<Outcome<Delivery> | undefined>
}

const DAY_MS = 86_400_000
/** How long what came to its end is listed. */
const KEPT_DAYS = 30

/** Opens them. What came to its end long ago is forgotten once a day by the worker. */
export function openDeliveries ({ outbox, senders, clock, worker }: {
  outbox: OutboxStore, senders: Readonly<Record<string, Sender>>, clock: Clock, worker: Worker
}): Deliveries {
  worker.every('deliveries.forget', DAY_MS, async (signal) => {
    const before = clock.micros() - KEPT_DAYS * DAY_MS * 1000
    while (!signal.aborted && await outbox.forget(before));
  })
  return {
    async list (owner, filter, cursor, limit) {
      const { items, next } = await outbox.list(owner, filter, cursor === undefined ? undefined : Number(cursor), limit)
      return { items: items.map(shown), next }
    },
    async get (owner, id) {
      const found = await outbox.get(owner, id)
      return found && shown(found)
    },
    async replay (owner, id, once) {
      const found = await outbox.replay(owner, id, (channel) => senders[channel]?.isRepeatable === true, once)
      return found && { ...found, answer: shown(found.answer) }
    }
  }
}

function shown ({ entry, next }: Listed): Delivery {
  const { payload, owner: _owner, is_open: _isOpen, created_at: created, settled_at: settled, ...rest } = entry
  const { type = null, to = null } = payload as DispatchPayload
  return {
    ...rest,
    type,
    to,
    next_attempt_at: next === null ? null : timestamp(next),
    created_at: timestamp(created),
    settled_at: settled === null ? null : timestamp(settled)
  }
}

/** What goes with an agent, a user or an account. */
export const deliveriesKept: Keeps = {
  ofAccount: [{ table: 'outbox', of: 'owner_id = ?' }, { table: 'idempotency_records', of: 'user_id = ?' }]
}
