import type { ApiKey, NewApiKey, Permission, User, UserDraft, UserRecord } from '../../schema/access.ts'
import type { Id } from '../../schema/common.ts'
import type { Tier } from '../../schema/plans.ts'
import type { IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { NewKey, Account } from './contract.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** A key as it is looked up for a request: what it may do, for whom, and until when. */
interface KeyHolder {
  key: Id
  user: User
  /** The account that the key acts for. */
  account: Account
  /** The key's permissions, limited to those its user has there now. */
  permissions: Permission[]
  /** Whether it is the token of an authorized assistant. */
  isAssistant: boolean
  /** Microseconds since 1970, or null for never. */
  expires: number | null
}

/** A key with what only operators see. */
export interface KeyRow extends ApiKey { user: Id, account: Id, revoked_at: string | null }

/** A user and its first key, whose secret is shown this once. */
export interface Welcome { user: User, key: string }

/** Stores users and their keys. Every method is one transaction; what is missing is `undefined`, never an error. */
export interface AccessStore {
  /** Makes a user and its first key, as `decideUser` says, and refuses what that refuses. */
  createUser (draft: UserDraft): Promise<Welcome>
  /** Makes the first user of a new installation; undefined when there already is one. */
  createFirstUser (draft: UserDraft): Promise<Welcome | undefined>
  /** All users, oldest first; none that was deleted and is still being removed. */
  users (): Promise<User[]>
  /** Moves a user to a tier. */
  setTier (user: Id, tier: Tier): Promise<User | undefined>
  /** The user, with the revision of its lists. */
  user (user: Id): Promise<UserRecord | undefined>

  /**
   * Makes the key that `decide` returns for this time (microseconds since 1970), unless it throws; a repeat of `once`
   * is answered without calling it again. The secret is returned and stored nowhere. It acts for the account, the
   * user's own unless said, as long as the user does.
   */
  createKey (
    user: Id, decide: (now: number) => NewKey, once?: IdempotencyKey, account?: Id
  ): Promise<IdempotentResult<NewApiKey>>
  /** Keys of one user for one account that have not been revoked, oldest first. */
  keys (user: Id, account: Id): Promise<ApiKey[]>
  /** Keys of everybody, revoked ones too, oldest first; for the operator. */
  allKeys (): Promise<KeyRow[]>
  /** Revokes a key of a user at once. False when the user has no such key, or it is revoked already. */
  revokeKey (user: Id, key: Id): Promise<boolean>
  /** Revokes any key; for the operator. */
  revokeAnyKey (key: Id): Promise<boolean>
  /** The unrevoked key with this digest. Synchronous: every request calls it before anything else. */
  holder (digest: string): Promise<KeyHolder | undefined>
  /** Records that a key was used. */
  touch (key: Id): Promise<void>
  /** A number that changes whenever a caller may have changed, in any process. */
  generation (): number
}

/** What is deleted with an agent, a user or an account. */
export const accessKept: Keeps = {
  ways: [
    'api_keys.user_id', 'sessions.user_id', 'passkeys.user_id', 'passwords.user_id', 'links.user_id', 'links.account_id'
  ]
}
