import type { Permission, User } from '../../schema/access.ts'
import type { Id } from '../../schema/common.ts'
import type { Tier } from '../../schema/plans.ts'

/** What making a key takes once it has been decided. */
export interface NewKey { name: string, permissions: Permission[], expires_at: string | null }

/**
 * Who makes a key, as far as it decides what the key may be: what they hold, and until when (microseconds since 1970,
 * or null).
 */
export interface KeyMaker { permissions: readonly Permission[], expires: number | null }

/**
 * Whose agents are managed, and whose tier, limits and features count. Everything below the edge knows only the
 * account.
 */
export interface Account {
  /** Stands as `owner` in what belongs to the account: the id of the user it was made for. */
  id: Id
  tier: Tier
}

/**
 * Who is asking, what they may do, and for whom. A visitor is another kind of caller, with a type and a permit of its
 * own.
 */
export interface Caller {
  user: User
  /** The one the user acts for. */
  account: Account
  permissions: readonly Permission[]
  /** What the caller came with. */
  by: { kind: 'key' | 'session', id: Id }
  /** Whether that is the token of an assistant that was let in, which is for /mcp alone. */
  isAssistant: boolean
  /** Microseconds since 1970 after which that is void, or null. */
  expires: number | null
  /**
   * Whether the caller would be let in again now, for the same account. Whatever goes on after its request was let in,
   * a stream above all, asks at least once a second: revoking a key, ending a session or leaving a team ends what was
   * opened with it.
   */
  isStillAllowed (): Promise<boolean>
}
