import type { TSchema } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import type { AgentRecord } from '../schema/agents.ts'
import { VersionSummary } from '../schema/versions.ts'
import type { AgentStore } from './agents/index.ts'
import { CheckRun } from '../schema/checks.ts'
import { Feed, KnowledgeGaps } from '../schema/feeds.ts'
import { ImportSummary } from '../schema/imports.ts'
import type { Id } from '../schema/common.ts'
import { Conversation, Message } from '../schema/conversations.ts'
import { KnowledgeSource } from '../schema/knowledge.ts'
import { LINK_MAIL, linkMailSender, type SignInRows } from './access/index.ts'
import type { BusinessStore, SealChat } from './business/index.ts'
import type { Checks } from './checks/index.ts'
import { openGapsMail, type Feeds } from './feeds/index.ts'
import { summaryOf, type ImportStore } from './imports/index.ts'
import { usualAddress, type Config } from './config.ts'
import { linkedBelow, type Conversations } from './conversations/index.ts'
import { deliveryRoutes, openDeliveries, type Deliveries } from './deliveries/index.ts'
import { clientsOver, type ClientOf } from './mcp/index.ts'
import type { DutyStore } from './handoff/index.ts'
import { openPush, pushRoutes, type PushStore } from './notifications/index.ts'
import type { Clock } from './platform/clock.ts'
import { hostList } from './platform/net/address.ts'
import { egress } from './platform/net/egress.ts'
import { openSmtp } from './platform/net/smtp.ts'
import { outsideOnly } from './platform/net/outside.ts'
import type { Database } from './platform/storage/sqlite/database.ts'
import type { Secrets } from './platform/storage/secrets.ts'
import type { Jobs } from './platform/storage/sqlite/jobs.ts'
import type { Idempotency } from './platform/storage/sqlite/idempotency.ts'
import type { Outbox } from './platform/storage/sqlite/outbox.ts'
import type { Vault } from './platform/storage/vault.ts'
import type { EventBus } from './platform/work/event-bus.ts'
import type { Notifier } from './platform/work/notifier.ts'
import { DELIVER, deliverer, type Sender } from './platform/work/outbox.ts'
import type { Worker } from './platform/work/worker.ts'
import type { Sent } from './privacy/index.ts'
import type { Knowledge, Log } from './sources/index.ts'
import {
  addressOfProvider, bareAddress, openTickets, shownTicket, ticketsRoutes, type Tickets
} from './tickets/index.ts'
import { VERSION } from './version.ts'
import {
  chatSealing, openTeamChat, openWebhooks, webhookRoutes, type LookUp, type WebhookStore
} from './webhooks/index.ts'

/** Wires everything that sends data out: webhooks, tickets, mail, chat, notifications. */
export interface Outward {
  deliveries: Deliveries
  webhooks: WebhookStore
  tickets: Tickets
  push: PushStore
  /** Seals the address of a team's chat. */
  sealChat: (owner: Id) => SealChat
  /** Identifies assistants that request access. */
  clientOf: ClientOf
  /** Creates agenthall.key at the first start; `log` receives a warning when it is lost. */
  prepare (log?: Log): Promise<void>
  /** Where it sends what visitors said. */
  hosts (owner: number): Promise<Sent[]>
  close (): Promise<void>
}

/** Dependencies. */
interface OutwardNeeds {
  config: Config
  business: BusinessStore
  vault: Vault
  rows: SignInRows
  db: Database
  clock: Clock
  idempotency: Idempotency
  eventBus: EventBus
  outbox: Outbox
  senders: Record<string, Sender>
  worker: Worker
  conversations: Conversations
  duty: DutyStore
  knowledge: Knowledge
  secrets: Secrets
  jobs: Jobs
  notifier: Notifier
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
  agents: Pick<AgentStore, 'version' | 'renameProvider'>
  checks: Pick<Checks, 'store'>
  feeds: Pick<Feeds, 'store' | 'gaps'>
  imports: Pick<ImportStore, 'get'>
  log: Log
  onFault: (error: unknown) => void
}

