import type { Egress } from '../platform/net/egress.ts'
import type { Answers } from './contract.ts'

/** Maximum bytes of the response to the liveness check. */
const MOST_BYTES = 1000

/** Whether Agenthall responds at an address. */
export async function answersAt (out: Egress, address: string, signal: AbortSignal): Promise<Answers> {
  return await asked(async () => {
    const { contentType } = await out.fetch(`${address}/healthz`, { maxBytes: MOST_BYTES, signal })
    // A proxy that answers every address with a page is not this server.
    if (contentType !== 'application/json') throw new Error('Something else answers there.')
  })
}

/** True if `work` succeeds, otherwise the error, in a sentence. */
export async function asked (work: () => Promise<unknown>): Promise<Answers> {
  try {
    await work()
    return true
  } catch (error) {
    const { message, name } = error as Error
    return name === 'TimeoutError' ? 'It took too long to answer.' : message || 'It cannot be reached.'
  }
}

/**
 * Caches a key's result for the given time; callers meanwhile, or while it is being found, get the same one. `now`: a
 * monotonic clock in milliseconds.
 */
export function remembering<T> (now: () => number, ms: number, find: (key: string) => Promise<T>) {
  const known = new Map<string, { at: number, value: Promise<T> }>()
  return async (key: string): Promise<T> => {
    for (const [old, { at }] of known) if (now() - at >= ms) known.delete(old)
    const found = known.get(key) ?? { at: now(), value: find(key) }
    known.set(key, found)
    return await found.value.catch((error: unknown) => {
      known.delete(key)
      throw error
    })
  }
}
