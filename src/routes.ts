import type { FastifyInstance } from 'fastify'
import { apiKeyRoutes, meRoutes } from './access/index.ts'
import type { Id } from '../schema/common.ts'
import { actionsRoutes } from './actions/index.ts'
import { auditRoutes } from './audit/index.ts'
import { agentRoutes, defaultModelOf, shownWith, type Shown } from './agents/index.ts'
import { businessRoutes } from './business/index.ts'
import { configRoutes, lockInCode } from './config-as-code/index.ts'
import { checkRoutes } from './checks/index.ts'
import { deliveryRoutes } from './deliveries/index.ts'
import { feedRoutes } from './feeds/index.ts'
import { importRoutes } from './imports/index.ts'
import { conversationsRoutes } from './conversations/index.ts'
import { goingLiveRoutes } from './going-live/index.ts'
import { handoffRoutes } from './handoff/index.ts'
import type { Config } from './config.ts'
import type { Clock } from './platform/clock.ts'
import type { EventStreams } from './platform/http/sse.ts'
import { createWithSources, knowledgeRoutes } from './sources/index.ts'
import { assistantRoutes, GIVEN } from './mcp/index.ts'
import { pushRoutes } from './notifications/index.ts'
import { modelProviderRoutes } from './models/index.ts'
import { widgetKeyRoutes } from './widget/index.ts'
import { analyticsRoutes } from './analytics/index.ts'
import { learningRoutes } from './learning/index.ts'
import { replyRoutes } from './replies/index.ts'
import { reviewRoutes } from './reviews/index.ts'
import { satisfactionRoutes } from './satisfaction/index.ts'
import { privacyRoutes } from './privacy/index.ts'
import { liveFacts } from './live-facts.ts'
import { planRoutes } from './plans/index.ts'
import type { Stores } from './stores.ts'
import { teamRoutes } from './team/index.ts'
import { webhookRoutes } from './webhooks/index.ts'
import { ticketsRoutes } from './tickets/index.ts'
import { admit, type Admission } from './admission.ts'

/** What routes need that take a key or a session. */
interface IdentifiedParts extends Admission {
  config: Config
  stores: Stores
  clock: Clock
  streams: EventStreams
  mediaUrl: () => string
  /** Where clients reach the server. */
  address: () => string
}

/** Everything that takes a key or a session: who asks, how often, may they, and the routes. */
export async function identified (
  v1: FastifyInstance, { config, stores, clock, streams, mediaUrl, address, ...admission }: IdentifiedParts
) {
  const { agents, knowledge, team, notifier } = stores
  const { plans } = admission
  const shown = shownWith({ plans, mediaUrl })

  v1.decorate('auditLog', stores.audit)
  await admit(v1, admission)
  lockInCode(v1, stores.configAsCode)
  await v1.register(modelProviderRoutes, { providers: stores.modelProviders, trial: stores.trial })
  await v1.register(outgoing, { stores })
  await v1.register(auditRoutes, { audit: stores.audit, clock })
  await v1.register(goingLiveRoutes, { clock, factsOf: liveFacts({ config, stores, clock }) })
  await v1.register(apiKeyRoutes, { access: stores.access })
  await v1.register(assistantRoutes, { ...stores.assistants, baseUrl: address, permissions: GIVEN })
  await v1.register(
    businessRoutes, { business: stores.business, clock, hosts: stores.privacy.hosts, sealChat: stores.sealChat }
  )
  await v1.register(meRoutes, admission.access)
  await v1.register(teamRoutes, {
    access: stores.access, team, plans, address, choosesTier: config.ACCOUNTS_CHOOSE_TIER
  })
  await v1.register(planRoutes, {
    plans, access: stores.access, signIn: stores.signIn, usage: (account) => usageOf(stores, account)
  })
  const known = knownIn(stores)
  const namesOf = async (owner: Id) => ({
    ticketing: await known.ticketingProviders(owner),
    actions: await known.actionIds(owner),
    said: (agent: Id) => known.said(owner, agent)
  })
  await v1.register(configRoutes, { config: stores.configAsCode, namesOf })
  await v1.register(importRoutes, { imports: stores.imports, blobs: knowledge.blobs, namesOf })
  await v1.register(agentRoutes, {
    agents,
    plans,
    shown,
    defaultModel: defaultModelOf(config),
    listBudget: config.LIST_CACHE_MIB * 2 ** 20,
    gate: stores.checks.gate,
    createWithSources: createWithSources(knowledge),
    ...known,
    clock
  })
  await v1.register(knowledgeRoutes, { knowledge, shown, streams })
  await v1.register(conversationsRoutes, {
    conversations: stores.conversations,
    agents,
    streams,
    notifier,
    clock,
    blobs: knowledge.blobs,
    mediaUrl,
    baseUrl: address
  })
  await v1.register(widgetKeyRoutes, { store: stores.widget })
  await v1.register(people, { stores, shown, streams, clock })
}

/** What is sent out: tickets, webhooks, push messages, and the list of everything. */
async function outgoing (
  v1: FastifyInstance, { stores: { deliveries, tickets, webhooks, push } }: { stores: Stores }
) {
  await v1.register(deliveryRoutes, { deliveries })
  await v1.register(ticketsRoutes, { tickets })
  await v1.register(webhookRoutes, { webhooks, deliveries })
  await v1.register(pushRoutes, { push })
}

/** What an account has used of its allowance. */
async function usageOf ({ agents, knowledge }: Stores, account: Id) {
  return { ...(await agents.usage(account)), stored_bytes: (await knowledge.store.storage(account)).used }
}

/** What people do in conversations, and what follows: how long they are stored, what agents learn, and the figures. */
async function people (
  v1: FastifyInstance,
  { stores, shown, streams, clock }: { stores: Stores, shown: Shown, streams: EventStreams, clock: Clock }
) {
  const { actions, conversations, duty, notes, seen, privacy, learning, analytics, agents, knowledge } = stores
  await v1.register(reviewRoutes, { reviews: stores.reviews, store: conversations.store })
  await v1.register(satisfactionRoutes, { satisfaction: stores.satisfaction, store: conversations.store })
  await v1.register(handoffRoutes, { conversations, duty, notes, seen, lookers: stores.lookers, streams })
  await v1.register(actionsRoutes, { actions, conversations })
  await v1.register(replyRoutes, { replies: stores.replies })
  await v1.register(privacyRoutes, { privacy })
  await v1.register(learningRoutes, { learning, agents, knowledge, shown })
  await v1.register(feedRoutes, { feeds: stores.feeds })
  await v1.register(checkRoutes, { checks: stores.checks, conversations, streams })
  await v1.register(analyticsRoutes, { analytics, agents, unknowns: learning.unknowns, clock })
}

/** What agents' settings may refer to, and what was said with an agent, for checking its rules. */
function knownIn ({ actions, conversations: { recent, spoken }, tickets }: Stores) {
  return {
    ticketingProviders: async (owner: Id) => [...(await tickets.providers.names(owner)).keys()],
    actionIds: async (owner: Id) => (await actions.actions.list(owner)).map(({ id }) => id),
    said: recent.lately,
    history: { part: recent.part, spoken }
  }
}
