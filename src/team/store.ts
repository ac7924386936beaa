import type { Permission } from '../../schema/access.ts'
import type { Id } from '../../schema/common.ts'
import type { Invitation, Member } from '../../schema/team.ts'
import type { BegunSession } from '../access/index.ts'
import type { Match, Once, Outcome } from '../platform/storage/contract.ts'
import type { Remover } from './rules.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** An invitation that has just been made; its token is shown this once. */
interface MadeInvitation { invitation: Invitation, token: string, mailed: boolean }

/** Who accepts: a user who is known, or somebody new. */
export type Accepting = { user: Id } | { name: string, email: string, hash: string }

/** Where members and invitations rest. Every method is one transaction. */
export interface TeamStore {
  /** The account's members, in the order of joining. */
  members (owner: Id): Promise<Member[]>
  /**
   * Lets a member do what is wanted from now on, as `decideMember` says of who asks and what they hold; undefined when
   * there is no such member.
   */
  change (
    owner: Id, member: Id, held: readonly Permission[], wanted: Permission[], match?: Match<Member>
  ): Promise<Member | undefined>
  /**
   * Ends a membership, as `decideRemoval` says of who asks, with the keys made for it, and the sessions of who belongs
   * to no other account. False when there is none.
   */
  remove (owner: Id, member: Id, by: Remover, match?: Match<Member>): Promise<boolean>
  /** The account's invitations that can still be accepted, oldest first. */
  invitations (owner: Id): Promise<Invitation[]>
  /** Makes one. Refuses with `limit_reached` one too many. */
  invite (
    owner: Id, inviter: Id, draft: { email: string | null, permissions: Permission[] }, once?: Once
  ): Promise<Outcome<MadeInvitation>>
  /** Takes one back. False when there is none. */
  withdraw (owner: Id, invitation: Id): Promise<boolean>
  /**
   * Accepts an invitation, once, and begins a session that acts for the account. Refuses with `gone`, and with
   * `already_member` who is in the team already.
   */
  accept (digest: string, who: Accepting, browser: string): Promise<BegunSession>
}

/** What goes with an agent, a user or an account. */
export const teamKept: Keeps = {
  ways: ['members.user_id', 'members.account_id']
}
