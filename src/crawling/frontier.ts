import type { Visit } from '../../schema/knowledge.ts'
import type { Failure } from '../platform/errors.ts'
import { visitKeyOf, recallFrom, unread } from './visit.ts'

/** One thing a crawl came upon. `address` is where it was fetched, after redirects. */
export type CrawlOutcome =
  /**
   * A page or a document of the site. `bytes` is null, and `contentType` may say nothing, where nothing changed since
   * the known visit.
   */
  | { kind: 'page', address: string, visit: Visit, contentType: string, bytes: Uint8Array | null }
  /** The same page under another address. Nothing to train; worth keeping as `known`. */
  | { kind: 'duplicate', address: string, visit: Visit }
  /** No page: it leads elsewhere, or holds nothing to learn. Worth keeping as `known`, for the links to it. */
  | { kind: 'aside', address: string, visit: Visit }
  /**
   * A page that could not be had; the crawl goes on. `address` is the one that was linked; `isGone`: the site says it
   * is no more.
   */
  | { kind: 'failed', address: string, failure: Failure & { isGone?: boolean } }

/** An address that is to be asked. */
export interface Target {
  address: string
  /** The address that was linked, before redirects. */
  asked: string
  role: 'start' | 'page' | 'sitemap'
  depth: number
  hops: number
  /** It was read already and had not changed; this time it is asked where its links lead. */
  isAgain: boolean
}

/** What an address turned out to be. */
export type Landing =
  /** `links` is null where the page did not come: then they are what the visit remembers of them. */
  | { kind: 'page', visit: Visit, links: string[] | null, contentType: string, bytes: Uint8Array | null }
  | { kind: 'sitemap', pages: string[], sitemaps: string[] }
  | { kind: 'moved', to: string | undefined }
  | { kind: 'failed', failure: Failure }
  | { kind: 'skipped' }

export const INVALID: Failure = {
  code: 'invalid_address',
  message: 'This is no address that can be read: use http:// or https:// and a host, without a user name.',
  retryable: false
}

/** The most pages that one crawl brings, whatever its limits say. */
export const MAX_PAGES = 500
const MAX_HOPS = 5
/**
 * Broken links and redirects cost requests but bring no page: this limits a crawl's requests for each page, and a few
 * for a start.
 */
const REQUESTS_PER_PAGE = 3
const REQUESTS_BESIDE = 50
/** Addresses met in one crawl; a site that lists more is cut. */
const MAX_SEEN = 20_000

/** Names of what is never a page or a document; not worth a request. */
const ASSET_NAME = new RegExp(`\\.(${[
  'png|jpe?g|gif|svg|webp|avif|ico|bmp|tiff?|css|m?js|map|woff2?|ttf|eot|otf|mp[34]|m4[av]|web[ma]|og[gv]|wav|avi|mov',
  'zip|gz|tgz|bz2|xz|rar|7z|tar|exe|dmg|iso|apk|msi|deb|rpm|xml|rss|atom|ics'
].join('|')})$`, 'i')

/** Whether an address is named like what is never a page or a document. */
export function isAsset (address: string): boolean {
  return ASSET_NAME.test(new URL(address).pathname)
}

/**
 * Which addresses are still to be asked and which were met: the crawl without its requests. Of what was met hashes are
 * kept.
 */
