import { lookup as dnsLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import type { Agent, buildConnector } from 'undici'
import { hostList, isPrivate, plainHost, readAddress } from './address.ts'
import { lazily } from '../lazily.ts'

/** Why a request outward failed. */
export type EgressCode = 'invalid_address' | 'address_refused' | 'unreachable' | 'timeout' | 'too_large' | 'too_many_redirects' | 'unsupported_content' | 'http_status'

/** A request outward failed. The message is a sentence for a person; `retryable` says whether trying later may help. */
export class EgressError extends Error {
  readonly code: EgressCode
  readonly retryable: boolean
  /** The status of the answer, for `http_status`. */
  readonly status: number | null

  constructor (code: EgressCode, message: string, { retryable = false, status = null, cause }: { retryable?: boolean, status?: number | null, cause?: unknown } = {}) {
    super(message, { cause })
    this.name = 'EgressError'
    this.code = code
    this.retryable = retryable
    this.status = status
  }
}

/** What a caller asks for. */
export interface FetchOptions {
  /** The most bytes the answer may have, unpacked; a function is asked with its content type. */
  maxBytes: number | ((contentType: string) => number)
  method?: 'GET' | 'HEAD' | 'POST'
  /** Sent to the asked origin only: a redirect to another origin keeps `accept` alone. */
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** The content types worth reading, in lower case; an answer without one counts as `application/octet-stream`. Default: all. */
  contentTypes?: readonly string[]
  /** `manual` hands a redirect back instead of following it. Only GET and HEAD are followed. Default: `follow`, at most 5 times. */
  redirect?: 'follow' | 'manual'
  /** Hand back every status instead of failing with `http_status` for all but 2xx, 304 and, when manual, redirects. */
  anyStatus?: boolean
  /** Gives up with the signal's reason. */
  signal?: AbortSignal
}

/** An answer, read to its end. */
export interface Fetched {
  /** Where the answer came from, after redirects. */
  url: string
  status: number
  /** Names in lower case; repeated ones joined by a comma. */
  headers: Record<string, string>
  /** `text/html`, without parameters; `application/octet-stream` where the answer says nothing. */
  contentType: string
  /** The address a redirect leads to, where the answer is one; not checked yet. */
  location: string | null
  /** The body, unpacked. */
  bytes: Uint8Array
}

/** The only way out of the process. */
export interface Egress {
  /**
   * Asks an address for what it holds. Ports are free; what is refused is where a connection would end: outside the public
   * internet, however it is spelt, redirected or resolved. Throws an EgressError, or the caller's own reason to stop.
   */
  fetch (address: string, options: FetchOptions): Promise<Fetched>
  /** Closes every connection, those in use too. */
  close (): Promise<void>
}

/** Turns a host name into all its IP addresses. */
export type Lookup = (hostname: string) => Promise<Array<{ address: string, family: number }>>

/** What the way out needs to know. */
export interface EgressParts {
  /** Hosts that may be private: `host` or `host:port`, exact. Every other rule still holds for them. */
  allowedHosts: readonly string[]
  /** How the service names itself to others: `Agenthall/1.2.3`. */
  userAgent: string
  lookup?: Lookup
  /** Milliseconds until the headers of one answer are there, and until everything is there, redirects included. */
  limits?: { headersMs: number, totalMs: number }
}

const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
const MAX_HEADER_BYTES = 16 * 1024
/** Packed data may be a little larger than what it unpacks to; more than this is somebody stalling. */
const PACKING_BYTES = 64 * 1024
const RETRYABLE_STATUS = [408, 425, 429, 500, 502, 503, 504]

/** Builds the only way out. Throws an Error when an allowed host cannot be read. */
export function egress ({ allowedHosts, userAgent, lookup = (hostname) => dnsLookup(hostname, { all: true }), limits = { headersMs: 10_000, totalMs: 60_000 } }: EgressParts): Egress {
  const isOpen = hostList(allowedHosts)
  let agent: Agent | undefined
  // Loaded when the first request goes out.
  const connected = lazily(async () => {
    const undici = await import('undici')
    agent = new undici.Agent({
      connect: guardedConnector(undici.buildConnector, isOpen, lookup, limits.headersMs),
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveMaxTimeout: 10_000
    })
    return agent
  })

  async function answerOf (url: URL, headers: Record<string, string>, { method = 'GET', body }: FetchOptions, signal: AbortSignal) {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(tooLate(url)), limits.headersMs)
    const either = AbortSignal.any([signal, late.signal])
    try {
      return await unless(either, (await connected()).request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        body,
        signal,
        headers: { 'user-agent': userAgent, 'accept-encoding': 'gzip, deflate, br', ...headers }
      }))
    } finally {
      clearTimeout(timer)
    }
  }

  async function follow (start: URL, options: FetchOptions, signal: AbortSignal): Promise<Fetched> {
    let url = start
    let headers = options.headers ?? {}
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const answer = await answerOf(url, headers, options, signal).catch((error) => { throw explained(error, url) })
      const location = REDIRECTS.includes(answer.statusCode) ? locationOf(answer.headers) : undefined
      if (location === undefined || options.redirect === 'manual' || options.method === 'POST') {
        return await readAnswer(url, answer.statusCode, flat(answer.headers), location, answer.body, options)
          .catch((error) => { throw explained(error, url) })
      }
      drop(answer.body)
      const next = readAddress(location, url)
      if (!next) throw invalidAddress()
      if (next.origin !== url.origin) headers = headers['accept'] ? { accept: headers['accept'] } : {}
      url = next
    }
    throw new EgressError('too_many_redirects', `${start.host} redirects more than ${MAX_REDIRECTS} times. Use the address where it ends.`)
  }

  return {
    async fetch (address, options) {
      const url = readAddress(address)
      if (!url) throw invalidAddress()
      const stop = new AbortController()
      const timer = setTimeout(() => stop.abort(tooLate(url)), limits.totalMs)
      try {
        return await follow(url, options, AbortSignal.any(options.signal ? [stop.signal, options.signal] : [stop.signal]))
      } catch (error) {
        options.signal?.throwIfAborted()
        throw error
      } finally {
        clearTimeout(timer)
        stop.abort()
      }
    },
    close: async () => await agent?.destroy()
  }
}

