import { openAccess } from './access/index.ts'
import { actingWith, openActions } from './actions/index.ts'
import { openAgents } from './agents/index.ts'
import { sqliteAnalyticsStore } from './analytics/index.ts'
import { forgetEvents, type AuditStore } from './audit/index.ts'
import { sqliteBusinessStore } from './business/index.ts'
import { openChecks } from './checks/index.ts'
import { openConfig } from './config-as-code/index.ts'
import { modelTrial, openConversations, type Conversations } from './conversations/index.ts'
import { mailShare, openDeliveries } from './deliveries/index.ts'
import { openFeeds } from './feeds/index.ts'
import { followUp, followUpsIn } from './follow-ups/index.ts'
import { openDuty, openHandoff, type Table } from './handoff/index.ts'
import { openImports, sqliteImportStore, summariesIn } from './imports/index.ts'
import type { Kernel } from './kernel/index.ts'
import { openLearning } from './learning/index.ts'
import { openAssistants } from './mcp/index.ts'
import { openModels } from './models/index.ts'
import { openPush } from './notifications/index.ts'
import type { Known } from './persons.ts'
import { hasConsented, openPrivacy } from './privacy/index.ts'
import { sqliteReplyStore } from './replies/index.ts'
import { openReviews } from './reviews/index.ts'
import { openSatisfaction } from './satisfaction/index.ts'
import { openKnowledge, type Outside } from './sources/index.ts'
import { sqliteTeamStore } from './team/index.ts'
import { openTickets } from './tickets/index.ts'
import { openWebhooks } from './webhooks/index.ts'
import { sqliteWidgetStore } from './widget/index.ts'

/*
 * The features, each opened on the kernel and on those that it needs, and given nothing else. What a feature does in
 * the background, sends and ends is registered in its own `open.ts`, in the order in which they stand here: so it
 * begins, and in reverse order it ends.
 */

/** What features are opened with besides the kernel. */
interface Given {
  audit: AuditStore
  /** What features store about persons. */
  known: Known
  /** Overrides the hand-off state machine; tests only. */
  table?: Table | undefined
  /** Overrides for fetching and parsing sources; tests only. */
  outside?: Partial<Outside>
}

/** What agents know, say and do. */
function openTalk (kernel: Kernel, { table, outside = {} }: Pick<Given, 'table' | 'outside'>) {
  const business = sqliteBusinessStore(kernel)
  const knowledge = openKnowledge(kernel, { outside })
  const agents = openAgents(kernel)
  const agentOf = agents.live
  const duty = openDuty(kernel, { business, isFollowedUp: followUpsIn(kernel.db), table })
  const language = openModels(kernel)
  // The one circle: what is said leads to calls, whose outcomes are said. Calls are made once everything is open.
  const actions = openActions(kernel, { agentOf, conversations: () => conversations })
  const conversations: Conversations = openConversations(kernel, {
    agents,
    knowledge,
    models: language.models,
    handoff: duty.policy,
    momentOf: duty.momentOf,
    acting: actingWith(actions)
  })
  const trial = modelTrial(kernel, { language, agents, ledger: conversations.ledger })
  return { business, knowledge, agents, duty: duty.duty, language, actions, conversations, trial }
}

/** What goes on around conversations: people, tickets, learning, and who is told. */
function openAround (kernel: Kernel, talk: ReturnType<typeof openTalk>) {
  const { business, knowledge, agents, duty, conversations } = talk
  const agentOf = agents.live
  const handoff = openHandoff(kernel, { business, conversations, duty })
  const checks = openChecks(kernel, { agents, talk: conversations.talk })
  const learning = openLearning(kernel, { conversations })
  const feeds = openFeeds(kernel, { business, knowledge, checks, learning })
  // Opened before the imports themselves, which are applied as files are, and files name webhooks.
  const importStore = sqliteImportStore(kernel, knowledge)
  const share = mailShare(kernel)
  const tickets = openTickets(kernel, { agents, business, conversations, search: knowledge.search, share })
  const webhooks = openWebhooks(kernel, {
    business,
    agentOf,
    conversations,
    knowledge,
    tickets,
    agents,
    checks,
    feeds,
    imports: { summary: summariesIn(importStore) }
  })
  const push = openPush(kernel, { duty, visitors: conversations.visitors, agentOf })
  const mailing = { business, conversations, agentOf, hasConsented, unasked: tickets.unasked, share }
  followUp(kernel, mailing)
  const reviews = openReviews(kernel, { conversations })
  const satisfaction = openSatisfaction(kernel, mailing)
  return { handoff, checks, learning, feeds, importStore, tickets, webhooks, push, reviews, satisfaction }
}

/** Opens them all. */
export function openFeatures (kernel: Kernel, { audit, known, ...overrides }: Given) {
  forgetEvents(kernel)
  const talk = openTalk(kernel, overrides)
  const around = openAround(kernel, talk)
  const { business, knowledge, duty, language, actions, conversations } = talk
  const { handoff, tickets, webhooks, push, satisfaction } = around
  const access = openAccess(kernel, { business })
  const configAsCode = openConfig(kernel, {
    ...talk, checks: around.checks, webhooks: webhooks.store, sealChat: webhooks.sealChat, audit
  })
  const imports = openImports(kernel, { store: around.importStore, config: configAsCode, blobs: knowledge.blobs })
  const privacy = openPrivacy(kernel, {
    ...known,
    conversations,
    tickets: tickets.store,
    blobs: knowledge.blobs,
    exported: [
      handoff.exported.notes, tickets.exported, actions.exported, satisfaction.exported, handoff.exported.seen
    ],
    sent: [language, knowledge, webhooks, tickets, push, actions]
  })
  return {
    ...talk,
    ...around,
    notes: handoff.notes,
    seen: handoff.seen,
    lookers: handoff.lookers,
    nameForVisitors: handoff.nameForVisitors,
    audit,
    access: access.store,
    signIn: access.signIn,
    passkeys: access.passkeys,
    team: sqliteTeamStore({ ...kernel, ...access.links, forgetDuty: duty.forget, audit }),
    models: language.models,
    modelProviders: language.providers,
    deliveries: openDeliveries(kernel),
    webhooks: webhooks.store,
    sealChat: webhooks.sealChat,
    push: push.store,
    satisfaction: satisfaction.store,
    replies: sqliteReplyStore(kernel),
    analytics: sqliteAnalyticsStore(kernel),
    widget: sqliteWidgetStore(kernel),
    assistants: openAssistants(kernel, { audit }),
    configAsCode,
    imports,
    privacy
  }
}
