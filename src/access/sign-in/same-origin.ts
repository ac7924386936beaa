import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../platform/errors.ts'

/** Where the server is as browsers see it, such as `https://chat.example.com`: the setting, or how it was asked. */
export function ownOrigin ({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>, baseUrl: string): string {
  return baseUrl ? new URL(baseUrl).origin : asked({ protocol, host })
}

/** How it was asked, as an origin is written: without the port that goes without saying. */
function asked ({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  return `${protocol}://${host.replace(protocol === 'https' ? /:443$/ : /:80$/, '')}`
}

/**
 * Whether a request comes from a page of ours, so that the cookie which browsers send along by themselves counts. A
 * browser says so in Sec-Fetch-Site; where it does not (an old one, or plain http), whatever changes something needs an
 * Origin that is ours. Reading needs none: another site cannot see the answer, nor does it get the cookie (SameSite).
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
 * Refuses with `permission_denied` what the page of another site sends: it must not sign anybody in. What is no
 * browser, and says nothing, may.
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
  return origin === ownOrigin(request, baseUrl) || origin === asked(request)
}
