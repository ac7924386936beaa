import type { ConnectionRecord } from '../../../schema/actions.ts'
import type { Clock } from '../../platform/clock.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import { EgressError, type Egress, type FetchedBytes } from '../../platform/net/egress.ts'
import { readAddress } from '../../platform/net/address.ts'
import { mayAsk } from '../connections/decide.ts'
import type { Asked, Failure, OpenConnection, Sending, Sent } from '../contract.ts'
import { codesOf, failureOf, failureWith, UnsentError } from './failure.ts'
import { openTokens } from './tokens.ts'
import { digestOf, openMcp } from './mcp.ts'
import { picked, pickedFrom } from './pick.ts'
import { nested, proofOf, requestOf, type Request } from './request.ts'

const MOST_HOPS = 3
/** For a look-up and a try, of which only the status counts. */
const MOST_CHECKED = 65_536
const CHECK_MS = 10_000
/** A look-up is worth the whole time. */
const LOOK_UP_MS = 20_000
/** Failures of connections that were never made: nothing was sent. */
const NOT_SENT = /^(?:ECONNREFUSED|ENOTFOUND|ENODATA|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/

/**
 * Sends what was decided. A write is sent once: without a response it is `unknown`. A read is retried once. Redirects
 * of a write are not followed, those of a read only to the connection's own hosts.
 */
export function openSending ({ out, clock, version }: {
  out: Pick<Egress, 'fetch'>
  clock: Clock
  /** This server, as introduced to MCP servers. */
  version: string
}): Sending {
  const tokens = openTokens({ out, clock })

  async function ask (connection: OpenConnection, request: Request, most: Most): Promise<FetchedBytes> {
    if (connection.auth !== 'oauth_client') return await askWith(connection.opened(), connection, request, most)
    const { token, isKept } = await tokens.of(connection, most.until)
    const answer = await askWith(token, connection, request, most)
    if (answer.status !== 401) return answer
    tokens.forget(connection, token)
    // A request that was not authorized had no effect: it is sent once more, with the same key.
    return isKept ? await ask(connection, request, most) : answer
  }

  async function askWith (
    secret: string | null, connection: OpenConnection, request: Request, most: Most
  ): Promise<FetchedBytes> {
    const proof = proofOf(connection, secret)
    let url = request.url
    for (let hops = 0; ; hops++) {
      if (!mayAsk(connection, url)) throw new UnsentError('host_not_allowed', notAllowed(url))
      const answer = await out.fetch(url, {
        method: request.method,
        headers: { ...request.headers, ...(isAtBase(connection, url) && proof) },
        ...(request.body !== undefined && { body: request.body }),
        maxBytes: most.bytes,
        redirect: 'manual',
        anyStatus: true,
        signal: most.until
      })
      const next = answer.location === null ? undefined : readAddress(answer.location, new URL(url))?.href
      if (request.method !== 'GET' || next === undefined || hops === MOST_HOPS) return answer
      url = next
    }
  }

  const mcpAt = async (connection: OpenConnection, most: Most) =>
    await openMcp(connection.base_url, (request) => ask(connection, request, most), version)

  /** Calls a tool, once, if it is unchanged since it was switched on. */
  async function onceByMcp (asked: Asked): Promise<Sent> {
    const { connection, action, values, key } = asked
    const began = clock.monotonic()
    const sent = (rest: Omit<Sent, 'ms'>): Sent => ({ ...rest, ms: Math.max(0, Math.round(clock.monotonic() - began)) })
    const until = AbortSignal.timeout(action.limits.timeout_ms)
    const most = { bytes: MOST_LISTED, until }
    let isCalled = false
    try {
      const server = await mcpAt(connection, most)
      const tools = new Map((await server.tools()).map((tool) => [tool.name, digestOf(tool)]))
      if (tools.get(action.path) !== action.schema_digest) {
        return sent({ state: 'failed', status: null, result: null, ...TOOL_CHANGED, tools })
      }
      isCalled = true
      most.bytes = action.result.max_bytes
      const done = await server.call(action.path, nested(Object.entries(values)), key)
      return 'error' in done
        ? sent({
          state: done.isLost ? 'unknown' : 'failed',
          status: null,
          result: null,
          ...done.isLost ? lostAfter(done) : { error: done.error, error_code: done.error_code }
        })
        : sent({ state: 'done', status: 200, result: pickedFrom(action.result.pick, done.result), ...NO_FAILURE })
    } catch (error) {
      // Before it was called nothing was done.
      return isCalled ? sent(failedWith(asked, error)) : sent({ ...failedWith(asked, error), state: 'failed' })
    }
  }

  async function once (asked: Asked, request: Request): Promise<Sent> {
    const began = clock.monotonic()
    const sent = (rest: Omit<Sent, 'ms'>): Sent => ({ ...rest, ms: Math.max(0, Math.round(clock.monotonic() - began)) })
    const until = AbortSignal.timeout(asked.action.limits.timeout_ms)
    try {
      const answer = await ask(asked.connection, request, { bytes: asked.action.result.max_bytes, until })
      return sent(read(asked, answer))
    } catch (error) {
      return sent(failedWith(asked, error))
    }
  }

  async function checkMcp (connection: OpenConnection): Promise<Sent> {
    const began = clock.monotonic()
    const sent = (rest: Omit<Sent, 'ms' | 'result'>): Sent =>
      ({ ...rest, result: null, ms: Math.max(0, Math.round(clock.monotonic() - began)) })
    try {
      const server = await mcpAt(connection, { bytes: MOST_LISTED, until: AbortSignal.timeout(CHECK_MS) })
      const tools = new Map((await server.tools()).map((tool) => [tool.name, digestOf(tool)]))
      return sent({ state: 'done', status: 200, ...NO_FAILURE, tools })
    } catch (error) {
      return sent({ state: 'failed', status: null, ...failureOf(error) })
    }
  }

  return {
    async send (asked) {
      const isMcp = asked.connection.kind === 'mcp'
      const send = isMcp ? () => onceByMcp(asked) : () => once(asked, requestOf(asked))
      const first = await send()
      const isAgain = asked.action.effect === 'read' && first.state === 'unknown' && !isMcp
      const last = isAgain ? await send() : first
      // For reads it does not matter whether they were done.
      return asked.action.effect === 'read' && last.state === 'unknown' ? { ...last, state: 'failed' } : last
    },

    async lookUp (asked) {
      const { connection, action: { lookup }, key } = asked
      const began = clock.monotonic()
      const lost = (status: number | null): Sent => ({
        state: 'unknown', status, ms: Math.round(clock.monotonic() - began), result: null, error: LOST, error_code: 'no_answer'
      })
      if (lookup === null) return lost(null)
      const request: Request = {
        method: 'GET',
        url: `${connection.base_url}${lookup.replaceAll('{key}', encodeURIComponent(key))}`,
        headers: { accept: 'application/json' },
        body: undefined
      }
      const until = AbortSignal.timeout(LOOK_UP_MS)
      try {
        const answer = await ask(connection, request, { bytes: asked.action.result.max_bytes, until })
        if (answer.status === 404) {
          const error = 'It was not done: the other side has no record of it.'
          return { ...lost(404), state: 'failed', error, error_code: 'not_found' }
        }
        return answer.status === 200 ? { ...lost(200), ...read(asked, answer) } : lost(answer.status)
      } catch {
        return lost(null)
      }
    },

    async tools (connection) {
      const server = await mcpAt(connection, { bytes: MOST_LISTED, until: AbortSignal.timeout(LOOK_UP_MS) })
        .catch((error: unknown) => { throw invalid({ field: 'connection', message: failureOf(error).error }) })
      return await server.tools()
    },

    async check (connection) {
      if (connection.kind === 'mcp') return await checkMcp(connection)
      const began = clock.monotonic()
      const sent = (rest: Pick<Sent, 'state' | 'status' | 'error' | 'error_code'>): Sent =>
        ({ ...rest, result: null, ms: Math.max(0, Math.round(clock.monotonic() - began)) })
      const request: Request = {
        method: 'GET', url: connection.base_url, headers: { accept: 'application/json' }, body: undefined
      }
      try {
        const { status } = await ask(connection, request, { bytes: MOST_CHECKED, until: AbortSignal.timeout(CHECK_MS) })
        if (status === 401 || status === 403) {
          const error = `It answered ${status}: the secret is not accepted.`
          return sent({ state: 'failed', status, error, error_code: 'denied' })
        }
        // Few APIs serve anything at their root; any response counts.
        return status >= 500
          ? sent({ state: 'failed', status, error: `It answered ${status}. Check the other side.`, error_code: 'server_error' })
          : sent({ state: 'done', status, ...NO_FAILURE })
      } catch (error) {
        return sent({ state: 'failed', status: null, ...failureOf(error) })
      }
    }
  }
}

/** Maximum response size, and the deadline. */
interface Most { bytes: number, until: AbortSignal }

/** Of what an MCP server says of its tools. */
const MOST_LISTED = 1_048_576
const TOOL_CHANGED: Failure = {
  error: 'The tool has changed since it was switched on. It is off until somebody has checked it.',
  error_code: 'tool_changed'
}
const NO_FAILURE = { error: null, error_code: null }
const LOST = 'It was sent, and no answer came: it may have been done. It is not sent again.'
/** Of a write that may have been done all the same; its state says so too. */
const lostAfter = ({ error, error_code: code }: Failure): Failure => ({ error: `${error} ${LOST}`, error_code: code })

/** Only the connection's hosts are contacted, and only its own host receives credentials. */
function isAtBase ({ base_url: base }: Pick<ConnectionRecord, 'base_url'>, url: string): boolean {
  return new URL(base).origin === new URL(url).origin
}

const notAllowed = (url: string) =>
  `${readAddress(url)?.host ?? 'That address'} is not among the connection's allowed_hosts.`

/** The outcome of a response. A write answered with a server error may have been done. */
function read ({ action }: Asked, { status, contentType, bytes }: FetchedBytes): Omit<Sent, 'ms'> {
  if (status >= 200 && status < 300) {
    const result = picked(action.result.pick, contentType, Buffer.from(bytes).toString())
    return result !== undefined || action.effect === 'write'
      ? { state: 'done', status, result: result ?? null, ...NO_FAILURE }
      : { state: 'failed', status, result: null, error: 'The answer is not valid JSON.', error_code: 'unreadable' }
  }
  const failure = failureWith(status)
  const isOpen = status >= 500 || status === 408 || status === 302 || status === 303
  return { state: isOpen ? 'unknown' : 'failed', status, result: null, ...isOpen ? lostAfter(failure) : failure }
}

/** The outcome of a failed request: certain only if nothing can have been sent. */
function failedWith ({ action }: Asked, error: unknown): Omit<Sent, 'ms'> {
  const failure = failureOf(error)
  const isCertain = !isSent(error) || (action.effect === 'read' && !isWorthwhile(error))
  const told = isCertain || action.effect === 'read' ? failure : lostAfter(failure)
  return { state: isCertain ? 'failed' : 'unknown', status: null, result: null, ...told }
}

/** Whether a read may be retried. */
const isWorthwhile = (error: unknown) => error instanceof EgressError && error.retryable

function isSent (error: unknown): boolean {
  if (error instanceof Refusal) return false
  if (!(error instanceof EgressError)) return true
  if (error.code === 'address_refused' || error.code === 'invalid_address') return false
  return error.code !== 'unreachable' || !codesOf(error).some((code) => NOT_SENT.test(code))
}
