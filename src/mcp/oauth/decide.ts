import { hash } from 'node:crypto'
import type { GrantRecord } from '../../../schema/assistants.ts'
import { isSame, type Fault } from './request.ts'

/** The request to exchange a code. */
interface Exchanging { client: string, redirectUri: string, verifier: string, at: string }

/** The request to use a refresh token. */
interface Refreshing { client: string, refreshDigest: string, at: string }

/** `again`: a used one came a second time, so that somebody has it who should not: all of it is revoked. */
export type Decision = { type: 'given' } | { type: 'refused', fault: Fault } | { type: 'again', fault: Fault }

const refused = (description: string): Decision => ({ type: 'refused', fault: { error: 'invalid_grant', description } })

/** A verifier of PKCE: 43 to 128 unreserved characters. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/**
 * Whether a code is exchanged: once, within a minute, by the client that it was issued to, with the same redirect URI
 * and the verifier of the client that started the flow.
 */
export function decideExchange (
  grant: Pick<GrantRecord, 'client' | 'redirect_uri' | 'challenge' | 'code_until' | 'key'> | undefined,
  { client, redirectUri, verifier, at }: Exchanging
): Decision {
  if (!grant || grant.client !== client) return refused('there is no such code')
  if (grant.key !== null) {
    return { type: 'again', fault: { error: 'invalid_grant', description: 'this code was used; what came of it is void' } }
  }
  if (grant.code_until <= at) return refused('this code is no longer valid')
  if (grant.redirect_uri !== redirectUri) return refused('redirect_uri does not match')
  const isHis = VERIFIER.test(verifier) && isSame(hash('sha256', verifier, 'base64url'), grant.challenge)
  return isHis ? { type: 'given' } : refused('code_verifier does not match')
}

/** Whether a refresh token is accepted: the latest, from its own client, until the authorisation ends. */
export function decideRefresh (
  grant: Pick<GrantRecord, 'client' | 'refresh_digest' | 'expires_at'> & { isRevoked: boolean } | undefined,
  { client, refreshDigest, at }: Refreshing
): Decision {
  if (!grant || grant.client !== client || grant.isRevoked) return refused('there is no such token')
  if (grant.expires_at <= at) return refused('this is no longer valid; it has to be let in again')
  if (!isSame(grant.refresh_digest ?? '', refreshDigest)) {
    return { type: 'again', fault: { error: 'invalid_grant', description: 'this token was used; what came of it is void' } }
  }
  return { type: 'given' }
}
