import type { Neighbours } from '../neighbours/contract.ts'

/** Subscribers that are woken at one stretch: where each writes to a connection, some 4 ms. */
const WOKEN_AT_ONCE = 100

/** Message to neighbours: the topics about which something happened. */
const WOKEN = 'woken'

/**
 * Wakes subscribers to news about one thing, by its topic: `orders/7`. A notification says only that something
 * happened; subscribers read what it was from where it is stored. So a spurious one does no harm, and several about one
 * topic become one.
 */
export interface Notifier {
  /** Wakes the subscribers of a topic once the work of this turn of the event loop, its commit included, is done. */
  notify (topic: string): void
  /** Calls back after each notification of a topic, until the returned function is called. */
  subscribe (topic: string, callback: () => void): () => void
  /**
   * Notices writes of other processes: all subscribers are woken then, since the topic is unknown. Otherwise it costs
   * next to nothing.
   */
  look (): void
}

/**
 * A notifier of this process and its neighbours. `generation` is a number that changes when a process that is not a
 * neighbour may have written.
 */
export function openNotifier (
  generation: () => number, neighbours: Pick<Neighbours, 'tell' | 'hear'>
): Notifier {
  const subscribers = new Map<string, Set<() => void>>()
  const due = new Set<string>()
  const woken: Array<{ topic: string, callback: () => void }> = []
  let seen: number | undefined

  neighbours.hear(WOKEN, (topic) => wakeSoon(String(topic)))

  function wakeSoon (topic: string) {
    if (!subscribers.has(topic)) return
    if (due.size === 0) setImmediate(wake)
    due.add(topic)
  }

  function wake () {
    const isWaking = woken.length > 0
    for (const topic of due) for (const callback of subscribers.get(topic) ?? []) woken.push({ topic, callback })
    due.clear()
    if (!isWaking) wakeSome()
  }

  /** Others get a turn before the rest are woken. Those who have unsubscribed meanwhile are not. */
  function wakeSome () {
    const some = woken.splice(0, WOKEN_AT_ONCE)
    if (woken.length > 0) setImmediate(wakeSome)
    for (const { topic, callback } of some) if (subscribers.get(topic)?.has(callback)) callback()
  }

  return {
    notify (topic) {
      wakeSoon(topic)
      neighbours.tell(WOKEN, topic)
    },
    subscribe (topic, callback) {
      const callbacks = subscribers.get(topic) ?? new Set()
      subscribers.set(topic, callbacks.add(callback))
      return () => {
        callbacks.delete(callback)
        if (callbacks.size === 0 && subscribers.get(topic) === callbacks) subscribers.delete(topic)
      }
    },
    look () {
      const now = generation()
      if (seen !== undefined && seen !== now) for (const topic of subscribers.keys()) wakeSoon(topic)
      seen = now
    }
  }
}
