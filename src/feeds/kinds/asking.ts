import type { Clock } from '../../platform/clock.ts'
import type { Egress, FetchedBytes, FetchOptions } from '../../platform/net/egress.ts'
import { FeedFault } from '../fault.ts'

/** Dependencies for requests to a system. */
export interface Asking {
  fetch: Egress['fetch']
  clock: Clock
  /** Its display name, for messages. */
  system: string
  headers?: Record<string, string>
  signal: AbortSignal
}

/** Bytes that one page of a list may have. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** Sends a request, authenticated by its headers. Throws FeedFault if it is refused. */
export async function ask (
  { fetch, clock, system, headers = {}, signal }: Asking, address: string, options: Partial<FetchOptions> = {}
): Promise<FetchedBytes> {
  const answer = await fetch(address, {
    maxBytes: MAX_ANSWER_BYTES, ...options, headers: { ...headers, ...options.headers }, anyStatus: true, signal
  })
  if (answer.status < 300 || answer.status === 304) return answer
  throw refusal(answer, system, clock)
}

/** The same, for JSON responses. Throws FeedFault for any other response. */
export async function askJson (asking: Asking, address: string, options: Partial<FetchOptions> = {}): Promise<Json> {
  const accept = { accept: 'application/json', ...options.headers }
  const { bytes } = await ask(asking, address, { ...options, headers: accept })
  try {
    return json(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    throw new FeedFault('unreadable', `${asking.system} did not answer as expected. Check the address.`)
  }
}

function refusal ({ status, headers }: FetchedBytes, system: string, clock: Clock): FeedFault {
  if (status === 429) {
    return new FeedFault('rate_limited', `${system} asks for fewer requests.`, waitOf(headers['retry-after'], clock))
  }
  if (status === 401 || status === 403) {
    return new FeedFault('denied', `${system} refused the request (${status}). Enter the secret again, and check what it may read.`)
  }
  if (status === 404 || status === 410) {
    return new FeedFault('not_found', `${system} has nothing there (${status}). Check the settings of the feed.`)
  }
  const code = status === 408 || status >= 500 ? 'unavailable' : 'unreadable'
  return new FeedFault(code, `${system} answered ${status}.`)
}

/** Milliseconds that a Retry-After asks for: seconds, or a date. */
function waitOf (after: string | undefined, clock: Clock): number {
  if (after !== undefined && /^\d{1,7}$/.test(after)) return Number(after) * 1000
  const at = Date.parse(after ?? '')
  return Number.isNaN(at) ? 60_000 : at - clock.micros() / 1000
}

/** Untrusted JSON, in which any value may be of the wrong type. */
export interface Json {
  /** A text; empty if it is not one. A number counts as one. */
  text (...path: Array<string | number>): string
  /** The value below; nothing if there is none. */
  at (...path: Array<string | number>): Json
  /** The entries of a list; none if it is not one. */
  list (...path: Array<string | number>): Json[]
  is (value: unknown, ...path: Array<string | number>): boolean
  /** The names of an object's fields. */
  names (): string[]
}

/** See Json. */
export function json (value: unknown): Json {
  const below = (path: Array<string | number>) =>
    path.reduce<unknown>((one, name) =>
      Object.hasOwn(Object(one), name) ? (one as Record<string, unknown>)[name] : undefined, value)
  return {
    text (...path) {
      const found = below(path)
      return typeof found === 'string' || typeof found === 'number' ? String(found) : ''
    },
    at: (...path) => json(below(path)),
    list (...path) {
      const found = below(path)
      return Array.isArray(found) ? found.map(json) : []
    },
    is: (wanted, ...path) => below(path) === wanted,
    names: () => Object.keys(Object(value))
  }
}

/** An article as a file that is read as a page of HTML. */
export function article (title: string, html: string) {
  return { bytes: new TextEncoder().encode(html), name: `${title.slice(0, 200) || 'Article'}.html`, title }
}

/** The header of HTTP basic authentication. */
export const basic = (user: string, secret: string) => `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
