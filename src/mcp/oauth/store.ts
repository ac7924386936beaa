import type { AssistantConsent, GrantRecord } from '../../../schema/assistants.ts'
import type { Id } from '../../../schema/common.ts'
import type { Fault } from './request.ts'
import type { Keeps } from '../../personal-data/contract.ts'

/** What somebody authorises an assistant to do, and the challenge of the code. */
export interface NewGrant extends Pick<GrantRecord, 'user' | 'client' | 'name' | 'redirect_uri' | 'challenge'>,
  Pick<AssistantConsent, 'permissions'> {
  days: number
}

/** Tokens, returned only once. `seconds`: the lifetime of the access token. */
export interface Tokens { access: string, refresh: string, seconds: number, scope: string }

/** The result of requesting tokens. */
export type Answered = Tokens | { fault: Fault }

/**
 * Stores the authorisations of assistants. Their access is a key, which is listed and revoked among the account's keys.
 */
export interface GrantStore {
  /** Stores that an assistant was authorised for an account, and creates the code for its tokens. */
  add (owner: Id, grant: NewGrant): Promise<{ id: Id, code: string }>
  /** Exchanges a code for tokens, once. A second use revokes what the first one issued. */
  exchange (asked: { code: string, client: string, redirectUri: string, verifier: string }): Promise<Answered>
  /** Exchanges a refresh token; earlier tokens are revoked. A second use revokes all: it was stolen. */
  refresh (asked: { token: string, client: string }): Promise<Answered>
  /** Revokes everything issued with a token's authorisation, for either kind of token; no effect for other texts. */
  revoke (token: string): Promise<void>
}

/** What is deleted with an agent, a user or an account. */
export const grantsKept: Keeps = {
  ways: ['grants.user_id']
}
