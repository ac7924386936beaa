import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The minimum rate of a sender: bytes per interval, and its length in milliseconds. */
export interface SlowestSender { bytes: number, everyMs: number }

/** 4 KiB a second, slower than any line that somebody would upload over. */
const SLOWEST: SlowestSender = { bytes: 60 * 1024, everyMs: 15_000 }

/** Whether a request comes with a body. */
export function hasBody ({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined ||
    (headers['content-length'] !== undefined && headers['content-length'] !== '0')
  )
}

/** Whether some of a request's body has not been read yet. */
export function bodyIsDue (raw: IncomingMessage): boolean {
  return hasBody(raw) && !raw.readableEnded
}

/** Whether a request came through a connection: what tests inject did not. */
export function isConnected ({ socket }: IncomingMessage): boolean {
  return 'bytesRead' in socket
}

/**
 * Watches bodies that are granted much time: without a minimum rate, a few bytes now and then would hold what was sent
 * before for all of it. `onSlow` is called with a sender that stays below; time in which the server itself does not
 * read does not count.
 */
export function slowSenders (onSlow: (request: FastifyRequest) => void, { bytes, everyMs }: SlowestSender = SLOWEST) {
  const watched = new Map<FastifyRequest, { read: number, since: number }>()
  let timer: NodeJS.Timeout | undefined

  function look () {
    const now = performance.now()
    for (const [request, { read, since }] of watched) {
      const { raw } = request
      if (raw.complete) forget(request)
      else if (raw.readableLength === 0 && now - since < everyMs) continue
      else if (raw.readableLength === 0 && raw.socket.bytesRead - read < bytes) {
        forget(request)
        onSlow(request)
      } else watched.set(request, { read: raw.socket.bytesRead, since: now })
    }
  }

  function forget (request: FastifyRequest) {
    watched.delete(request)
    if (watched.size === 0) stop()
  }

  function stop () {
    clearInterval(timer)
    timer = undefined
  }

  return {
    /** Watches a request until its whole body has arrived, or it is answered. */
    watch (request: FastifyRequest, reply: FastifyReply) {
      const { raw } = request
      if (!isConnected(raw)) return
      watched.set(request, { read: raw.socket.bytesRead, since: performance.now() })
      timer ??= setInterval(look, everyMs / 15)
      reply.raw.once('close', () => forget(request))
    },
    stop
  }
}
