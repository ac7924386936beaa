import type { Id } from '../../../schema/common.ts'
import type { SitePage, SitePages, SiteDraft } from '../../../schema/knowledge.ts'
import { crawl, type CrawlOutcome, type Watch } from '../../crawling/crawl.ts'
import type { Egress } from '../../platform/net/egress.ts'
import { Refusal, invalid } from '../../platform/errors.ts'
import type { Neighbours } from '../../platform/neighbours/contract.ts'
import { linksApart, type Reading } from '../../reading/apart.ts'

/** Who asks for a preview, and until when. */
export interface Asker {
  /** For whom it is read, so that places are shared fairly. */
  holder: Id
  /** Aborted when nobody waits for the answer any more: then the reading ends. */
  signal: AbortSignal
}

/** How long a site is looked at, and how many of its pages are read. */
const LOOK_MS = 20_000
const MOST_READ = 50
/** After this time the process that began a look is assumed to be gone, with its server. */
const GONE_MS = 2 * LOOK_MS
/** Pages that are left out, or beyond the limit, as far as they are listed. */
const MOST_BESIDE = 200

/** A site as somebody wants it to be read. */
export type SiteAsked = Required<SiteDraft>

/** What was met of a site. */
interface Met {
  read: SitePage[]
  /** Left out, in the order in which they were met. */
  left: Map<string, SitePage['reason']>
  waiting: string[]
  from: SitePages['from']
  sitemaps: string[]
  /** Something that may hold more pages was not looked at. */
  isCut: boolean
}

/** Looks which pages of a site would be taken, and keeps nothing. One look at a time for each holder on all servers. */
export function siteLooker (
  { egress, reading, fileLimit, neighbours }: {
    egress: Egress, reading: Reading, fileLimit: number, neighbours: Pick<Neighbours, 'hold'>
  }
) {
  /** Throws what is wrong with the address, as a crawl says it. */
  async function look (site: SiteAsked, { holder, signal }: Asker): Promise<SitePages> {
    const tooLong = AbortSignal.timeout(LOOK_MS)
    const until = AbortSignal.any([signal, tooLong])
    const met: Met = { read: [], left: new Map(), waiting: [], from: 'links', sitemaps: [], isCut: false }
    const outcomes = crawl(site.url, {
      fetch: egress.fetch,
      read: (bytes, address, type) => linksApart(bytes, address, type, { ...reading, holder, signal: until }),
      limits: { pages: site.count, depth: site.depth, bytes: fileLimit },
      patterns: site,
      watch: watching(met),
      known: new Map(),
      signal: until
    })
    try {
      await follow(outcomes, met)
    } catch (error) {
      if (!tooLong.aborted || signal.aborted) throw error
    }
    if (met.read.length + met.left.size + met.waiting.length > 0) return shown(met, site)
    throw tooLong.aborted
      ? invalid({ field: 'url', message: 'The site did not answer in time.', code: 'timeout' })
      : invalid({ field: 'url', message: 'No page was found at this address.', code: 'no_text' })
  }

  return async (site: SiteAsked, asker: Asker): Promise<SitePages> => {
    const letGo = await neighbours.hold(`sites/${asker.holder}`, GONE_MS)
    if (!letGo) {
      throw new Refusal('in_progress', 'A site is already being read for this account. Wait until that is done.')
    }
    try {
      return await look(site, asker)
    } finally {
      await letGo()
    }
  }
}

function watching (met: Met): Watch {
  return {
    left (address, why) {
      if (met.left.size < MOST_BESIDE) met.left.set(address, why)
      else if (!met.left.has(address)) met.isCut = true
    },
    sitemaps (addresses) { met.sitemaps = addresses },
    listed () { met.from = 'sitemap' },
    waiting (address) {
      if (address === undefined) met.isCut = true
      else met.waiting.push(address)
    }
  }
}

/** Takes in what comes, until that is enough. */
async function follow (outcomes: AsyncIterable<CrawlOutcome>, met: Met) {
  for await (const outcome of outcomes) {
    const { kind, address } = outcome
    if (kind === 'page') {
      const { url, title } = outcome.visit
      met.read.push({ url, title, taken: true, reason: 'included' })
    }
    if (kind === 'failed') {
      if (met.read.length + met.left.size === 0 && met.from === 'links') throw outcome.failure
      met.read.push({ url: address, title: null, taken: false, reason: 'unreadable' })
    }
    if (met.read.length >= MOST_READ) return
  }
}

/** Pages that were read, then those that are listed somewhere and would be read, then those that would not. */
function shown ({ read, left, waiting, from, sitemaps, isCut }: Met, { count }: SiteAsked): SitePages {
  const taken = read.filter((page) => page.taken).length
  const known = new Set(read.map(({ url }) => url))
  const others = waiting.filter((url) => !known.has(url))
  const pages = others.map((url, i): SitePage => taken + i < count
    ? { url, title: null, taken: true, reason: 'included' }
    : { url, title: null, taken: false, reason: 'beyond_limit' }
  )
  const most = Math.max(count - taken, 0) + MOST_BESIDE
  const besides = [...left].filter(([url]) => !known.has(url))
  return {
    pages: [
      ...read,
      ...pages.slice(0, most),
      ...besides.map(([url, reason]): SitePage => ({ url, title: null, taken: false, reason }))
    ],
    from,
    sitemaps,
    more: isCut || pages.length > most || pages.some((page) => page.taken)
  }
}
