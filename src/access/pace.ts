import { Refusal } from '../platform/errors.ts'
import type { Neighbours } from '../platform/neighbours/contract.ts'

/** The first wrong attempts are free: people mistype. */
const GROWING = { free: 5, longestMs: 30_000, forgottenMs: 15 * 60_000 }
/** Guessers remembered at most; beyond that, the least recently active are forgotten. */
const REMEMBERED = 10_000

/** Slows down only those who guess: nothing that a stranger does delays the right password. */
export interface Pace {
  /**
   * Begins an attempt of this guesser, which counts as wrong until `right` says otherwise. Refuses with `rate_limited`
   * one that comes too soon after the last; refused ones do not count.
   */
  attempt (guesser: string): Promise<void>
  right (guesser: string): Promise<void>
}

/** The guessers of all servers. */
export function openPace (neighbours: Pick<Neighbours, 'waits'>): Pace {
  const waits = neighbours.waits({ name: 'passwords', most: REMEMBERED, ...GROWING })
  return {
    async attempt (guesser) {
      const waitMs = await waits.attempt(guesser)
      if (waitMs === 0) return
      throw new Refusal(
        'rate_limited', 'Too many wrong passwords for this address. Wait as long as Retry-After says, then try again.',
        { headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) } }
      )
    },
    right: waits.forget
  }
}
