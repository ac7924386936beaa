import { setTimeout as pause } from 'node:timers/promises'
import type { Visit } from '../../schema/knowledge.ts'
import type { Egress, FetchedBytes } from '../platform/net/egress.ts'
import { EgressError } from '../platform/net/egress.ts'
import { sha256Apart } from '../platform/digest.ts'
import type { Failure } from '../platform/errors.ts'
import type { Format } from '../reading/contract.ts'
import { FORMATS, formatOfName } from '../reading/formats.ts'
import type { MarkupReading } from '../reading/links.ts'
import { pageAddress } from '../reading/page-address.ts'
import { robots } from './robots.ts'
import { INVALID, frontier, isAsset } from './frontier.ts'
import type { Landing, CrawlOutcome, Target, Watch } from './frontier.ts'
import { taking } from './patterns.ts'
import type { Patterns, Taking } from './patterns.ts'
import { linkKeys, patternsIn, wasRead } from './visit.ts'

export { MAX_PAGES } from './frontier.ts'
export type { CrawlOutcome, Watch } from './frontier.ts'

/** Dependencies of a crawl. */
export interface CrawlParts {
  fetch: Egress['fetch']
  /**
   * Parses a page or a sitemap in a separate process, given its whole content-type header: readMarkup() in links.ts. An
   * error with `code`, `message` and `retryable` fails that page alone.
   */
  read: (bytes: Uint8Array, address: string, contentType: string) => Promise<MarkupReading>
  /**
   * `pages`: maximum number, 1 to 500. `depth`: links away from the start, 0 for the start alone. `bytes`: of one
   * document.
   */
  limits: { pages: number, depth: number, bytes: number }
  /**
   * Which pages are taken: others are not requested, the start only for its links; a sitemap is a start as well. All by
   * default.
   */
  patterns?: Patterns
  /** Called for addresses that are not requested. */
  watch?: Watch
  /** Results of earlier crawls, by `address`. */
  known: ReadonlyMap<string, Visit>
  /** Concurrent requests, and the pause between their starts in milliseconds, unless the site asks for a longer one. */
  politeness?: { concurrency: number, delayMs: number }
  signal: AbortSignal
}

const MAX_HTML_BYTES = 2 * 1024 * 1024
const MAX_SITEMAP_BYTES = 10 * 1024 * 1024
const HTML: string[] = FORMATS.html.types
const SITEMAP: string[] = [...FORMATS.xml.types, 'application/gzip', 'application/x-gzip']
/** Whether a linked file of this type is read; sites use XML for programs. */
const isDocument = (format: Format | undefined) => format !== undefined && format !== 'html' && format !== 'xml'
const DOCUMENTS = Object.entries(FORMATS).flatMap(([format, { types }]) => isDocument(format as Format) ? types : [])

/**
 * Reads a page, the pages of a sitemap, or a site: from the start, breadth first, along links within its origin, as far
 * as the limits and its robots.txt allow. Every page comes once, in the same order for the same site, however it is
 * linked, redirected or spelt. The start is a sitemap if it turns out to be one. Throws only the signal's reason.
 */
export async function * crawl (
  start: string,
  {
    fetch, read, limits, known, patterns = { include: [], exclude: [] }, watch = {},
    politeness = { concurrency: 2, delayMs: 0 }, signal
  }: CrawlParts
): AsyncGenerator<CrawlOutcome> {
  const stop = new AbortController()
  const taken = taking(patterns, watch.left)
  const site = frontier({ limits, known, taking: taken, watch })
  const land = lander({
    fetch,
    read,
    known,
    taking: taken,
    watch,
    bytes: limits.bytes,
    delayMs: politeness.delayMs,
    signal: AbortSignal.any([signal, stop.signal])
  })
  const flights: Array<{ target: Target, landing: Promise<Landing> }> = []
  const first = pageAddress(start)
  if (first === undefined) return yield { kind: 'failed', address: start, failure: INVALID }
  site.add(first, 'start', 0)
  try {
    for (;;) {
      while (flights.length < politeness.concurrency) {
        const target = site.next(flights.length)
        if (!target) break
        const landing = land(target)
        landing.catch(() => {}) // Handled when its turn comes, or not at all once the crawl was stopped.
        flights.push({ target, landing })
      }
      // In request order, not in response order: the same site gives the same list.
      const flight = flights[0]
      if (!flight) return
      const landing = await flight.landing
      flights.shift()
      const outcome = site.settle(flight.target, landing)
      if (outcome) yield outcome
    }
  } finally {
    stop.abort()
    for (const { address, role, isAgain } of [...flights.map(({ target }) => target), ...site.waiting()]) {
      if (!isAgain) watch.waiting?.(role === 'sitemap' ? undefined : address)
    }
  }
}

interface LanderParts extends Pick<CrawlParts, 'fetch' | 'read' | 'known' | 'signal'> {
  taking: Taking
  watch: Watch
  bytes: number
  delayMs: number
}

