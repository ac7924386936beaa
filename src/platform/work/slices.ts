import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../storage/sqlite/database.ts'
import { step, type Sliced, type Work } from '../storage/work.ts'
import { nextTurn } from './turns.ts'

/** Work done without a pause, and how many times as long as a slice the pause after it is from then on. */
const BURST_MS = 50
const GAP = 5

/**
 * Does a piece of a large deletion in a commit, then yields the processor for several times as long as it took. Returns
 * whether there is more to do: never when `signal` is aborted.
 */
export type Slice = (work: () => Work<boolean>) => Promise<boolean>

/** Slices of one long piece of work: what finishes at once is not delayed. */
export function inSlices (db: Database, signal: AbortSignal): Slice {
  /** Milliseconds of work so far. */
  let spent = 0
  return async (work) => {
    let began = 0
    const more = await db.inSmallPortions(() => db.atomically(function * () {
      began = performance.now()
      return yield * work()
    }, { frees: true }))
    // The commit counts too: it writes to the disk.
    const took = performance.now() - began
    spent += took
    if (spent > BURST_MS) await pause(took * GAP, undefined, { signal }).catch(() => undefined)
    return more && !signal.aborted
  }
}

/** Reads something in steps, each in a separate transaction: others get a turn in between. */
export async function inSteps<T> (db: Database, sliced: Sliced<T>): Promise<T> {
  for (;;) {
    const { done, value } = await db.read(() => step(sliced))
    if (done) return value
    await nextTurn()
  }
}

/** Milliseconds after which others get a turn. */
const TURN_MS = 8

/** Gives others a turn if this work has held the loop for a while; called between pieces of it. */
export function takingTurns (): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < TURN_MS) return
    await nextTurn()
    since = performance.now()
  }
}

/** Runs work that pauses between its pieces, and gives others a turn there. */
export async function inTurns<T> (work: Generator<void, T>): Promise<T> {
  const turn = takingTurns()
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await turn()
  }
}

/** The same without pauses: for small work, and where nobody else waits. */
export function atOnce<T> (work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** Concatenates readings of days, both included, this many at a time: others get a turn in between. Oldest first. */
export async function inPortions<T> (
  { from, to }: { from: number, to: number }, days: number, read: (from: number, to: number) => Promise<T[]>
): Promise<T[]> {
  const found: T[] = []
  for (let first = from; first <= to; first += days) {
    if (first > from) await nextTurn()
    found.push(...await read(first, Math.min(to, first + days - 1)))
  }
  return found
}
