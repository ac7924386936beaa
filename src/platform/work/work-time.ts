import type { Clock } from '../clock.ts'

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
