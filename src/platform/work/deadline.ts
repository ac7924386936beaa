import type { Clock } from '../clock.ts'

/** Waiting for others took too long: the reason of a job's signal. */
export class DeadlineExceeded extends Error {
  constructor (ms: number) {
    super(`Waiting for others took longer than ${Math.round(ms / 60_000)} minutes.`)
    this.name = 'DeadlineExceeded'
  }
}

/** Tracks how long a job has waited for others. */
export interface Deadline {
  /** Aborted with a DeadlineExceeded when the time is up. */
  signal: AbortSignal
  /** Runs the part of a job that waits for nobody else: its time is not counted. */
  here<T> (work: () => Promise<T>): Promise<T>
  /** Stops the countdown. */
  end (): void
}

/** Starts a countdown of the given milliseconds. */
export function startDeadline (mostMs: number, clock: Clock): Deadline {
  const over = new AbortController()
  let left = mostMs
  let running = 0
  let since = clock.monotonic()
  let timer = begin()

  function begin () {
    since = clock.monotonic()
    return setTimeout(() => over.abort(new DeadlineExceeded(mostMs)), Math.max(left, 0))
  }

  return {
    signal: over.signal,
    async here (work) {
      if (running++ === 0) {
        clearTimeout(timer)
        left -= clock.monotonic() - since
      }
      try {
        return await work()
      } finally {
        if (--running === 0) timer = begin()
      }
    },
    end () {
      // Work that is still going on here starts no further countdown.
      running = Infinity
      clearTimeout(timer)
    }
  }
}
