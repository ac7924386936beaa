import type { Egress, StreamOptions } from './egress.ts'

/**
 * A `fetch` for libraries that take one as an option, through the guarded egress: the same addresses are refused and
 * the same limits apply. Everything in a request besides its address, method, headers, body and signal is ignored;
 * redirects are returned, not followed. Rejects as Egress.stream does.
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
