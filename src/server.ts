import { setMaxListeners } from 'node:events'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { SECRETS, UNNAMED, linkTo } from './access/index.ts'
import { addressOf, buildApp, listenedAt } from './app.ts'
import type { Config } from './config.ts'
import { installedFrom, modelSettings, plainUrl } from './models/index.ts'
import { systemClock } from './platform/clock.ts'
import type { DatabaseOptions } from './platform/storage/sqlite/database.ts'
import { drain, type DrainTimes } from './platform/http/drain.ts'
import { errorCode, Refusal } from './platform/errors.ts'
import { logOptions, type LogStream } from './platform/http/log.ts'
import { createMetrics } from './platform/http/metrics.ts'
import { backupApart, durationMs, scheduleBackups } from './platform/storage/sqlite/scheduled-backups.ts'
import type { Announced } from './platform/storage/sqlite/disk/lock.ts'
import { nextTurn } from './platform/work/turns.ts'
import { openStores, type Stores } from './stores.ts'
import { VERSION } from './version.ts'
import { keepWarm } from './warm-up.ts'
import { VISITOR_SECRETS } from './widget/index.ts'

/** A running server, and how to stop it. */
export interface Running {
  /** Where it can be reached, without a trailing slash. */
  address: string
  app: FastifyInstance
  /** Key of the first user when this start made one. */
  firstKey: string | undefined
  /**
   * Lets that user choose a password and sign in: single use, valid for 30 minutes. A new one at each start until
   * somebody has used the first.
   */
  firstLink: string | undefined
  /** Finishes pending work, folds the write-ahead log into the file and closes it. Safe to call again. */
  close (times?: DrainTimes): Promise<void>
}

/** Options that no setting and no environment variable can change: only code that starts the server. */
interface StartOptions {
  /** Whether to log, or where to other than standard output. */
  log?: boolean | LogStream
  /** How the benchmark measures what durability costs. */
  database?: Pick<DatabaseOptions, 'synchronous' | 'grouped'> | undefined
  /** Passed the server before anybody can reach it. If it is closed from then on, it closes once it has come up. */
  beforeListening?: ((server: Stoppable) => void) | undefined
}

/** What stopping a server needs. */
type Stoppable = Pick<Running, 'app' | 'close'>

/**
 * Where lines go. Not pino's own stream: when nobody reads any more, that retries its last line endlessly, and the
 * process never ends.
 */
const streamOf = (log: true | LogStream) => log === true ? process.stdout : log

const NEIGHBOURS_AWAY =
  'Redis (AGENTHALL_REDIS) does not answer: each server counts limits for itself, and answers of other servers are shown when they are complete'
const NEIGHBOURS_REACHED = 'Redis answers'

/** For how long a set-up link that another server has shown is left as it is. */
const SHOWN_MS = 60_000

/** The user that the first start creates. */
const FIRST_USER = 1

/** Opens the data, listens, and creates the first user of a new installation. */
export async function startServer (
  config: Config, { log = true, database, beforeListening }: StartOptions = {}
): Promise<Running> {
  const clock = systemClock()
  const metrics = createMetrics(VERSION)
  const stores = await openStores({ config, clock, serving: true, onCommit: metrics.committed, ...database })
  const stopping = new AbortController()
  // One for each open stream.
  setMaxListeners(0, stopping.signal)
  const logger =
    log !== false &&
    logOptions(config.LOG_LEVEL, { secrets: [...SECRETS, ...VISITOR_SECRETS], stream: streamOf(log) })
  const app = await buildApp({ config, stores, clock, stopping: stopping.signal, metrics, logger })
  stores.neighbours.onReach((isReachable) => app.log.warn(isReachable ? NEIGHBOURS_REACHED : NEIGHBOURS_AWAY))
  const { stoppable, up } = stoppableOnceUp(app)
  beforeListening?.(stoppable)
  try {
    // For the name, Fastify would open a second server on the other localhost, which nobody would drain.
    await app.listen({ port: config.PORT, host: config.HOST === 'localhost' ? '127.0.0.1' : config.HOST })
  } catch (error) {
    await app.close()
    await stores.close()
    up.reject(error)
    throw cannotListen(error, config)
  }
  metrics.watchProcess()
  await stores.work((err, job) => app.log.error({ err, job }, 'background work failed'), app.log)
  const welcome = await stores.access.createFirstUser({ name: UNNAMED })
  const link = await (welcome ? stores.signIn.makeLink(welcome.user.id) : renewedLink(stores))
  const address = addressOf(app, config)
  stores.announce({ address, listens: listenedAt(app, config), models: modelsIn(config) })
  const backups = config.BACKUP_EVERY && scheduleBackups({
    everyMs: durationMs(config.BACKUP_EVERY),
    keep: config.BACKUP_KEEP,
    folder: config.BACKUP_DIR || path.join(config.DATA, 'backups'),
    make: backupApart(config.DATA),
    clock,
    log: app.log
  })

  async function close (times?: DrainTimes) {
    stopping.abort()
    if (backups) await backups.stop()
    const cut = await drain(app.server, clock, times)
    if (cut) app.log.warn({ connections: cut }, 'cut off connections that did not end in time')
    await app.close()
    await stores.close()
  }

  up.resolve(close)
  warmUp(app, stores, stopping.signal)
  return { ...stoppable, address, firstKey: welcome?.key, firstLink: link && linkTo(address, link.token) }
}

