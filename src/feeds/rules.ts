import type { FeedError, FeedRecord } from '../../schema/feeds.ts'
import type { Stale } from '../../schema/knowledge.ts'
import type { FaultCode, Item } from './contract.ts'

/*
 * What follows from a look at a feed, as pure decisions: what is read, what is gone and whether that is believed, when
 * the next look is, and when a feed counts as broken.
 */

const MINUTE_MS = 60_000
const DAY_MINUTES = 1440
const UNITS: Record<string, number> = { m: 1, h: 60, d: DAY_MINUTES }
const [LEAST_MINUTES, MOST_MINUTES] = [15, 30 * DAY_MINUTES]
/** Minutes that the time between two looks grows to while nothing changes. */
const WIDEST_MINUTES = 7 * DAY_MINUTES
/** Milliseconds for which a hint that nothing has changed is believed. */
const HINT_MS = 7 * DAY_MINUTES * MINUTE_MS
/** So much of what a feed has made may be gone at once without a person: a share, and a number in any case. */
const BELIEVED = { share: 0.2, number: 5 }
/** Looks that fail one after another before a source counts as unreachable, and its feed as broken. */
export const MOST_MISSES = 3
/** Milliseconds until a look is tried again that failed for once, and at most when the place says how long. */
const AGAIN_MS = 5 * MINUTE_MS
const MOST_WAIT_MS = DAY_MINUTES * MINUTE_MS
/** Faults that only a person mends. */
const LASTING: ReadonlySet<string> = new Set<FaultCode>(['denied', 'not_found', 'not_allowed', 'not_configured', 'too_large'])

/** Minutes of `15m`, `6h` or `30d`; undefined where that is less or more than may be asked for. */
export function minutesOf (every: string): number | undefined {
  const minutes = Number(every.slice(0, -1)) * UNITS[every.at(-1)!]!
  return minutes >= LEAST_MINUTES && minutes <= MOST_MINUTES ? minutes : undefined
}

/** What is known of something that a feed lists. */
export interface Known {
  id: number
  key: string
  changedAt: string | null
  /** Milliseconds since 1970 at which it was last found to be as it is there. */
  checked: number
  digest: string | null
  isUnread: boolean
  isGone: boolean
}

/**
 * What is done about something that is listed: it is `new` or may have `changed` and is read, it is known to be the
 * `same`, or it is left for `later` since a hint says that nothing has changed. Times are compared as texts and for
 * being the same alone, so that no clock has to be right. `since`: when the first of several looks began that take
 * turns through a long list; what was checked since then is not read again.
 */
export function compare (
  item: Item, known: Known | undefined, { now, since }: { now: number, since: number }
): 'new' | 'changed' | 'same' | 'later' {
  if (!known) return 'new'
  if (known.checked >= since && known.checked <= now) return 'same'
  if (known.isUnread || known.digest === null) return 'changed'
  if (item.digest !== undefined) return item.digest === known.digest ? 'same' : 'changed'
  if (item.changedAt === null || item.changedAt !== known.changedAt) return 'changed'
  if (!item.isHint) return 'same'
  // A clock that was ahead when it was checked says nothing.
  const age = now - known.checked
  return age >= 0 && age < HINT_MS ? 'later' : 'changed'
}

/** What a look found gone. `asks`: how many sources are not removed before a person says so. */
export interface Gone<K extends Known = Known> { removed: K[], marked: K[], asks: number }

/**
 * What is gone, and whether that is believed: only of a list that was seen whole, and only so much of it at once.
 * Nothing being left is never believed. `mayRemove`: a person has approved what was marked at the look before.
 */
export function goneOf<K extends Known> (
  known: readonly K[], seen: ReadonlySet<string>, { isWhole, mayRemove }: { isWhole: boolean, mayRemove: boolean }
): Gone<K> {
  const missing = isWhole ? known.filter(({ key }) => !seen.has(key)) : []
  const approved = mayRemove ? missing.filter(({ isGone }) => isGone) : []
  const others = missing.filter((one) => !approved.includes(one))
  const most = Math.max(BELIEVED.number, Math.floor(known.length * BELIEVED.share))
  const isBelieved = others.length <= most && (seen.size > 0 || others.length === 0)
  return isBelieved
    ? { removed: missing, marked: [], asks: 0 }
    : { removed: approved, marked: others, asks: others.length }
}

