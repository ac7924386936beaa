import type { Clock } from '../clock.ts'

/** Names of which each has one holder at a time in this process. */
interface OwnHolds {
  /** Returns how to let go of the name; undefined while somebody else holds it. It ends by itself after `forMs`. */
  hold (name: string, forMs: number): (() => void) | undefined
}

/** See OwnHolds. */
export function ownHolds (clock: Pick<Clock, 'monotonic'>): OwnHolds {
  const held = new Map<string, { until: number }>()
  return {
    hold (name, forMs) {
      const now = clock.monotonic()
      if ((held.get(name)?.until ?? -Infinity) > now) return undefined
      const mine = { until: now + forMs }
      held.set(name, mine)
      return () => {
        if (held.get(name) === mine) held.delete(name)
      }
    }
  }
}