/**
 * Every connection is made here, also those of redirects: an IP address is checked as it is, a name by all addresses it
 * resolves to, and the socket goes to just these. Nothing is resolved twice, so nothing can change in between.
 */
function guardedConnector (connector: typeof buildConnector, isOpen: ReturnType<typeof hostList>, lookup: Lookup, timeout: number): buildConnector.connector {
  const resolving = (check: (addresses: string[], hostname: string) => void): LookupFunction => (hostname, _options, done) => {
    lookup(hostname).then((found) => {
      check(found.map(({ address }) => address), hostname)
      done(null, found)
    }).catch((error) => done(error, []))
  }
  const connecting = (check: (addresses: string[], hostname: string) => void) =>
    // autoSelectFamily makes the socket ask for all addresses, which is the only form that resolving() answers in.
    connector({ allowH2: false, timeout, autoSelectFamily: true, lookup: resolving(check) })
  const anywhere = connecting(() => {})
  const publicly = connecting(refusePrivate)

  return (options, connected) => {
    const host = plainHost(options.hostname)
    if (isOpen(host, options.port || (options.protocol === 'https:' ? '443' : '80'))) return anywhere(options, connected)
    // A socket never asks for the address of an IP address, so the lookup alone would let these through.
    if (isIP(host) && isPrivate(host)) return queueMicrotask(() => connected(addressRefused(host), null))
    publicly(options, connected)
  }
}

/** One private address among several is enough: a mixed answer is how rebinding begins. */
function refusePrivate (addresses: string[], hostname: string): void {
  if (addresses.some(isPrivate)) throw addressRefused(hostname)
}

async function readAnswer (url: URL, status: number, headers: Record<string, string>, location: string | undefined, body: Readable, options: FetchOptions): Promise<Fetched> {
  const [contentType = ''] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const type = contentType.trim() || 'application/octet-stream'
  const fetched = { url: url.href, status, headers, contentType: type, location: location ?? null }
  const handedBack = location !== undefined && options.redirect === 'manual'
  try {
    if (!options.anyStatus && !handedBack && status !== 304 && status >= 300) {
      throw new EgressError('http_status', `${url.host} answered ${status} instead of sending the content.`, { status, retryable: RETRYABLE_STATUS.includes(status) })
    }
    if (status < 300 && options.contentTypes && !options.contentTypes.includes(type)) {
      throw new EgressError('unsupported_content', `${url.host} sent ${type}, which cannot be read.`)
    }
    if (handedBack || options.method === 'HEAD' || status === 204 || status === 304) return { ...fetched, bytes: new Uint8Array() }
    const maxBytes = typeof options.maxBytes === 'number' ? options.maxBytes : options.maxBytes(type)
    return { ...fetched, bytes: await readBody(body, headers, maxBytes, url) }
  } finally {
    drop(body)
  }
}

