import type { FeedFinding } from '../../../schema/feeds.ts'
import type { Visit } from '../../../schema/knowledge.ts'
import { sha256Apart } from '../../platform/digest.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import type { Job } from '../../platform/work/jobs.ts'
import { stageBytes, type Brought, type FedSource, type Moved } from '../../sources/index.ts'
import type { Content, FeedReader, Item, LookAt } from '../contract.ts'
import { compare, type Fault, type Known } from '../rules.ts'
import type { Ended, LookStore } from '../store.ts'

/** The look is obsolete: its feed was removed, or another look has begun. */
export class Unwanted extends Error {}

/** Bytes of new items held until the whole list was seen, as one of them may be a moved one. */
const MOST_WAITING = 32 * 1024 * 1024

/** A known item, for comparison and as stored. */
export interface Compared extends Known { source: FedSource }

/** When this look began, and when the first of a series did; in milliseconds since 1970. */
interface Times { now: number, since: number }

/** What one look takes in: listed items are compared with known ones, and new or changed ones are stored. */
export class Taking {
  /** Keys of all listed items. */
  readonly seen = new Set<string>()
  /** Items still to be read, as their list does not include the content. */
  readonly toRead: Item[] = []
  readonly checked: Ended['checked'] = []
  readonly missed: Ended['missed'] = []
  readonly sources: Ended['sources'] = []
  readonly look: Omit<Ended['look'], 'found' | 'waiting'> = { seen: 0, new: 0, changed: 0, failed: 0, bytes: 0 }
  /** Items that have changed. */
  readonly found: FeedFinding[] = []
  /** Something was being written right now. */
  isUnsettled = false
  fault: Fault | null = null
  /** Items no longer listed, by content, once the whole list was seen. */
  lost = new Map<string, Compared>()
  private readonly waiting: Array<Item & { content: Content }> = []
  private waitingBytes = 0
  /** Items found again under another name. */
  readonly moved = new Set<number>()

  private readonly store: LookStore
  private readonly blobs: Blobs
  private readonly job: Job
  private readonly known: ReadonlyMap<string, Compared>
  private readonly times: Times

  constructor ({ store, blobs, job, known, times }: {
    store: LookStore, blobs: Blobs, job: Job, known: ReadonlyMap<string, Compared>, times: Times
  }) {
    this.store = store
    this.blobs = blobs
    this.job = job
    this.known = known
    this.times = times
  }

  /** Takes in a batch of the list. */
  async take (items: readonly Item[]) {
    for (const item of items) {
      if (this.seen.has(item.key)) continue
      this.seen.add(item.key)
      const found = this.known.get(item.key)
      const verdict = compare(item, found, this.times)
      if (verdict === 'same') this.checked.push({ id: found!.id, changedAt: item.isHint ? null : item.changedAt })
      if (verdict === 'same' || verdict === 'later') continue
      if (!item.content) this.toRead.push(item)
      else if (!this.waits(item, item.content)) await this.keep(item, item.content)
    }
  }

  /** Whether a new item is stored only once removals are known. */
  private waits (item: Item, content: Content): boolean {
    const isMoved = item.isPath === true && this.known.size > 0 && !this.known.has(item.key)
    if (!isMoved || this.waitingBytes + content.bytes.length > MOST_WAITING) return false
    this.waitingBytes += content.bytes.length
    this.waiting.push({ ...item, content })
    return true
  }

  /** Stores what has waited for the end of the list. */
  async keepWaiting () {
    for (const item of this.waiting) await this.keep(item, item.content)
  }

  /** Reads one item that the list did not include. */
  async read (reader: FeedReader, item: Item, at: LookAt) {
    const found = this.known.get(item.key)
    const got = await reader.read(item, at)
    if (got === 'unsettled') this.isUnsettled = true
    else if ('content' in got) await this.keep(item, got.content)
    else if ('failed' in got) {
      this.look.failed++
      if (found) this.missed.push(found.id)
    } else {
      const { bytes, visit, fetched } = got.page
      const isSame = found && !found.isUnread && (bytes === null || found.digest === visit.contentHash)
      if (isSame || bytes === null) this.checked.push({ id: found!.id, changedAt: item.changedAt, fetched })
      else {
        const title = titled(visit.title ?? item.title, item)
        await this.bring(item, { type: 'website', title, name: nameOf(item), bytes, fetched })
      }
    }
  }

  /** Stores an item's content, unless it is unchanged. */
  private async keep (item: Item, content: Content) {
    if (content.bytes.length === 0) {
      // An empty item counts as missing.
      this.seen.delete(item.key)
      return
    }
    const contentHash = item.digest ?? await sha256Apart(content.bytes)
    const found = this.known.get(item.key)
    const title = titled(content.title ?? item.title, item)
    const visit: Visit = { url: item.url ?? '', etag: null, lastModified: null, contentHash, title, links: '' }
    const fetched = { [item.key]: visit }
    const lost = found ? undefined : this.lost.get(contentHash)
    if (lost) return await this.move(lost, item, { title, fetched })
    if (found && !found.isUnread && found.digest === contentHash && found.source.visit?.title === title) {
      this.checked.push({ id: found.id, changedAt: item.changedAt, fetched })
    } else await this.bring(item, { type: 'docs', title, name: content.name, bytes: content.bytes, fetched })
  }

  /** The source keeps its number, and so its citations and what people have set. */
  private async move (
    { id, key: from, source }: Compared, { key, changedAt }: Item, { title, fetched }: Pick<Moved, 'title' | 'fetched'>
  ) {
    this.lost.delete(source.visit!.contentHash)
    const titleBefore = source.visit!.title
    const done = await this.store.move(this.job, { id, from, key, title, titleBefore, changedAt, fetched })
    if (done === 'unwanted') throw new Unwanted()
    if (done === 'excluded') return
    this.moved.add(id)
    this.look.changed++
    this.changes({ what: 'moved', source: id, title, key, from })
  }

  private async bring (
    { key, url, changedAt }: Item,
    { bytes, name, ...what }: Pick<Brought, 'type' | 'title' | 'fetched'> & { bytes: Uint8Array, name: string }
  ) {
    const file = await stageBytes(this.blobs, bytes, name.slice(0, 255))
    let kept: Awaited<ReturnType<LookStore['keep']>> | undefined
    try {
      const titleBefore = this.known.get(key)?.source.visit?.title ?? null
      kept = await this.store.keep(this.job, { ...what, key, url, file, changedAt, titleBefore })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // A limit is reached. Existing sources stay, and are still checked.
      this.fault ??= { code: error.code, message: error.message, againInMs: null }
      this.look.failed++
    } finally {
      if (typeof kept !== 'object') await this.blobs.discard(file.blob)
    }
    if (kept === 'unwanted') throw new Unwanted()
    if (typeof kept !== 'object') return
    const now = kept.isNew ? 'new' : 'changed'
    this.look[now]++
    this.look.bytes += bytes.length
    this.changes({ what: now, source: kept.id, title: what.title, key, from: null })
  }

  private changes (finding: FeedFinding & { source: number }) {
    this.sources.push(finding.source)
    this.found.push(finding)
  }
}

const titled = (title: string, { key }: Item) => title.trim().slice(0, 500) || key.slice(0, 500)

/** What a page would be called as a file: the last part of its address. */
const nameOf = ({ key }: Item) => new URL(key).pathname.split('/').at(-1) ?? ''
