import type { Id } from '../../schema/common.ts'
import type { Delivery } from '../../schema/webhooks.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import type { IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { DispatchPayload, Listed, OutboxFilter } from '../platform/work/outbox.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Outgoing messages, as shown to their owner. Missing ones, or somebody else's, are `undefined`. */
export interface Deliveries {
  /** A page, newest first; `next` is null at the end. */
  list (
    owner: Id, filter: OutboxFilter, cursor: string | undefined, limit: number
  ): Promise<{ items: Delivery[], next: string | null }>
  get (owner: Id, id: Id): Promise<Delivery | undefined>
  /** Sends it again. Refuses with `in_progress` if waiting, `already_sent` if sent and a repeat is undetectable. */
  replay (owner: Id, id: Id, once?: IdempotencyKey): Promise<IdempotentResult<Delivery> | undefined>
}

const DAY_MS = 86_400_000
/** How long finished ones are listed. */
const KEPT_DAYS = 30

/** Opens them. The worker deletes those that finished long ago once a day. */
export function openDeliveries ({ outbox, senderOf, clock, worker }: Kernel): Deliveries {
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
      const found = await outbox.replay(owner, id, (channel) => senderOf(channel)?.isRepeatable === true, once)
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

/** What is deleted with an agent, a user or an account. */
export const deliveriesKept: Keeps = {
  ofAccount: [{ table: 'outbox', of: 'owner_id = ?' }, { table: 'idempotency_records', of: 'user_id = ?' }]
}
