import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../storage/sqlite/database.ts'

/** How much is done without a gap, and how many times as long as each slice the gap after it is from then on. */
const BURST_MS = 50
const GAP = 5

/**
 * Does a piece of much deleting in a commit, then leaves the processor to others for several times as long as it took.
 * Whether there is more to do: never when `signal` is aborted.
 */
export type Slice = (work: () => boolean) => Promise<boolean>

/** Slices of one long work: what is over at once holds nobody up. */
export function inSlices (db: Database, signal: AbortSignal): Slice {
  /** Milliseconds of work by now. */
  let spent = 0
  return async (work) => {
    let began = 0
    const more = await db.inSmallPortions(() => db.atomically(() => {
      began = performance.now()
      return work()
    }, { frees: true }))
    // The commit counts too: what is written goes to the disk then.
    const took = performance.now() - began
    spent += took
    if (spent > BURST_MS) await pause(took * GAP, undefined, { signal }).catch(() => undefined)
    return more && !signal.aborted
  }
}

/**
 * What a reading of days, both included, comes to, so many of them at a time: others have their turn in between.
 * Oldest first.
 */
export async function inPortions<T> (
  { from, to }: { from: number, to: number }, days: number, read: (from: number, to: number) => T[]
): Promise<T[]> {
  const found: T[] = []
  for (let first = from; first <= to; first += days) {
    if (first > from) await new Promise(setImmediate)
    found.push(...read(first, Math.min(to, first + days - 1)))
  }
  return found
}
