import { randomBytes } from 'node:crypto'
import type { AddressInfo, Socket } from 'node:net'
import type { Server } from 'node:http'
import Fastify, { LogController, type FastifyHttpOptions, type FastifyInstance } from 'fastify'
import { security, signInRoutes } from './access/index.ts'
import type { Id } from '../schema/common.ts'
import { consolePages } from './console/index.ts'
import { openFront } from './handoff/index.ts'
import { here, usualAddress, type Config } from './config.ts'
import { DESCRIPTION, GROUPS, QUICK_START, SAMPLE_HEADER } from './description.ts'
import type { Clock } from './platform/clock.ts'
import { lazily } from './platform/lazily.ts'
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
import { media, sourceFiles } from './sources/index.ts'
import { challengeOf, GIVEN, mcpRoutes, oauthRoutes } from './mcp/index.ts'
import { securityWithVisitors, widget } from './widget/index.ts'
import { ratingPage } from './satisfaction/index.ts'
import { plansOf } from './plans/index.ts'
import type { Stores } from './stores.ts'
import { acceptRoute } from './team/index.ts'
import { WEBHOOK_DOCUMENT } from './webhooks/index.ts'
import { VERSION } from './version.ts'
import { inboundRoutes } from './tickets/index.ts'
import { accessOf, admit, type Admission } from './admission.ts'
import { identified } from './routes.ts'

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

/** Assistants, which call the API through tools; without a key they are sent how to get access. */
async function assistants (mcp: FastifyInstance, { address, ...admission }: Admission & { address: () => string }) {
  mcp.addHook('onSend', async ({ headers }, reply) => {
    if (reply.statusCode !== 401) return
    reply.header('www-authenticate', challengeOf(address(), headers.authorization !== undefined))
  })
  await admit(mcp, admission)
  await mcp.register(mcpRoutes, { baseUrl: address, version: VERSION })
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
    // The most that any route may request; the limits of each are in platform/http/connections.ts.
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
