/** Failures within WITHIN_MS after which a provider is not asked for REST_MS. */
const FAILURES = 5
const WITHIN_MS = 30_000
const REST_MS = 30_000

/** Circuit breaker: skips providers that keep failing, so that nobody waits for them. */
interface Breaker {
  /**
   * Whether it may be asked now. After its rest one question is let through and decides; if that is inconclusive (its
   * caller left, or the question itself was refused), another is let through after the same rest.
   */
  allows (provider: string): boolean
  failed (provider: string): void
  succeeded (provider: string): void
}

interface State { failures: number[], restsUntil: number, isTried: boolean }

/** See Breaker. `now`: milliseconds of a clock that never goes back. */
export function openBreaker (now: () => number): Breaker {
  const states = new Map<string, State>()

  return {
    allows (provider) {
      const state = states.get(provider)
      if (!state || state.restsUntil === 0) return true
      if (now() < state.restsUntil) return false
      state.isTried = true
      state.restsUntil = now() + REST_MS
      return true
    },
    failed (provider) {
      const state = states.get(provider) ?? { failures: [], restsUntil: 0, isTried: false }
      states.set(provider, state)
      state.failures = [...state.failures.filter((at) => now() - at < WITHIN_MS), now()]
      if (!state.isTried && state.failures.length < FAILURES) return
      state.restsUntil = now() + REST_MS
      state.isTried = false
    },
    succeeded: (provider) => { states.delete(provider) }
  }
}
