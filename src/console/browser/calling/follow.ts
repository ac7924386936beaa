import type { Signal } from '@preact/signals'
import { MISSED, onHappened, withEvents, type Happened } from '../live.ts'

/**
 * Keeps `kept` right by what happens, as long as it is shown; the answer ends it and empties it. `ask` reads it whole,
 * at the beginning and whenever events were missed; `heard` says what it is after an event. `isUntold`: an event does
 * not say enough, so that it is read whole.
 */
export function follow<T> (
  kept: Signal<T>, empty: T, ask: () => Promise<T>, heard: (before: T, event: Happened) => T,
  isUntold: (event: Happened) => boolean = () => false
) {
  let reads = 0

  async function read () {
    const mine = ++reads
    const { answer, since } = await withEvents(ask)
    if (mine === reads) kept.value = since.reduce(heard, answer)
  }

  const again = () => { read().catch(() => { /* It is read again when events arrive. */ }) }
  again()
  const end = onHappened((event) => {
    if (event.type === MISSED.type || isUntold(event)) again()
    else kept.value = heard(kept.value, event)
  })
  return () => {
    end()
    // Who signed out is not told any more, and an answer under way comes too late.
    reads++
    kept.value = empty
  }
}
