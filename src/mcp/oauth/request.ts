import { timingSafeEqual } from 'node:crypto'
import { PERMISSIONS, type Permission } from '../../../schema/access.ts'

/*
 * An assistant's authorisation request (OAuth 2.1, with PKCE and resource indicators), and where the response goes.
 * Pure decisions.
 */

/** An assistant's request, as far as it can be parsed. */
export interface Asked {
  client: string
  redirectUri: string
  /** Its `state`, which is returned; undefined if it has none. */
  state: string | undefined
  scope: string
  challenge: string
  /** The protocol's error, if it may be returned. */
  fault: Fault | undefined
}

/** An error of a request, by the protocol's code, with a sentence for the assistant's developer. */
export interface Fault { error: string, description: string }

/** An S256 challenge of PKCE: the SHA-256 in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const LONGEST_STATE = 2000
const LONGEST_ADDRESS = 1000

/**
 * Parses the query of the authorisation request. `resource`: the address that it may request. Undefined if client or
 * redirect URI are missing, or a parameter is repeated: no error is returned to anybody then.
 */
export function readAsked (query: string, resource: string): Asked | undefined {
  const said = new URLSearchParams(query)
  const names = [...said.keys()]
  if (new Set(names).size !== names.length) return undefined
  const [client, redirectUri] = [said.get('client_id'), said.get('redirect_uri')]
  const state = said.get('state') ?? undefined
  if (!client || !redirectUri || (state?.length ?? 0) > LONGEST_STATE) return undefined
  if (client.length > LONGEST_ADDRESS || redirectUri.length > LONGEST_ADDRESS) return undefined
  const challenge = said.get('code_challenge') ?? ''
  const scope = said.get('scope') ?? ''
  return { client, redirectUri, state, scope, challenge, fault: faultIn(said, challenge, resource) }
}

function faultIn (said: URLSearchParams, challenge: string, resource: string): Fault | undefined {
  const type = said.get('response_type')
  const mode = said.get('response_mode')
  if (type !== 'code') {
    return type === null
      ? { error: 'invalid_request', description: 'response_type is missing' }
      : { error: 'unsupported_response_type', description: 'only code is answered' }
  }
  if (mode !== null && mode !== 'query') return { error: 'invalid_request', description: 'only the response_mode query is known' }
  if (said.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge)) {
    return { error: 'invalid_request', description: 'a code_challenge with the method S256 is needed' }
  }
  if (said.has('request') || said.has('request_uri')) {
    return { error: said.has('request') ? 'request_not_supported' : 'request_uri_not_supported', description: 'say it in the query' }
  }
  return isResource(said.get('resource'), resource) ? undefined : notFor(resource)
}

/** Whether this is our address that tokens are issued for, which is also the default. */
export function isResource (asked: string | null, resource: string): boolean {
  return asked === null || asked === resource || asked === `${resource}/`
}

/** The error for a request of a token for another resource. */
export function notFor (resource: string): Fault {
  return { error: 'invalid_target', description: `tokens are given out for ${resource}` }
}

/** The permissions in a scope, as far as they can be given. */
export function permissionsIn (scope: string, offered: readonly Permission[]): Permission[] {
  const names = new Set(scope.split(' '))
  return PERMISSIONS.filter((one) => offered.includes(one) && names.has(one))
}

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?(?=[/?]|$)/

/** Whether an address leads to a program on the user's own computer. */
export const isLoopback = (address: string): boolean => LOOPBACK.test(address)

/**
 * Whether codes may be sent to this address: it is exactly one of those that the client lists; for a program on the
 * same computer any port is accepted (RFC 8252, 7.3). Only https, except for those.
 */
export function mayReturnTo (address: string, registered: readonly string[]): boolean {
  const url = URL.parse(address)
  if (!url || address.includes('#') || url.username !== '' || url.password !== '') return false
  if (url.protocol !== 'https:' && !isLoopback(address)) return false
  return registered.some((one) => one === address || (
    isLoopback(address) && isLoopback(one) && withoutPort(one) === withoutPort(address)
  ))
}

const withoutPort = (address: string) =>
  address.replace(LOOPBACK, (origin, port?: string) => port === undefined ? origin : origin.slice(0, -port.length - 1))

/**
 * The redirect with the result. `issuer`: marks the response as ours, so that nobody takes it for another server's (RFC
 * 9207).
 */
export function returnAddress (
  { redirectUri, state }: Pick<Asked, 'redirectUri' | 'state'>, issuer: string,
  answer: { code: string } | { error: string, error_description?: string }
): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries({ ...answer, ...(state !== undefined && { state }), iss: issuer })) {
    url.searchParams.set(name, value)
  }
  return url.href
}

/** Whether two digests are equal, in constant time. */
export function isSame (one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
