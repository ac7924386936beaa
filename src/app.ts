import { randomBytes } from 'node:crypto'
import type { AddressInfo, Socket } from 'node:net'
import type { Server } from 'node:http'
import Fastify, { LogController, type FastifyHttpOptions, type FastifyInstance } from 'fastify'
import {
  apiKeyRoutes, identifier, identify, openPasskeys, openPasswords, openSignIn, meRoutes, permit, security, signInRoutes
} from './access/index.ts'
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
import { consolePages } from './console/index.ts'
import { goingLiveRoutes } from './going-live/index.ts'
import { handoffRoutes, openFront } from './handoff/index.ts'
import { here, usualAddress, type Config } from './config.ts'
import { DESCRIPTION, GROUPS, QUICK_START, SAMPLE_HEADER } from './description.ts'
import type { Clock } from './platform/clock.ts'
import { lazily } from './platform/lazily.ts'
import type { Neighbours } from './platform/neighbours/contract.ts'
import { addressBlock } from './platform/net/address.ts'
import { deadlines, limitConnections, refuseConnection } from './platform/http/connections.ts'
import { cors } from './platform/http/cors.ts'
import { docs } from './platform/http/docs.ts'
import { health } from './platform/http/health.ts'
import {
  answerBrokenAddress, answers, collectMethods, oneOfBothPrefixes, refuseOtherMethods
} from './platform/http/answers.ts'
import { acceptJson } from './platform/http/bodies/json.ts'
import { bodies, type BodyOptions } from './platform/http/bodies/receive.ts'
import { spillFolder } from './platform/http/bodies/spill.ts'
import { answerBrokenRequest, answerOddRequests } from './platform/http/odd-requests.ts'
import { requestLines } from './platform/http/log.ts'
import { createMetrics, metricsRoute, type Metrics } from './platform/http/metrics.ts'
import { compileOnFirstUse } from './platform/http/on-first-use.ts'
import { eventStreams, type EventStreams } from './platform/http/sse.ts'
import { everyRouteSaysWho } from './platform/http/permit.ts'
import { createWithSources, knowledgeRoutes, media, sourceFiles } from './sources/index.ts'
import { assistantRoutes, challengeOf, GIVEN, mcpRoutes, oauthRoutes } from './mcp/index.ts'
import { pushRoutes } from './notifications/index.ts'
import { modelProviderRoutes } from './models/index.ts'
import { securityWithVisitors, widget, widgetKeyRoutes } from './widget/index.ts'
import { analyticsRoutes } from './analytics/index.ts'
import { learningRoutes } from './learning/index.ts'
import { replyRoutes } from './replies/index.ts'
import { reviewRoutes } from './reviews/index.ts'
import { ratingPage, satisfactionRoutes } from './satisfaction/index.ts'
import { privacyRoutes } from './privacy/index.ts'
import { liveFacts } from './live-facts.ts'
import { planRoutes, plansOf, throttle } from './plans/index.ts'
import type { Stores } from './stores.ts'
import { acceptRoute, teamRoutes } from './team/index.ts'
import { WEBHOOK_DOCUMENT, webhookRoutes } from './webhooks/index.ts'
import { VERSION } from './version.ts'
import { inboundRoutes, ticketsRoutes } from './tickets/index.ts'

type HttpOptions = FastifyHttpOptions<Server>

/** Dependencies of the app. */
interface AppParts {
  config: Config
  stores: Stores
  clock: Clock
  /** Aborted when the server accepts no further requests. Anything endless, such as a stream of events, then ends. */
  stopping?: AbortSignal
  metrics?: Metrics
  /** pino's options, or false. */
  logger?: HttpOptions['logger']
  /** Collects the routes into an OpenAPI document. A server does not: it serves the one that is checked in. */
  isDescribed?: boolean
}

