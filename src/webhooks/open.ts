import type { Id } from '../../schema/common.ts'
import type { EventType } from '../../schema/webhooks.ts'
import type { Clock } from '../platform/clock.ts'
import type { Egress } from '../platform/net/egress.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import type { Outbox } from '../platform/storage/sqlite/outbox.ts'
import type { Vault } from '../platform/storage/vault.ts'
import type { Work } from '../platform/storage/work.ts'
import type { Announcements } from '../platform/work/announcements.ts'
import type { Sender } from '../platform/work/outbox.ts'
import { eventsFor, isEvent, WEBHOOK, type Wanting } from './events.ts'
import { webhookSender, type LookUp } from './send.ts'
import { sqliteWebhookStore } from './store.sqlite.ts'
import type { WebhookStore } from './store.ts'
import type { CheckAddress } from './webhook.ts'

/** Opens accounts' webhooks: they hear of everything that is announced from now on, in its own transaction. */
export function openWebhooks ({ announcements, senders, out, lookUp, ...parts }: {
  db: Database
  clock: Clock
  onceOnly: OnceOnly
  vault: Vault
  outbox: Outbox
  check: CheckAddress
  announcements: Announcements
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
  announcements.on(function * (happening) {
    if (happening.type === 'conversation.deleted') yield * outbox.drop(`conversations/${happening.data.conversation.id}`)
    if (isEvent(happening.type)) yield * outbox.add(...eventsFor(happening, yield * wanting(happening.owner), clock))
  })
  senders[WEBHOOK] = webhookSender({ store, out, clock, lookUp })
  return store
}
