import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Egress, Fetched } from '../platform/net/egress.ts'
import { EgressError } from '../platform/net/egress.ts'
import type { Failure } from '../platform/errors.ts'
import type { Reading } from '../reading/links.ts'
import { pageAddress } from '../reading/page-address.ts'
import { robots } from './robots.ts'

/** What is kept of an address so that the next crawl need not fetch it again: hand it back as `known`. */
export interface Visit {
  /** Which page it is: the address itself, or the one that the page gives as its own. */
  url: string
  etag: string | null
  lastModified: string | null
  /** SHA-256 of the bytes, in hex. */
  contentHash: string
  title: string | null
  links: string[]
}

/** One thing a crawl came upon. `address` is where it was fetched, after redirects. */
export type Outcome =
  /** A page or a document of the site. `bytes` is null, and `contentType` may say nothing, where nothing changed since the known visit. */
  | { kind: 'page', address: string, visit: Visit, contentType: string, bytes: Uint8Array | null }
  /** The same page under another address. Nothing to train; worth keeping as `known`. */
  | { kind: 'duplicate', address: string, visit: Visit }
  /** A page that could not be had; the crawl goes on. `address` is the one that was linked; `isGone`: the site says it is no more. */
  | { kind: 'failed', address: string, failure: Failure & { isGone?: boolean } }

/** What a crawl needs. */
export interface CrawlParts {
  fetch: Egress['fetch']
  /** Reads a page or a sitemap, out of process, given its whole content-type header: readMarkup() in links.ts. An error with `code`, `message` and `retryable` fails that page alone. */
  read: (bytes: Uint8Array, address: string, contentType: string) => Promise<Reading>
  /** `pages`: at most so many, 1 to 500. `depth`: links away from the start, 0 for the start alone. `bytes`: of one document. */
  limits: { pages: number, depth: number, bytes: number }
  /** What earlier crawls brought, by `address`. */
  known: ReadonlyMap<string, Visit>
  /** Requests at a time, and the pause between their starts in milliseconds where the site asks for no longer one. */
  politeness?: { concurrency: number, delayMs: number }
  signal: AbortSignal
}

interface Target {
  address: string
  /** The address that was linked, before redirects. */
  asked: string
  role: 'start' | 'page' | 'sitemap'
  depth: number
  hops: number
}

type Landing =
  | { kind: 'page', visit: Visit, contentType: string, bytes: Uint8Array | null }
  | { kind: 'sitemap', pages: string[], sitemaps: string[] }
  | { kind: 'moved', to: string | undefined }
  | { kind: 'failed', failure: Failure }
  | { kind: 'skipped' }

/** The most pages that one crawl brings, whatever its limits say. */
export const MAX_PAGES = 500
const MAX_HOPS = 5
const MAX_HTML_BYTES = 2 * 1024 * 1024
const MAX_SITEMAP_BYTES = 10 * 1024 * 1024
/** Broken links and redirects cost requests but bring no page: a crawl makes at most so many requests a page, and a few for a start. */
const REQUESTS_PER_PAGE = 3
const REQUESTS_BESIDE = 50
/** Addresses remembered in one crawl; a site that lists more is cut. */
const MAX_SEEN = 20_000

const HTML = ['text/html', 'application/xhtml+xml']
const SITEMAP = ['application/xml', 'text/xml', 'application/gzip', 'application/x-gzip']
const OFFICE = 'application/vnd.openxmlformats-officedocument'
const DOCUMENTS = [
  'application/pdf', 'application/epub+zip', 'application/json', 'text/plain', 'text/markdown', 'text/csv', 'text/tab-separated-values',
  `${OFFICE}.wordprocessingml.document`, `${OFFICE}.presentationml.presentation`, `${OFFICE}.spreadsheetml.sheet`
]
/** Names that say "a document" even where the server calls it mere bytes. */
const DOCUMENT_NAME = /\.(pdf|docx|pptx|xlsx|csv|tsv|md|markdown|txt|json|epub)$/i
/** Names of what is never a page or a document; not worth a request. */
const ASSET_NAME = /\.(png|jpe?g|gif|svg|webp|avif|ico|bmp|tiff?|css|m?js|map|woff2?|ttf|eot|otf|mp[34]|m4[av]|web[ma]|og[gv]|wav|avi|mov|zip|gz|tgz|bz2|xz|rar|7z|tar|exe|dmg|iso|apk|msi|deb|rpm|xml|rss|atom|ics)$/i

/**
 * Reads a page, the pages of a sitemap, or a site: from the start, breadth first, along the links of its origin, as far as the
 * limits and its robots.txt allow. Every page comes once, in the same order for the same site, however it is linked, redirected
 * or spelt. The start is a sitemap where it turns out to be one. Nothing is thrown but the signal's reason.
 */
