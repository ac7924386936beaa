import type { ApiKey, NewApiKey, Permission, User, UserDraft, UserRecord } from '../../schema/access.ts'
import type { Id } from '../../schema/common.ts'
import type { Tier } from '../../schema/plans.ts'
import type { Once, Outcome } from '../platform/storage/contract.ts'
import type { NewKey, Account } from './contract.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** A key as it is looked up for a request: what it may do, for whom, and until when. */
interface KeyHolder {
  key: Id
  user: User
  /** The account that the key acts for. */
  account: Account
  /** What the key carries of what the user may do there: a key can do no more than its user can by now. */
  permissions: Permission[]
  /** Whether it is the token of an assistant that was let in. */
  isAssistant: boolean
  /** Microseconds since 1970, or null for never. */
  expires: number | null
}

/** A key with what only operators see. */
export interface KeyRow extends ApiKey { user: Id, account: Id, revoked_at: string | null }

/** A user and its first key, whose secret is shown this once. */
export interface Welcome { user: User, key: string }

/** Where users and their keys rest. Every method is one transaction; what is missing is `undefined`, never an error. */
export interface AccessStore {
  /** Makes a user and its first key, as `decideUser` says, and refuses what that refuses. */
  createUser (draft: UserDraft): Promise<Welcome>
  /** Makes the first user of a new installation; undefined when there already is one, whoever made it. */
  createFirstUser (draft: UserDraft): Promise<Welcome | undefined>
  /** All users, oldest first; none that was deleted and is still being removed. */
  users (): Promise<User[]>
  /** Moves a user to a tier. */
  setTier (user: Id, tier: Tier): Promise<User | undefined>
  /** The user, with the revision of what its lists show. */
  user (user: Id): Promise<UserRecord | undefined>

  /**
   * Makes the key that `decide` returns at this moment (microseconds since 1970), unless it throws; a repeat of `once`
   * is answered without asking it again. The secret is in the answer and nowhere else. It acts for the account, the
   * user's own unless said, as long as the user does.
   */
  createKey (user: Id, decide: (now: number) => NewKey, once?: Once, account?: Id): Promise<Outcome<NewApiKey>>
  /** Keys of one user for one account that have not been revoked, oldest first. */
  keys (user: Id, account: Id): Promise<ApiKey[]>
  /** Keys of everybody, revoked ones too, oldest first; for the operator. */
  allKeys (): Promise<KeyRow[]>
  /** Revokes a key of a user at once. False when the user has no such key, or it is revoked already. */
  revokeKey (user: Id, key: Id): Promise<boolean>
  /** Revokes any key; for the operator. */
  revokeAnyKey (key: Id): Promise<boolean>
  /** The unrevoked key with this digest. Synchronous: a request asks it before anything else. */
  holder (digest: string): Promise<KeyHolder | undefined>
  /** Notes that a key was used. */
  touch (key: Id): Promise<void>
  /** A number that moves whenever a caller may have changed, whoever changed it. */
  generation (): number
}

/** What goes with an agent, a user or an account. */
export const accessKept: Keeps = {
  ways: [
    'api_keys.user_id', 'sessions.user_id', 'passkeys.user_id', 'passwords.user_id', 'links.user_id', 'links.account_id'
  ]
}
