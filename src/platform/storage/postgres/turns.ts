/** A semaphore: lets a limited number in at a time; the others wait in order of arrival. */
export interface Turns {
  /** Resolves when it is the caller's turn; rejects with the error passed to `refuse`. */
  take (): Promise<void>
  /** Lets the next one in. */
  leave (): void
  /** Rejects those that have waited for at least this many milliseconds. */
  refuse (error: unknown, waitedMs: number): void
}

/** See Turns. */
export function turnsFor (most: number): Turns {
  const waiting: Array<{ since: number, resolve: () => void, reject: (error: unknown) => void }> = []
  let free = most
  return {
    async take () {
      if (free > 0) free -= 1
      else {
        await new Promise<void>((resolve, reject) => { waiting.push({ since: performance.now(), resolve, reject }) })
      }
    },
    leave () {
      const next = waiting.shift()
      if (next) next.resolve()
      else free += 1
    },
    refuse (error, waitedMs) {
      const old = performance.now() - waitedMs
      while (waiting.length > 0 && waiting[0]!.since <= old) waiting.shift()!.reject(error)
    }
  }
}
