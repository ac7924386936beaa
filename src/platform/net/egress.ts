import { lookup as dnsLookup } from 'node:dns/promises'
import type { Readable } from 'node:stream'
import type { Agent, Dispatcher } from 'undici'
import { hostList, readAddress } from './address.ts'
import { drop, unpacked } from './body.ts'
import { guardedConnector } from './connector.ts'
import type { Lookup } from './connector.ts'
import { EgressError, MAX_HEADER_BYTES, explained, invalidAddress, tooLate } from './egress-error.ts'
import { lazily } from '../lazily.ts'
import type { Pace } from './pace.ts'
import { paced } from './paced.ts'
import { streamed } from './streamed.ts'
import type { Mending, StreamLimits } from './streamed.ts'

export { EgressError, lastingOnly } from './egress-error.ts'
export type { Lookup } from './connector.ts'

/** Options of a request. */
export interface FetchOptions {
  /** The most bytes the answer may have, unpacked; a function is passed its content type. */
  maxBytes: number | ((contentType: string) => number)
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent to the requested origin only: a redirect to another origin keeps `accept` alone. */
  headers?: Record<string, string>
  body?: string | Uint8Array
  /**
   * The content types worth reading, in lower case; an answer without one counts as `application/octet-stream`.
   * Default: all.
   */
  contentTypes?: readonly string[]
  /**
   * `manual` returns a redirect instead of following it. Only GET and HEAD are followed. Default: `follow`, at most 5
   * times.
   */
  redirect?: 'follow' | 'manual'
  /** Return every status instead of failing with `http_status` for all but 2xx, 304 and, when manual, redirects. */
  anyStatus?: boolean
  /** Aborts with the signal's reason. */
  signal?: AbortSignal
}

/** An answer, read to its end. */
export interface FetchedBytes {
  /** Where the answer came from, after redirects. */
  url: string
  status: number
  /** Names in lower case; repeated ones joined by a comma. */
  headers: Record<string, string>
  /** `text/html`, without parameters; `application/octet-stream` where the answer says nothing. */
  contentType: string
  /** The address that a redirect leads to, if the answer is one; not checked yet. */
  location: string | null
  /** The body, unpacked. */
  bytes: Uint8Array
}

/** Options of a caller that streams the response. */
export interface StreamOptions {
  /** The most bytes the answer may have, unpacked. */
  maxBytes: number
  limits: StreamLimits
  /** Default: GET. */
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Transforms the body as it arrives, chosen by the headers of the answer; undefined: it is passed on unchanged. */
  mending?: (headers: Record<string, string>) => Mending | undefined
  /** Aborts with the signal's reason, also while the answer is being read. */
  signal?: AbortSignal
}

/** The only way for outgoing requests to leave the process. */
export interface Egress {
  /**
   * Fetches an address. Any port is allowed; what is refused is the destination of a connection: anything outside the
   * public internet, however it is spelt, redirected or resolved. Throws an EgressError, or the caller's own abort
   * reason.
   */
  fetch (address: string, options: FetchOptions): Promise<FetchedBytes>
  /**
   * Requests an address and returns the answer as soon as its headers have arrived, whatever its status; a redirect is
   * returned too, not followed. The same checks apply. Throws an EgressError or the caller's own abort reason, and so
   * does reading the body; cancelling the body closes its connection.
   */
  stream (address: string, options: StreamOptions): Promise<Response>
  /** Closes every connection, including those in use. */
  close (): Promise<void>
}

/** Options of the egress. */
export interface EgressParts {
  /** Hosts that may be private: `host` or `host:port`, exact. All other rules still apply to them. */
  allowedHosts: readonly string[]
  /** How the service identifies itself to others: `Agenthall/1.2.3`. */
  userAgent: string
  lookup?: Lookup
  /**
   * Milliseconds until the headers of one answer of `fetch` have arrived, and until everything has, redirects included.
   */
  limits?: { headersMs: number, totalMs: number }
  /** The pace at which streams are read; by default as they arrive. */
  pace?: Pace
}

const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
const RETRYABLE_STATUS = [408, 425, 429, 500, 502, 503, 504]
const LIMITS = { headersMs: 10_000, totalMs: 60_000 }

/** Builds the egress. Throws an Error when an allowed host cannot be parsed. */
export function egress ({ allowedHosts, userAgent, lookup = lookupAll, limits = LIMITS, pace }: EgressParts): Egress {
  const isOpen = hostList(allowedHosts)
  let agent: Agent | undefined
  let closed: Promise<void> | undefined
  // Loaded when the first request goes out.
  const connected = lazily(async () => {
    const undici = await import('undici')
    agent = new undici.Agent({
      connect: guardedConnector(undici.buildConnector, { isOpen, lookup, timeout: limits.headersMs }),
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveMaxTimeout: 10_000,
      // A stream has separate limits, which may be longer.
      headersTimeout: 0,
      bodyTimeout: 0
    })
    return agent
  })
  const streaming = lazily(async () => {
    const agent = await connected()
    return pace ? agent.compose(paced(pace)) : agent
  })
  const requestOver = (way: () => Promise<Dispatcher>): Request => async (url, { headers, ...asked }) =>
    await unless(
      asked.signal,
      (await way()).request({
        origin: url.origin,
        path: url.pathname + url.search,
        ...asked,
        headers: { 'user-agent': userAgent, 'accept-encoding': 'gzip, deflate, br', ...headers }
      })
    )
  const request = requestOver(connected)
  const requestStreamed = requestOver(streaming)

  return {
    async fetch (address, options) {
      const url = readAddress(address)
      if (!url) throw invalidAddress()
      const stop = new AbortController()
      const timer = setTimeout(() => stop.abort(tooLate(url)), limits.totalMs)
      const signal = AbortSignal.any(options.signal ? [stop.signal, options.signal] : [stop.signal])
      try {
        return await follow(url, options, inTime(request, limits.headersMs), signal)
      } catch (error) {
        options.signal?.throwIfAborted()
        throw error
      } finally {
        clearTimeout(timer)
        stop.abort()
      }
    },

    async stream (address, { maxBytes, limits, signal, mending, method = 'GET', headers = {}, body }) {
      const url = readAddress(address)
      if (!url) throw invalidAddress()
      return await streamed(url, { maxBytes, limits, signal, mending }, async (signal) => {
        const sent = body === undefined ? { headers } : sentOnce(headers, body)
        const answer = await requestStreamed(url, { method: method as Dispatcher.HttpMethod, ...sent, signal })
        return { status: answer.statusCode, headers: flat(answer.headers), body: answer.body }
      })
    },

    close: async () => await (closed ??= agent?.destroy())
  }
}

