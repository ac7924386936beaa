import { and, desc, eq, sql } from 'drizzle-orm'
import { users } from '../../../schema/sqlite/access.ts'
import { links, passwords, sessions } from '../../../schema/sqlite/sign-in.ts'
import type { User } from '../../../schema/access.ts'
import type { Id } from '../../../schema/common.ts'
import type { LinkRecord, SessionRecord } from '../../../schema/sign-in.ts'
import { timestamp, type Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import { addressTaken, linkExpires, type About } from './links.ts'
import type { BegunSession, MadeLink } from './store.ts'
import { newToken, tokenDigest } from './tokens.ts'

/** Days that a session lives. */
const SESSION_MICROS = 14 * 24 * 60 * 60 * 1_000_000

/** The columns of a user that answers show. */
export const SHOWN_USER = {
  id: users.id,
  name: users.name,
  email: users.email,
  tier: users.tier,
  created_at: users.created_at,
  updated_at: users.updated_at
}

/** What a new link is about, beside its token and its time. */
export type LinkDraft = Pick<LinkRecord, 'kind'> &
  Partial<Pick<LinkRecord, 'user' | 'account' | 'permissions' | 'email' | 'inviter'>>

/**
 * Writing and reading of users, passwords, sessions and links inside a transaction of whoever calls it: signing in, and
 * the team, which joins people by the same links.
 */
export interface SignInRows {
  user (user: Id): User | undefined
  /** Who has an e-mail address, however it is written. */
  holderOf (email: string | null | undefined): Id | undefined
  change (user: Id, about: About): User
  /**
   * Makes a user without an account to act for, with a password. Refuses with `taken` an address that another has.
   */
  create (who: { name: string, email: string, hash: string }): User
  setPassword (user: Id, hash: string): void
  begin (user: User, browser: string): BegunSession
  endSessions (user: Id): void
  makeLink (draft: LinkDraft): MadeLink & { link: LinkRecord }
  link (digest: string): LinkRecord | undefined
  linkById (link: Id): LinkRecord | undefined
  /** The newest link that sets a user's password. */
  newestOf (user: Id): LinkRecord | undefined
  /** A link was mailed under a token with this digest. */
  mailed (link: Id, digest: string): void
  markUsed (link: Id): void
}

/** These rows in a file. */
export function signInRows ({ db: { orm }, clock }: { db: Database, clock: Clock }): SignInRows {
  const stamp = () => timestamp(clock.micros())
  const rows: SignInRows = {
    user: (user) => orm.select(SHOWN_USER).from(users).where(eq(users.id, user)).get(),
    holderOf: (email) =>
      email
        ? orm
          .select({ id: users.id })
          .from(users)
          .where(sql`lower(${users.email}) = lower(${email})`)
          .get()?.id
        : undefined,
    change: (user, about) =>
      orm
        .update(users)
        .set({ ...about, updated_at: stamp() })
        .where(eq(users.id, user))
        .returning(SHOWN_USER)
        .get(),
    create ({ name, email, hash }) {
      if (rows.holderOf(email) !== undefined) throw addressTaken()
      const now = clock.micros()
      const user = orm
        .insert(users)
        .values({ name, email, tier: 'free', revision: now, created_at: timestamp(now), updated_at: timestamp(now) })
        .returning(SHOWN_USER)
        .get()
      rows.setPassword(user.id, hash)
      return user
    },
    setPassword (user, hash) {
      const changed = { hash, changed_at: stamp() }
      orm
        .insert(passwords)
        .values({ user, ...changed })
        .onConflictDoUpdate({ target: passwords.user, set: changed })
        .run()
    },
    begin (user, browser) {
      const now = clock.micros()
      // What has expired serves nobody.
      orm
        .delete(sessions)
        .where(and(eq(sessions.user, user.id), sql`${sessions.expires_at} <= ${timestamp(now)}`))
        .run()
      const token = newToken()
      const session: SessionRecord = orm
        .insert(sessions)
        .values({
          user: user.id,
          digest: tokenDigest(token),
          account: null,
          browser: browser.slice(0, 300).toWellFormed(),
          created_at: timestamp(now),
          last_used_at: timestamp(now),
          expires_at: timestamp(now + SESSION_MICROS)
        })
        .returning()
        .get()
      return { session, token, user }
    },
    endSessions (user) {
      orm.delete(sessions).where(eq(sessions.user, user)).run()
    },
    makeLink (draft) {
      const now = clock.micros()
      const token = newToken()
      const link = orm
        .insert(links)
        .values({
          ...draft,
          digest: tokenDigest(token),
          created_at: timestamp(now),
          expires_at: timestamp(linkExpires(draft.kind, now))
        })
        .returning()
        .get()
      return { kind: link.kind, token, expires_at: link.expires_at, link }
    },
    link: (digest) =>
      orm
        .select()
        .from(links)
        .where(sql`${digest} in (${links.digest}, ${links.mailed_digest})`)
        .get(),
    linkById: (link) => orm.select().from(links).where(eq(links.id, link)).get(),
    newestOf: (user) => orm.select().from(links).where(eq(links.user, user)).orderBy(desc(links.id)).get(),
    mailed (link, digest) {
      orm.update(links).set({ mailed_digest: digest }).where(eq(links.id, link)).run()
    },
    markUsed (link) {
      orm.update(links).set({ used_at: stamp() }).where(eq(links.id, link)).run()
    }
  }
  return rows
}