/** Requests one address: its type and contents. */
function lander (
  { fetch, read, known, taking, watch, bytes, delayMs, signal }: LanderParts
): (target: Target) => Promise<Landing> {
  const rules = robots(fetch)
  let turn = Promise.resolve()

  async function takeIn (target: Target, fetched: FetchedBytes, before: Visit | undefined): Promise<Landing> {
    const { address } = target
    const { contentType, bytes } = fetched
    const said = { etag: sendable(fetched.headers['etag']), lastModified: sendable(fetched.headers['last-modified']) }
    const landed = (visit: Visit, links: string[]): Landing =>
      ({ kind: 'page', visit, links, contentType, bytes: before?.contentHash === visit.contentHash ? null : bytes })
    if (![...HTML, ...SITEMAP].includes(contentType) && !isPacked(target)) {
      const contentHash = await sha256Apart(bytes)
      return landed({ url: address, ...said, contentHash, title: null, links: taking.key }, [])
    }
    const reading = await read(bytes, address, fetched.headers['content-type'] ?? contentType)
    if (reading.kind === 'sitemap') return target.role === 'page' ? { kind: 'skipped' } : reading
    const { title, canonical, textHash } = reading
    const links = reading.links.filter((link) => !isAsset(link) && taking.isTaken(link))
    const remembered = linkKeys(links, taking.key)
    return landed({ url: canonical ?? address, ...said, contentHash: textHash, title, links: remembered }, links)
  }

  async function ask (target: Target): Promise<Landing> {
    const { address, role } = target
    const permission = await rules.ask(address, signal)
    if ('failure' in permission) {
      return role === 'start' || permission.failure.code !== 'robots_disallowed'
        ? { kind: 'failed', ...permission }
        : { kind: 'skipped', why: 'robots' }
    }
    if (role === 'start') watch.sitemaps?.(permission.sitemaps)
    const mine = turn
    turn = mine.then(() => pause(Math.max(delayMs, permission.delayMs), undefined, { signal })).catch(() => {})
    await mine
    const visit = known.get(address)
    const before = role === 'sitemap' || target.isAgain || !wasRead(visit) ? undefined : visit
    const fetched = await fetch(address, {
      redirect: 'manual',
      // With other patterns it may lead elsewhere, which only the whole page shows.
      headers: conditions(before && patternsIn(before) === taking.key ? before : undefined),
      contentTypes: typesFor(target),
      maxBytes: (type) => maxBytesOf(type, bytes),
      signal
    })
    if (fetched.location !== null) return { kind: 'moved', to: pageAddress(fetched.location, address) }
    if (fetched.status !== 304) return takeIn(target, fetched, before)
    if (before) return { kind: 'page', visit: before, links: null, contentType: fetched.contentType, bytes: null }
    throw new EgressError('http_status', `${address} says it has not changed, but was never read.`, {
      status: 304, retryable: true
    })
  }

  return async (target) => {
    try {
      return await ask(target)
    } catch (error) {
      signal.throwIfAborted()
      if (target.role === 'page' && error instanceof EgressError && error.code === 'unsupported_content') {
        return { kind: 'skipped' }
      }
      return { kind: 'failed', failure: failureOf(error) }
    }
  }
}

/** A header that can be sent back unchanged; a request with any other would fail. */
function sendable (value: string | undefined): string | null {
  return value !== undefined && /^[ -~]{1,500}$/.test(value) ? value : null
}

function conditions (before: Visit | undefined): Record<string, string> {
  const headers: Record<string, string> = { accept: 'text/html,application/xhtml+xml,*/*;q=0.5' }
  if (before?.etag) headers['if-none-match'] = before.etag
  if (before?.lastModified) headers['if-modified-since'] = before.lastModified
  return headers
}

/** Maximum bytes of a response of this type; for a document, the given limit. */
function maxBytesOf (type: string, ofDocuments: number): number {
  if (HTML.includes(type)) return MAX_HTML_BYTES
  return SITEMAP.includes(type) ? MAX_SITEMAP_BYTES : ofDocuments
}

/** Whether a type is worth reading; a linked picture, whatever its name, is dropped after its headers. */
function typesFor (target: Target): string[] {
  const pages = target.role === 'sitemap' ? [] : [...HTML, ...DOCUMENTS]
  const types = target.role === 'page' ? pages : [...pages, ...SITEMAP]
  // A document's file name counts even if the server sends a generic binary type.
  return isPacked(target) || isDocument(formatOfName(new URL(target.address).pathname))
    ? [...types, 'application/octet-stream']
    : types
}

/** Whether this may be a compressed sitemap, which servers also send with a generic binary type. */
function isPacked ({ address, role }: Target): boolean {
  return role !== 'page' && new URL(address).pathname.endsWith('.gz')
}

/** The error of a page, as shown. Errors without a code happened while the page was read. */
function failureOf (error: unknown): Failure & { isGone?: boolean } {
  const { code, message, retryable, status } = error as Partial<Failure> & { status?: unknown }
  if (typeof code === 'string' && typeof retryable === 'boolean') {
    return { code, message: String(message), retryable, ...((status === 404 || status === 410) && { isGone: true }) }
  }
  return {
    code: 'unreadable', message: 'This page could not be read. Check that it opens in a browser.', retryable: false
  }
}
