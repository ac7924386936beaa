import type { Permission } from '../../schema/access.ts'
import type { Id } from '../../schema/common.ts'
import type { Invitation, Member } from '../../schema/team.ts'
import type { BegunSession } from '../access/index.ts'
import type { Match, IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { Remover } from './rules.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** An invitation just created; its token is shown only this once. */
interface MadeInvitation { invitation: Invitation, token: string, mailed: boolean }

/** Who accepts: an existing user, or somebody new. */
export type Accepting = { user: Id } | { name: string, email: string, hash: string }

/** Stores members and invitations. Every method is one transaction. */
export interface TeamStore {
  /** The account's members, in the order of joining. */
  members (owner: Id): Promise<Member[]>
  /**
   * Changes a member's permissions, as `decideMember` allows for the caller; undefined when there is no such member.
   */
  change (
    owner: Id, member: Id, held: readonly Permission[], wanted: Permission[], match?: Match<Member>
  ): Promise<Member | undefined>
  /**
   * Ends a membership, as `decideRemoval` allows for the caller, with the keys created for it, and the member's
   * sessions if they belong to no other account. False when there is none.
   */
  remove (owner: Id, member: Id, by: Remover, match?: Match<Member>): Promise<boolean>
  /** The account's pending invitations, oldest first. */
  invitations (owner: Id): Promise<Invitation[]>
  /** Creates one. Refuses with `limit_reached` one too many. */
  invite (
    owner: Id, inviter: Id, draft: { email: string | null, permissions: Permission[] }, once?: IdempotencyKey
  ): Promise<IdempotentResult<MadeInvitation>>
  /** Revokes one. False when there is none. */
  withdraw (owner: Id, invitation: Id): Promise<boolean>
  /**
   * Accepts an invitation, once, and begins a session that acts for the account. Refuses with `gone`, and with
   * `already_member` existing members.
   */
  accept (digest: string, who: Accepting, browser: string): Promise<BegunSession>
}

/** What is deleted with an agent, a user or an account. */
export const teamKept: Keeps = {
  ways: ['members.user_id', 'members.account_id']
}
