import type { Permission, User } from '../../../schema/access.ts'
import type { Id } from '../../../schema/common.ts'
import type {
  LinkKind, LinkRecord, OpenedLink, Passkey, PasskeyRecord, SessionRecord
} from '../../../schema/sign-in.ts'
import type { Account } from '../contract.ts'
import type { About } from './links.ts'

/** What a user may do for one account. */
export interface Membership { account: Account, permissions: Permission[] }

/** A session as it is looked up for a request. */
export interface SessionHolder {
  session: Id
  user: User
  /** The account acted for where a request names none. */
  chosen: Id | null
  /** The accounts that the user acts for, the own first, then in the order of joining. */
  memberships: Membership[]
  /** Microseconds since 1970. */
  expires: number
}

/** A session that has just begun, with what goes into the cookie. */
export interface BegunSession { session: SessionRecord, token: string, user: User }

/** A link that has just been made; its token is shown this once. */
export interface MadeLink { kind: LinkKind, token: string, expires_at: string }

/** Where sessions, passwords and links rest. Every method is one transaction. */
export interface SignInStore {
  /** The session with this digest. Synchronous: a request asks it before anything else. */
  holder (digest: string): Promise<SessionHolder | undefined>
  /** Notes that a session was used. */
  touch (session: Id): Promise<void>
  /** A number that moves whenever a caller may have changed. */
  generation (): number

  /** Begins a session; undefined when there is no such user. */
  begin (user: Id, browser: string): Promise<BegunSession | undefined>
  /** The user's sessions that have not expired, newest first. */
  sessions (user: Id): Promise<SessionRecord[]>
  /** Ends one at once. False when there is none. */
  end (user: Id, session: Id): Promise<boolean>
  /** Ends all but one; how many. */
  endOthers (user: Id, session: Id): Promise<number>
  /** The accounts that a user acts for, the own first, then in the order of joining. */
  memberships (user: Id): Promise<Membership[]>
  /** The same by their names. */
  accounts (user: Id): Promise<Array<{ id: Id, name: string, member: Id }>>
  /** The session acts for this account from now on; the caller has checked that the user may. */
  choose (user: Id, session: Id, account: Id): Promise<void>

  /** Whether links can be mailed. */
  readonly canMail: boolean
  /**
   * Mails who has this address a link that sets the password, unless one was mailed a moment ago; nothing where nobody
   * has it.
   */
  mailLink (email: string): Promise<void>

  /** Who has an e-mail address, and the hash of the password. Synchronous, as it is short. */
  byEmail (email: string): Promise<{ user: User, hash: string | undefined } | undefined>
  /** A user. Synchronous, as it is short. */
  user (user: Id): Promise<User | undefined>
  /** The hash of a user's password; undefined without one. */
  passwordOf (user: Id): Promise<string | undefined>
  /** Keeps a new one, and ends all other sessions. */
  setPassword (user: Id, hash: string, session: Id): Promise<void>
  /** Changes who a user is. Refuses with `taken` an e-mail address that another has. */
  change (user: Id, about: About): Promise<User | undefined>

  /**
   * Makes a link that sets the user's password: the first one or a new one. Those that were made before stop working.
   * Undefined when there is no such user.
   */
  makeLink (user: Id): Promise<MadeLink | undefined>
  /**
   * Another set-up link in place of those that this user never used; undefined for users who have a password, or no
   * such link. One that is not older than `sparedMs` is left as it is: somebody was shown it a moment ago.
   */
  renewUnused (user: Id, sparedMs: number): Promise<MadeLink | undefined>
  /** The link of a token's digest, whatever has become of it. */
  link (digest: string): Promise<LinkRecord | undefined>
  /** What the holder of a link may know of it. */
  about (link: LinkRecord): Promise<OpenedLink>
  /**
   * Uses a set-up or reset link, once: sets the password, ends all sessions of the user and begins one. Refuses with
   * `gone` and what `decideAbout` refuses.
   */
  useLink (digest: string, hash: string, about: About, browser: string): Promise<BegunSession>
}

/** Where passkeys rest. */
export interface PasskeyStore {
  /** A user's passkeys, oldest first. */
  list (user: Id): Promise<Passkey[]>
  /** What authenticators call them, so that none is registered twice. */
  credentials (user: Id): Promise<Array<Pick<PasskeyRecord, 'credential' | 'transports'>>>
  /** Keeps one. Refuses with `already_registered` one that is there, with `limit_reached` one too many. */
  add (
    user: Id, passkey: Pick<PasskeyRecord, 'credential' | 'public_key' | 'counter' | 'transports' | 'name'>
  ): Promise<Passkey>
  /** Removes one. False when there is none. */
  remove (user: Id, passkey: Id): Promise<boolean>
  /** The one with this credential id, whichever user has it. */
  byCredential (credential: string): Promise<PasskeyRecord | undefined>
  /** Records that it was used, and its authenticator's counter. */
  used (passkey: Id, counter: number): Promise<void>
}
