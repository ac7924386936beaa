import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { crawl } from '../../crawling/crawl.ts'
import type { Egress } from '../../platform/net/egress.ts'
import type { Clock } from '../../platform/clock.ts'
import { linksApart, type Reading } from '../../reading/apart.ts'
import { pageAddress } from '../../reading/page-address.ts'
import type { FeedReader, Here, Item, LookAt, Read } from '../contract.ts'
import { FeedFault } from '../fault.ts'
import { ask } from './asking.ts'
import { entriesOf, type Entry } from './xml.ts'

const unpack = promisify(gunzip)
const MAX_LIST_BYTES = 50 * 1024 * 1024
/** Maximum pages per sitemap, and sitemaps per sitemap index. */
const MOST_PAGES = 10_000
const MOST_LISTS = 100

/** Dependencies for reading pages. */
export interface PageNeeds {
  fetch: Egress['fetch']
  clock: Clock
  reading: Reading
  fileLimit: number
  /** The tenant the pages are read for, as capacity for reading is shared. */
  holder: number
  here: Here
}

/** Reads the pages in a sitemap, or in all sitemaps of an index. */
export function sitemapReader (needs: PageNeeds): FeedReader {
  return { list, read: pagesOf(needs) }

  async function * list (look: LookAt) {
    const start = look.config['url']!
    const { origin } = new URL(start)
    let lists = [start]
    let isWhole = true
    for (let at = 0; at < lists.length; at++) {
      const { entries, root, isWhole: isAll } = await xmlAt(needs, lists[at]!, look, ['url', 'sitemap'])
      if (root !== 'urlset' && root !== 'sitemapindex') throw notA('sitemap')
      isWhole &&= isAll
      if (root === 'sitemapindex') {
        const more = entries.flatMap((entry) => onOrigin(entry.get('loc'), origin) ?? [])
        lists = [...new Set([...lists, ...more])]
        if (lists.length > MOST_LISTS) isWhole = false
        lists = lists.slice(0, MOST_LISTS)
        continue
      }
      if (entries.length >= MOST_PAGES) isWhole = false
      yield entries.flatMap((entry) => {
        const address = onOrigin(entry.get('loc'), origin)
        return address === undefined ? [] : [pageItem(address, '', entry.get('lastmod'))]
      })
    }
    return { isWhole, cursor: null }
  }
}

/**
 * Reads the pages that an RSS or Atom feed names. It lists only the newest: what it no longer lists was not removed.
 */
export function rssReader (needs: PageNeeds): FeedReader {
  return { list, read: pagesOf(needs) }

  async function * list (look: LookAt) {
    const { entries, root } = await xmlAt(needs, look.config['url']!, look, ['item', 'entry'])
    if (root !== 'rss' && root !== 'feed' && root !== 'RDF') throw notA('RSS or Atom feed')
    yield entries.flatMap((entry) => {
      const address = pageAddress(linkOf(entry), look.config['url'])
      const said = ['updated', 'pubDate', 'published', 'date'].map((name) => entry.get(name)?.trim()).find(Boolean)
      return address === undefined ? [] : [pageItem(address, entry.get('title')?.trim() ?? '', said)]
    })
    return { isWhole: false, cursor: null }
  }
}

/** The page of an entry: its link, or its id where that is one. */
function linkOf (entry: Entry): string {
  return (entry.get('link@href') ?? entry.get('link') ?? entry.get('guid') ?? '').trim()
}

function pageItem (address: string, title: string, said: string | undefined): Item {
  return { key: address, title: title || address, url: address, changedAt: said?.trim() || null, isHint: true }
}

function onOrigin (text: string | undefined, origin: string): string | undefined {
  const address = pageAddress((text ?? '').trim())
  return address !== undefined && new URL(address).origin === origin ? address : undefined
}

const notA = (what: string) => new FeedFault('unreadable', `There is no ${what} at this address.`)

async function xmlAt ({ fetch, clock }: PageNeeds, address: string, { signal }: LookAt, names: string[]) {
  const system = new URL(address).host
  const { bytes } = await ask({ fetch, clock, system, signal }, address, { maxBytes: MAX_LIST_BYTES })
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
  const plain = isPacked ? await unpack(bytes, { maxOutputLength: MAX_LIST_BYTES }).catch(() => { throw notA('list') }) : bytes
  return await entriesOf(plain, names, MOST_PAGES)
}

/** Reads one page at a time, as a crawl of that page alone; asks each site once for its robots.txt. */
function pagesOf ({ fetch, reading, fileLimit, holder, here }: PageNeeds): FeedReader['read'] {
  const asked = new Map<string, ReturnType<Egress['fetch']>>()
  const once: Egress['fetch'] = (address, options) => {
    if (!address.endsWith('/robots.txt')) return fetch(address, options)
    const known = asked.get(address) ?? fetch(address, options)
    asked.set(address, known)
    return known
  }
  return async ({ key }, { visitOf, signal }): Promise<Read> => {
    const visit = visitOf(key)
    const outcomes = crawl(key, {
      fetch: once,
      read: (bytes, address, contentType) =>
        here(() => linksApart(bytes, address, contentType, { ...reading, holder, signal })),
      limits: { pages: 1, depth: 0, bytes: fileLimit },
      known: new Map(visit ? [[key, visit]] : []),
      signal
    })
    for await (const outcome of outcomes) {
      if (outcome.kind === 'failed') return { failed: outcome.failure }
      if (outcome.kind === 'page') {
        const { bytes, visit: found } = outcome
        return { page: { bytes, visit: found, fetched: { [key]: found } } }
      }
    }
    return { failed: { code: 'no_text', message: `${key} is not a page that can be read.` } }
  }
}
