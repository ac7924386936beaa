import type { Visit } from '../../schema/knowledge.ts'
import type { Failure } from '../platform/errors.ts'
import type { LeftOut, Taking } from './patterns.ts'
import { visitKeyOf, recallFrom, unread } from './visit.ts'

/** One result of a crawl. `address` is where it was fetched, after redirects. */
export type CrawlOutcome =
  /**
   * A page or a document of the site. `bytes` is null, and `contentType` may be empty, if nothing changed since the
   * known visit.
   */
  | { kind: 'page', address: string, visit: Visit, contentType: string, bytes: Uint8Array | null }
  /** The same page under another address. Nothing to train; worth storing as `known`. */
  | { kind: 'duplicate', address: string, visit: Visit }
  /**
   * No page: it leads elsewhere, contains nothing to learn, or was read and is excluded. Worth storing as `known`, for
   * links to it.
   */
  | { kind: 'aside', address: string, visit: Visit }
  /**
   * A page that could not be fetched; the crawl continues. `address` is the linked one; `isGone`: the site says it no
   * longer exists.
   */
  | { kind: 'failed', address: string, failure: Failure & { isGone?: boolean } }

/** An address to be requested. */
export interface Target {
  address: string
  /** The address that was linked, before redirects. */
  asked: string
  role: 'start' | 'page' | 'sitemap'
  depth: number
  hops: number
  /** It was already read and unchanged; this time only its links are needed. */
  isAgain: boolean
}

/** The result of requesting an address. */
export type Landing =
  /** `links` is null if the page was not sent: then those of the remembered visit are used. */
  | { kind: 'page', visit: Visit, links: string[] | null, contentType: string, bytes: Uint8Array | null }
  | { kind: 'sitemap', pages: string[], sitemaps: string[] }
  | { kind: 'moved', to: string | undefined }
  | { kind: 'failed', failure: Failure }
  | { kind: 'skipped', why?: 'robots' }

export const INVALID: Failure = {
  code: 'invalid_address',
  message: 'This is not a valid address: use http:// or https:// and a host, without a user name.',
  retryable: false
}

/** Maximum pages of one crawl, whatever its limits say. */
export const MAX_PAGES = 500
const MAX_HOPS = 5
/**
 * Broken links and redirects cost requests but yield no page: this limits a crawl's requests per page, plus a few for a
 * start.
 */
const REQUESTS_PER_PAGE = 3
const REQUESTS_BESIDE = 50
/** Maximum addresses found in one crawl; a site that lists more is cut. */
const MAX_SEEN = 20_000

/** Called for what a crawl finds but does not request. */
export interface Watch {
  /** A page that patterns or the site's robots.txt exclude. */
  left?: (address: string, why: LeftOut | 'robots') => void
  /** The sitemaps in the robots.txt of the start. */
  sitemaps?: (addresses: string[]) => void
  /** The start is a sitemap. */
  listed?: () => void
  /** A page that was queued, or being fetched, when the crawl ended; undefined for unknown ones. */
  waiting?: (address: string | undefined) => void
}

/** File names that are never a page or a document; not worth a request. */
const ASSET_NAME = new RegExp(`\\.(${[
  'png|jpe?g|gif|svg|webp|avif|ico|bmp|tiff?|css|m?js|map|woff2?|ttf|eot|otf|mp[34]|m4[av]|web[ma]|og[gv]|wav|avi|mov',
  'zip|gz|tgz|bz2|xz|rar|7z|tar|exe|dmg|iso|apk|msi|deb|rpm|xml|rss|atom|ics'
].join('|')})$`, 'i')

/** Whether an address has such a file name. */
export function isAsset (address: string): boolean {
  return ASSET_NAME.test(new URL(address).pathname)
}

