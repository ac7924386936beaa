import type { FeedError, FeedRecord } from '../../schema/feeds.ts'
import type { Stale } from '../../schema/knowledge.ts'
import type { FaultCode, Item } from './contract.ts'

/*
 * What follows from a look at a feed, as pure decisions: what is read, what was removed and whether that is believed,
 * when the next look is, and when a feed counts as broken.
 */

const MINUTE_MS = 60_000
const DAY_MINUTES = 1440
const UNITS: Record<string, number> = { m: 1, h: 60, d: DAY_MINUTES }
const [LEAST_MINUTES, MOST_MINUTES] = [15, 30 * DAY_MINUTES]
/** Maximum minutes between two looks while nothing changes. */
const WIDEST_MINUTES = 7 * DAY_MINUTES
/** Milliseconds for which a hint that nothing has changed is believed. */
const HINT_MS = 7 * DAY_MINUTES * MINUTE_MS
/** How many of a feed's sources may be removed at once without approval: a share, and a number in any case. */
const BELIEVED = { share: 0.2, number: 5 }
/** Consecutive failed looks before a source counts as unreachable, and its feed as broken. */
export const MOST_MISSES = 3
/** Milliseconds until a failed look is retried, and the maximum if the place says how long. */
const AGAIN_MS = 5 * MINUTE_MS
const MOST_WAIT_MS = DAY_MINUTES * MINUTE_MS
/** Faults that only a person can fix. */
const LASTING: ReadonlySet<string> = new Set<FaultCode>(['denied', 'not_found', 'not_allowed', 'not_configured', 'too_large'])

/** Minutes of `15m`, `6h` or `30d`; undefined if outside the allowed range. */
export function minutesOf (every: string): number | undefined {
  const minutes = Number(every.slice(0, -1)) * UNITS[every.at(-1)!]!
  return minutes >= LEAST_MINUTES && minutes <= MOST_MINUTES ? minutes : undefined
}

/** What is known of an item that a feed lists. */
export interface Known {
  id: number
  key: string
  changedAt: string | null
  /** When it was last found to be up to date, in milliseconds since 1970. */
  checked: number
  digest: string | null
  isUnread: boolean
  isGone: boolean
}

/**
 * What is done about a listed item: it is `new` or may have `changed` and is read, it is known to be the `same`, or it
 * is left for `later` as a hint says that nothing has changed. Times are compared as texts and only for equality, so
 * that no clock has to be right. `since`: when the first of a series of looks through a long list began; what was
 * checked since then is not read again.
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

/** What a look found removed. `asks`: how many sources await a person's approval to be removed. */
export interface Gone<K extends Known = Known> { removed: K[], marked: K[], asks: number }

/**
 * What was removed, and whether that is believed: only for a complete list, and only up to a limit at once. An empty
 * list is never believed. `mayRemove`: a person has approved what was marked at the previous look.
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

/** Minutes to the next look: doubled while nothing changes, back to the configured value after a change. */
export function nextInterval (every: string, interval: number, hasChanged: boolean): number {
  const asked = minutesOf(every)!
  return hasChanged ? asked : Math.max(asked, Math.min(interval * 2, WIDEST_MINUTES))
}

/** Why a look at a feed failed, in whole or in part. */
export interface Fault { code: string, message: string, againInMs: number | null }

/** The state of a feed after a failed look. */
export interface Failed {
  state: 'idle' | 'broken'
  failures: number
  error: FeedError
  /** Milliseconds to the next try; null: a person has to fix it first. */
  inMs: number | null
  /** It has just become broken: reported once. */
  isNews: boolean
  /** Its sources could not be looked at either. */
  isMissed: boolean
}

/**
 * What follows from a fault. A permanent one breaks the feed at once; any other is retried, and breaks it the third
 * time. Being asked to come later is no fault.
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
 * Items no longer listed, by content: an unknown name with the same content is a moved item. Two with the same content
 * cannot be told apart, so neither counts.
 */
export function lostOf<K extends Known> (known: readonly K[], seen: ReadonlySet<string>): Map<string, K> {
  const lost = new Map<string, K | undefined>()
  for (const one of known) {
    if (one.digest === null || one.isUnread) continue
    // If the original is still listed, it was copied.
    lost.set(one.digest, seen.has(one.key) || lost.has(one.digest) ? undefined : one)
  }
  return new Map([...lost].filter((entry): entry is [string, K] => entry[1] !== undefined))
}

/** How much an item is needed: by answers that cite it, and far more by failing test questions. */
export interface Need { cited: number, failing: number }

/** Reading order: most needed first, then new items, then in the order of the list. */
export function byNeed (items: readonly Item[], needOf: (key: string) => Need | undefined): Item[] {
  const weight = ({ key }: Item) => {
    const need = needOf(key)
    return need ? need.failing * 1000 + need.cited : 0.5
  }
  return items.map((item, at) => ({ item, at, weight: weight(item) }))
    .sort((a, b) => b.weight - a.weight || a.at - b.at)
    .map(({ item }) => item)
}

/** Answers from which a source counts as cited often, and days for which it need not be reviewed. */
const CITED_OFTEN = 5
const FRESH_DAYS = 90

/** What is known of a source, to judge whether it may be out of date. Days as texts, `2027-05-03`. */
export interface Age {
  stale: Stale | null
  contradicts: number | null
  /** The day after which somebody has to review it. */
  reviewBy: string | null
  /** The day it was last reviewed, or made. */
  checkedOn: string
  cited: number
}

/** Why a source may be out of date. Only looks tell whether it is unreachable. */
export function staleOf ({ stale, contradicts, reviewBy, checkedOn, cited }: Age, today: string): Stale | null {
  if (stale === 'unreachable') return stale
  if (contradicts !== null) return 'contradicts'
  if (reviewBy !== null && reviewBy < today) return 'old'
  const days = (Date.parse(today) - Date.parse(checkedOn)) / 86_400_000
  return cited >= CITED_OFTEN && days >= FRESH_DAYS ? 'unchecked' : null
}
