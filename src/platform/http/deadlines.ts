import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Refusal } from '../errors.ts'
import { askedBy, asking, type Asking } from '../storage/asking.ts'
import { answerBrokenRequest } from './odd-requests.ts'
import { linger } from './bodies/linger.ts'
import { bodyIsDue, hasBody, isConnected, slowSenders, type SlowestSender } from './bodies/slow-senders.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Milliseconds for the whole body to arrive, where 15 s are not enough: uploads. */
    receiveMs?: number
    /**
     * Milliseconds from then until the answer begins, where 10 s are not enough. Such a route, if it writes, calls
     * `request.commits()`.
     */
    answerMs?: number
  }
  interface FastifyRequest {
    deadline: NodeJS.Timeout | undefined
    /** Whether it may still be refused for taking too long, already was, or no longer can be. */
    fate: 'open' | 'refused' | 'committed'
    /**
     * To be called right before the one transaction of the request, where the route sets `answerMs`. From here on the
     * request is answered with its result, because what is refused must not happen afterwards; the transaction has a
     * limit of its own. Throws `unavailable` when the request was refused already.
     */
    commits (): void
    /** How long it waits for tables in another database server. */
    asking: Asking | undefined
  }
}

const RECEIVE_MS = 15_000
const ANSWER_MS = 10_000
/**
 * Share of the time for an answer that may be spent waiting for a remote database. The rest is for everything else, and
 * for the way there and back on a busy machine: the client gets its answer or its refusal within the whole time.
 */
const OF_TABLES = 0.8

/**
 * Every request has time limits, set by its route. Node's own limit for bodies and Fastify's for handlers are the same
 * for a small JSON text and for a file from a slow line, and Fastify's also cuts off a stream that a slow reader is
 * still reading: an answer that has begun is watched by the connection's idle timeout alone. Registered first, so that
 * refused requests are watched too. `tablesElsewhere`: the database is reached over a network.
 */
export const deadlines = fp<{
  stopping: AbortSignal, answerMs?: number, slowest?: SlowestSender, tablesElsewhere?: boolean
}>(async (app, { stopping, answerMs: usual = ANSWER_MS, slowest, tablesElsewhere = false }) => {
  const senders = slowSenders(bodyTooLate, slowest)
  app.addHook('onClose', async () => senders.stop())

  app.decorateRequest('deadline', undefined)
  app.decorateRequest('fate', 'open')
  app.decorateRequest('asking', undefined)
  app.decorateRequest('commits', function () {
    if (this.fate === 'refused') throw tookTooLong()
    this.fate = 'committed'
    clearTimeout(this.deadline)
  })

  app.addHook('onRequest', (request, reply, done) => {
    const { receiveMs = RECEIVE_MS, answerMs = usual } = request.routeOptions.config
    request.deadline = setTimeout(tooLate, hasBody(request.raw) ? receiveMs : answerMs, request, reply)
    if (isLong(request)) {
      // The connection's idle timeout would end it while the answer is prepared; slow senders are stopped by the
      // minimum rate.
      idleTimeout(request, 0)
      if (hasBody(request.raw)) senders.watch(request, reply)
    }
    if (!tablesElsewhere) return done()
    request.asking = asking(usual * OF_TABLES, { isLong: isLong(request) })
    askedBy(request.asking, done)
  })

  function startAnswering (request: FastifyRequest, reply: FastifyReply) {
    if (request.fate !== 'open' || reply.sent) return
    clearTimeout(request.deadline)
    request.deadline = setTimeout(tooLate, request.routeOptions.config.answerMs ?? usual, request, reply)
  }

  app.addHook('preValidation', (request, reply, done) => {
    // The handler reads the body itself.
    if (bodyIsDue(request.raw)) request.raw.once('end', startAnswering.bind(null, request, reply))
    // Without a body the time for the answer is running already.
    else if (hasBody(request.raw)) startAnswering(request, reply)
    done()
  })

  app.addHook('preHandler', (request, _reply, done) => {
    const { method, routeOptions: { config } } = request
    // Such a route does no more than its transaction.
    if (config.answerMs === undefined && method !== 'GET' && method !== 'HEAD') request.commits()
    done()
  })

  app.addHook('onSend', (request, reply, _payload, done) => {
    clearTimeout(request.deadline)
    request.asking?.answered()
    if (isLong(request)) idleTimeout(request, app.server.timeout)
    if (bodyIsDue(request.raw)) linger(request.raw, reply)
    else if (stopping.aborted) reply.header('connection', 'close')
    done()
  })
}, { name: 'deadlines' })

function isLong ({ routeOptions: { config } }: FastifyRequest): boolean {
  return config.receiveMs !== undefined || config.answerMs !== undefined
}

function idleTimeout ({ raw }: { raw: IncomingMessage }, ms: number) {
  if (isConnected(raw)) raw.socket.setTimeout(ms)
}

function tooLate (request: FastifyRequest, reply: FastifyReply) {
  if (reply.raw.headersSent) return
  request.fate = 'refused'
  if (bodyIsDue(request.raw)) bodyTooLate(request)
  else reply.send(tookTooLong())
}

function bodyTooLate (request: FastifyRequest) {
  answerBrokenRequest(
    Object.assign(new Error('The body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    request.raw.socket
  )
}

function tookTooLong () {
  return new Refusal('unavailable', 'The server took too long; try again in a few seconds.', {
    headers: { 'retry-after': '5' }
  })
}
