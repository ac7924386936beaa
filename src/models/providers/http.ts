import { isIP } from 'node:net'
import type { Egress, StreamOptions } from '../../platform/net/egress.ts'
import type { StreamLimits } from '../../platform/net/streamed.ts'
import { isPublic, plainHost } from '../../platform/net/address.ts'
import { EgressError } from '../../platform/net/egress.ts'
import { fetchOver } from '../../platform/net/fetch.ts'
import type { Provider } from '../contract.ts'
import { ModelError } from '../error.ts'

/** How long a provider may take, in milliseconds. */
export const LIMITS: StreamLimits = { firstByteMs: 15_000, silenceMs: 20_000, totalMs: 90_000 }
/** A self-hosted model may have to be loaded first, and reads a long prompt slowly. */
const PRIVATE_FIRST_BYTE_MS = 120_000

/** How long a provider may take. `firstByteMs`: the operator's setting; 0: a default that depends on its address. */
export function limitsFor ({ url, isOperators }: Pick<Provider, 'url' | 'isOperators'>, firstByteMs: number): StreamLimits {
  const expected = isOperators && isPrivate(new URL(url).hostname) ? PRIVATE_FIRST_BYTE_MS : LIMITS.firstByteMs
  const first = firstByteMs || expected
  return { ...LIMITS, firstByteMs: first, totalMs: LIMITS.totalMs - LIMITS.firstByteMs + first }
}

/** A host name or address that is not on the public internet. */
function isPrivate (hostname: string): boolean {
  const host = plainHost(hostname)
  return isIP(host) ? !isPublic(host) : !host.includes('.') || /\.(?:local|internal|lan|home\.arpa)$/.test(host)
}
const MOST_BYTES = 16 * 2 ** 20
const MOST_DETAIL = 500

/** A `fetch` for a provider's library, through the egress guard, with our User-Agent rather than the library's. */
export function providerFetch (
  out: Pick<Egress, 'stream'>, limits: StreamLimits, mending?: StreamOptions['mending']
): typeof fetch {
  const fetch = fetchOver(out, { maxBytes: MOST_BYTES, limits, ...(mending && { mending }) })
  return async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.delete('user-agent')
    return await fetch(input, { ...init, headers })
  }
}

/** Headers that authenticate us to a provider. */
export async function keyHeaders ({ kind, key }: Provider): Promise<Record<string, string>> {
  const secret = await key()
  if (secret === null) return {}
  return kind === 'anthropic'
    ? { 'x-api-key': secret, 'anthropic-version': '2023-06-01' }
    : { authorization: `Bearer ${secret}` }
}

/** What providers' libraries throw for an error response. */
interface CallError { statusCode?: number, responseHeaders?: Record<string, string>, responseBody?: string }

/** Any failure of asking a provider, as a ModelError that reveals it only in its detail. */
export function modelErrorOf (error: unknown): ModelError {
  if (error instanceof ModelError) return error
  const wayOut = egressErrorIn(error)
  if (wayOut) return ofEgress(wayOut)
  const { statusCode, responseHeaders = {}, responseBody = '' } = Object(error) as CallError
  const detail = `${statusCode ?? ''} ${responseBody || String((error as Error)?.message ?? error)}`
    .trim()
    .slice(0, MOST_DETAIL)
  if (statusCode === undefined || statusCode < 400) {
    return new ModelError('model_broken', { isRetryable: true, detail, cause: error })
  }
  return ofStatus(statusCode, { detail, cause: error, againInMs: retryAfter(responseHeaders) }, responseBody)
}

/** The egress error; the libraries wrap it. */
function egressErrorIn (error: unknown): EgressError | undefined {
  let at = error
  for (let depth = 0; depth < 5 && at instanceof Error && !(at instanceof EgressError); depth++) at = at.cause
  return at instanceof EgressError ? at : undefined
}

function ofEgress (error: EgressError): ModelError {
  const details = { detail: error.message, cause: error }
  // After one such wait the same model is not waited for again.
  if (error.code === 'timeout') return new ModelError('model_timeout', details)
  if (error.code === 'address_refused' || error.code === 'invalid_address') {
    return new ModelError('model_address_refused', details)
  }
  if (error.code === 'unreachable') {
    return new ModelError('model_unavailable', { ...details, isRetryable: error.retryable })
  }
  return new ModelError('model_broken', details)
}

/** Phrases in providers' errors for a prompt that exceeds the context window. */
const TOO_LONG =
  /context[_ ](length|window)|too (long|many tokens)|maximum (context|prompt)|prompt is too|exceeds? the (model|limit|maximum)/i

function ofStatus (
  status: number, details: { detail: string, cause: unknown, againInMs: number | null }, body: string
): ModelError {
  if (status === 401 || status === 403) return new ModelError('model_key_refused', details)
  if (status === 404) return new ModelError('model_not_found', details)
  if (status === 408 || status === 429) return new ModelError('model_rate_limited', { ...details, isRetryable: true })
  if (status >= 500) return new ModelError('model_unavailable', { ...details, isRetryable: true })
  return new ModelError(status === 413 || TOO_LONG.test(body) ? 'prompt_too_long' : 'model_request_refused', details)
}

/** The response's Retry-After in milliseconds: seconds, or a date. */
function retryAfter (headers: Record<string, string>): number | null {
  const text = headers['retry-after']
  if (!text) return null
  const seconds = Number(text)
  const ms = Number.isNaN(seconds) ? Date.parse(text) - Date.now() : seconds * 1000
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}
