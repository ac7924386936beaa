import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import type { RefusalCode } from '../errors.ts'

type Answer = [status: number, reason: string, code: RefusalCode, message: string]

const NOT_A_PROXY: Answer = [
  405, 'Method Not Allowed', 'method_not_allowed', 'This server is not a proxy: it does not answer CONNECT.'
]
const UNKNOWN_EXPECT: Answer = [
  417, 'Expectation Failed', 'expectation_failed',
  'This server supports no Expect but 100-continue. Send the request without it.'
]

function answerOf ({ code }: { code?: string }): Answer {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return [408, 'Request Timeout', 'unavailable', 'The request did not arrive in time.']
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return [431, 'Request Header Fields Too Large', 'payload_too_large', 'The request headers are too large.']
  }
  return [400, 'Bad Request', 'malformed_json', 'The request is not valid HTTP.']
}

/**
 * Answers what is not even HTTP, or was never completed, in the same format, and closes the connection. Returns the
 * code it answered, if it still could.
 */
export function answerBrokenRequest (error: Error & { code?: string }, socket: Socket): RefusalCode | undefined {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return undefined
  }
  const answer = answerOf(error)
  hangUpWith(socket, answer)
  return answer[2]
}

/** Answers requests that Node does not pass on, in the usual format. `onRefusal` is called for each. */
export function answerOddRequests (server: Server, onRefusal: (code: RefusalCode) => void) {
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    onRefusal(NOT_A_PROXY[2])
    socket.on('error', () => socket.destroy())
    hangUpWith(socket, NOT_A_PROXY, 'Allow: GET, HEAD, POST, PUT, DELETE, OPTIONS\r\n')
  })
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    onRefusal(UNKNOWN_EXPECT[2])
    const body = bodyOf(UNKNOWN_EXPECT)
    response
      .writeHead(UNKNOWN_EXPECT[0], { ...JSON_HEADERS, 'content-length': Buffer.byteLength(body), connection: 'close' })
      .end(body)
  })
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' }

function hangUpWith (socket: Duplex, answer: Answer, more = '') {
  const [status, reason] = answer
  const body = bodyOf(answer)
  const headers = Object.entries({ ...JSON_HEADERS, 'content-length': Buffer.byteLength(body), connection: 'close' })
    .map(([name, value]) => `${name}: ${value}\r\n`).join('')
  // Ending is not enough: a client that keeps sending would hold the connection.
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${headers}${more}\r\n${body}`, () => socket.destroy())
}

function bodyOf ([status, , code, message]: Answer): string {
  return JSON.stringify({ error: { code, message, status, fields: {} } })
}
