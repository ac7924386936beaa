import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { EventType } from '../../schema/webhooks.ts'
import type { BusinessStore, SealChat } from '../business/index.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Sent } from '../personal-data/contract.ts'
import type { Work } from '../platform/storage/work.ts'
import { eventsFor, isEvent, WEBHOOK, type Wanting } from './events.ts'
import { lookingUp, type EventsAbout } from './look-up.ts'
import { webhookSender } from './send.ts'
import { sqliteWebhookStore } from './store.sqlite.ts'
import type { WebhookStore } from './store.ts'
import { chatSealing, openTeamChat } from './team-chat.ts'

/** Where accounts want to be notified of events: webhooks, and the team's chat. */
export interface Webhooks {
  store: WebhookStore
  /** Seals the address of a team's chat for the settings of its account. */
  sealChat: (owner: Id) => SealChat
  /** Where notifications are sent to. */
  hosts (owner: Id): Promise<Sent[]>
}

/** What webhooks need of other features: what events are about, and what the team's chat is told. */
interface WebhookNeeds extends EventsAbout {
  business: BusinessStore
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
}

/** Opens them: they receive all domain events from now on, in the event's transaction. */
export function openWebhooks (kernel: Kernel, { business, agentOf, ...about }: WebhookNeeds): Webhooks {
  const { db, clock, outbox, eventBus, vault } = kernel
  const store = sqliteWebhookStore(kernel)
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
  kernel.sendBy(WEBHOOK, webhookSender({ ...kernel, store, lookUp: lookingUp(kernel, about) }))
  openTeamChat(kernel, { business, agentOf })
  return {
    store,
    sealChat: chatSealing(vault, kernel.check),
    async hosts (owner) {
      const { team_chat_host: chat } = await business.get(owner)
      return [
        ...(await store.list(owner)).map(({ url }): Sent => ({ url, purpose: 'webhooks' })),
        ...(chat === null ? [] : [{ url: `https://${chat}`, purpose: 'team_chat' as const }])
      ]
    }
  }
}
