import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../platform/errors.ts'

/** The server's origin as browsers see it, such as `https://chat.example.com`: the setting, or that of the request. */
export function serverOrigin ({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>, baseUrl: string): string {
  return baseUrl ? new URL(baseUrl).origin : asked({ protocol, host })
}

/** The origin of the request, without a default port. */
function asked ({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  return `${protocol}://${host.replace(protocol === 'https' ? /:443$/ : /:80$/, '')}`
}

/**
 * Whether a request comes from one of our pages, so that the cookie, which browsers send automatically, counts.
 * Browsers say so in Sec-Fetch-Site; without it (old browsers, or plain http), requests that change something need our
 * own Origin. Reading needs none: another site cannot see the answer, nor does it get the cookie (SameSite).
 */
export function isFromOurs (
  request: Pick<FastifyRequest, 'headers' | 'method' | 'protocol' | 'host'>, baseUrl: string
): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin } = request.headers
  if (origin !== undefined) return isOurs(origin, request, baseUrl)
  return request.method === 'GET' || request.method === 'HEAD'
}

/**
 * Refuses with `permission_denied` requests from pages of other sites: they must not sign anybody in. Clients that are
 * no browser, and send no such header, may.
 */
export function demandOurs (request: FastifyRequest, baseUrl: string) {
  const { 'sec-fetch-site': site, origin } = request.headers
  const isForeign =
    site === undefined ? origin !== undefined && !isOurs(origin, request, baseUrl) : site !== 'same-origin'
  if (isForeign) {
    throw new Refusal(
      'permission_denied',
      "This can only be done on this server's own pages. Open its console, and sign in there."
    )
  }
}

function isOurs (origin: string, request: Pick<FastifyRequest, 'protocol' | 'host'>, baseUrl: string): boolean {
  return origin === serverOrigin(request, baseUrl) || origin === asked(request)
}
