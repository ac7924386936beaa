import type { AssistantConsent, GrantRecord } from '../../../schema/assistants.ts'
import type { Id } from '../../../schema/common.ts'
import type { Fault } from './request.ts'
import type { Keeps } from '../../personal-data/contract.ts'

/** What somebody lets an assistant do, and how the code is shown to be whose it is. */
export interface NewGrant extends Pick<GrantRecord, 'user' | 'client' | 'name' | 'redirect_uri' | 'challenge'>,
  Pick<AssistantConsent, 'permissions'> {
  days: number
}

/** Tokens as they are handed over, for this once. `seconds`: how long the first is good. */
export interface Tokens { access: string, refresh: string, seconds: number, scope: string }

/** What comes of asking for tokens. */
export type Answered = Tokens | { fault: Fault }

/**
 * Where it is kept which assistants were let in. What they come with is a key, which its list shows and which is
 * revoked there.
 */
export interface GrantStore {
  /** Keeps that an assistant was let in for an account, and makes the code for which it gets tokens. */
  add (owner: Id, grant: NewGrant): Promise<{ id: Id, code: string }>
  /**
   * Gives tokens for a code, once. A code that comes a second time voids what came of it the first time.
   */
  exchange (asked: { code: string, client: string, redirectUri: string, verifier: string }): Promise<Answered>
  /**
   * Gives tokens for the token that came with the last ones; those are void from then on. One that comes a second time
   * voids all: whoever has it should not.
   */
  refresh (asked: { token: string, client: string }): Promise<Answered>
  /** Voids all that came of what a token came of, whichever of the two it is; nothing where it is no token. */
  revoke (token: string): Promise<void>
}

/** What goes with an agent, a user or an account. */
export const grantsKept: Keeps = {
  ways: ['grants.user_id']
}