/** Addresses to be requested and addresses found: the crawl without its requests. Found ones are stored as hashes. */
export function frontier ({ limits, known, taking, watch }: {
  limits: { pages: number, depth: number }, known: ReadonlyMap<string, Visit>, taking: Taking, watch: Watch
}) {
  const queue: Target[] = []
  /** Requested when no page waits any more. */
  const sitemaps: Target[] = []
  /** Unchanged pages with unknown links: worth requesting when nothing else is left. */
  const again: Target[] = []
  const seen = new Set<string>()
  /** From an address to the one it redirects to or declares as its own. */
  const moved = new Map<string, string>()
  /** Where a folder's index page was found first, by the folder and the page's text. */
  const canonicalPages = new Map<string, string>()
  const recall = recallFrom(known)
  let origin: string | undefined
  let requests = Math.min(limits.pages, MAX_PAGES) * REQUESTS_PER_PAGE + REQUESTS_BESIDE
  let pages = Math.min(limits.pages, MAX_PAGES)

  const lineOf = (role: Target['role']) => role === 'sitemap' ? sitemaps : queue

  function add (address: string, role: Target['role'], depth: number): void {
    const key = visitKeyOf(address)
    if (seen.has(key)) return
    // More than the remaining requests would never be requested.
    if (seen.size >= MAX_SEEN || queue.length + sitemaps.length >= requests) return watch.waiting?.(undefined)
    seen.add(key)
    lineOf(role).push({ address, asked: address, role, depth, hops: 0, isAgain: false })
  }

  function leadsBack (from: string, to: string): boolean {
    let at: string | undefined = to
    while (at !== undefined && at !== from) at = moved.get(at)
    return at === from
  }

  function redirect (target: Target, to: string | undefined): Failure | undefined {
    if (to === undefined) return INVALID
    if (target.hops >= MAX_HOPS || leadsBack(target.address, to)) {
      const message = `${target.asked} redirects in a loop or too often. Use the final address.`
      return { code: 'too_many_redirects', message, retryable: false }
    }
    const abroad = origin !== undefined && new URL(to).origin !== origin
    if (abroad) return undefined
    moved.set(target.address, to)
    if (seen.has(visitKeyOf(to))) return undefined
    seen.add(visitKeyOf(to))
    if (target.role === 'page' && !taking.isTaken(to)) return undefined
    lineOf(target.role).unshift({ ...target, address: to, hops: target.hops + 1 })
  }

  /**
   * Adds the links of a page. If the page was not sent, only the known ones are available; such pages are requested
   * last.
   */
  function follow (target: Target, { links, visit }: Landing & { kind: 'page' }) {
    if (target.depth >= limits.depth) return
    const remembered = links ? { known: links, unknown: [] } : recall.links(visit)
    for (const link of remembered.known) add(link, 'page', target.depth + 1)
    if (remembered.unknown.some((key) => !seen.has(key))) again.push({ ...target, isAgain: true })
  }

  /** Which page it is: the one it declares, or the folder's index if it has the same text under another name. */
  function canonicalAddress ({ address }: Target, visit: Visit): string {
    if (visit.url !== address) return leadsBack(address, visit.url) ? address : visit.url
    const folder = folderOf(address)
    if (folder === undefined) return address
    const first = canonicalPages.get(`${folder} ${visit.contentHash}`) ?? address
    canonicalPages.set(`${folder} ${visit.contentHash}`, first)
    return first
  }

  function arrive (target: Target, landing: Landing & { kind: 'page' }): CrawlOutcome | undefined {
    follow(target, landing)
    if (target.isAgain) return undefined
    const { kind, visit, contentType, bytes } = landing
    const { address } = target
    const url = canonicalAddress(target, visit)
    if (url !== address) moved.set(address, url)
    if (!taking.isTaken(url)) return { kind: 'aside', address, visit: unread(address) }
    if (url !== address && seen.has(visitKeyOf(url))) return { kind: 'duplicate', address, visit: { ...visit, url } }
    seen.add(visitKeyOf(url))
    pages--
    return { kind, address, visit: { ...visit, url }, contentType, bytes }
  }

  function list (target: Target, landing: Landing & { kind: 'sitemap' }): Failure | undefined {
    const ours = (addresses: string[]) => addresses.filter((address) => new URL(address).origin === origin)
    if (target.role === 'start') watch.listed?.()
    const [pages, further] = [ours(landing.pages), ours(landing.sitemaps)]
    for (const page of pages) if (taking.isTaken(page)) add(page, 'page', 0)
    for (const sitemap of further) add(sitemap, 'sitemap', 0)
    if (pages.length + further.length > 0 || target.role !== 'start') return undefined
    const message = `This sitemap lists no address of ${origin}. Use a sitemap on the site itself.`
    return { code: 'sitemap_empty', message, retryable: false }
  }

  function failureOf (target: Target, landing: Exclude<Landing, { kind: 'page' }>): Failure | undefined {
    if (landing.kind === 'skipped') return undefined
    if (landing.kind === 'failed') return landing.failure
    return landing.kind === 'moved' ? redirect(target, landing.to) : list(target, landing)
  }

  return {
    add,
    /** The next address to request, while fewer pages than wanted are fetched or being fetched. */
    next (underway: number): Target | undefined {
      if (underway >= pages || requests === 0) return undefined
      const target = queue.shift() ?? sitemaps.shift() ?? (underway === 0 ? again.shift() : undefined)
      if (target) requests--
      return target
    },
    /** Addresses not yet requested. */
    waiting: (): Target[] => [...queue, ...sitemaps],
    /** Processes the result of an address. Returns the crawl's item for it, if any. */
    settle (target: Target, landing: Landing): CrawlOutcome | undefined {
      if (landing.kind === 'page' || landing.kind === 'sitemap') origin ??= new URL(target.address).origin
      if (landing.kind === 'page') return arrive(target, landing)
      const failure = failureOf(target, landing)
      if (target.isAgain) return undefined
      const address = target.asked
      if (failure) return { kind: 'failed', address, failure }
      if (landing.kind === 'skipped' && landing.why) watch.left?.(target.address, landing.why)
      return target.hops === 0 ? { kind: 'aside', address, visit: unread(address) } : undefined
    }
  }
}

/** The folder whose index page an address requests: without the index file name and without a query. */
function folderOf (address: string): string | undefined {
  const { origin, pathname } = new URL(address)
  const folder = pathname.replace(/(?<=\/)(?:index|default|home)\.[a-z]{2,5}$/i, '')
  return folder.endsWith('/') ? origin + folder : undefined
}
