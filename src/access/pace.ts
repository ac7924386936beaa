import type { Clock } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'

/** Wrong tries that cost nothing: people mistype. */
const FREE = 5
/** How long the next one waits for the longest; each wrong try more doubles the wait up to here. */
const LONGEST_MS = 30_000
/** Wrong tries are forgotten after this long without another. */
const FORGOTTEN_MS = 15 * 60_000
/** Who is remembered at most; beyond, those that have been quiet longest are forgotten. */
const REMEMBERED = 10_000

/** Slows down who guesses, and nobody else: nothing that a stranger does keeps the right password out for longer. */
export interface Pace {
  /**
   * Begins a try of this guesser, which counts as wrong until `right` says otherwise. Refuses with `rate_limited` one
   * that comes too soon after the last; refused ones do not count.
   */
  attempt (guesser: string): void
  right (guesser: string): void
}

/** The guessers of one process. */
export function openPace (clock: Clock): Pace {
  const tries = new Map<string, { wrong: number, last: number }>()
  return {
    attempt (guesser) {
      const now = clock.monotonic()
      const { wrong, last } = tries.get(guesser) ?? { wrong: 0, last: -Infinity }
      const wait = last + waitAfter(wrong) - now
      if (wait > 0) {
        throw new Refusal(
          'rate_limited', 'Too many wrong passwords under this address. Wait as long as Retry-After says, then try again.',
          { headers: { 'retry-after': String(Math.ceil(wait / 1000)) } }
        )
      }
      tries.delete(guesser)
      tries.set(guesser, { wrong: now - last > FORGOTTEN_MS ? 1 : wrong + 1, last: now })
      if (tries.size > REMEMBERED) tries.delete(tries.keys().next().value!)
    },
    right (guesser) {
      tries.delete(guesser)
    }
  }
}

/** Milliseconds that the next try waits after so many wrong ones. */
const waitAfter = (wrong: number) => wrong < FREE ? 0 : Math.min(LONGEST_MS, 1000 * 2 ** (wrong - FREE))
