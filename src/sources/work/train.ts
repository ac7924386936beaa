import { hasOwnText, type KnowledgeSourceRecord } from '../../../schema/knowledge.ts'
import type { Kernel } from '../../kernel/index.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import type { Egress } from '../../platform/net/egress.ts'
import { Refusal } from '../../platform/errors.ts'
import { backOffMs } from '../../platform/work/back-off.ts'
import type { Job, Result } from '../../platform/work/jobs.ts'
import { DeadlineExceeded, type Deadline } from '../../platform/work/deadline.ts'
import type { Drive } from '../../crawling/drive.ts'
import type { Embeddings } from '../../search/vectors/embeddings.ts'
import type { Reading } from '../../reading/apart.ts'
import type { PassageIndex } from '../../search/passages.sqlite.ts'
import type { TrainingStore } from '../store.ts'
import { browser } from './browse.ts'
import { childKeeper } from './children.ts'
import { Failed, failureOf, FIRST_WAIT_MS, neverEnds, TOO_SLOW, TRIES, Unwanted } from './failure.ts'
import { driveReader } from './from-drive.ts'
import type { Got } from './fetched-content.ts'
import { learner } from './learn.ts'

/** What training needs. */
export interface TrainingNeeds extends Pick<Kernel, 'db' | 'jobs'> {
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

/**
 * Turns a source into searchable passages: fetch → read apart from the server → write the new text and passages beside
 * the old ones → swap. Safe to run twice and to be killed anywhere: what was not swapped in is swept away.
 */
export function trainer (needs: TrainingNeeds) {
  const { db, jobs, store, blobs, index, embeddings } = needs
  const keepChild = childKeeper(needs)
  const browse = browser({ ...needs, keepChild })
  const fromDrive = driveReader({ ...needs, keepChild })
  const learn = learner(needs)

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
    const training = await db.read(() => index.live(job.subject))
    const source = await store.sourceOf(job)
    try {
      if (embeddings && source && training !== undefined) {
        await embeddings.embed(training, { signal, isWanted: () => jobs.isCurrent(job) })
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Refusal)) throw error
      return { againInMs: backOffMs(job.attempt, { firstMs: FIRST_WAIT_MS }) }
    }
    await store.end(job)
    return { done: true }
  }

  /** Trains a source. Whatever goes wrong with it ends in its own state; only why the worker stops is thrown. */
  async function train (job: Job, signal: AbortSignal, here: Deadline['here'] = (work) => work()): Promise<Result> {
    const source = await store.begin(job)
    if (!source) return { done: true }
    try {
      const got = await get(job, source, signal, here)
      if ('unchanged' in got) await store.happened(job, { kind: 'unchanged', fetched: got.unchanged })
      else if ('keys' in got) await store.happened(job, { kind: 'listed', ...got })
      else await here(() => learn(job, source, got, signal))
      return { done: true }
    } catch (error) {
      const isTooSlow = signal.reason instanceof DeadlineExceeded
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

  async function get (
    job: Job, source: KnowledgeSourceRecord, signal: AbortSignal, here: Deadline['here']
  ): Promise<Got> {
    if (hasOwnText(source)) {
      return {
        bytes: blobs.readText(source.text_blob!),
        task: { title: source.title, isText: true, isPairs: source.type === 'faq' }
      }
    }
    if (source.file_blob !== null) {
      const isPage = source.type === 'website'
      return {
        bytes: blobs.read(source.file_blob),
        task: { title: isPage ? null : source.title, name: source.file_name, isPairs: source.type === 'faq' }
      }
    }
    return source.type === 'website' ? await browse(job, source, signal, here) : await fromDrive(job, source, signal)
  }
}