/** The whole service, in the order in which a request passes through it. */
export async function buildApp ({
  config, stores, clock, stopping = new AbortController().signal, metrics = createMetrics(VERSION), logger = false,
  isDescribed = false
}: AppParts): Promise<FastifyInstance> {
  const app = Fastify(httpOptions(config, metrics, logger))
  const mediaUrl = () => config.MEDIA_URL || `${addressOf(app, config)}/media`
  const access = accessOf({ config, stores, clock, metrics })
  const streams = eventStreams({ notifier: stores.notifier, closing: stopping })
  const onLimit = metrics.counter('rate_limited_total', 'Requests over the rate limit, by tier', 'tier')
  const plans = plansOf({
    rateLimits: config.RATE_LIMITS,
    trainingLimits: config.TRAINING_LIMITS,
    storageLimits: config.STORAGE_LIMITS,
    agentLimits: config.AGENT_LIMITS
  })
  const admission = { plans, neighbours: stores.neighbours, onLimit, access }

  guard(app, config, stores, metrics)
  await app.register(deadlines, { stopping, tablesElsewhere: config.DATABASE !== '' })
  await app.register(bodies, bodyOptions(config, stores))
  await app.register(requestLines, { about: ({ caller }) => ({ user: caller?.user.id }) })
  await app.register(answers, { onRefusal: metrics.refused })
  await app.register(everyRouteSaysWho)
  await app.register(cors)
  await app.register(metricsRoute, { metrics, open: config.METRICS === 'open' })
  await app.register(collectMethods)
  if (isDescribed) await describe(app)
  await app.register(health, { db: stores.db, stopping })
  await app.register(docs, { begins: QUICK_START, header: SAMPLE_HEADER })
  await app.register(consolePages)
  await app.register(media, {
    files: [sourceFiles(stores.knowledge.store), stores.conversations.attachments.at], blobs: stores.knowledge.blobs
  })
  await app.register(ratingPage, { satisfaction: stores.satisfaction })
  await app.register(widget, widgetParts(config, stores, { streams, clock, mediaUrl }))
  await app.register(signInRoutes, { ...access, prefix: '/v1' })
  await app.register(acceptRoute, { ...access, prefix: '/v1' })
  const address = () => addressOf(app, config)
  await app.register(identified, { prefix: '/v1', ...admission, config, stores, clock, streams, mediaUrl, address })
  await app.register(oauthRoutes, { ...access, ...stores.assistants, baseUrl: address, permissions: GIVEN })
  await app.register(assistants, { ...admission, address })
  await app.register(inboundRoutes, { prefix: '/v1', inbox: stores.tickets.inbox, baseUrl: address })
  await app.register(refuseOtherMethods)
  return app
}

async function describe (app: FastifyInstance) {
  const { openapi } = await import('./platform/http/openapi.ts')
  await app.register(openapi, {
    version: VERSION,
    description: DESCRIPTION,
    groups: GROUPS,
    security: securityWithVisitors(security),
    webhooks: WEBHOOK_DOCUMENT
  })
}

/** What applies to every connection and request, before any route. */
function guard (app: FastifyInstance, config: Config, { db, jobs }: Stores, metrics: Metrics) {
  const isAboveLimits = limitConnections(app.server, {
    most: config.MAX_CONNECTIONS,
    perAddress: config.MAX_CONNECTIONS_PER_ADDRESS,
    blockOf: addressBlock,
    onRefused: metrics.connectionRefused
  })
  app.addHook('onRequest', async (request, reply) => {
    if (isAboveLimits(request.raw.socket)) refuseConnection(request, reply)
  })
  answerOddRequests(app.server, metrics.refused)
  metrics.watch({ db, server: app.server, jobs })
  compileOnFirstUse(app)
  acceptJson(app)
}

/** What decides which requests are let in. */
interface Admission {
  /** What accounts may use, by their tier. */
  plans: ReturnType<typeof plansOf>
  neighbours: Neighbours
  /** Called for each request over the rate limit. */
  onLimit: (tier?: string) => void
  access: ReturnType<typeof accessOf>
}

interface IdentifiedParts extends Admission, Pick<AppParts, 'config' | 'stores' | 'clock'> {
  streams: EventStreams
  mediaUrl: () => string
  /** Where clients reach the server. */
  address: () => string
}

/** Who asks, how often, and may they: before all routes that take a key or a session. */
async function admit (routes: FastifyInstance, { plans, neighbours, onLimit, access }: Admission) {
  await routes.register(identify, access)
  await routes.register(throttle, { plans, neighbours, onLimit })
  await routes.register(permit)
}

