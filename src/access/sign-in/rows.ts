import { and, desc, eq, sql } from 'drizzle-orm'
import { users } from '../../../schema/sqlite/access.ts'
import { links, passwords, sessions } from '../../../schema/sqlite/sign-in.ts'
import type { User } from '../../../schema/access.ts'
import type { Id } from '../../../schema/common.ts'
import type { LinkRecord, SessionRecord } from '../../../schema/sign-in.ts'
import type { Kernel } from '../../kernel/index.ts'
import { timestamp } from '../../platform/clock.ts'
import type { Work } from '../../platform/storage/work.ts'
import { addressTaken, linkExpires, type About } from './links.ts'
import type { BegunSession, MadeLink } from './store.ts'
import { newToken, tokenDigest } from './tokens.ts'

/** Lifetime of a session, in days. */
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

/** What a new link is about, besides its token and its time. */
type LinkDraft = Pick<LinkRecord, 'kind'> &
  Partial<Pick<LinkRecord, 'user' | 'account' | 'permissions' | 'email' | 'inviter'>>

/**
 * Writes and reads users, passwords, sessions and links inside the caller's transaction: for signing in, and for the
 * team, which invites people by the same links.
 */
export interface SignInRows {
  user (user: Id): Work<User | undefined>
  /** The user with an e-mail address, ignoring case. */
  holderOf (email: string | null | undefined): Work<Id | undefined>
  change (user: Id, about: About): Work<User>
  /**
   * Makes a user without an account to act for, with a password. Refuses with `taken` an address that another has.
   */
  create (who: { name: string, email: string, hash: string }): Work<User>
  setPassword (user: Id, hash: string): Work<void>
  begin (user: User, browser: string): Work<BegunSession>
  endSessions (user: Id): Work<void>
  makeLink (draft: LinkDraft): Work<MadeLink & { link: LinkRecord }>
  link (digest: string): Work<LinkRecord | undefined>
  linkById (link: Id): Work<LinkRecord | undefined>
  /** The newest link that sets a user's password. */
  newestOf (user: Id): Work<LinkRecord | undefined>
  /** A link was mailed under a token with this digest. */
  mailed (link: Id, digest: string): Work<void>
  markUsed (link: Id): Work<void>
}

/** These rows in SQLite. */
export function signInRows ({ db, clock }: Pick<Kernel, 'db' | 'clock'>): SignInRows {
  const { orm } = db
  const stamp = () => timestamp(clock.micros())
  const rows: SignInRows = {
    user: (user) => db.get(orm.select(SHOWN_USER).from(users).where(eq(users.id, user))),
    * holderOf (email) {
      return email
        ? (yield * db.get(orm
            .select({ id: users.id })
            .from(users)
            .where(sql`lower(${users.email}) = lower(${email})`)))?.id
        : undefined
    },
    change: (user, about) =>
      db.get(orm
        .update(users)
        .set({ ...about, updated_at: stamp() })
        .where(eq(users.id, user))
        .returning(SHOWN_USER)),
    * create ({ name, email, hash }) {
      if ((yield * rows.holderOf(email)) !== undefined) throw addressTaken()
      const now = clock.micros()
      const user = yield * db.get(orm
        .insert(users)
        .values({ name, email, tier: 'free', revision: now, created_at: timestamp(now), updated_at: timestamp(now) })
        .returning(SHOWN_USER))
      yield * rows.setPassword(user.id, hash)
      return user
    },
    * setPassword (user, hash) {
      const changed = { hash, changed_at: stamp() }
      yield * db.run(orm
        .insert(passwords)
        .values({ user, ...changed })
        .onConflictDoUpdate({ target: passwords.user, set: changed }))
    },
    * begin (user, browser) {
      const now = clock.micros()
      // Expired ones are of no use.
      yield * db.run(orm
        .delete(sessions)
        .where(and(eq(sessions.user, user.id), sql`${sessions.expires_at} <= ${timestamp(now)}`)))
      const token = newToken()
      const session: SessionRecord = yield * db.get(orm
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
        .returning())
      return { session, token, user }
    },
    * endSessions (user) {
      yield * db.run(orm.delete(sessions).where(eq(sessions.user, user)))
    },
    * makeLink (draft) {
      const now = clock.micros()
      const token = newToken()
      const link = yield * db.get(orm
        .insert(links)
        .values({
          ...draft,
          digest: tokenDigest(token),
          created_at: timestamp(now),
          expires_at: timestamp(linkExpires(draft.kind, now))
        })
        .returning())
      return { kind: link.kind, token, expires_at: link.expires_at, link }
    },
    link: (digest) =>
      db.get(orm
        .select()
        .from(links)
        .where(sql`${digest} in (${links.digest}, ${links.mailed_digest})`)),
    linkById: (link) => db.get(orm.select().from(links).where(eq(links.id, link))),
    newestOf: (user) => db.get(orm.select().from(links).where(eq(links.user, user)).orderBy(desc(links.id))),
    * mailed (link, digest) {
      yield * db.run(orm.update(links).set({ mailed_digest: digest }).where(eq(links.id, link)))
    },
    * markUsed (link) {
      yield * db.run(orm.update(links).set({ used_at: stamp() }).where(eq(links.id, link)))
    }
  }
  return rows
}
