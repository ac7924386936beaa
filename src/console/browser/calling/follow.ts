import type { Signal } from '@preact/signals'
import { MISSED, onHappened, withEvents, type Happened } from '../live.ts'

/**
 * Keeps `kept` up to date from events while it is shown; the returned function stops and empties it. `ask` reads all of
 * it, at the start and whenever events were missed; `heard` returns the value after an event. `isUntold`: the event
 * does not say enough, so everything is read again.
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
    // After signing out nothing more is shown, and an answer under way comes too late.
    reads++
    kept.value = empty
  }
}