/** A body that is released once it is sent: the request is kept to the end of its answer, and would keep it too. */
function sentOnce (headers: Record<string, string>, body: string | Uint8Array) {
  let left: Uint8Array | undefined = typeof body === 'string' ? Buffer.from(body) : body
  const length = String(left.length)
  const pieces: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      async next () {
        const value = left
        left = undefined
        return value ? { value } : { done: true, value }
      }
    })
  }
  // undici accepts anything iterable; its types know streams alone.
  return { headers: { ...headers, 'content-length': length }, body: pieces as Readable }
}

const lookupAll: Lookup = (hostname) => dnsLookup(hostname, { all: true })

/** Requests one address once. */
type Request = (
  url: URL,
  asked: {
    method: Dispatcher.HttpMethod
    headers: Record<string, string>
    body?: string | Uint8Array | Readable | undefined
    signal: AbortSignal
  }
) => Promise<Dispatcher.ResponseData>

/** The same, with a time limit until the headers have arrived. */
function inTime (request: Request, headersMs: number): Request {
  return async (url, asked) => {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(tooLate(url)), headersMs)
    try {
      return await request(url, { ...asked, signal: AbortSignal.any([asked.signal, late.signal]) })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Requests an address and follows its redirects; each is checked separately. */
async function follow (
  start: URL, options: FetchOptions, request: Request, signal: AbortSignal
): Promise<FetchedBytes> {
  const { method = 'GET', body } = options
  let url = start
  let headers = options.headers ?? {}
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const answer = await request(url, { method, headers, body, signal }).catch((error) => {
      throw explained(error, url)
    })
    const location = REDIRECTS.includes(answer.statusCode) ? locationOf(answer.headers) : undefined
    if (location === undefined || options.redirect === 'manual' || (method !== 'GET' && method !== 'HEAD')) {
      return await readAnswer(url, answer, location, options).catch((error) => {
        throw explained(error, url)
      })
    }
    drop(answer.body)
    const next = readAddress(location, url)
    if (!next) throw invalidAddress()
    if (next.origin !== url.origin) headers = headers['accept'] ? { accept: headers['accept'] } : {}
    url = next
  }
  throw new EgressError(
    'too_many_redirects',
    `${start.host} redirects more than ${MAX_REDIRECTS} times. Use the final address.`
  )
}

async function readAnswer (
  url: URL, answer: Dispatcher.ResponseData, location: string | undefined, options: FetchOptions
): Promise<FetchedBytes> {
  const { statusCode: status, body } = answer
  const headers = flat(answer.headers)
  const [contentType = ''] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const type = contentType.trim() || 'application/octet-stream'
  const fetched = { url: url.href, status, headers, contentType: type, location: location ?? null }
  const handedBack = location !== undefined && options.redirect === 'manual'
  try {
    if (!options.anyStatus && !handedBack && status !== 304 && status >= 300) {
      const retryable = RETRYABLE_STATUS.includes(status)
      throw new EgressError('http_status', `${url.host} answered ${status} instead of sending the content.`, {
        status, retryable
      })
    }
    if (status < 300 && options.contentTypes && !options.contentTypes.includes(type)) {
      throw new EgressError('unsupported_content', `${url.host} sent ${type}, which cannot be read.`)
    }
    if (handedBack || options.method === 'HEAD' || status === 204 || status === 304) {
      return { ...fetched, bytes: new Uint8Array() }
    }
    const maxBytes = typeof options.maxBytes === 'number' ? options.maxBytes : options.maxBytes(type)
    return { ...fetched, bytes: await whole(unpacked(body, headers, maxBytes, url)) }
  } finally {
    drop(body)
  }
}

async function whole (pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

/**
 * Settles like the work, or rejects with the signal's reason if that comes first: a host may take forever to resolve.
 */
export function unless<T> (signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason)
    if (signal.aborted) give()
    signal.addEventListener('abort', give, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give))
  })
}

/** Where a redirect leads. Headers arrive as bytes, one per character; unescaped ones are meant as UTF-8. */
function locationOf (headers: Record<string, string | string[] | undefined>): string | undefined {
  const [location] = [headers['location']].flat()
  return location && Buffer.from(location, 'latin1').toString()
}

function flat (headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
}