/** Reads a body to its end, counting what arrives and what it unpacks to, whatever the headers promise. */
async function readBody (body: Readable, headers: Record<string, string>, maxBytes: number, url: URL): Promise<Uint8Array> {
  const tooLarge = () => new EgressError('too_large', `${url.host} sent more than the ${maxBytes} bytes that are allowed here.`)
  const packings = (headers['content-encoding'] ?? '').toLowerCase().split(',').map((name) => name.trim()).filter((name) => name && name !== 'identity')
  if (packings.length === 0 && Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const counted = (limit: number) => async function * (chunks: AsyncIterable<Uint8Array>) {
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > limit) throw tooLarge()
      yield chunk
    }
  }
  const pieces: Uint8Array[] = []
  const collected = async (chunks: AsyncIterable<Uint8Array>) => { for await (const chunk of chunks) pieces.push(chunk) }
  const unpack = unpacker(packings, url)
  if (unpack) await pipeline(body, counted(maxBytes + PACKING_BYTES), unpack, counted(maxBytes), collected)
  else await pipeline(body, counted(maxBytes), collected)
  return Buffer.concat(pieces)
}

function unpacker (packings: string[], url: URL) {
  const [packing, ...more] = packings
  if (packing === undefined) return undefined
  if (more.length === 0 && packing === 'br') return createBrotliDecompress()
  // createUnzip tells gzip and deflate apart by itself.
  if (more.length === 0 && ['gzip', 'x-gzip', 'deflate'].includes(packing)) return createUnzip()
  throw new EgressError('unsupported_content', `${url.host} packed its answer as ${packings.join(', ')}, which cannot be unpacked.`)
}

/** Settles as the work does, or rejects with the signal's reason where that comes first: a host may take for ever to resolve. */
function unless<T> (signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason)
    if (signal.aborted) give()
    signal.addEventListener('abort', give, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give))
  })
}

/** Lets go of a body nobody will read, with its connection: it may have no end. */
function drop (body: Readable): void {
  body.on('error', () => {}).destroy()
}

/** Where a redirect leads. Headers arrive as bytes, one a character; servers that escape nothing mean UTF-8. */
function locationOf (headers: Record<string, string | string[] | undefined>): string | undefined {
  const [location] = [headers['location']].flat()
  return location && Buffer.from(location, 'latin1').toString()
}

function flat (headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
}

function invalidAddress (): EgressError {
  return new EgressError('invalid_address', 'This is no address that can be read: use http:// or https:// and a host, without a user name.')
}

function addressRefused (host: string): EgressError {
  return new EgressError('address_refused', `${host} leads into a private network. Use a public address, or ask whoever runs this server to open that host.`)
}

function tooLate (url: URL): EgressError {
  return new EgressError('timeout', `${url.host} took too long to answer. Try again later.`, { retryable: true })
}

/** Failures that waiting does not mend: no such name, a certificate that does not fit. */
const LASTING = /^(ENOTFOUND|ENODATA|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/

function explained (error: unknown, url: URL): EgressError {
  if (error instanceof EgressError) return error
  const code = String((error as { code?: unknown }).code ?? '')
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return tooLate(url)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return new EgressError('too_large', `${url.host} sent headers larger than ${MAX_HEADER_BYTES} bytes.`, { cause: error })
  if (LASTING.test(code)) return new EgressError('unreachable', `${url.host} cannot be reached: ${code === 'ENOTFOUND' ? 'there is no such host' : `its connection cannot be trusted (${code})`}.`, { cause: error })
  return new EgressError('unreachable', `${url.host} cannot be reached, or its answer broke off. Try again later.`, { retryable: true, cause: error })
}
