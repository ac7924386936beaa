import { statfsSync, statSync } from 'node:fs'
import type { Server } from 'node:http'
import path from 'node:path'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ConnectionRefusal } from './connections.ts'
import type { JobQueue } from '../work/jobs.ts'
import { isWithin } from '../work/within.ts'
import type { Commit, Database } from '../storage/sqlite/database.ts'
import { nothingHere, type RefusalCode } from '../errors.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const PIECES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

/** Counters and gauges of the server's parts, shown at `/metrics`. */
export interface Metrics {
  registry: Registry
  /** A counter for a feature; each call adds one, under its value of the label if there is one. */
  counter (name: string, help: string, label?: string): (value?: string) => void
  /** A request was answered. */
  answered (request: FastifyRequest, status: number, seconds: number): void
  refused (code: RefusalCode): void
  connectionRefused (why: ConnectionRefusal): void
  committed (commit: Commit): void
  /** From now on also reports the state of these, read when the metrics are requested. */
  watch (parts: { db: Database, server: Server, jobs: JobQueue }): void
  /** From now on also reports on the process: memory, processor time, the event loop's delay. Once per process. */
  watchProcess (): void
}

/** A separate registry, so that two servers in one process do not count each other's requests. */
export function createMetrics (version: string): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const histogram = <L extends string>(name: string, help: string, buckets: number[], labelNames: readonly L[] = []) =>
    new Histogram({ name: `agenthall_${name}`, help, buckets, labelNames, registers })
  const gauge = (name: string, help: string, value: () => number | Promise<number>) =>
    new Gauge({
      name: `agenthall_${name}`,
      help,
      registers,
      async collect () {
        this.set(await value())
      }
    })

  function counter (name: string, help: string, label?: string) {
    const counted = new Counter({
      name: `agenthall_${name}`, help, labelNames: label === undefined ? [] : [label], registers
    })
    return label === undefined ? () => counted.inc() : (value = '') => counted.inc({ [label]: value })
  }

  const requests = new Counter({
    name: 'agenthall_http_requests_total',
    help: 'Requests answered, by route and status',
    labelNames: ['method', 'route', 'status'],
    registers
  })
  const seconds = histogram(
    'http_request_seconds',
    'Seconds from the headers of a request to the end of its answer',
    SECONDS,
    ['method', 'route']
  )
  const pieces = histogram('commit_pieces', 'Pieces of work in a commit', PIECES)
  const waited = histogram('commit_wait_seconds', 'Seconds that the oldest piece of a commit waited for it', SECONDS)
  const took = histogram('commit_seconds', 'Seconds that a commit held the event loop', SECONDS)
  new Gauge({ name: 'agenthall_info', help: 'Which version runs', labelNames: ['version'], registers }).set(
    { version }, 1
  )

  return {
    registry,
    counter,
    answered ({ routeOptions: { url: route = 'unknown', method: methods } }, status, took) {
      const method = typeof methods === 'string' ? methods : 'any'
      requests.inc({ method, route, status })
      seconds.observe({ method, route }, took)
    },
    refused: counter('refusals_total', 'Requests refused, by error code', 'code'),
    connectionRefused: counter(
      'connections_refused_total',
      'Connections not taken, because of the limit for the server or for one address',
      'limit'
    ),
    committed (commit) {
      pieces.observe(commit.pieces)
      waited.observe(commit.waitedMs / 1000)
      took.observe(commit.tookMs / 1000)
    },
    watch ({ db, server, jobs }) {
      registry.registerMetric(
        new Gauge({
          name: 'agenthall_jobs',
          help: 'Jobs of the background work that wait, that run, and that were given up',
          labelNames: ['state'],
          registers: [],
          async collect () {
            for (const [state, count] of Object.entries(await jobs.counts())) this.set({ state }, count)
          }
        })
      )
      gauge('writes_waiting', 'Pieces of work waiting to be written', () => db.waiting())
      if (db.file !== undefined) watchFile(gauge, db.file)
      gauge(
        'connections',
        'Open connections',
        () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
      )
    },
    watchProcess: () => collectDefaultMetrics({ register: registry })
  }
}

/** Metrics of the data file, if there is one. */
function watchFile (gauge: (name: string, help: string, value: () => number) => void, file: string) {
  gauge('data_bytes', 'Size of the data file', () => sizeOf(file))
  gauge('wal_bytes', 'Size of the write-ahead log beside it', () => sizeOf(`${file}-wal`))
  gauge('disk_free_bytes', 'Free space where the data file is', () => freeSpace(path.dirname(file)))
}

function sizeOf (file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function freeSpace (directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

/**
 * Counts every answer, and serves the metrics at `/metrics` in Prometheus' text format. Unless `open`, only to this
 * machine itself: for anybody else the address does not exist. Registered before `collectMethods`, so that another
 * method does not reveal it.
 */
export const metricsRoute = fp<{ metrics: Metrics, open: boolean }>(async (app, { metrics, open }) => {
  app.addHook('onResponse', (request, reply, done) => {
    if (!isWithin()) metrics.answered(request, reply.statusCode, reply.elapsedTime / 1000)
    done()
  })
  app.get('/metrics', {
    schema: { hide: true },
    config: { permit: 'anyone' },
    onRequest: async (request) => {
      if (!open && !fromThisMachine(request)) throw nothingHere()
    }
  }, async (_request, reply) => reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()))
}, { name: 'metrics' })

/** The socket's address counts, not what a header claims; and a proxy on this machine does not count as its clients. */
function fromThisMachine ({ raw: { socket, headers } }: FastifyRequest): boolean {
  if (headers['x-forwarded-for'] ?? headers.forwarded ?? headers.via ?? headers['x-real-ip']) return false
  // A page in a browser on this machine asks from here too, with a host name that its owner has pointed here.
  if (!/^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(headers.host ?? 'localhost')) return false
  return /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '')
}
