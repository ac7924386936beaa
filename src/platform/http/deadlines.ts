import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Refusal } from '../errors.ts'
import { answerBrokenRequest } from './odd-requests.ts'
import { linger } from './bodies/linger.ts'
import { bodyIsDue, hasBody, isConnected, slowSenders, type SlowestSender } from './bodies/slow-senders.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Milliseconds for the whole body to arrive, where 15 s are too few: uploads. */
    receiveMs?: number
    /**
     * Milliseconds from then until the answer begins, where 10 s are too few. Such a route that writes calls
     * `request.commits()`.
     */
    answerMs?: number
  }
  interface FastifyRequest {
    deadline: NodeJS.Timeout | undefined
    /** Whether it may still be refused for taking too long, was, or can no longer be. */
    fate: 'open' | 'refused' | 'committed'
    /**
     * To be called right before the one transaction that does what was asked, where the route says `answerMs`. From
     * here on the request is answered with what comes of it, for what is refused must not happen afterwards; the
     * transaction has a limit of its own. Throws `unavailable` when the request was refused already.
     */
    commits (): void
  }
}

const RECEIVE_MS = 15_000
const ANSWER_MS = 10_000

/**
 * No request may take for ever, and each route says what that means for it. Node's own limit for bodies and Fastify's
 * for handlers are the same for a small JSON text and for a file from a slow line, and Fastify's also cuts off a stream
 * that a slow reader is still reading: an answer that has begun is watched by the connection's idle timeout alone.
 * Registered first, so that refused requests are watched too.
 */
export const deadlines = fp<{
  stopping: AbortSignal, answerMs?: number, slowest?: SlowestSender
}>(async (app, { stopping, answerMs: usual = ANSWER_MS, slowest }) => {
  const senders = slowSenders(bodyTooLate, slowest)
  app.addHook('onClose', async () => senders.stop())

  app.decorateRequest('deadline', undefined)
  app.decorateRequest('fate', 'open')
  app.decorateRequest('commits', function () {
    if (this.fate === 'refused') throw tookTooLong()
    this.fate = 'committed'
    clearTimeout(this.deadline)
  })

  app.addHook('onRequest', (request, reply, done) => {
    const { receiveMs = RECEIVE_MS, answerMs = usual } = request.routeOptions.config
    request.deadline = setTimeout(tooLate, hasBody(request.raw) ? receiveMs : answerMs, request, reply)
    if (isLong(request)) {
      // The connection's idle timeout would end it while the answer is being made; who sends too slowly ends by the
      // rate.
      idleTimeout(request, 0)
      if (hasBody(request.raw)) senders.watch(request, reply)
    }
    done()
  })

  function startAnswering (request: FastifyRequest, reply: FastifyReply) {
    if (request.fate !== 'open' || reply.sent) return
    clearTimeout(request.deadline)
    request.deadline = setTimeout(tooLate, request.routeOptions.config.answerMs ?? usual, request, reply)
  }

  app.addHook('preValidation', (request, reply, done) => {
    // The handler reads the body itself.
    if (bodyIsDue(request.raw)) request.raw.once('end', startAnswering.bind(null, request, reply))
    // Without a body the time for the answer runs already.
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
