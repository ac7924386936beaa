/** Time, handed in so that tests own it. */
export interface Clock {
  /** Microseconds since 1970; never goes backwards within a process. For what is shown and stored. */
  micros (): number
  /** Milliseconds from an arbitrary start; unmoved when somebody sets the clock. For limits, leases and deadlines. */
  monotonic (): number
}

/**
 * The machine's time. When the wall clock is set back, `micros` stands still, a microsecond a call, until it is caught
 * up.
 */
export function systemClock (): Clock {
  let last = 0
  return {
    micros () {
      // The wall clock counts milliseconds; the monotonic one fills in the three digits below.
      last = Math.max(last + 1, Date.now() * 1000 + Math.floor(performance.now() * 1000) % 1000)
      return last
    },
    monotonic: () => performance.now()
  }
}

/** `2026-11-20T15:04:05.123456Z` of a number of microseconds since 1970. */
export function timestamp (micros: number): string {
  const millis = Math.floor(micros / 1000)
  return new Date(millis).toISOString().slice(0, -1) + String(micros - millis * 1000).padStart(3, '0') + 'Z'
}