/**
 * Prepares what the first visitor would wait for; and what everyone else would, as soon as somebody has come: an idle
 * server has no use for it. The list of agents, which everybody requests first, is prepared at once.
 */
function warmUp (app: FastifyInstance, { db, eventBus }: Stores, signal: AbortSignal) {
  const onFault = (err: unknown) => app.log.error({ err }, 'tables were not created')
  const ahead = async (isWanted: (url: string) => boolean) => {
    const steps = app.compileAhead(isWanted)
    do await nextTurn()
    while (!signal.aborted && !steps.next().done)
  }
  keepWarm({
    db,
    eventBus,
    beside: () => app.compileAhead((url) => url.startsWith('/v1/widget/')),
    signal,
    onFault
  })
  app.onFirstUse((url) => !url.startsWith('/v1/widget/'), () => { ahead(() => true).catch(onFault) })
  ahead((url) => /^\/v1\/agents(?:\/:id)?\/?$/.test(url)).catch(onFault)
}

/**
 * Renews the first user's link while nobody has used it. None if there is no room to write: a server that has come up
 * can still delete, and the next start makes one.
 */
async function renewedLink ({ signIn, leads, neighbours }: Stores) {
  if (!leads()) return undefined
  try {
    // Where several start, a second link would replace the one that another has shown a moment ago.
    return await signIn.renewUnused(FIRST_USER, neighbours.isAlone ? 0 : SHOWN_MS)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'storage_full') return undefined
    throw error
  }
}

/** The installation's models, for other processes on this machine: no key, and no password in an address. */
function modelsIn (config: Config): Announced['models'] {
  return installedFrom(modelSettings(config)).map(({ models, from, provider }) => (
    { models, from, url: plainUrl(provider.url) }
  ))
}

/** Stops a server once it is `up`, which resolves with how to close it; if rejected, it never was. */
function stoppableOnceUp (app: FastifyInstance) {
  const up = Promise.withResolvers<Running['close']>()
  // Nobody may be waiting for it.
  up.promise.catch(() => {})
  let closed: Promise<void> | undefined
  const stoppable: Stoppable = {
    app,
    close (times) {
      closed ??= up.promise.then((close) => close(times))
      return closed
    }
  }
  return { stoppable, up }
}

/** Why the server could not listen, as a sentence for the person who started it. */
function cannotListen (error: unknown, { HOST, PORT }: Config): unknown {
  const sentence = {
    EADDRINUSE: `Port ${PORT} on ${HOST} is already in use. Stop what uses it, or choose another with --port or AGENTHALL_PORT.`,
    EACCES: `This user may not listen on port ${PORT}. Choose one above 1023 with --port or AGENTHALL_PORT, and put a proxy in front for 80 and 443.`,
    EADDRNOTAVAIL: `This machine has no address ${HOST}. Choose another with --host or AGENTHALL_HOST; 0.0.0.0 is all of them.`,
    ENOTFOUND: `There is no address for the name ${HOST}. Choose another with --host or AGENTHALL_HOST.`
  }[errorCode(error)]
  return sentence ? new Refusal('unavailable', sentence, { cause: error }) : error
}

/** What running a server needs of the process; tests pass their own. */
export type Host = Pick<NodeJS.Process, 'on'> & { exit (code: number): void }

/**
 * Runs until the process is asked to stop: the first SIGTERM or SIGINT lets the server finish and exits with 0, a
 * second exits at once. An uncaught fault leaves the process in an unknown state, so it finishes and exits with 1.
 */
export function runUntilTold ({ app, close }: Stoppable, host: Host) {
  let stopping = false

  async function stop (exitCode: number) {
    if (stopping) return
    stopping = true
    try {
      await close({ graceMs: 1000 })
      app.log.info('stopped')
      host.exit(exitCode)
    } catch (error) {
      app.log.fatal({ err: error }, 'could not stop cleanly')
      host.exit(1)
    }
  }

  for (const [signal, number] of [['SIGTERM', 15], ['SIGINT', 2]] as const) {
    host.on(signal, () => {
      if (stopping) return host.exit(128 + number)
      app.log.info({ signal }, 'stopping: finishing what has begun')
      stop(0)
    })
  }
  // An unhandled rejection arrives here too.
  host.on('uncaughtException', (error, origin) => {
    app.log.fatal({ err: error, origin }, 'an uncaught error')
    stop(1)
  })
}
