import type { IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'
import { release } from './release.ts'
import { isConnected } from './receive.ts'

/** A refused body up to this size is read and discarded, so that its connection can be reused. */
const SHORT = 65_536
const SHORT_MS = 15_000
/**
 * Of a longer one this much is discarded, for at most this time, so that its sender sees the answer and not a broken
 * connection.
 */
const SWALLOWED = 32 * 2 ** 20
const LINGER_MS = 5000

/**
 * Deals with the rest of a body that is answered before it is there; called before the answer's headers are sent. A
 * short one leaves its connection usable. After a longer one the connection ends as nginx ends it: closed with data
 * unread, the system would reset it, and a reset can overtake the answer, so incoming data is discarded for a while
 * first.
 */
export function linger (raw: IncomingMessage, reply: FastifyReply) {
  if (!isConnected(raw)) return
  const short = Number(raw.headers['content-length']) <= SHORT
  if (short) reply.removeHeader('connection')
  else closeLater(raw, reply)
  raw.unpipe().resume()
  const hangUp = setTimeout(() => raw.socket.destroy(), short ? SHORT_MS : LINGER_MS)
  const over = () => {
    clearTimeout(hangUp)
    // The connection may carry any number of further requests.
    raw.socket.off('close', over)
  }
  raw.once('end', over)
  raw.socket.once('close', over)
}

/** Asks the sender to close, and closes when all of the body has come; `linger` ensures that this is soon. */
function closeLater (raw: IncomingMessage, reply: FastifyReply) {
  const { socket } = raw
  const close = socket.destroySoon
  reply.header('connection', 'close')
  // What Node calls as soon as an answer with `close` is out; the other direction stays open until all has come.
  socket.destroySoon = () => { socket.end() }
  raw.once('end', () => {
    if (reply.raw.writableFinished) close.call(socket)
    else socket.destroySoon = close
  })
  let swallowed = 0
  raw.on('data', (piece: Buffer) => {
    // Beyond this nothing more is read, and the answer can be read there until the time is up.
    if ((swallowed += piece.length) > SWALLOWED) raw.pause()
    // Node may still be reading the body that this is part of.
    setImmediate(release, piece)
  })
}
