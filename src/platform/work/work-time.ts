import type { Clock } from '../clock.ts'

/** Two clocks that differ by more than this have not drifted: somebody has set one. */
const STEP_MICROS = 1_000_000

/**
 * Microseconds by which work is put off, beginning at the wall clock's. It goes on by what has passed, whatever is done
 * to the wall clock: by the steady clock, which nobody sets, or by the wall clock where that says more has passed,
 * since a machine that slept did so without the steady one. So a clock set back holds nothing up, and one set forward
 * lets work come early, which does no harm.
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
