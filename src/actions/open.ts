import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { Conversations } from '../conversations/index.ts'
import type { Kernel } from '../kernel/index.ts'
import type { Exporter, Sent } from '../personal-data/contract.ts'
import { egress, type Lookup } from '../platform/net/egress.ts'
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
import { workOnActions } from './work.ts'

/** No action may take longer. */
const MOST_MS = 20_000

/** Agents' actions in other systems, and the calls made. */
export interface Actions extends MakingNeeds {
  connections: ConnectionStore
  actions: ActionStore
  calls: CallStore
  runner: CallRunner
  sending: Sending
  /** The calls of conversations, for exports. */
  exported: Exporter
  /** Where calls send what visitors said. */
  hosts (owner: Id): Promise<Sent[]>
}

/** What actions need of other features. */
export interface ActionsNeeds {
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
  /** Where calls are made; opened later, since what is said there may lead to calls. */
  conversations: () => Pick<Conversations, 'store' | 'visitors' | 'talk' | 'tellWatchers'>
  /** In tests: another way of finding hosts. */
  lookup?: Lookup
}

/** Opens them; the worker does what calls leave to do. */
export function openActions (kernel: Kernel, { agentOf, conversations, lookup }: ActionsNeeds): Actions {
  const { config, clock, userAgent, onFault, check } = kernel
  const out = egress({
    allowedHosts: config.ALLOWED_HOSTS,
    userAgent,
    limits: { headersMs: MOST_MS, totalMs: MOST_MS },
    ...(lookup && { lookup })
  })
  const sending = openSending({ out: withExampleShop(out), clock, version: userAgent.split('/').at(-1)! })
  const connections = sqliteConnectionStore({ ...kernel, check })
  const actions = sqliteActionStore(kernel)
  const calls = sqliteCallStore(kernel)
  const runner = callRunner({ actions, calls, connections, sending, onFault })
  workOnActions(kernel, { calls, runner }, conversations)
  kernel.onRecovery((silentSince) => runner.recover(silentSince))
  kernel.onClose(async () => {
    await runner.idle()
    await out.close()
  })
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
      return agent && { agent, visitor, isVouchedFor: vouched === null || vouched > clock.micros() / 1e6 }
    },
    exported: exportedCalls(calls),
    hosts: hostsOf(connections)
  }
}

/** A conversation's calls in an export: their arguments and outcomes. */
function exportedCalls (calls: CallStore): Exporter {
  return {
    name: 'calls',
    of: async (owner, about) =>
      'conversation' in about ? await calls.ofConversation(owner, about.conversation.id) : []
  }
}

/** Where actions send what visitors said; to the example shop nothing leaves. */
const hostsOf = (connections: ConnectionStore) => async (owner: Id): Promise<Sent[]> =>
  (await connections.list(owner))
    .filter(({ base_url: url }) => url !== EXAMPLE_SHOP)
    .map(({ base_url: url }) => ({ url, purpose: 'actions' }))
