import { and, desc, eq, gt, isNull, ne, sql } from 'drizzle-orm'
import { users } from '../../../schema/sqlite/access.ts'
import { links, passwords, sessions } from '../../../schema/sqlite/sign-in.ts'
import { members } from '../../../schema/sqlite/team.ts'
import type { Id } from '../../../schema/common.ts'
import type { Kernel } from '../../kernel/index.ts'
import { timestamp } from '../../platform/clock.ts'
import type { Work } from '../../platform/storage/work.ts'
import { isNamed } from '../names.ts'
import { addressTaken, decideAbout, usable } from './links.ts'
import type { LinkMails } from './mail.ts'
import { SHOWN_USER, type SignInRows } from './rows.ts'
import type { MadeLink, SignInStore } from './store.ts'

/** A link mailed this recently is still on its way. */
const AGAIN_MICROS = 5 * 60_000_000

/** Sessions, passwords and links in SQLite. */
export function sqliteSignInStore (
  { db, clock, standing, rows, mails }:
  Pick<Kernel, 'db' | 'clock' | 'standing'> & { rows: SignInRows, mails: LinkMails }
): SignInStore {
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
    return db.atomically(function * () {
      yield * standing.moved()
      return yield * db.run(orm.delete(sessions).where(which))
    }, { frees: true })
  }

  function * hashOf (user: Id) {
    return (yield * db.get(orm.select({ hash: passwords.hash }).from(passwords).where(eq(passwords.user, user))))?.hash
  }

  /** Unused links that set a user's password: only the newest works. */
  function * dropLinks (user: Id) {
    yield * db.run(orm.delete(links).where(and(eq(links.user, user), isNull(links.used_at))))
  }

  /** A link that sets somebody's password. An invitation does not, and is accepted in another way. */
  function * ofUser (digest: string) {
    const found = yield * rows.link(digest)
    const user = found?.user ? (yield * rows.user(found.user)) : undefined
    const link = usable(user && found, clock.micros())
    return { link, user: user as NonNullable<typeof user> }
  }

  /** A new link in place of those that were not used. Called inside a transaction. */
  function * remade (user: Id): Work<MadeLink> {
    yield * dropLinks(user)
    const {
      kind, token, expires_at: expires
    } = yield * rows.makeLink({ kind: (yield * hashOf(user)) === undefined ? 'setup' : 'reset', user })
    return { kind, token, expires_at: expires }
  }

  return {
    holder: async (digest) =>
      db.read(function * () {
        const found = yield * db.get(byDigest, { digest })
        if (!found) return undefined
        const { expires_at: expires, ...rest } = found
        const memberships = yield * db.all(membershipsOf, { user: rest.user.id })
        return { ...rest, memberships, expires: Date.parse(expires) * 1000 }
      }),
    touch: (session) =>
      db.atomically(function * () {
        yield * db.run(orm
          .update(sessions)
          .set({ last_used_at: timestamp(clock.micros()) })
          .where(eq(sessions.id, session)))
      }),
    generation: () => standing.generation(),

    begin: (id, browser) =>
      db.atomically(function * () {
        const user = yield * rows.user(id)
        return user && (yield * rows.begin(user, browser))
      }),
    sessions: async (user) =>
      db.read(() =>
        db.all(orm
          .select()
          .from(sessions)
          .where(and(eq(sessions.user, user), gt(sessions.expires_at, timestamp(clock.micros()))))
          .orderBy(desc(sessions.id)))
      ),
    end: async (user, session) => (await end(and(eq(sessions.user, user), eq(sessions.id, session)))) > 0,
    endOthers: (user, session) => end(and(eq(sessions.user, user), ne(sessions.id, session))),
    memberships: async (user) => db.read(() => db.all(membershipsOf, { user })),
    accounts: async (user) =>
      db.read(() =>
        db.all(orm
          .select({ id: users.id, name: users.name, member: members.id })
          .from(members)
          .innerJoin(users, eq(users.id, members.account))
          .where(eq(members.user, user))
          .orderBy(sql`${members.account} <> ${members.user}`, members.id))
      ),
    choose: (user, session, account) =>
      db.atomically(function * () {
        yield * standing.moved()
        yield * db.run(orm
          .update(sessions)
          .set({ account })
          .where(and(eq(sessions.user, user), eq(sessions.id, session))))
      }),

    byEmail: async (email) =>
      db.read(function * () {
        const id = yield * rows.holderOf(email)
        const user = id === undefined ? undefined : (yield * rows.user(id))
        return user && { user, hash: yield * hashOf(user.id) }
      }),
    user: async (user) => db.read(() => rows.user(user)),
    passwordOf: async (user) => db.read(() => hashOf(user)),
    setPassword: (user, hash, session) =>
      db.atomically(function * () {
        yield * standing.moved()
        yield * rows.setPassword(user, hash)
        yield * db.run(orm
          .delete(sessions)
          .where(and(eq(sessions.user, user), ne(sessions.id, session))))
        yield * dropLinks(user)
      }),
    change: (user, about) =>
      db.atomically(function * () {
        yield * standing.moved()
        const holder = yield * rows.holderOf(about.email)
        if (holder !== undefined && holder !== user) throw addressTaken()
        return (yield * rows.user(user)) && (yield * rows.change(user, about))
      }),

    makeLink: (user) =>
      db.atomically(function * () { return (yield * rows.user(user)) && (yield * remade(user)) }),
    renewUnused: (user, sparedMs) =>
      db.atomically(function * () {
        const newest = yield * rows.newestOf(user)
        const spared = timestamp(clock.micros() - sparedMs * 1000)
        if (newest?.used_at !== null || newest.created_at > spared) return undefined
        return (yield * hashOf(user)) === undefined && (yield * rows.user(user)) ? (yield * remade(user)) : undefined
      }),
    canMail: mails.isOn,
    mailLink: (email) =>
      db.atomically(function * () {
        const user = yield * rows.holderOf(email)
        const newest = user === undefined ? undefined : (yield * rows.newestOf(user))
        const isOnItsWay = newest?.used_at === null &&
          newest.created_at > timestamp(clock.micros() - AGAIN_MICROS) && (yield * mails.has(newest))
        if (user === undefined || isOnItsWay) return
        yield * dropLinks(user)
        yield * mails.add(
          user, (yield * rows.makeLink({ kind: (yield * hashOf(user)) === undefined ? 'setup' : 'reset', user })).link
        )
      }),
    link: async (digest) => db.read(() => rows.link(digest)),
    about: async ({ kind, user, account, permissions, email, expires_at: expires }) =>
      db.read(function * () {
        const about = user === null ? undefined : (yield * rows.user(user))
        return {
          kind,
          email: about ? about.email : email,
          name: about && isNamed(about.name) ? about.name : null,
          account: account === null ? null : ((yield * rows.user(account))?.name ?? null),
          ...(permissions && { permissions }),
          needs_password: user === null && (yield * rows.holderOf(email)) !== undefined,
          expires_at: expires
        }
      }),
    useLink: (digest, hash, about, browser) =>
      db.atomically(function * () {
        yield * standing.moved()
        const { link, user } = yield * ofUser(digest)
        const changed = yield * rows.change(user.id, decideAbout(user, about, yield * rows.holderOf(about.email)))
        yield * rows.setPassword(user.id, hash)
        yield * rows.endSessions(user.id)
        yield * rows.markUsed(link.id)
        yield * dropLinks(user.id)
        return yield * rows.begin(changed, browser)
      })
  }
}
