import type { Neighbours } from '../neighbours/contract.ts'

/** What is told to neighbours: the topics about which something happened. */
const WOKEN = 'woken'

/**
 * Wakes those who wait for news of one thing, by the name of its topic: `orders/7`. A notification says only that
 * something happened; what it was, whoever is woken reads from where it is kept. So one that comes for nothing does no
 * harm, and several about one topic become one.
 */
export interface Notifier {
  /** Wakes the subscribers of a topic once the work of this turn of the event loop, its commit included, is done. */
  notify (topic: string): void
  /** Calls back after each notification of a topic, until the function that is returned is called. */
  subscribe (topic: string, callback: () => void): () => void
  /**
   * Notices what other processes have written: all are woken then, since nobody says what it was. Costs next to nothing
   * otherwise.
   */
  look (): void
}

/**
 * A notifier of this process and its neighbours. `generation` is a number that moves when another process may have
 * written that is none.
 */
export function openNotifier (
  generation: () => number, neighbours: Pick<Neighbours, 'tell' | 'hear'>
): Notifier {
  const subscribers = new Map<string, Set<() => void>>()
  const due = new Set<string>()
  let seen: number | undefined

  neighbours.hear(WOKEN, (topic) => wakeSoon(String(topic)))

  function wakeSoon (topic: string) {
    if (!subscribers.has(topic)) return
    if (due.size === 0) setImmediate(wake)
    due.add(topic)
  }

  function wake () {
    const topics = [...due]
    due.clear()
    for (const topic of topics) for (const callback of [...subscribers.get(topic) ?? []]) callback()
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
