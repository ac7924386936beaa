/** Time, passed in so that tests control it. */
export interface Clock {
  /** Microseconds since 1970; never goes backwards within a process. For display and storage. */
  micros (): number
  /** Milliseconds from an arbitrary start; unaffected by setting the clock. For limits, leases and deadlines. */
  monotonic (): number
}

/**
 * The machine's time. When the wall clock is set back, `micros` advances by one microsecond a call until it has caught
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

/** Formats microseconds since 1970 as `2026-11-20T15:04:05.123456Z`. */
export function timestamp (micros: number): string {
  const millis = Math.floor(micros / 1000)
  return new Date(millis).toISOString().slice(0, -1) + String(micros - millis * 1000).padStart(3, '0') + 'Z'
}

/**
 * Microseconds since 1970 of a day (`2026-11-20`, as it begins in UTC) or a time (`2026-11-20T15:04:05Z`, `+01:00`,
 * with up to six decimals of a second); undefined if invalid, also for a day that its month does not have, which would
 * silently become one of the next month.
 */
export function microsOf (text: string): number | undefined {
  const [, day, second, fraction = '', zone] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const begins = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(begins) || timestamp(begins * 1000).slice(0, 10) !== day) return undefined
  const millis = second === undefined ? begins : Date.parse(`${day}T${second}${zone}`)
  return Number.isNaN(millis) ? undefined : millis * 1000 + Number(fraction.padEnd(6, '0'))
}

/** Two clocks that differ by more than this have not drifted: one was set. */
const STEP_MICROS = 1_000_000

/**
 * Microseconds for scheduling work, starting at the wall clock's. It advances by the time passed, whatever happens to
 * the wall clock: by the steady clock, which nobody sets, or by the wall clock if that says more has passed, since the
 * steady one does not count while a machine sleeps. So a clock set back delays nothing, and one set forward lets work
 * come early, which does no harm.
 */
export function workTime (clock: Clock): () => number {
  let began = clock.micros()
  let wall = began
  let steady = clock.monotonic()
  return () => {
    const passed = Math.round((clock.monotonic() - steady) * 1000)
    const shown = clock.micros() - wall
    if (Math.abs(shown - passed) > STEP_MICROS) {
      began += Math.max(shown, passed)
      wall += shown
      steady += passed / 1000
      return began
    }
    return began + passed
  }
}
