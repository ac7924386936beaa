import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { lastingOnly, type Egress } from '../../../platform/net/egress.ts'
import type { Inbound } from './contract.ts'
import { ProviderError } from './error.ts'
import { withoutEnd } from '../../../platform/text.ts'
import { objectOf } from '../../../platform/objects.ts'

/** A JSON client for a provider. */
export interface Api {
  /**
   * The response's JSON; null if there is none. `missing`: what a 404 means, if it is no fault. Throws a ProviderError
   * or an EgressError.
   */
  ask<T> (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH',
    path: string,
    signal: AbortSignal,
    body?: unknown,
    more?: { headers?: Record<string, string>, missing?: T }
  ): Promise<T>
}

/** Maximum size of a response. */
const MOST_BYTES = 4 * 2 ** 20

/** An Api at this address. Redirects are not followed: they would carry the credentials elsewhere. */
export function apiAt (out: Pick<Egress, 'fetch'>, base: string, headers: Record<string, string>): Api {
  return {
    async ask<T>(
      method: 'GET' | 'POST' | 'PUT' | 'PATCH',
      path: string,
      signal: AbortSignal,
      body?: unknown,
      { headers: more = {}, missing }: { headers?: Record<string, string>, missing?: T } = {}
    ) {
      const { status, bytes } = await out
        .fetch(withoutEnd(base, '/') + path, {
          method,
          headers: {
            accept: 'application/json',
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...headers,
            ...more
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          maxBytes: MOST_BYTES,
          redirect: 'manual',
          anyStatus: true,
          signal
        })
        .catch((error) => {
          throw lastingOnly(error)
        })
      if (status === 404 && missing !== undefined) return missing
      if (status < 200 || status >= 300) throw ofStatus(status)
      return jsonOf(bytes) as T
    }
  }
}

function jsonOf (bytes: Uint8Array): unknown {
  if (bytes.length === 0) return null
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    throw new ProviderError('provider_broken', 'The provider answered something other than JSON. Check its address.')
  }
}

/**
 * Credentials may be corrected and limits end, so nearly everything is retried; tickets that the provider rejects as
 * invalid are not.
 */
function ofStatus (status: number): ProviderError {
  if (status === 401 || status === 403) {
    return new ProviderError(
      'provider_unauthorized', `The provider refused the credentials (${status}). Enter them again.`
    )
  }
  if (status === 429) return new ProviderError('provider_limited', 'The provider accepts no more for now (429).')
  if (status === 400 || status === 404 || status === 410 || status === 422) {
    return new ProviderError(
      'provider_refused',
      `The provider refused the ticket (${status}). Check the settings of the ticketing provider.`,
      { retryable: false }
    )
  }
  return new ProviderError('provider_unavailable', `The provider answered ${status}.`)
}

export const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** Whether one of our codes is the one that a request carries. */
export function isSigned (
  secret: string | Buffer, content: string | Buffer, given: string | undefined, encoding: 'hex' | 'base64'
): boolean {
  // With an empty secret anybody could sign.
  if (secret.length === 0) return false
  const right = Buffer.from(createHmac('sha256', secret).update(content).digest(encoding))
  const theirs = Buffer.from(given ?? '')
  return right.length === theirs.length && timingSafeEqual(right, theirs)
}

/** Digest of a request, by which a repeat is recognised. */
export const digestOf = ({ body }: Inbound): string => hash('sha256', body)

/** A header of a request. */
export function headerOf ({ headers }: Inbound, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** A request's JSON as far as it is an object; empty otherwise. */
export function bodyOf ({ body }: Inbound): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString())
    return objectOf(value)
  } catch {
    return {}
  }
}

/** A value somewhere in an object, by its names; undefined where there is none. */
export function at (value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value
  )
}

/** Text or number somewhere in an object as text, cut to what a message may have. */
export function textAt (value: unknown, ...path: string[]): string | undefined {
  const found = at(value, ...path)
  return typeof found === 'string' || typeof found === 'number' ? String(found).slice(0, 20_000) : undefined
}

/** Maximum pages searched for one of our texts. */
const MOST_PAGES = 50

/** The first match in a paginated list. `read` returns a page, counted from 0, and whether it is the last one. */
export async function inPages<T> (
  read: (page: number) => Promise<{ items: T[], isLast: boolean }>, isSought: (one: T) => boolean
): Promise<T | undefined> {
  for (let page = 0; page < MOST_PAGES; page++) {
    const { items, isLast } = await read(page)
    const found = items.find(isSought)
    if (found !== undefined || isLast) return found
  }
  return undefined
}
