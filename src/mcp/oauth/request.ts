import { timingSafeEqual } from 'node:crypto'
import { PERMISSIONS, type Permission } from '../../../schema/access.ts'

/*
 * What an assistant asks when it leads somebody to us to be let in (OAuth 2.1, with PKCE and resource indicators), and
 * where its answer goes. Decided over data alone.
 */

/** What an assistant asks, as far as it can be read. */
export interface Asked {
  client: string
  redirectUri: string
  /** What it has to be told again; undefined where it said nothing. */
  state: string | undefined
  scope: string
  challenge: string
  /** Why it is not let in, in the words of the protocol, where it may be told. */
  fault: Fault | undefined
}

/** What is wrong with a request, by the protocol's names, with a sentence for whoever built the assistant. */
export interface Fault { error: string, description: string }

/** A challenge of PKCE by S256: what SHA-256 comes to, in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const LONGEST_STATE = 2000
const LONGEST_ADDRESS = 1000

/**
 * Reads what stands after the ? of the address that the assistant led to. `resource`: the address for which it may ask.
 * Undefined where it says not whom it is or where to go back, or says something twice: nobody is told anything then.
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

/** Whether this is the address of ours for which tokens are given out; who names none means that. */
export function isResource (asked: string | null, resource: string): boolean {
  return asked === null || asked === resource || asked === `${resource}/`
}

/** The fault of one who asks for a token that is for somebody else. */
export function notFor (resource: string): Fault {
  return { error: 'invalid_target', description: `tokens are given out for ${resource}` }
}

/** The permissions that a scope names, of those that there are to give. */
export function permissionsIn (scope: string, offered: readonly Permission[]): Permission[] {
  const names = new Set(scope.split(' '))
  return PERMISSIONS.filter((one) => offered.includes(one) && names.has(one))
}

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?(?=[/?]|$)/

/** Whether an address leads to a program on the computer of who opens it. */
export const isLoopback = (address: string): boolean => LOOPBACK.test(address)

/**
 * Whether codes may go to this address: it is among those that the client names, sign by sign; of a program on the same
 * computer another port is as good (RFC 8252, 7.3). Only https, but for those.
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
 * Where the browser goes with what came of it. `issuer`: that the answer is ours, so that nobody takes it for that of
 * another server (RFC 9207).
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

/** Whether two digests are the same, in the same time wherever they differ. */
export function isSame (one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
