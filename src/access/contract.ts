import type { Permission, User } from '../../schema/access.ts'
import type { Id } from '../../schema/common.ts'
import type { Tier } from '../../schema/plans.ts'

/** A new key, as decided. */
export interface NewKey { name: string, permissions: Permission[], expires_at: string | null }

/**
 * The maker of a key, as far as it limits the key: their permissions, and until when (microseconds since 1970, or
 * null).
 */
export interface KeyMaker { permissions: readonly Permission[], expires: number | null }

/**
 * Whose agents are managed, and whose tier, limits and features count. Everything below the edge knows only the
 * account.
 */
export interface Account {
  /** The `owner` of what belongs to the account: the id of the user it was made for. */
  id: Id
  tier: Tier
}

/**
 * Who is asking, what they may do, and for whom. Visitors are a different kind of caller, with their own type and
 * permit.
 */
export interface Caller {
  user: User
  /** The account the user acts for. */
  account: Account
  permissions: readonly Permission[]
  /** The credential the caller presented. */
  by: { kind: 'key' | 'session', id: Id }
  /** Whether that is the token of an authorized assistant, which is valid for /mcp only. */
  isAssistant: boolean
  /** When that expires, in microseconds since 1970, or null. */
  expires: number | null
  /**
   * Whether the caller would still be admitted now, for the same account. Whatever outlives its request's admission,
   * streams above all, checks at least once a second: revoking a key, ending a session or leaving a team ends what was
   * opened with it.
   */
  isStillAllowed (): Promise<boolean>
}
