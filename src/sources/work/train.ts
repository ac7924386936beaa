import type { Id } from '../../../schema/common.ts'
import { hasOwnText, type Fetched, type KnowledgeSourceRecord, type SourceError, type Visit } from '../../../schema/knowledge.ts'
import type { Blobs, Staged } from '../../platform/storage/sqlite/blobs.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { Egress } from '../../platform/net/egress.ts'
import { Refusal, type Failure } from '../../platform/errors.ts'
import type { Jobs } from '../../platform/storage/sqlite/jobs.ts'
import { backOffMs } from '../../platform/work/back-off.ts'
import type { Job, Result } from '../../platform/work/jobs.ts'
import { OutOfPatience, type Patience } from '../../platform/work/patience.ts'
import { crawl, MAX_PAGES, type Outcome } from '../../crawling/crawl.ts'
import { unread, wasRead } from '../../crawling/visit.ts'
import type { Drive } from '../../crawling/drive.ts'
import type { Embeddings } from '../../search/vectors/embeddings.ts'
import { learnApart, linksApart, type LearntAbout, type Reading, type Task } from '../../reading/apart.ts'
import type { PassageIndex } from '../../search/passages.sqlite.ts'
import { severalAhead, stageBytes } from '../stage.ts'
import type { Child, StagedText, Trained, TrainingStore } from '../store.ts'

/** What training needs. */
export interface TrainingNeeds {
  db: Database
  jobs: Pick<Jobs, 'isCurrent'>
  store: TrainingStore
  blobs: Blobs
  index: PassageIndex
  egress: Egress
  drive: Drive
  /** How files are read apart from the server. */
  reading: Reading
  embeddings: Embeddings | undefined
  /** Bytes of one file or page at most. */
  fileLimit: number
}

/** What can be asked for again later, and how often before it counts as failed. */
const TRIES = 5
const FIRST_WAIT_MS = 5000
/** Passages written into the index in one piece of a commit: 4 ms of work, and all that the child sends at once unless they are short. */
const SLICE = 96
/** Pieces under way while the child's next ones are read: as many go into one commit as its time allows, and neither side waits for the other. */
const AHEAD = 6

/** What a source turned out to be: new bytes to learn from, nothing new, or a list of others. */
type Got =
  | { bytes: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>, task: Omit<Task & { kind: 'learn' }, 'kind'>, size?: number, fetched?: Fetched }
  | { unchanged: Fetched }
  | { keys: string[], title: string | null, fetched: Fetched, isPartial?: boolean }

/**
 * Turns a source into searchable passages: fetch → read apart from the server → write the new text and passages beside the
 * old ones → swap. Safe to run twice and to be killed anywhere: what was not swapped in is swept away.
 */