/** Assistants, which call the API through tools; without a key they are sent how to get access. */
async function assistants (mcp: FastifyInstance, { address, ...admission }: Admission & { address: () => string }) {
  mcp.addHook('onSend', async ({ headers }, reply) => {
    if (reply.statusCode !== 401) return
    reply.header('www-authenticate', challengeOf(address(), headers.authorization !== undefined))
  })
  await admit(mcp, admission)
  await mcp.register(mcpRoutes, { baseUrl: address, version: VERSION })
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

/** Everything that takes a key or a session: who asks, how often, may they, and the routes. */
async function identified (
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

/** What visitors of widgets receive, and how much of it. */
function widgetParts (
  config: Config,
  {
    widget: store, actions, agents, conversations, tickets, satisfaction, nameForVisitors, knowledge: { blobs, topics },
    neighbours, notifier, business, duty, seen
  }: Stores,
  rest: { streams: EventStreams, clock: Clock, mediaUrl: () => string }
) {
  const {
    WIDGET_MESSAGES_PER_MINUTE: messagesPerMinute,
    WIDGET_MESSAGES_PER_DAY: messagesPerDay,
    WIDGET_SESSIONS_PER_MINUTE: sessionsPerMinute,
    WIDGET_ANSWERS_PER_MINUTE: answersPerMinute,
    CITY_HEADER: cityHeader
  } = config
  return {
    store,
    actions,
    agentOf: async (owner: Id, agent: Id) => (await agents.get(owner, agent))?.agent,
    conversations,
    satisfaction,
    tickets,
    blobs,
    neighbours,
    notifier,
    nameForVisitors,
    seen,
    front: openFront({ business, duty, nameForVisitors, clock: rest.clock }),
    topics,
    cityHeader,
    ...rest,
    limits: { messagesPerMinute, messagesPerDay, sessionsPerMinute, answersPerMinute }
  }
}

/** Who is asking, and how people sign in. */
function accessOf ({
  config, stores, clock, metrics
}: Pick<Required<AppParts>, 'config' | 'stores' | 'clock' | 'metrics'>) {
  const baseUrl = config.BASE_URL
  const callers = identifier({
    ...stores,
    clock,
    baseUrl,
    failuresPerMinute: config.AUTH_FAILURES,
    onFailure: metrics.counter('authentication_failures_total', 'Requests without a valid key or session')
  })
  const passwords = openPasswords()
  const signIn = openSignIn({ ...stores, store: stores.signIn, passwords, callers, clock })
  return {
    callers,
    signIn,
    passwords,
    clock,
    store: stores.signIn,
    team: stores.team,
    passkeys: openPasskeys({ ...stores, callers, baseUrl }),
    stores,
    baseUrl
  }
}

/** How request bodies are received. */
function bodyOptions (config: Config, { db, space }: Stores): BodyOptions {
  return {
    folder: lazily(() => spillFolder(db.directory)),
    limits: { memory: config.BODY_MEMORY_MIB * 2 ** 20, disk: config.BODY_DISK_MIB * 2 ** 20 },
    accountOf: ({ caller }) => caller?.account.id,
    checkRoom: () => space?.check({ frees: false, reusable: () => 0 })
  }
}

/**
 * Where clients reach the server, without a trailing slash: the setting, or where it listens; this machine if that is
 * on all addresses.
 */
export function addressOf (app: FastifyInstance, config: Config): string {
  const listening = app.server.address() as AddressInfo | null
  return usualAddress({ ...config, PORT: listening?.port ?? config.PORT })
}

/** Host and port where this machine reaches the server. */
export function listenedAt (app: FastifyInstance, { HOST, PORT }: Config): string {
  const listening = app.server.address() as AddressInfo | null
  return here(HOST, listening?.port ?? PORT)
}

/** All of Fastify's options are set here, so that tests run what production runs. */
function httpOptions (config: Config, metrics: Metrics, logger: HttpOptions['logger']): HttpOptions {
  const process = randomBytes(6).toString('base64url')
  let requests = 0
  return {
    logger,
    // Fastify's own lines show addresses with their query; ours are in platform/http/log.ts.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => `${process}-${(++requests).toString(36)}`,
    requestIdHeader: false,
    rewriteUrl: oneOfBothPrefixes,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 64 },
    bodyLimit: 262_144,
    // The most that any route may request; the limits of each are in platform/http/deadlines.ts.
    requestTimeout: 600_000,
    // Of silence. Node may allow it twice to a reader whose last write went out in part, so this closes within 60 s.
    connectionTimeout: 20_000,
    keepAliveTimeout: 5000,
    maxRequestsPerSocket: 0,
    // Ours is in platform/http/answers.ts.
    http: {
      requireHostHeader: false, headersTimeout: 10_000, connectionsCheckingInterval: 1000, maxHeaderSize: 16_384
    },
    trustProxy: config.TRUST_PROXY.length > 0 && config.TRUST_PROXY,
    frameworkErrors: answerBrokenAddress,
    clientErrorHandler: ((error: Error, socket: Socket) => {
      const code = answerBrokenRequest(error, socket)
      if (code) metrics.refused(code)
    }) as never,
    forceCloseConnections: 'idle',
    return503OnClosing: true
  }
}
