import type { FeedFinding } from '../../../schema/feeds.ts'
import { microsOf, type Clock } from '../../platform/clock.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import type { Job, Result } from '../../platform/work/jobs.ts'
import { DeadlineExceeded } from '../../platform/work/deadline.ts'
import type { FedSource } from '../../sources/index.ts'
import type { FeedReader, Here, Listed, LookAt } from '../contract.ts'
import { CursorExpired, FeedFault } from '../fault.ts'
import { byNeed, goneOf, lostOf, type Fault } from '../rules.ts'
import type { Begun, Ended, LookStore } from '../store.ts'
import { Taking, Unwanted, type Compared } from './taking.ts'

/** Maximum items that one look reads, from one place; a look that follows soon reads the rest. */
const MOST_READ = 500
/** Maximum items of a list. */
const MOST_LISTED = 10_000
/** Maximum batches of a list, some of which may be empty. */
const MOST_PARTS = 10_000
const PARTIAL: Listed = { isWhole: false, cursor: null }
/** Milliseconds until a follow-up look: if there is more to read, and if something was being written. */
const MORE_MS = 60_000
const UNSETTLED_MS = 2000

/** Dependencies of looks at feeds. */
interface LookingNeeds {
  store: LookStore
  blobs: Blobs
  clock: Clock
  readerOf (kind: Begun['feed']['kind'], job: Job, here: Here): FeedReader
}

/**
 * Looks at feeds: lists their items, compares them with what is known, and passes new or changed ones to training. Safe
 * to run twice and to be killed anywhere: each item is stored separately, and the next look compares again.
 */
export function looking ({ store, blobs, clock, readerOf }: LookingNeeds) {
  return async (job: Job, signal: AbortSignal, here: Here = (work) => work()): Promise<Result> => {
    const begun = await store.begin(job)
    if (!begun) return { done: true }
    try {
      await store.ended(job, await look(job, begun, readerOf(begun.feed.kind, job, here), signal))
    } catch (error) {
      if (error instanceof Unwanted) return { done: true }
      if (!(signal.reason instanceof DeadlineExceeded)) signal.throwIfAborted()
      await store.failed(job, faultOf(signal.aborted ? signal.reason : error))
    }
    return { done: true }
  }

  async function look (
    job: Job, { feed, opened, known: sources, needs }: Begun, reader: FeedReader, signal: AbortSignal
  ): Promise<Ended> {
    const now = clock.micros() / 1000
    const since = (job.payload as { since?: number } | null)?.since ?? now
    const known = new Map(sources.map((one) => [one.key, comparedTo(one)]))
    const at: LookAt = {
      config: feed.config,
      secret: opened(),
      cursor: feed.cursor,
      signal,
      visitOf: (key) => known.get(key)?.source.visit ?? null
    }
    const taking = new Taking({ store, blobs, job, known, times: { now, since } })
    const listed = await listWhole(reader, at, taking)
    if (listed.isWhole && listed.isDelta !== true) taking.lost = lostOf([...known.values()], taking.seen)
    await taking.keepWaiting()
    const ordered = byNeed(taking.toRead, (key) => {
      const found = known.get(key)
      return found && (needs.get(found.id) ?? { cited: 0, failing: 0 })
    })
    let read = 0
    while (read < Math.min(ordered.length, MOST_READ) && !(signal.reason instanceof DeadlineExceeded)) {
      await taking.read(reader, ordered[read++]!, at)
    }
    const { seen, checked, missed, sources: changed, fault } = taking
    if (listed.isDelta) {
      checked.push(...sources.filter(({ key }) => !seen.has(key)).map(({ id }) => ({ id, changedAt: null })))
    }
    // An unread item may be a moved one: until it is read, nothing counts as removed.
    const isRead = read === ordered.length && !taking.isUnsettled
    const isWhole = listed.isWhole && listed.isDelta !== true && isRead
    const rest = [...known.values()].filter(({ id }) => !taking.moved.has(id))
    const gone = goneOf(rest, seen, { isWhole, mayRemove: feed.may_remove })
    return {
      gone,
      checked,
      missed,
      look: {
        ...taking.look,
        seen: seen.size,
        found: [...taking.found, ...gone.removed.map((one) => asGone(one, null))],
        waiting: gone.asks > 0 ? gone.marked.map((one) => asGone(one, one.id)) : []
      },
      sources: changed,
      cursor: listed.cursor,
      again: againAfter({ isUnsettled: taking.isUnsettled, hasMore: read < ordered.length }, since),
      fault
    }
  }
}

/** Lists all items; from the start if the place no longer knows the cursor. */
async function listWhole (reader: FeedReader, at: LookAt, taking: Taking): Promise<Listed> {
  try {
    const items = reader.list(at)
    for (let parts = 0; ; parts++) {
      const next = await items.next()
      if (next.done) return next.value
      const isRepeat = next.value.length > 0 && next.value.every(({ key }) => taking.seen.has(key))
      if (!isRepeat) await taking.take(next.value)
      if (!isRepeat && taking.seen.size < MOST_LISTED && parts < MOST_PARTS) continue
      // An endless list, or one that continues at its own start, does not tell what was removed.
      await items.return(PARTIAL)
      return PARTIAL
    }
  } catch (error) {
    if (!(error instanceof CursorExpired) || at.cursor === null) throw error
    return await listWhole(reader, { ...at, cursor: null }, taking)
  }
}

const asGone = ({ key, source: { visit } }: Compared, source: number | null): FeedFinding =>
  ({ what: 'gone', source, title: visit?.title || key, key, from: null })

function againAfter (
  { isUnsettled, hasMore }: { isUnsettled: boolean, hasMore: boolean }, since: number
): Ended['again'] {
  if (isUnsettled) return { inMs: UNSETTLED_MS, payload: null }
  return hasMore ? { inMs: MORE_MS, payload: { since } } : null
}

function comparedTo (source: FedSource): Compared {
  const { id, key, changedAt, checkedAt, visit, isUnread, isGone } = source
  const checked = checkedAt === null ? 0 : microsOf(checkedAt)! / 1000
  return { id, key, changedAt, checked, digest: visit?.contentHash || null, isUnread, isGone, source }
}

/** The fault as people are shown it. Unexpected errors are rethrown, to be logged and retried. */
function faultOf (error: unknown): Fault {
  if (error instanceof FeedFault) return error
  // The secret can no longer be decrypted: it has to be entered again.
  if (error instanceof Refusal) return { code: 'denied', message: error.message, againInMs: null }
  if (error instanceof DeadlineExceeded) {
    return {
      code: 'unavailable',
      message: 'This took longer than 15 minutes and was stopped. It is tried again.',
      againInMs: null
    }
  }
  const { code, message, retryable } = error as { code?: unknown, message?: unknown, retryable?: unknown }
  if (typeof code !== 'string' || typeof retryable !== 'boolean') throw error
  const known = FROM_OUTSIDE[code] ?? (retryable ? 'unavailable' : 'unreadable')
  return { code: known, message: String(message), againInMs: null }
}

/** Egress and Google Drive errors as feed faults. */
const FROM_OUTSIDE: Record<string, string> = {
  google_drive_denied: 'denied',
  google_drive_not_found: 'not_found',
  google_drive_not_configured: 'not_configured',
  too_large: 'too_large'
}