export function trainer ({ db, jobs, store, blobs, index, egress, drive, reading, embeddings, fileLimit }: TrainingNeeds) {
  return {
    train,
    embed,
    /** Of a job that was begun again and again and never came to an end: its source counts as what ends the server. */
    async givenUp (job: Job) {
      if (await store.begin(job)) await store.happened(job, { kind: 'failed', error: neverEnds(job.attempt - 1) })
    }
  }

  /** Adds meaning to words already found. A service that does not answer is asked again, less and less often. */
  async function embed (job: Job, signal: AbortSignal): Promise<Result> {
    const training = db.read(() => index.live(job.subject))
    const source = await store.sourceOf(job)
    try {
      if (embeddings && source && training !== undefined) await embeddings.embed(training, { signal, isWanted: () => jobs.isCurrent(job) })
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Refusal)) throw error
      return { againInMs: backOffMs(job.attempt, { firstMs: FIRST_WAIT_MS }) }
    }
    await store.end(job)
    return { done: true }
  }

  /** Trains a source. Whatever goes wrong with it ends in its own state; only why the worker stops is thrown. */
  async function train (job: Job, signal: AbortSignal, here: Patience['here'] = (work) => work()): Promise<Result> {
    const source = await store.begin(job)
    if (!source) return { done: true }
    try {
      const got = await get(job, source, signal, here)
      if ('unchanged' in got) await store.happened(job, { kind: 'unchanged', fetched: got.unchanged })
      else if ('keys' in got) await store.happened(job, { kind: 'listed', ...got })
      else await here(() => learn(job, source, got, signal))
      return { done: true }
    } catch (error) {
      const isTooSlow = signal.reason instanceof OutOfPatience
      if (!isTooSlow) signal.throwIfAborted()
      if (error instanceof Unwanted) return { done: true }
      const failure = isTooSlow ? TOO_SLOW : failureOf(error, job.attempt)
      if (failure.retryable && !isTooSlow && job.attempt < TRIES) {
        await store.happened(job, { kind: 'postponed', error: failure })
        return { againInMs: backOffMs(job.attempt, { firstMs: FIRST_WAIT_MS }) }
      }
      await store.happened(job, { kind: 'failed', error: failure, isGone: error instanceof Failed && error.isGone })
      return { done: true }
    }
  }

  async function get (job: Job, source: KnowledgeSourceRecord, signal: AbortSignal, here: Patience['here']): Promise<Got> {
    if (hasOwnText(source)) return { bytes: blobs.readText(source.text_blob!), task: { title: source.title, isText: true, isPairs: source.type === 'faq' } }
    if (source.file_blob !== null) {
      const isPage = source.type === 'website'
      return { bytes: blobs.read(source.file_blob), task: { title: isPage ? null : source.title, name: source.file_name, isPage, isPairs: source.type === 'faq' } }
    }
    return source.type === 'website' ? await browse(job, source, signal, here) : await fromDrive(job, source, signal)
  }

  /** Reads a website source: its one page, or page by page into children. */
  async function browse (job: Job, source: KnowledgeSourceRecord, signal: AbortSignal, here: Patience['here']): Promise<Got> {
    const { depth = 0, count = 1 } = source.crawl ?? {}
    const isPage = source.parent_knowledge_source !== null || (count === 1 && source.urls.length === 1)
    const known = new Map(Object.entries(isPage && source.text_blob === null ? {} : await store.visits(source.id)))
    const task = { ...reading, holder: job.owner, signal }
    const read = (bytes: Uint8Array, address: string, contentType: string) => here(() => linksApart(bytes, address, contentType, task))
    const look = (url: string, pages: number) =>
      whilePatient(crawl(url, { fetch: egress.fetch, read, limits: { pages, depth, bytes: fileLimit }, known, signal }), signal)
    return isPage ? await onePage(look(source.urls[0]!, 1)) : await wholeSite(job, source, { known, look, signal })
  }

  async function onePage (outcomes: AsyncIterable<Outcome>): Promise<Got> {
    let failure: (Outcome & { kind: 'failed' })['failure'] | undefined
    for await (const outcome of outcomes) {
      if (outcome.kind === 'failed') failure ??= outcome.failure
      if (outcome.kind !== 'page') continue
      const { address, visit, bytes, contentType } = outcome
      const fetched = { [address]: visit }
      if (bytes === null) return { unchanged: fetched }
      return { bytes: [bytes], task: { title: null, name: nameOf(address), contentType, isPage: true }, size: bytes.length, fetched }
    }
    throw new Failed(failure ? plain(failure) : NOTHING_THERE, failure)
  }

  async function wholeSite (job: Job, source: KnowledgeSourceRecord, { known, look, signal }: {
    known: ReadonlyMap<string, Visit>, look: (url: string, pages: number) => AsyncIterable<Outcome>, signal: AbortSignal
  }): Promise<Got> {
    const count = source.crawl?.count ?? 1
    const keys = new Set<string>()
    /** What has no page of its own is remembered with the site. */
    const beside = new Map<string, Visit>()
    const failures: Array<Child & { error: SourceError }> = []
    let firstTitle: string | null = null
    let isThere = false
    for (const url of source.urls) {
      if (keys.size >= count || signal.aborted) break
      for await (const outcome of look(url, count - keys.size)) {
        const { kind, address } = outcome
        const visit = kind === 'failed' ? unread(address) : outcome.visit
        isThere ||= kind === 'page' || kind === 'duplicate'
        if (kind === 'failed') failures.push(failedChild(outcome))
        else if (kind === 'page') firstTitle ??= visit.title
        if (kind === 'page' && keys.has(visit.url)) continue
        if (kind === 'page' && await keepPage(job, outcome)) keys.add(visit.url)
        else if (beside.size < MAX_PAGES) beside.set(address, visit)
      }
    }
    // A site of which nothing could be read has failed itself.
    if (!isThere) throw new Failed(failures[0]?.error ?? NOTHING_THERE)
    for (const failed of failures) {
      // What has become of a page that is known has to be kept; others count like pages that were read.
      if (keys.has(failed.key) || (keys.size >= count && !wasRead(known.get(failed.key)))) continue
      if (await keepChild(job, failed)) keys.add(failed.key)
    }
    const isPartial = signal.aborted || failures.some(({ error }) => error.retryable)
    return { keys: [...keys], title: firstTitle, fetched: Object.fromEntries(beside), isPartial }
  }

  async function keepPage (job: Job, { address, visit, bytes }: Outcome & { kind: 'page' }): Promise<boolean> {
    const file = bytes === null ? undefined : await stageBytes(blobs, bytes, nameOf(address))
    const child = { key: visit.url, title: visit.title, fetched: { [address]: visit }, changed: bytes !== null }
    return await keepChild(job, file ? { ...child, file } : child)
  }

  /** Whether a child was kept, rather than left away as a person wants it. Ends the search with the first that nobody wants any more. */
  async function keepChild (job: Job, child: Child): Promise<boolean> {
    let kept: Awaited<ReturnType<TrainingStore['keepChild']>> | undefined
    try {
      kept = await store.keepChild(job, child)
    } finally {
      if (kept !== 'kept' && child.file) await blobs.discard(child.file.blob)
    }
    if (kept === 'unwanted') throw new Unwanted()
    return kept === 'kept'
  }

  async function fromDrive (job: Job, source: KnowledgeSourceRecord, signal: AbortSignal): Promise<Got> {
    const id = source.google_drive_file_id!
    const item = await drive.describe(id, signal)
    if (item.isFolder) return await fromFolder(job, source, signal)
    const seen: Fetched = { [id]: { url: item.webViewLink ?? '', etag: null, lastModified: null, contentHash: item.revision, title: item.name, links: '' } }
    const before = source.text_blob === null ? undefined : (await store.visits(source.id))[id]
    if (item.revision !== '' && before?.contentHash === item.revision) return { unchanged: seen }
    const { bytes, contentType } = await drive.download(item, { maxBytes: fileLimit, signal })
    return { bytes: [bytes], task: { title: item.name, name: item.name, contentType }, size: bytes.length, fetched: seen }
  }

  async function fromFolder (job: Job, source: KnowledgeSourceRecord, signal: AbortSignal): Promise<Got> {
    const items = await drive.list(source.google_drive_file_id!, signal)
    const before = await store.visits(source.id)
    const keys: string[] = []
    for (const { id, name, revision } of items) {
      const visit = revision !== '' && before[id]?.contentHash === revision ? before[id] : undefined
      const child = { key: id, title: name, fetched: visit ? { [id]: visit } : {}, changed: visit === undefined }
      if (await keepChild(job, child)) keys.push(id)
    }
    return { keys, title: null, fetched: {} }
  }

  /** Reads and indexes bytes beside what the source has, then puts it in its place. */
  async function learn (job: Job, source: KnowledgeSourceRecord, { bytes, task, size, fetched }: Exclude<Got, { unchanged: unknown } | { keys: unknown }>, signal: AbortSignal) {
    const own = hasOwnText(source)
    let staged: Staged | undefined
    let about: LearntAbout | undefined
    let training: Id | undefined
    let ordinal = 0
    const written = severalAhead(AHEAD)
    try {
      for await (const said of learnApart(bytes, task, { ...reading, holder: job.owner, signal })) {
        if ('about' in said) {
          const { language, passages } = about = said.about
          training = await ifWanted(job, () => index.begin({ agent: source.agent, source: source.id, language, selected: source.is_selected }, passages))
        } else if ('text' in said) {
          await written.add((staged ??= await blobs.stage()).write(said.text))
        } else {
          for (let at = 0; at < said.passages.length; at += SLICE) {
            const slice = said.passages.slice(at, at + SLICE)
            const from = ordinal + at
            await written.add(ifWanted(job, () => index.add(training!, slice, from)))
          }
          ordinal += said.passages.length
        }
      }
      await written.all()
      if (!about || training === undefined) throw new Failed(NOTHING_THERE)
      await publish(job, source, about, { own, staged, training, size, fetched })
      staged = undefined
    } catch (error) {
      await staged?.discard()
      if (training !== undefined) await db.atomically(() => index.discard(training!, source.id), { frees: true })
      throw error
    }
  }

  /** Writes only while the result is wanted: what a deleted source had begun may be wiped already, and its number given to another. */
  function ifWanted<T> (job: Job, work: () => T extends PromiseLike<unknown> ? never : T) {
    return db.atomically(() => {
      if (!jobs.isCurrent(job)) throw new Unwanted()
      return work()
    })
  }

  async function publish (job: Job, source: KnowledgeSourceRecord, about: LearntAbout, { own, staged, training, size, fetched }: {
    own: boolean, staged: Staged | undefined, training: Id, size?: number, fetched?: Fetched
  }) {
    const { format, title, pages, rows, hidden, bytes, chars } = about
    const text: StagedText = own
      ? { blob: source.text_blob!, bytes: source.total_training_usage_bytes, chars: source.metadata.no_of_chars ?? chars }
      : { blob: staged!.id, bytes, chars }
    const named = source.title === source.urls[0] || source.title === source.google_drive_file_id
    const better = title ?? Object.values(fetched ?? {})[0]?.title
    const trained: Trained = {
      text,
      training,
      metadata: {
        format: own ? 'text' : format,
        no_of_pages: pages,
        no_of_rows: rows,
        no_of_chars: text.chars,
        no_of_hidden_chars: hidden,
        ...(size !== undefined && { file_size: `${size}B` })
      },
      ...(named && better && { title: better.slice(0, 500) }),
      ...(fetched && { fetched })
    }
    if (await store.happened(job, { kind: 'trained', trained })) return
    // Deleted, or asked for anew, while it was being read.
    await staged?.discard()
    await db.atomically(() => index.discard(training, source.id), { frees: true })
  }
}

