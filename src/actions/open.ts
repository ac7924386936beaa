import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord } from '../../schema/conversations.ts'
import type { Conversations } from '../conversations/index.ts'
import type { Clock } from '../platform/clock.ts'
import { egress, type Lookup } from '../platform/net/egress.ts'
import { outsideOnly } from '../platform/net/outside.ts'
import type { Secrets } from '../platform/storage/secrets.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Jobs } from '../platform/storage/sqlite/jobs.ts'
import type { Idempotency } from '../platform/storage/sqlite/idempotency.ts'
import type { Vault } from '../platform/storage/vault.ts'
import type { EventBus } from '../platform/work/event-bus.ts'
import type { MakingNeeds } from './calls/make.ts'
import { callRunner, type CallRunner } from './calls/run.ts'
import { sqliteCallStore } from './calls/store.sqlite.ts'
import { sqliteConnectionStore } from './connections/store.sqlite.ts'
import type { Sending } from './contract.ts'
import { sqliteActionStore } from './definitions/store.sqlite.ts'
import { EXAMPLE_SHOP } from './example/address.ts'
import { withExampleShop } from './example/within.ts'
import { openSending } from './sending/send.ts'
import type { ActionStore, CallStore, ConnectionStore } from './store.ts'

/** No action may take longer. */
const MOST_MS = 20_000

/** Agents' actions in other systems, and the calls made. */
export interface Actions extends MakingNeeds {
  connections: ConnectionStore
  actions: ActionStore
  calls: CallStore
  runner: CallRunner
  sending: Sending
  close (): Promise<void>
}

/** What they are built on. */
export interface ActionsNeeds {
  db: Database
  clock: Clock
  idempotency: Idempotency
  secrets: Secrets
  vault: Vault
  jobs: Pick<Jobs, 'ask' | 'drop'>
  eventBus: EventBus
  onFault: (error: unknown) => void
  /** Hosts that may be private. */
  allowedHosts: readonly string[]
  userAgent: string
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
  /** Where they are held; opened later. */
  conversations: () => Pick<Conversations, 'store' | 'visitors'>
  /** In tests: another way of finding hosts. */
  lookup?: Lookup
}

/** Opens them on the stores' parts. */
export function openActions (
  { allowedHosts, userAgent, agentOf, conversations, lookup, onFault, ...parts }: ActionsNeeds
): Actions {
  const out = egress({
    allowedHosts, userAgent, limits: { headersMs: MOST_MS, totalMs: MOST_MS }, ...(lookup && { lookup })
  })
  const sending = openSending({ out: withExampleShop(out), clock: parts.clock, version: userAgent.split('/').at(-1)! })
  const connections = sqliteConnectionStore({ ...parts, check: outsideOnly(allowedHosts) })
  const actions = sqliteActionStore(parts)
  const calls = sqliteCallStore(parts)
  const runner = callRunner({ actions, calls, connections, sending, onFault })
  return {
    connections,
    actions,
    calls,
    runner,
    sending,
    async partyOf (owner, id) {
      const { store, visitors } = conversations()
      const found = await store.get(owner, id)
      const agent = found && await agentOf(owner, found.speaker ?? found.agent)
      const visitor = found?.visitor ? await visitors.get(owner, found.visitor) : undefined
      const { vouched = null } = found?.course ?? {}
      return agent && { agent, visitor, isVouchedFor: vouched === null || vouched > parts.clock.micros() / 1e6 }
    },
    async close () {
      await runner.idle()
      await out.close()
    }
  }
}

/** A conversation's calls in an export: their arguments and outcomes. */
export function exportedCalls ({ calls }: Pick<Actions, 'calls'>) {
  return {
    name: 'calls',
    of: async (owner: Id, about: { conversation: ConversationRecord } | object) =>
      'conversation' in about ? await calls.ofConversation(owner, about.conversation.id) : []
  }
}

/** Where actions send what visitors said; to the example shop nothing leaves. */
export const actionHosts = ({ connections }: Pick<Actions, 'connections'>) => async (owner: Id) =>
  (await connections.list(owner))
    .filter(({ base_url: url }) => url !== EXAMPLE_SHOP)
    .map(({ base_url: url }) => ({ url, purpose: 'actions' as const }))
