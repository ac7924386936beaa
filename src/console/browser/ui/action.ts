import { useState } from 'preact/hooks'
import { isRefused, type Refused } from '../api.ts'

/** An action that a user triggers and the server may refuse. */
export interface Action<A extends unknown[]> {
  run: (...args: A) => Promise<void>
  isBusy: boolean
  error: Refused | undefined
  /** What is wrong with one field, by its path. */
  errorAt: (field: string) => string | undefined
  clear: () => void
}

/**
 * Tracks whether it is running and what was refused, so that a form can show both; a second click meanwhile does
 * nothing.
 */
export function useAction<A extends unknown[]> (act: (...args: A) => Promise<unknown>): Action<A> {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Refused>()

  async function run (...args: A) {
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      await act(...args)
    } catch (caught) {
      if (!isRefused(caught)) throw caught
      setError(caught)
    } finally {
      setBusy(false)
    }
  }

  return {
    run,
    isBusy,
    error,
    errorAt: (field) => error?.details.find((one) => one.field === field)?.message,
    clear: () => setError(undefined)
  }
}