export async function * crawl (start: string, { fetch, read, limits, known, politeness = { concurrency: 2, delayMs: 0 }, signal }: CrawlParts): AsyncGenerator<Outcome> {
  const stop = new AbortController()
  const site = frontier(limits)
  const land = lander({ fetch, read, known, bytes: limits.bytes, delayMs: politeness.delayMs, signal: AbortSignal.any([signal, stop.signal]) })
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
        landing.catch(() => {}) // Seen when its turn comes, or not at all once the crawl was stopped.
        flights.push({ target, landing })
      }
      // In the order they left, not in which they come back: the same site gives the same list.
      const flight = flights.shift()
      if (!flight) return
      const outcome = site.settle(flight.target, await flight.landing)
      if (outcome) yield outcome
    }
  } finally {
    stop.abort()
  }
}

const INVALID: Failure = { code: 'invalid_address', message: 'This is no address that can be read: use http:// or https:// and a host, without a user name.', retryable: false }

/** Which addresses are still to be read and which were met: the crawl without its requests. */
function frontier (limits: CrawlParts['limits']) {
  const queue: Target[] = []
  /** Opened when no page waits any more. */
  const sitemaps: Target[] = []
  const seen = new Set<string>()
  /** From an address to the one it redirects to or gives as its own. */
  const moved = new Map<string, string>()
  let origin: string | undefined
  let requests = Math.min(limits.pages, MAX_PAGES) * REQUESTS_PER_PAGE + REQUESTS_BESIDE
  let pages = Math.min(limits.pages, MAX_PAGES)

  const lineOf = (role: Target['role']) => role === 'sitemap' ? sitemaps : queue

  function add (address: string, role: Target['role'], depth: number): void {
    if (seen.has(address) || seen.size >= MAX_SEEN) return
    seen.add(address)
    lineOf(role).push({ address, asked: address, role, depth, hops: 0 })
  }

  function leadsBack (from: string, to: string): boolean {
    let at: string | undefined = to
    while (at !== undefined && at !== from) at = moved.get(at)
    return at === from
  }

  function redirect (target: Target, to: string | undefined): Failure | undefined {
    if (to === undefined) return INVALID
    if (target.hops >= MAX_HOPS || leadsBack(target.address, to)) {
      return { code: 'too_many_redirects', message: `${target.asked} redirects in a circle or too often. Use the address where it ends.`, retryable: false }
    }
    const abroad = origin !== undefined && new URL(to).origin !== origin
    if (abroad) return undefined
    moved.set(target.address, to)
    if (seen.has(to)) return undefined
    seen.add(to)
    lineOf(target.role).unshift({ ...target, address: to, hops: target.hops + 1 })
  }

  function arrive (target: Target, { kind, visit, contentType, bytes }: Landing & { kind: 'page' }): Outcome {
    if (target.depth < limits.depth) for (const link of visit.links) if (!ASSET_NAME.test(new URL(link).pathname)) add(link, 'page', target.depth + 1)
    const { address } = target
    const renamed = visit.url !== address && !leadsBack(address, visit.url)
    if (renamed) moved.set(address, visit.url)
    if (renamed && seen.has(visit.url)) return { kind: 'duplicate', address, visit }
    seen.add(visit.url)
    pages--
    return { kind, address, visit: renamed ? visit : { ...visit, url: address }, contentType, bytes }
  }

  function list (target: Target, landing: Landing & { kind: 'sitemap' }): Failure | undefined {
    const ours = (addresses: string[]) => addresses.filter((address) => new URL(address).origin === origin)
    for (const page of ours(landing.pages)) add(page, 'page', 0)
    for (const sitemap of ours(landing.sitemaps)) add(sitemap, 'sitemap', 0)
    if (queue.length + sitemaps.length > 0 || target.role !== 'start') return undefined
    return { code: 'sitemap_empty', message: `This sitemap lists no address of ${origin}. Use the sitemap that lies on the site itself.`, retryable: false }
  }

  return {
    add,
    /** The next address to ask, while fewer pages are had or on their way than wanted. */
    next (underway: number): Target | undefined {
      if (underway >= pages || requests === 0) return undefined
      const target = queue.shift() ?? sitemaps.shift()
      if (target) requests--
      return target
    },
    /** Takes in what an address turned out to be. Returns what the crawl has to say about it, if anything. */
    settle (target: Target, landing: Landing): Outcome | undefined {
      if (landing.kind === 'skipped') return undefined
      if (landing.kind === 'page' || landing.kind === 'sitemap') origin ??= new URL(target.address).origin
      if (landing.kind === 'page') return arrive(target, landing)
      const failure = landing.kind === 'failed' ? landing.failure : landing.kind === 'moved' ? redirect(target, landing.to) : list(target, landing)
      return failure && { kind: 'failed', address: target.asked, failure }
    }
  }
}

