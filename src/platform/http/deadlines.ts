import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Refusal } from '../errors.ts'
import { answerBrokenRequest } from './answers.ts'
import { linger } from './linger.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Milliseconds for the whole body to arrive, where 15 s are too few: uploads. Where the handler reads the body itself, also for its answer. */
    receiveMs?: number
    /** Milliseconds from then until the answer begins, where 10 s are too few. */
    answerMs?: number
  }
  interface FastifyRequest {
    deadline: NodeJS.Timeout | undefined
  }
}

const RECEIVE_MS = 15_000
const ANSWER_MS = 10_000

/**
 * No request may take for ever, and each route says what that means for it. Node's own limit for bodies and Fastify's for
 * handlers are the same for a small JSON text and for a file from a slow line, and Fastify's also cuts off a stream that
 * a slow reader is still reading: an answer that has begun is watched by the connection's idle timeout alone.
 * Registered first, so that refused requests are watched too.
 */
export const deadlines = fp<{ stopping: AbortSignal }>(async (app, { stopping }) => {
  app.decorateRequest('deadline', undefined)

  app.addHook('onRequest', (request, reply, done) => {
    const { receiveMs = RECEIVE_MS, answerMs = ANSWER_MS } = request.routeOptions.config
    request.deadline = setTimeout(tooLate, hasBody(request.raw) ? receiveMs : answerMs, request, reply)
    done()
  })

  app.addHook('preValidation', (request, reply, done) => {
    if (hasBody(request.raw) && !bodyIsDue(request.raw)) {
      clearTimeout(request.deadline)
      request.deadline = setTimeout(tooLate, request.routeOptions.config.answerMs ?? ANSWER_MS, request, reply)
    }
    done()
  })

  app.addHook('onSend', (request, reply, _payload, done) => {
    clearTimeout(request.deadline)
    if (bodyIsDue(request.raw)) linger(request.raw, reply)
    else if (stopping.aborted) reply.header('connection', 'close')
    done()
  })
}, { name: 'deadlines' })

function hasBody ({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0')
}

function bodyIsDue (raw: IncomingMessage): boolean {
  return hasBody(raw) && !raw.readableEnded
}

function tooLate (request: FastifyRequest, reply: FastifyReply) {
  if (reply.raw.headersSent) return
  if (bodyIsDue(request.raw)) {
    answerBrokenRequest(Object.assign(new Error('The body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), request.raw.socket)
  } else {
    reply.send(new Refusal('unavailable', 'The server took too long; try again in a few seconds.', { headers: { 'retry-after': '5' } }))
  }
}
