import { errorOf, secondsIn } from './errors.ts'

export interface TransportOptions {
  /** Where the server is, `https://agents.example.com`. */
  url: string
  /** An API key. */
  key: string
  /** The account to act for, if it is not the key's own. */
  account?: number
  /** How often a request is retried: after 429, 502, 503 and 504, and without a response. Default 3. */
  retries?: number
  /** Another `fetch`, for tests and proxies. */
  fetch?: typeof fetch
}

/** A request. `path` is complete, with its query. */
export interface Sent {
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
  idempotencyKey?: string | undefined
}

/** Sends a request, with retries if safe, and reads the response. Throws `ApiError` if unsuccessful. */
export type Transport = <T>(sent: Sent, read: (response: Response) => T | Promise<T>) => Promise<T>

const PASSING = new Set([429, 502, 503, 504])
const LONGEST_WAIT = 60

/**
 * Requests by `fetch`. A POST has an `Idempotency-Key`, so that it can be retried after a lost response without effect;
 * DELETE is retried only if the server said that it did nothing.
 */
export function openTransport (
  { url, key, account, retries = 3, fetch: send = globalThis.fetch }: TransportOptions
): Transport {
  const base = url.replace(/\/$/, '')
  return async ({ method, path, body, headers = {}, signal, idempotencyKey }, read) => {
    const isForm = typeof FormData !== 'undefined' && body instanceof FormData
    const init: RequestInit = {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${key}`,
        ...(account !== undefined && { 'agenthall-account': String(account) }),
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
        ...(method === 'POST' && { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() }),
        ...headers
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      ...(signal && { signal })
    }
    for (let tried = 0; ; tried++) {
      const isLast = tried >= retries
      let response: Response
      try {
        response = await send(base + path, init)
        // A response that breaks off is as lost as one that never came.
        if (response.ok) return await read(response)
      } catch (error) {
        if (isLast || signal?.aborted || method === 'DELETE') throw error
        await pause(backoff(tried), signal)
        continue
      }
      if (isLast || !PASSING.has(response.status)) throw await errorOf(response)
      const wait = secondsIn(response.headers.get('retry-after')) ?? backoff(tried)
      if (wait > LONGEST_WAIT) throw await errorOf(response)
      await response.body?.cancel()
      await pause(wait, signal)
    }
  }
}

/** Seconds of exponential backoff, with jitter. */
export const backoff = (tried: number) => Math.min(8, 0.25 * 2 ** tried) * (0.5 + Math.random() / 2)

/** Waits the given seconds; rejects with the signal's reason when it is aborted. */
export function pause (seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      // Whatever reason the signal was aborted with.
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, seconds * 1000)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
