import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../storage/sqlite/database.ts'
import { step, type Sliced, type Work } from '../storage/work.ts'

/** How much is done without a gap, and how many times as long as each slice the gap after it is from then on. */
const BURST_MS = 50
const GAP = 5

/**
 * Does a piece of much deleting in a commit, then leaves the processor to others for several times as long as it took.
 * Whether there is more to do: never when `signal` is aborted.
 */
export type Slice = (work: () => Work<boolean>) => Promise<boolean>

/** Slices of one long work: what is over at once holds nobody up. */
export function inSlices (db: Database, signal: AbortSignal): Slice {
  /** Milliseconds of work by now. */
  let spent = 0
  return async (work) => {
    let began = 0
    const more = await db.inSmallPortions(() => db.atomically(function * () {
      began = performance.now()
      return yield * work()
    }, { frees: true }))
    // The commit counts too: what is written goes to the disk then.
    const took = performance.now() - began
    spent += took
    if (spent > BURST_MS) await pause(took * GAP, undefined, { signal }).catch(() => undefined)
    return more && !signal.aborted
  }
}

/** Reads something that is read in steps, each in a transaction of its own: others have their turn in between. */
export async function inSteps<T> (db: Database, sliced: Sliced<T>): Promise<T> {
  for (;;) {
    const { done, value } = await db.read(() => step(sliced))
    if (done) return value
    await new Promise(setImmediate)
  }
}

/** Milliseconds after which others have their turn. */
const TURN_MS = 8

/** Lets others have their turn where this work has held the loop for a while; asked between pieces of it. */
export function takingTurns (): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < TURN_MS) return
    await new Promise(setImmediate)
    since = performance.now()
  }
}

/** Does work that stops between its pieces, and lets others have their turn there. */
export async function inTurns<T> (work: Generator<void, T>): Promise<T> {
  const turn = takingTurns()
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await turn()
  }
}

/** The same at one stretch: for little of it, and where nobody else waits. */
export function atOnce<T> (work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/**
 * What a reading of days, both included, comes to, so many of them at a time: others have their turn in between.
 * Oldest first.
 */
export async function inPortions<T> (
  { from, to }: { from: number, to: number }, days: number, read: (from: number, to: number) => Promise<T[]>
): Promise<T[]> {
  const found: T[] = []
  for (let first = from; first <= to; first += days) {
    if (first > from) await new Promise(setImmediate)
    found.push(...await read(first, Math.min(to, first + days - 1)))
  }
  return found
}