/** Opens it on the stores' parts, before the worker starts. */
export function openOutward (
  { config, conversations, knowledge, checks, feeds, imports, agents, ...parts }: OutwardNeeds
): Outward {
  const { db, clock, outbox, senders, worker, business, vault } = parts
  const out = egress({ allowedHosts: config.ALLOWED_HOSTS, userAgent: `Agenthall/${VERSION}` })
  const check = outsideOnly(config.ALLOWED_HOSTS)
  worker.handle(DELIVER, deliverer(outbox, senders))
  const deliveries = openDeliveries({ outbox, senders, clock, worker })
  const tickets = openTickets({
    ...parts,
    renameInAgents: agents.renameProvider,
    conversations,
    vault,
    check,
    out,
    search: knowledge.search,
    mail: { smtp: config.SMTP_URL, from: config.MAIL_FROM, imap: config.IMAP_URL }
  })
  const webhooks = openWebhooks({
    ...parts,
    vault,
    check,
    out,
    lookUp: lookingUp(conversations, knowledge, tickets, { checks, feeds, imports, agents }, config)
  })
  const address = () => usualAddress(config)
  openTeamChat({ ...parts, vault, out, address })
  const push = openPush({
    ...parts, vault, check, out, visitors: conversations.visitors, isOn: config.WEB_PUSH, contact: contactOf(config)
  })
  if (sendsMail(config)) {
    const from = bareAddress(config.MAIL_FROM)
    const smtp = openSmtp(config.SMTP_URL)
    senders[LINK_MAIL] = linkMailSender({
      ...parts, smtp, from, mac: (text) => vault.mac('mailed links', text), address
    })
    openGapsMail({ ...parts, smtp, from, address, gaps: feeds.gaps })
  }
  return {
    deliveries,
    sealChat: chatSealing(vault, check),
    clientOf: clientsOver({ out, clock, mayBePlain: openedBy(config.ALLOWED_HOSTS) }),
    webhooks,
    tickets,
    push,
    prepare: async (log) => await db.atomically(function * () { vault.prepare() }).catch(
      (error) => log?.warn({}, error.message)
    ),
    hosts: async (owner) => [
      ...(await webhooks.list(owner)).map(({ url }): Sent => ({ url, purpose: 'webhooks' })),
      ...(await tickets.providers.list(owner)).map((provider): Sent => ({
        url: addressOfProvider(provider), purpose: 'tickets'
      })),
      ...(await push.hosts(owner)).map((host): Sent => ({ url: `https://${host}`, purpose: 'push' })),
      ...teamChat((await business.get(owner)).team_chat_host),
      ...(sendsMail(config) ? [{ url: config.SMTP_URL, purpose: 'mail' as const }] : [])
    ],
    close: async () => await out.close()
  }
}

/** Whether an address has a host that the operator has opened: an assistant under development may run there. */
function openedBy (allowedHosts: readonly string[]): (address: string) => boolean {
  const isOpen = hostList(allowedHosts)
  return (address) => {
    const { hostname, port } = new URL(address)
    return isOpen(hostname, port || '80')
  }
}

/** Its routes that take a key. */
export const outwardRoutes: FastifyPluginAsync<{
  outward: Pick<Outward, 'deliveries' | 'webhooks' | 'tickets' | 'push'>
}> = async (app, { outward: { deliveries, webhooks, tickets, push } }) => {
  await app.register(deliveryRoutes, { deliveries })
  await app.register(ticketsRoutes, { tickets })
  await app.register(webhookRoutes, { webhooks, deliveries })
  await app.register(pushRoutes, { push })
}

/** Looks up what events are about, in the form the API shows it. */
function lookingUp (
  { store }: Conversations, knowledge: Knowledge, tickets: Tickets,
  { checks, feeds, imports, agents }: Pick<OutwardNeeds, 'checks' | 'feeds' | 'imports' | 'agents'>,
  { MEDIA_URL, BASE_URL }: Config
): LookUp {
  const linked = linkedBelow(() => MEDIA_URL || `${BASE_URL}/media`)
  return {
    conversation: async (owner, { conversation = '' }) => only(Conversation, await store.get(owner, conversation)),
    async message (owner, { conversation = '', message = '' }) {
      const found = await store.message(owner, conversation, message)
      return found && only(Message, linked(found))
    },
    source: async (owner, { source = 0 }, agent) =>
      only(KnowledgeSource, await knowledge.store.get(owner, agent ?? 0, source)),
    feed: async (owner, { feed = 0 }, agent) => only(Feed, await feeds.store.get(owner, agent ?? 0, feed)),
    gaps: async (owner, _refs, agent) => only(KnowledgeGaps, await feeds.gaps(owner, agent ?? 0)),
    async import (owner, { import: id = 0 }) {
      const kept = await imports.get(owner, id)
      return kept && only(ImportSummary, summaryOf(kept))
    },
    version: async (owner, { version = 0 }, agent) =>
      only(VersionSummary, await agents.version(owner, agent ?? 0, version)),
    run: async (owner, { run = 0 }, agent) => only(CheckRun, await checks.store.run(owner, agent ?? 0, run)),
    async ticket (owner, { ticket = '' }) {
      const kept = await tickets.store.get(owner, ticket)
      return kept && shownTicket(kept)
    }
  }
}

/** Whether mail goes out. */
export const sendsMail = ({ SMTP_URL, MAIL_FROM }: Config) => SMTP_URL !== '' && MAIL_FROM !== ''

/** Contact for a push service about what is sent to it; Apple's accepts nothing without it. */
function contactOf ({ BASE_URL, MAIL_FROM }: Config): string | undefined {
  if (BASE_URL.startsWith('https://')) return BASE_URL
  return MAIL_FROM === '' ? undefined : `mailto:${bareAddress(MAIL_FROM)}`
}

const teamChat = (host: string | null): Sent[] => host === null
  ? []
  : [{
      url: `https://${host}`, purpose: 'team_chat'
    }]

/** Only those fields of a record that an answer may show. */
function only ({ properties }: TSchema, record: object | undefined): object | undefined {
  return record && Object.fromEntries(Object.entries(record).filter(([name]) => name in properties))
}
