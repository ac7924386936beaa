import type { Clock } from '../clock.ts'
import type { Neighbours } from './contract.ts'

/** What the one process that leads does for all, once it leads and then again each so many milliseconds. */
export function whileLeading (
  { leads, neighbours, clock, onFault }: {
    leads: () => boolean,
    neighbours: Pick<Neighbours, 'onBeat'>,
    clock: Pick<Clock, 'monotonic'>
    onFault: (error: unknown) => void
  },
  everyMs: number, task: () => Promise<void>
) {
  let last = -Infinity
  let isBusy = false
  neighbours.onBeat(() => {
    if (!leads()) last = -Infinity
    else if (!isBusy && clock.monotonic() - last >= everyMs) {
      last = clock.monotonic()
      isBusy = true
      task().catch(onFault).finally(() => { isBusy = false })
    }
  })
}