/** What a crawl brings until it has taken too long: then what it has brought by then is good. */
async function * whilePatient<T> (outcomes: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  try {
    yield * outcomes
  } catch (error) {
    if (!(signal.reason instanceof OutOfPatience)) throw error
  }
}

/** Something that ended a source, with what the source shows. */
class Failed extends Error {
  readonly failure: SourceError
  /** The page is known to be no more: what it said does not answer any longer. */
  readonly isGone: boolean

  constructor (failure: SourceError, { isGone = false } = {}) {
    super(failure.message)
    this.failure = failure
    this.isGone = isGone
  }
}

/** What the job was about was deleted, or asked for anew. */
class Unwanted extends Error {}

const NOTHING_THERE: SourceError = { code: 'no_text', message: 'No text was found at this address. Check that it shows text without signing in and without scripts.', retryable: false }

const TOO_SLOW: SourceError = {
  code: 'timeout',
  message: 'This was waited for longer than 15 minutes in all, and gave nothing that could be kept. Train it again when it answers faster, or add fewer pages of it.',
  retryable: true
}

const neverEnds = (begun: number): SourceError => ({
  code: 'internal_error',
  message: `Reading this was begun ${begun} times and never came to an end. Train it again; if it stays, ask the operator to look into the log.`,
  retryable: true
})

