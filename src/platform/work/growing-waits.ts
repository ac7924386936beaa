import type { Clock } from '../clock.ts'

/** How waits grow: free tries, the longest wait, and after how long without a try everything is forgotten. */
export interface GrowingOptions { free: number, longestMs: number, forgottenMs: number }

/**
 * Slows down repeated tries by name: after the free tries the next one waits a second, and each further one twice as
 * long.
 */
export interface GrowingWaits {
  /**
   * Begins a try, which counts until this name is forgotten; returns 0. One that comes too soon does not count, and
   * gets the number of milliseconds to wait.
   */
  attempt (name: string): Promise<number>
  /** Forgets the tries under a name. */
  forget (name: string): Promise<void>
}

const FIRST_MS = 1000

/** Waits with names in this process's memory, at most `most`; beyond that, the longest inactive one is dropped. */
export function growingWaits (
  { clock, most, free, longestMs, forgottenMs }: GrowingOptions & { clock: Pick<Clock, 'monotonic'>, most: number }
): GrowingWaits {
  const tries = new Map<string, { count: number, last: number }>()
  const waitAfter = (count: number) => count < free ? 0 : Math.min(longestMs, FIRST_MS * 2 ** (count - free))
  return {
    async attempt (name) {
      const now = clock.monotonic()
      const { count, last } = tries.get(name) ?? { count: 0, last: -Infinity }
      const waits = last + waitAfter(count) - now
      if (waits > 0) return waits
      tries.delete(name)
      tries.set(name, { count: now - last > forgottenMs ? 1 : count + 1, last: now })
      if (tries.size > most) tries.delete(tries.keys().next().value!)
      return 0
    },
    async forget (name) {
      tries.delete(name)
    }
  }
}
