/** Which conversations are open before their visitors; kept nowhere but in the process that serves. */
export interface Presence {
  /** A visitor sees a conversation, until the function that is returned is called. */
  enter (conversation: string): () => void
  isThere (conversation: string): boolean
  /** Hears of every visitor who comes. */
  on (listener: (conversation: string) => void): void
}

/** Nobody is there yet. */
export function openPresence (): Presence {
  const there = new Map<string, number>()
  const listeners: Array<(conversation: string) => void> = []
  return {
    enter (conversation) {
      there.set(conversation, (there.get(conversation) ?? 0) + 1)
      for (const listener of listeners) listener(conversation)
      return () => {
        const left = (there.get(conversation) ?? 0) - 1
        if (left > 0) there.set(conversation, left)
        else there.delete(conversation)
      }
    },
    isThere: (conversation) => there.has(conversation),
    on: (listener) => { listeners.push(listener) }
  }
}
