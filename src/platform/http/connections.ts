import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'
import fp from 'fastify-plugin'
import { askedBy, asking, type Asking } from '../storage/asking.ts'
import { answerBrokenRequest } from './odd-requests.ts'
import { linger } from './bodies/linger.ts'
import { bodyIsDue, hasBody, isConnected, type SlowestSender, slowSenders } from './bodies/receive.ts'

/** Why a connection was not taken: the server's limit, or that of its address. */
export type ConnectionRefusal = 'server' | 'address'

/** Limits on connections. */
interface ConnectionLimits {
  /** In total. */
  most: number
  /** From one address; 0: no limit. */
  perAddress: number
  /** What counts as one address. */
  blockOf: (address: string) => string
  /** Called for every connection that was not accepted. */
  onRefused: (why: ConnectionRefusal) => void
}

/** Connections above the limits that may be open at the same time to be answered; more are dropped at once. */
const MAX_REFUSED = 64
/** Milliseconds within which such a connection must send its one request. */
const REFUSED_MS = 5000

/**
 * Counts connections, and marks those above the limits. A reset tells a client nothing, so they are read and answered
 * once, by `refuseConnection`. The address is the socket's: a header can claim anything. Returns whether a connection
 * is above a limit.
 */
export function limitConnections (
  server: Server, { most, perAddress, blockOf, onRefused }: ConnectionLimits
): (socket: Socket) => boolean {
  const open = new Map<string, number>()
  const refused = new Set<Socket>()
  let taken = 0
  server.maxConnections = most + MAX_REFUSED
  server.on('drop', () => onRefused('server'))
  server.on('connection', (socket: Socket) => {
    const block = blockOf(socket.remoteAddress ?? '')
    const fromBlock = open.get(block) ?? 0
    if (taken >= most) return refuse(socket, 'server')
    if (perAddress > 0 && fromBlock >= perAddress) return refuse(socket, 'address')
    taken++
    open.set(block, fromBlock + 1)
    socket.once('close', () => {
      taken--
      const left = open.get(block)! - 1
      if (left) open.set(block, left)
      else open.delete(block)
    })
  })

  function refuse (socket: Socket, why: ConnectionRefusal) {
    onRefused(why)
    if (refused.size >= MAX_REFUSED) {
      socket.destroy()
      return
    }
    refused.add(socket)
    const timer = setTimeout(() => socket.destroy(), REFUSED_MS)
    socket.once('close', () => {
      clearTimeout(timer)
      refused.delete(socket)
    })
  }

  return (socket) => refused.has(socket)
}

/** Answers the one request of a connection above the limits; throws `unavailable`. */
export function refuseConnection (request: FastifyRequest, reply: FastifyReply): never {
  reply.header('connection', 'close').header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
  throw new Refusal('unavailable', 'Too many connections are open; close some, or try again in a few seconds.', {
    headers: { 'retry-after': '5' }
  })
}

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
