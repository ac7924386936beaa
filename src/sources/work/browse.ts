import type { KnowledgeSourceRecord, SourceError, Visit } from '../../../schema/knowledge.ts'
import type { Egress } from '../../platform/net/egress.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import type { Job } from '../../platform/work/jobs.ts'
import { DeadlineExceeded, type Deadline } from '../../platform/work/deadline.ts'
import { crawl, MAX_PAGES, type CrawlOutcome, type Watch } from '../../crawling/crawl.ts'
import { unread, wasRead } from '../../crawling/visit.ts'
import { linksApart, type Reading } from '../../reading/apart.ts'
import { stageBytes } from '../stage.ts'
import type { TrainingStore } from '../store.ts'
import type { Child } from '../contract.ts'
import type { KeepChild } from './children.ts'
import { Failed, FIRST_WAIT_MS, NOTHING_TAKEN, NOTHING_THERE, plain } from './failure.ts'
import type { Got } from './fetched-content.ts'

/** Dependencies of reading websites; see TrainingNeeds. */
interface BrowsingNeeds {
  store: TrainingStore
  blobs: Blobs
  egress: Egress
  reading: Reading
  fileLimit: number
  keepChild: KeepChild
}

/** Crawls a site, up to the given number of pages. */
type Look = (url: string, pages: number, watch?: Watch) => AsyncIterable<CrawlOutcome>

/** Reads websites: what the one page of a source says, or the pages of a site, which become its children. */
export function browser ({ store, blobs, egress, reading, fileLimit, keepChild }: BrowsingNeeds) {
  return browse

  /** Reads a website source: its one page, or page by page into children. */
  async function browse (
    job: Job, source: KnowledgeSourceRecord, signal: AbortSignal, here: Deadline['here']
  ): Promise<Got> {
    const { depth = 0, count = 1, include = [], exclude = [] } = source.crawl ?? {}
    const isOne = count === 1 && source.urls.length === 1 && include.length + exclude.length === 0
    const isPage = source.parent_knowledge_source !== null || isOne
    const known = new Map(Object.entries(isPage && source.text_blob === null ? {} : await store.visits(source.id)))
    const task = { ...reading, holder: job.owner, signal }
    const read = (bytes: Uint8Array, address: string, contentType: string) =>
      here(() => linksApart(bytes, address, contentType, task))
    const look: Look = (url, pages, watch = {}) => {
      const limits = { pages, depth, bytes: fileLimit }
      const patterns = { include, exclude }
      return whilePatient(crawl(url, { fetch: egress.fetch, read, limits, patterns, watch, known, signal }), signal)
    }
    return isPage ? await onePage(look(source.urls[0]!, 1)) : await wholeSite(job, source, { known, look, signal })
  }

  async function wholeSite (
    job: Job,
    source: KnowledgeSourceRecord,
    {
      known, look, signal
    }: {
      known: ReadonlyMap<string, Visit>
      look: Look
      signal: AbortSignal
    }
  ): Promise<Got> {
    const count = source.crawl?.count ?? 1
    const keys = new Set<string>()
    /** What has no page of its own is remembered with the site. */
    const beside = new Map<string, Visit>()
    const failures: Array<Child & { error: SourceError }> = []
    let firstTitle: string | null = null
    let [isThere, isLeftOut] = [false, false]
    const watch = { left: () => { isLeftOut = true } }
    for (const url of source.urls) {
      if (keys.size >= count || signal.aborted) break
      for await (const outcome of look(url, count - keys.size, watch)) {
        const { kind, address } = outcome
        const visit = kind === 'failed' ? unread(address) : outcome.visit
        isThere ||= kind === 'page' || kind === 'duplicate'
        if (kind === 'failed') failures.push(failedChild(outcome))
        else if (kind === 'page') firstTitle ??= visit.title
        if (kind === 'page' && keys.has(visit.url)) continue
        if (kind === 'page' && (await keepPage(job, outcome))) keys.add(visit.url)
        else if (beside.size < MAX_PAGES) beside.set(address, visit)
      }
    }
    // A site without any readable page has failed itself.
    if (!isThere) throw new Failed(failures[0]?.error ?? (isLeftOut ? NOTHING_TAKEN : NOTHING_THERE))
    for (const failed of failures) {
      // What has become of a page that is known has to be kept; others count like pages that were read.
      if (keys.has(failed.key) || (keys.size >= count && !wasRead(known.get(failed.key)))) continue
      if (await keepChild(job, failed)) keys.add(failed.key)
    }
    const isPartial = signal.aborted || failures.some(({ error }) => error.retryable)
    return { keys: [...keys], title: firstTitle, fetched: Object.fromEntries(beside), isPartial }
  }

  async function keepPage (job: Job, { address, visit, bytes }: CrawlOutcome & { kind: 'page' }): Promise<boolean> {
    const file = bytes === null ? undefined : await stageBytes(blobs, bytes, nameOf(address))
    const child = { key: visit.url, title: visit.title, fetched: { [address]: visit }, changed: bytes !== null }
    return await keepChild(job, file ? { ...child, file } : child)
  }
}

async function onePage (outcomes: AsyncIterable<CrawlOutcome>): Promise<Got> {
  let failure: (CrawlOutcome & { kind: 'failed' })['failure'] | undefined
  for await (const outcome of outcomes) {
    if (outcome.kind === 'failed') failure ??= outcome.failure
    if (outcome.kind !== 'page') continue
    const { address, visit, bytes, contentType } = outcome
    const fetched = { [address]: visit }
    if (bytes === null) return { unchanged: fetched }
    return {
      bytes: [bytes],
      task: { title: null, name: nameOf(address), contentType },
      size: bytes.length,
      fetched
    }
  }
  throw new Failed(failure ? plain(failure) : NOTHING_THERE, failure)
}

/** The results of a crawl until its time limit; those so far are valid. */
async function * whilePatient<T> (outcomes: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  try {
    yield * outcomes
  } catch (error) {
    if (!(signal.reason instanceof DeadlineExceeded)) throw error
  }
}

/** A page that could not be had, as its site keeps it. */
function failedChild ({ address, failure }: CrawlOutcome & { kind: 'failed' }): Child & { error: SourceError } {
  const { retryable, isGone = false } = failure
  const again = retryable ? { againInMs: FIRST_WAIT_MS } : {}
  return { key: address, title: null, fetched: {}, changed: true, error: plain(failure), isGone, ...again }
}

/** What a page would be called as a file: the last part of its address. */
function nameOf (address: string): string {
  return new URL(address).pathname.split('/').at(-1) ?? ''
}
