import type { Clock } from '../clock.ts'
import { growingWaits } from '../work/growing-waits.ts'
import { slidingWindow } from '../work/sliding-window.ts'
import type { Neighbours, Said } from './contract.ts'
import { ownHolds } from './holds.ts'

/** Maximum number of stored values; the oldest are dropped first. */
const MOST_VALUES = 10_000

/** The neighbours of a process that serves alone: none. What would be stored elsewhere is in its own memory. */
export function alone (clock: Pick<Clock, 'monotonic'>): Neighbours {
  const kept = new Map<string, { until: number, value: Said }>()
  const holds = ownHolds(clock)
  return {
    isAlone: true,
    tell () {},
    hear: () => () => {},
    window: ({ most, windowMs }) => slidingWindow({ clock, most, windowMs }),
    waits: (options) => growingWaits({ clock, ...options }),
    async hold (name, forMs) {
      const letGo = holds.hold(name, forMs)
      return letGo && (async () => letGo())
    },
    async put (name, value, forMs) {
      kept.delete(name)
      kept.set(name, { until: clock.monotonic() + forMs, value })
      if (kept.size > MOST_VALUES) kept.delete(kept.keys().next().value!)
    },
    async take (name) {
      const found = kept.get(name)
      kept.delete(name)
      return found && found.until > clock.monotonic() ? found.value : undefined
    },
    write: () => ({ add () {}, end () {} }),
    shown: async () => undefined,
    onReach () {},
    onBeat () {},
    close () {}
  }
}
