import { and, desc, eq, gt, isNull, ne, sql } from 'drizzle-orm'
import { users } from '../../../schema/sqlite/access.ts'
import { links, passwords, sessions } from '../../../schema/sqlite/sign-in.ts'
import { members } from '../../../schema/sqlite/team.ts'
import type { Id } from '../../../schema/common.ts'
import { timestamp, type Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import { isNamed } from '../names.ts'
import type { Standing } from '../standing.ts'
import { addressTaken, decideAbout, usable } from './links.ts'
import type { LinkMails } from './mail.ts'
import { SHOWN_USER, type SignInRows } from './rows.ts'
import type { MadeLink, SignInStore } from './store.ts'

/** A link that was mailed so recently is still on its way. */
const AGAIN_MICROS = 5 * 60_000_000

/** Sessions, passwords and links in SQLite. */
export function sqliteSignInStore ({ db, clock, standing, rows, mails }: {
  db: Database, clock: Clock, standing: Standing, rows: SignInRows, mails: LinkMails
}): SignInStore {
  const { orm } = db
  const byDigest = orm
    .select({ session: sessions.id, chosen: sessions.account, expires_at: sessions.expires_at, user: SHOWN_USER })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.user))
    .where(eq(sessions.digest, sql.placeholder('digest')))
    .prepare()
  const membershipsOf = orm.select({ account: { id: users.id, tier: users.tier }, permissions: members.permissions })
    .from(members).innerJoin(users, eq(users.id, members.account)).where(eq(members.user, sql.placeholder('user')))
    .orderBy(sql`${members.account} <> ${members.user}`, members.id).prepare()

  function end (which: ReturnType<typeof and>): Promise<number> {
    return db.atomically(() => {
      standing.moved()
      return orm.delete(sessions).where(which).run().changes
    }, { frees: true })
  }

  const hashOf = (user: Id) =>
    orm.select({ hash: passwords.hash }).from(passwords).where(eq(passwords.user, user)).get()?.hash

  /** Links that set a user's password and were not used: of several only the newest works. */
  function dropLinks (user: Id) {
    orm.delete(links).where(and(eq(links.user, user), isNull(links.used_at))).run()
  }

  /** A link that sets somebody's password. An invitation does not, and is accepted in another way. */
  function ofUser (digest: string) {
    const found = rows.link(digest)
    const user = found?.user ? rows.user(found.user) : undefined
    const link = usable(user && found, clock.micros())
    return { link, user: user as NonNullable<typeof user> }
  }

  /** A new link in place of those that were not used. Called inside a transaction. */
  function remade (user: Id): MadeLink {
    dropLinks(user)
    const {
      kind, token, expires_at: expires
    } = rows.makeLink({ kind: hashOf(user) === undefined ? 'setup' : 'reset', user })
    return { kind, token, expires_at: expires }
  }

  return {
    holder: (digest) =>
      db.read(() => {
        const found = byDigest.get({ digest })
        if (!found) return undefined
        const { expires_at: expires, ...rest } = found
        return { ...rest, memberships: membershipsOf.all({ user: rest.user.id }), expires: Date.parse(expires) * 1000 }
      }),
    touch: (session) =>
      db.atomically(() => {
        orm
          .update(sessions)
          .set({ last_used_at: timestamp(clock.micros()) })
          .where(eq(sessions.id, session))
          .run()
      }),
    generation: () => standing.generation(),

    begin: (id, browser) =>
      db.atomically(() => {
        const user = rows.user(id)
        return user && rows.begin(user, browser)
      }),
    sessions: async (user) =>
      db.read(() =>
        orm
          .select()
          .from(sessions)
          .where(and(eq(sessions.user, user), gt(sessions.expires_at, timestamp(clock.micros()))))
          .orderBy(desc(sessions.id))
          .all()
      ),
    end: async (user, session) => (await end(and(eq(sessions.user, user), eq(sessions.id, session)))) > 0,
    endOthers: (user, session) => end(and(eq(sessions.user, user), ne(sessions.id, session))),
    memberships: (user) => db.read(() => membershipsOf.all({ user })),
    accounts: async (user) =>
      db.read(() =>
        orm
          .select({ id: users.id, name: users.name, member: members.id })
          .from(members)
          .innerJoin(users, eq(users.id, members.account))
          .where(eq(members.user, user))
          .orderBy(sql`${members.account} <> ${members.user}`, members.id)
          .all()
      ),
    choose: (user, session, account) =>
      db.atomically(() => {
        standing.moved()
        orm
          .update(sessions)
          .set({ account })
          .where(and(eq(sessions.user, user), eq(sessions.id, session)))
          .run()
      }),

    byEmail: (email) =>
      db.read(() => {
        const id = rows.holderOf(email)
        const user = id === undefined ? undefined : rows.user(id)
        return user && { user, hash: hashOf(user.id) }
      }),
    user: (user) => db.read(() => rows.user(user)),
    passwordOf: (user) => db.read(() => hashOf(user)),
    setPassword: (user, hash, session) =>
      db.atomically(() => {
        standing.moved()
        rows.setPassword(user, hash)
        orm
          .delete(sessions)
          .where(and(eq(sessions.user, user), ne(sessions.id, session)))
          .run()
        dropLinks(user)
      }),
    change: (user, about) =>
      db.atomically(() => {
        standing.moved()
        const holder = rows.holderOf(about.email)
        if (holder !== undefined && holder !== user) throw addressTaken()
        return rows.user(user) && rows.change(user, about)
      }),

    makeLink: (user) =>
      db.atomically(() => rows.user(user) && remade(user)),
    renewUnused: (user) =>
      db.atomically(() => {
        const isUnused = hashOf(user) === undefined && rows.newestOf(user)?.used_at === null
        return isUnused && rows.user(user) ? remade(user) : undefined
      }),
    canMail: mails.isOn,
    mailLink: (email) =>
      db.atomically(() => {
        const user = rows.holderOf(email)
        const newest = user === undefined ? undefined : rows.newestOf(user)
        const isOnItsWay = newest?.used_at === null &&
          newest.created_at > timestamp(clock.micros() - AGAIN_MICROS) && mails.has(newest)
        if (user === undefined || isOnItsWay) return
        dropLinks(user)
        mails.add(user, rows.makeLink({ kind: hashOf(user) === undefined ? 'setup' : 'reset', user }).link)
      }),
    link: (digest) => db.read(() => rows.link(digest)),
    about: ({ kind, user, account, permissions, email, expires_at: expires }) =>
      db.read(() => {
        const about = user === null ? undefined : rows.user(user)
        return {
          kind,
          email: about ? about.email : email,
          name: about && isNamed(about.name) ? about.name : null,
          account: account === null ? null : (rows.user(account)?.name ?? null),
          ...(permissions && { permissions }),
          needs_password: user === null && rows.holderOf(email) !== undefined,
          expires_at: expires
        }
      }),
    useLink: (digest, hash, about, browser) =>
      db.atomically(() => {
        standing.moved()
        const { link, user } = ofUser(digest)
        const changed = rows.change(user.id, decideAbout(user, about, rows.holderOf(about.email)))
        rows.setPassword(user.id, hash)
        rows.endSessions(user.id)
        rows.markUsed(link.id)
        dropLinks(user.id)
        return rows.begin(changed, browser)
      })
  }
}
