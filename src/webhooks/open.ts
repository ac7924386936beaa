import type { Id } from '../../schema/common.ts'
import type { EventType } from '../../schema/webhooks.ts'
import type { Clock } from '../platform/clock.ts'
import type { Egress } from '../platform/net/egress.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Idempotency } from '../platform/storage/sqlite/idempotency.ts'
import type { Outbox } from '../platform/storage/sqlite/outbox.ts'
import type { Vault } from '../platform/storage/vault.ts'
import type { Work } from '../platform/storage/work.ts'
import type { EventBus } from '../platform/work/event-bus.ts'
import type { Sender } from '../platform/work/outbox.ts'
import { eventsFor, isEvent, WEBHOOK, type Wanting } from './events.ts'
import { webhookSender, type LookUp } from './send.ts'
import { sqliteWebhookStore } from './store.sqlite.ts'
import type { WebhookStore } from './store.ts'
import type { CheckAddress } from './webhook.ts'

/** Builds accounts' webhooks: they receive all domain events from now on, in the event's transaction. */
export function openWebhooks ({ eventBus, senders, out, lookUp, ...parts }: {
  db: Database
  clock: Clock
  idempotency: Idempotency
  vault: Vault
  outbox: Outbox
  check: CheckAddress
  eventBus: EventBus
  senders: Record<string, Sender>
  out: Pick<Egress, 'fetch'>
  lookUp: LookUp
}): WebhookStore {
  const { db, clock, outbox } = parts
  const store = sqliteWebhookStore(parts)
  const active = db.objects<[Id], { id: Id, events: string }>(
    'select id, events from webhooks where owner_id = ? and is_active = 1'
  )
  function * wanting (owner: Id): Work<Wanting[]> {
    return (yield * active.all(owner)).map(({ id, events }) => ({ id, events: JSON.parse(events) as EventType[] }))
  }
  eventBus.onAll(function * (domainEvents) {
    for (const [owner, events] of Map.groupBy(domainEvents.filter(({ type }) => isEvent(type)), ({ owner }) => owner)) {
      const webhooks = yield * wanting(owner)
      yield * outbox.add(...events.flatMap((event) => eventsFor(event, webhooks, clock)))
    }
  })
  senders[WEBHOOK] = webhookSender({ store, out, clock, lookUp })
  return store
}