export function frontier (limits: { pages: number, depth: number }, known: ReadonlyMap<string, Visit>) {
  const queue: Target[] = []
  /** Opened when no page waits any more. */
  const sitemaps: Target[] = []
  /** Unchanged pages with links that nothing is known of: worth asking for when nothing else is left. */
  const again: Target[] = []
  const seen = new Set<string>()
  /** From an address to the one it redirects to or gives as its own. */
  const moved = new Map<string, string>()
  /** Where a folder's own page was found first, by the folder and the page's text. */
  const ownPages = new Map<string, string>()
  const recall = recallFrom(known)
  let origin: string | undefined
  let requests = Math.min(limits.pages, MAX_PAGES) * REQUESTS_PER_PAGE + REQUESTS_BESIDE
  let pages = Math.min(limits.pages, MAX_PAGES)

  const lineOf = (role: Target['role']) => role === 'sitemap' ? sitemaps : queue

  function add (address: string, role: Target['role'], depth: number): void {
    const key = visitKeyOf(address)
    // What is more than the requests that are left would never be asked.
    if (seen.has(key) || seen.size >= MAX_SEEN || queue.length + sitemaps.length >= requests) return
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
      const message = `${target.asked} redirects in a circle or too often. Use the address where it ends.`
      return { code: 'too_many_redirects', message, retryable: false }
    }
    const abroad = origin !== undefined && new URL(to).origin !== origin
    if (abroad) return undefined
    moved.set(target.address, to)
    if (seen.has(visitKeyOf(to))) return undefined
    seen.add(visitKeyOf(to))
    lineOf(target.role).unshift({ ...target, address: to, hops: target.hops + 1 })
  }

  /**
   * Adds what a page links to. Of a page that did not come, only what is known can be told; the others are asked for
   * last.
   */
  function follow (target: Target, { links, visit }: Landing & { kind: 'page' }) {
    if (target.depth >= limits.depth) return
    const remembered = links ? { known: links, unknown: [] } : recall.links(visit)
    for (const link of remembered.known) add(link, 'page', target.depth + 1)
    if (remembered.unknown.some((key) => !seen.has(key))) again.push({ ...target, isAgain: true })
  }

  /**
   * Which page it is: the one it says, or the one that its folder shows when it is asked by another name and says the
   * same.
   */
  function ownAddress ({ address }: Target, visit: Visit): string {
    if (visit.url !== address) return leadsBack(address, visit.url) ? address : visit.url
    const folder = folderOf(address)
    if (folder === undefined) return address
    const first = ownPages.get(`${folder} ${visit.contentHash}`) ?? address
    ownPages.set(`${folder} ${visit.contentHash}`, first)
    return first
  }

  function arrive (target: Target, landing: Landing & { kind: 'page' }): CrawlOutcome | undefined {
    follow(target, landing)
    if (target.isAgain) return undefined
    const { kind, visit, contentType, bytes } = landing
    const { address } = target
    const url = ownAddress(target, visit)
    if (url !== address) moved.set(address, url)
    if (url !== address && seen.has(visitKeyOf(url))) return { kind: 'duplicate', address, visit: { ...visit, url } }
    seen.add(visitKeyOf(url))
    pages--
    return { kind, address, visit: { ...visit, url }, contentType, bytes }
  }

  function list (target: Target, landing: Landing & { kind: 'sitemap' }): Failure | undefined {
    const ours = (addresses: string[]) => addresses.filter((address) => new URL(address).origin === origin)
    for (const page of ours(landing.pages)) add(page, 'page', 0)
    for (const sitemap of ours(landing.sitemaps)) add(sitemap, 'sitemap', 0)
    if (queue.length + sitemaps.length > 0 || target.role !== 'start') return undefined
    const message = `This sitemap lists no address of ${origin}. Use the sitemap that lies on the site itself.`
    return { code: 'sitemap_empty', message, retryable: false }
  }

  function failureOf (target: Target, landing: Exclude<Landing, { kind: 'page' }>): Failure | undefined {
    if (landing.kind === 'skipped') return undefined
    if (landing.kind === 'failed') return landing.failure
    return landing.kind === 'moved' ? redirect(target, landing.to) : list(target, landing)
  }

  return {
    add,
    /** The next address to ask, while fewer pages are had or on their way than wanted. */
    next (underway: number): Target | undefined {
      if (underway >= pages || requests === 0) return undefined
      const target = queue.shift() ?? sitemaps.shift() ?? (underway === 0 ? again.shift() : undefined)
      if (target) requests--
      return target
    },
    /** Takes in what an address turned out to be. Returns what the crawl has to say about it, if anything. */
    settle (target: Target, landing: Landing): CrawlOutcome | undefined {
      if (landing.kind === 'page' || landing.kind === 'sitemap') origin ??= new URL(target.address).origin
      if (landing.kind === 'page') return arrive(target, landing)
      const failure = failureOf(target, landing)
      if (target.isAgain) return undefined
      const address = target.asked
      if (failure) return { kind: 'failed', address, failure }
      return target.hops === 0 ? { kind: 'aside', address, visit: unread(address) } : undefined
    }
  }
}

/** The folder whose own page an address asks for: without the name of its index and without a query. */
function folderOf (address: string): string | undefined {
  const { origin, pathname } = new URL(address)
  const folder = pathname.replace(/(?<=\/)(?:index|default|home)\.[a-z]{2,5}$/i, '')
  return folder.endsWith('/') ? origin + folder : undefined
}