/** Minutes to the next look: twice as many while nothing changes, and as many as were asked for once it has. */
export function nextInterval (every: string, interval: number, hasChanged: boolean): number {
  const asked = minutesOf(every)!
  return hasChanged ? asked : Math.max(asked, Math.min(interval * 2, WIDEST_MINUTES))
}

/** Why a feed could not be looked at, or not taken in as a whole. */
export interface Fault { code: string, message: string, againInMs: number | null }

/** What becomes of a feed that could not be looked at. */
export interface Failed {
  state: 'idle' | 'broken'
  failures: number
  error: FeedError
  /** Milliseconds to the next try; null: a person has to mend it first. */
  inMs: number | null
  /** It was not broken before, and is now: told once. */
  isNews: boolean
  /** Its sources could not be looked at either. */
  isMissed: boolean
}

/**
 * What follows from a fault. A lasting one breaks the feed at once; any other is tried again, and breaks it when it has
 * come three times. Being asked to come later is no fault.
 */
export function failed (
  feed: Pick<FeedRecord, 'failures' | 'error' | 'interval'>,
  { code, message, againInMs }: Fault,
  { at, wasBroken }: { at: string, wasBroken: boolean }
): Failed {
  const isAskedToWait = code === 'rate_limited'
  const failures = feed.failures + (isAskedToWait ? 0 : 1)
  const isLasting = LASTING.has(code)
  const isBroken = wasBroken || isLasting || failures >= MOST_MISSES
  const usualMs = failures < MOST_MISSES ? AGAIN_MS : feed.interval * MINUTE_MS
  const inMs = againInMs === null ? usualMs : Math.min(Math.max(againInMs, 1000), MOST_WAIT_MS)
  return {
    state: isBroken ? 'broken' : 'idle',
    failures,
    error: { code, message, since: feed.error?.since ?? at },
    inMs: isLasting ? null : inMs,
    isNews: isBroken && !wasBroken,
    isMissed: !isAskedToWait
  }
}

/**
 * What is not listed any more, by what it said: what says the same under a name that nobody knows is it, moved. Of two
 * that say the same neither can be told.
 */
export function lostOf<K extends Known> (known: readonly K[], seen: ReadonlySet<string>): Map<string, K> {
  const lost = new Map<string, K | undefined>()
  for (const one of known) {
    if (one.digest === null || one.isUnread) continue
    // What is there as well, under its own name, was copied.
    lost.set(one.digest, seen.has(one.key) || lost.has(one.digest) ? undefined : one)
  }
  return new Map([...lost].filter((entry): entry is [string, K] => entry[1] !== undefined))
}

/** How much something is needed: by answers that cite it, and far more by test questions that fail. */
export interface Need { cited: number, failing: number }

/** What is read first: what is needed most, then what is new, then in the order of the list. */
export function byNeed (items: readonly Item[], needOf: (key: string) => Need | undefined): Item[] {
  const weight = ({ key }: Item) => {
    const need = needOf(key)
    return need ? need.failing * 1000 + need.cited : 0.5
  }
  return items.map((item, at) => ({ item, at, weight: weight(item) }))
    .sort((a, b) => b.weight - a.weight || a.at - b.at)
    .map(({ item }) => item)
}

/** Answers that make a source one that is cited often, and days for which it need not be looked at. */
const CITED_OFTEN = 5
const FRESH_DAYS = 90

/** What is known of a source, to tell whether it may not hold any more. Days as texts, `2027-05-03`. */
export interface Age {
  stale: Stale | null
  contradicts: number | null
  /** The day after which somebody is to look at it. */
  reviewBy: string | null
  /** The day it was looked at last, or was made. */
  checkedOn: string
  cited: number
}

/** Why a source may not say any more what is so. That it cannot be reached, looks alone say. */
export function staleOf ({ stale, contradicts, reviewBy, checkedOn, cited }: Age, today: string): Stale | null {
  if (stale === 'unreachable') return stale
  if (contradicts !== null) return 'contradicts'
  if (reviewBy !== null && reviewBy < today) return 'old'
  const days = (Date.parse(today) - Date.parse(checkedOn)) / 86_400_000
  return cited >= CITED_OFTEN && days >= FRESH_DAYS ? 'unchecked' : null
}