interface LanderParts extends Pick<CrawlParts, 'fetch' | 'read' | 'known' | 'signal'> { bytes: number, delayMs: number }

/** Asks one address: what it is, what is on it. */
function lander ({ fetch, read, known, bytes, delayMs, signal }: LanderParts): (target: Target) => Promise<Landing> {
  const rules = robots(fetch)
  let turn = Promise.resolve()

  async function takeIn (target: Target, fetched: Fetched, before: Visit | undefined): Promise<Landing> {
    const { address } = target
    const { contentType } = fetched
    const visit = { url: address, etag: sendable(fetched.headers['etag']), lastModified: sendable(fetched.headers['last-modified']) }
    const contentHash = createHash('sha256').update(fetched.bytes).digest('hex')
    if (before?.contentHash === contentHash) return { kind: 'page', visit: { ...before, ...visit, url: before.url }, contentType, bytes: null }
    if (![...HTML, ...SITEMAP].includes(contentType) && !isPacked(target)) return { kind: 'page', visit: { ...visit, contentHash, title: null, links: [] }, contentType, bytes: fetched.bytes }
    const reading = await read(fetched.bytes, address, fetched.headers['content-type'] ?? contentType)
    if (reading.kind === 'sitemap') return target.role === 'page' ? { kind: 'skipped' } : reading
    const { title, links, canonical } = reading
    return { kind: 'page', visit: { ...visit, url: canonical ?? address, contentHash, title, links }, contentType, bytes: fetched.bytes }
  }

  async function ask (target: Target): Promise<Landing> {
    const { address, role } = target
    const permission = await rules.ask(address, signal)
    if ('failure' in permission) return role === 'start' || permission.failure.code !== 'robots_disallowed' ? { kind: 'failed', ...permission } : { kind: 'skipped' }
    const mine = turn
    turn = mine.then(() => pause(Math.max(delayMs, permission.delayMs), undefined, { signal })).catch(() => {})
    await mine
    const before = role === 'sitemap' ? undefined : known.get(address)
    const fetched = await fetch(address, {
      redirect: 'manual',
      headers: conditions(before),
      contentTypes: typesFor(target),
      maxBytes: (type) => HTML.includes(type) ? MAX_HTML_BYTES : SITEMAP.includes(type) ? MAX_SITEMAP_BYTES : bytes,
      signal
    })
    if (fetched.location !== null) return { kind: 'moved', to: pageAddress(fetched.location, address) }
    if (fetched.status !== 304) return takeIn(target, fetched, before)
    if (before) return { kind: 'page', visit: before, contentType: fetched.contentType, bytes: null }
    throw new EgressError('http_status', `${address} says it has not changed, but was never read.`, { status: 304, retryable: true })
  }

  return async (target) => {
    try {
      return await ask(target)
    } catch (error) {
      signal.throwIfAborted()
      if (target.role === 'page' && error instanceof EgressError && error.code === 'unsupported_content') return { kind: 'skipped' }
      return { kind: 'failed', failure: failureOf(error) }
    }
  }
}

/** A header that can be sent back as it came; a request with any other would never leave. */
function sendable (value: string | undefined): string | null {
  return value !== undefined && /^[ -~]{1,500}$/.test(value) ? value : null
}

function conditions (before: Visit | undefined): Record<string, string> {
  const headers: Record<string, string> = { accept: 'text/html,application/xhtml+xml,*/*;q=0.5' }
  if (before?.etag) headers['if-none-match'] = before.etag
  if (before?.lastModified) headers['if-modified-since'] = before.lastModified
  return headers
}

/** What is worth reading there: a linked picture, however it is named, is left after its headers. */
function typesFor (target: Target): string[] {
  const types = target.role === 'sitemap' ? SITEMAP : target.role === 'page' ? [...HTML, ...DOCUMENTS] : [...HTML, ...DOCUMENTS, ...SITEMAP]
  return isPacked(target) || DOCUMENT_NAME.test(new URL(target.address).pathname) ? [...types, 'application/octet-stream'] : types
}

/** Whether this would be a packed sitemap, which servers also call mere bytes. */
function isPacked ({ address, role }: Target): boolean {
  return role !== 'page' && new URL(address).pathname.endsWith('.gz')
}

/** What failed a page, as it is shown. Whatever brings no code of its own broke while the page was read. */
function failureOf (error: unknown): Failure & { isGone?: boolean } {
  const { code, message, retryable, status } = error as Partial<Failure> & { status?: unknown }
  if (typeof code === 'string' && typeof retryable === 'boolean') {
    return { code, message: String(message), retryable, ...((status === 404 || status === 410) && { isGone: true }) }
  }
  return { code: 'unreadable', message: 'This page could not be read. Check that it opens in a browser.', retryable: false }
}
