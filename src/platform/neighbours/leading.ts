import type { Clock } from '../clock.ts'
import type { Neighbours } from './contract.ts'

/** Work that the leading process does for all: when it starts to lead, then at this interval in milliseconds. */
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
