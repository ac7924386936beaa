import type { Egress, StreamOptions } from './egress.ts'

/**
 * A `fetch` for libraries that ask to be given one, over the guarded way out: the same addresses are refused and the
 * same limits hold. What a request brings beside its address, method, headers, body and signal is left aside; redirects
 * are handed over, not followed. Rejects as Egress.stream does.
 */
export function fetchOver (
  out: Pick<Egress, 'stream'>, options: Pick<StreamOptions, 'maxBytes' | 'limits' | 'mending'>
): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    return await out.stream(request.url, {
      ...options,
      method: request.method,
      headers: Object.fromEntries(request.headers),
      ...(request.body && { body: await request.bytes() }),
      signal: request.signal
    })
  }
}