/** What of an error a person may see. What nobody foresaw is thrown, to be logged and tried again by the worker, until it has been tried enough. */
function failureOf (error: unknown, attempt: number): SourceError {
  if (error instanceof Failed) return error.failure
  if (error instanceof Refusal) return { code: error.code, message: error.message, retryable: error.status >= 500 }
  const { code, message, retryable } = error as Partial<SourceError>
  if (typeof code === 'string' && typeof retryable === 'boolean') return { code, message: String(message), retryable }
  if (attempt < TRIES) throw error
  return { code: 'internal_error', message: 'Something went wrong on our side. Train it again later; if it stays, ask the operator to look into the log.', retryable: true }
}

/** A page that could not be had, as its site keeps it. */
function failedChild ({ address, failure }: Outcome & { kind: 'failed' }): Child & { error: SourceError } {
  const { retryable, isGone = false } = failure
  const again = retryable ? { againInMs: FIRST_WAIT_MS } : {}
  return { key: address, title: null, fetched: {}, changed: true, error: plain(failure), isGone, ...again }
}

/** An Error keeps its message where JSON does not look. */
function plain ({ code, message, retryable }: Failure): SourceError {
  return { code, message, retryable }
}

/** What a page would be called as a file: the last part of its address. */
function nameOf (address: string): string {
  return new URL(address).pathname.split('/').at(-1) ?? ''
}
