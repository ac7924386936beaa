import type { Clock } from '../clock.ts'

/** Others were waited for too long: the reason of a job's signal. */
export class OutOfPatience extends Error {
  constructor (ms: number) {
    super(`Others were waited for longer than ${Math.round(ms / 60_000)} minutes.`)
    this.name = 'OutOfPatience'
  }
}

/** How long a job has waited for others. */
export interface Patience {
  /** Aborted with an OutOfPatience when the time is up. */
  signal: AbortSignal
  /** Does our own part of a job, during which nobody else is waited for: its time is not counted. */
  here<T> (work: () => Promise<T>): Promise<T>
  /** Stops the countdown. */
  end (): void
}

/** Starts a countdown of the given milliseconds. */
export function patience (mostMs: number, clock: Clock): Patience {
  const over = new AbortController()
  let left = mostMs
  let ownParts = 0
  let since = clock.monotonic()
  let timer = begin()

  function begin () {
    since = clock.monotonic()
    return setTimeout(() => over.abort(new OutOfPatience(mostMs)), Math.max(left, 0))
  }

  return {
    signal: over.signal,
    async here (work) {
      if (ownParts++ === 0) {
        clearTimeout(timer)
        left -= clock.monotonic() - since
      }
      try {
        return await work()
      } finally {
        if (--ownParts === 0) timer = begin()
      }
    },
    end () {
      // What is still going on here begins no further count.
      ownParts = Infinity
      clearTimeout(timer)
    }
  }
}
