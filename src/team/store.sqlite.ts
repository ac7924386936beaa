import { and, asc, eq, gt, isNull } from 'drizzle-orm'
import { PERMISSIONS, type Permission } from '../../schema/access.ts'
import type { Id } from '../../schema/common.ts'
import type { LinkRecord } from '../../schema/sign-in.ts'
import { apiKeys } from '../../schema/sqlite/access.ts'
import { links, sessions } from '../../schema/sqlite/sign-in.ts'
import { members } from '../../schema/sqlite/team.ts'
import type { Invitation, Member, MemberRecord } from '../../schema/team.ts'
import { usable, type LinkMails, type SignInRows } from '../access/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import { spelledOnce } from '../platform/net/smtp.ts'
import type { AuditContext, AuditLog } from '../platform/storage/audit.ts'
import { mapped, type Work } from '../platform/storage/work.ts'
import { decideMember, decideRemoval, isMailed, isStillGiven, MOST_INVITATIONS, roleOf } from './rules.ts'
import type { TeamStore } from './store.ts'

/**
 * Dependencies of the store. `forgetDuty`: clears the availability of those who are no longer members, or may not
 * answer; see DutyStore.forget.
 */
interface TeamStoreNeeds extends Pick<Kernel, 'db' | 'clock' | 'standing' | 'idempotency'> {
  rows: SignInRows
  mails: LinkMails
  forgetDuty: (owner: Id, user: Id, member: Id) => Work<void>
  /** Who joins is nobody of the account until then, so no caller's change records it. */
  audit: Pick<AuditLog, 'add'>
}

const DAY_MICROS = 24 * 60 * 60 * 1_000_000

/** Members and invitations in SQLite. */
export function sqliteTeamStore (
  { db, clock, standing, idempotency, rows, mails, forgetDuty, audit }: TeamStoreNeeds
): TeamStore {
  const { orm } = db
  const stamp = () => timestamp(clock.micros())
  const of = (owner: Id) => orm.select().from(members).where(eq(members.account, owner)).orderBy(asc(members.id))
  const memberOf = (owner: Id, user: Id) =>
    db.get(orm
      .select()
      .from(members)
      .where(and(eq(members.account, owner), eq(members.user, user))))
  const open = (owner: Id) =>
    and(eq(links.account, owner), eq(links.kind, 'invitation'), isNull(links.used_at), gt(links.expires_at, stamp()))

  const mailedOf = (what: string) => db.column<[number | string, string], number>(
    `select count(*) from links where ${what} and kind = 'invitation' and created_at > ? and exists (select 1 from outbox where about = 'links/' || links.id)`
  )
  const [mailedBy, mailedTo] = [mailedOf('account_id = ?'), mailedOf('email = ? collate nocase')]

  /** How many invitations were mailed in 24 hours, by the account and to the address. */
  function * mailedBefore (owner: Id, email: string) {
    const since = timestamp(clock.micros() - DAY_MICROS)
    return { account: (yield * mailedBy.get(owner, since))!, address: (yield * mailedTo.get(email, since))! }
  }

  /** The member, and all others of the account. */
  function * among (owner: Id, id: Id) {
    const all = yield * db.all(of(owner))
    const member = all.find((one) => one.id === id)
    return member && { member, others: all.filter((one) => one.id !== id) }
  }

  function * shown ({ id, user, permissions, created_at: created }: MemberRecord): Work<Member> {
    const { name, email } = (yield * rows.user(user)) ?? { name: '', email: null }
    return {
      id,
      user: { id: user, name, email },
      role: roleOf(permissions),
      permissions: inOrder(permissions),
      created_at: created
    }
  }

  /** Ends a membership with its keys and sessions. */
  function * end ({ id, account, user }: MemberRecord) {
    yield * db.run(orm.delete(members).where(eq(members.id, id)))
    yield * db.run(orm
      .update(apiKeys)
      .set({ revoked_at: stamp() })
      .where(and(eq(apiKeys.user, user), eq(apiKeys.account, account), isNull(apiKeys.revoked_at))))
    if (!(yield * db.get(orm.select().from(members).where(eq(members.user, user))))) yield * rows.endSessions(user)
    yield * forgetDuty(account, user, id)
  }

  return {
    members: async (owner) => db.read(function * () { return yield * mapped(yield * db.all(of(owner)), shown) }),
    change: (owner, id, held, wanted, match) =>
      db.atomically(function * () {
        yield * standing.moved()
        const found = yield * among(owner, id)
        if (!found) return undefined
        match?.(yield * shown(found.member))
        const permissions = decideMember(held, found.member, wanted, found.others)
        if (!permissions.includes('REPLY_CONVERSATION')) yield * forgetDuty(owner, found.member.user, id)
        return yield * shown(
          yield * db.get(orm.update(members).set({ permissions }).where(eq(members.id, id)).returning())
        )
      }),
    remove: (owner, id, by, match) =>
      db.atomically(
        function * () {
          yield * standing.moved()
          const found = yield * among(owner, id)
          decideRemoval(by, found?.member, found?.others ?? [])
          if (found) match?.(yield * shown(found.member))
          if (found) yield * end(found.member)
          return found !== undefined
        },
        { frees: true }
      ),

    invitations: async (owner) =>
      db.read(function * () {
        return (yield * db.all(orm.select().from(links).where(open(owner)).orderBy(asc(links.id)))).map(shownInvitation)
      }),
    invite: (owner, inviter, draft, once) =>
      db.atomically(function * () {
        return yield * idempotency.run(owner, once, function * () {
          if ((yield * db.all(orm.select().from(links).where(open(owner)))).length >= MOST_INVITATIONS) {
            throw new Refusal(
              'limit_reached', `${MOST_INVITATIONS} invitations are waiting to be accepted. Revoke those that nobody will accept.`
            )
          }
          const email = draft.email === null ? null : spelledOnce(draft.email)
          const { token, link } = yield * rows.makeLink({ kind: 'invitation', account: owner, inviter, ...draft, email })
          const mailed = mails.isOn && email !== null && isMailed(yield * mailedBefore(owner, email))
          if (mailed) yield * mails.add(owner, link)
          return { invitation: shownInvitation(link), token, mailed }
        })
      }),
    withdraw: (owner, id) =>
      db.atomically(
        function * () {
          return (yield * db.run(orm
            // It still counts among those that were mailed.
            .update(links)
            .set({ used_at: stamp() })
            .where(and(eq(links.id, id), open(owner))))) > 0
        },
        { frees: true }
      ),
    accept: (digest, who, browser) =>
      db.atomically(function * () {
        yield * standing.moved()
        const { link, account } = yield * invitationOf(digest)
        const user = 'user' in who ? (yield * rows.user(who.user))! : (yield * rows.create(who))
        if (yield * memberOf(account, user.id)) throw new Refusal('already_member', 'You are already in this team.')
        const joined = yield * db.get(orm
          .insert(members)
          .values({ account, user: user.id, permissions: link.permissions ?? [], created_at: stamp() }).returning())
        yield * audit.add(joinedBy(joined!))
        yield * rows.markUsed(link.id)
        const begun = yield * rows.begin(user, browser)
        yield * db.run(orm.update(sessions).set({ account }).where(eq(sessions.id, begun.session.id)))
        return begun
      })
  }

  /** The pending invitation with this token digest, and the team it is to. */
  function * invitationOf (digest: string) {
    const link = yield * rows.link(digest)
    const inviter = link?.account && link.inviter ? (yield * memberOf(link.account, link.inviter)) : undefined
    const isGood = link?.kind === 'invitation' && isStillGiven(link, inviter)
    const good = usable(isGood ? link : undefined, clock.micros())
    return { link: good, account: good.account! }
  }
}

/** What the audit log of the account says of it. */
function joinedBy ({ id, account, user }: MemberRecord): AuditContext {
  return {
    owner: account,
    user,
    by: 'session',
    key: null,
    action: 'acceptInvitation',
    target: `members/${id}`,
    madeId: undefined,
    fields: [],
    state: 'recorded'
  }
}

function shownInvitation ({
  id, email, permissions, inviter, created_at: created, expires_at: expires
}: LinkRecord): Invitation {
  const may = inOrder(permissions ?? [])
  return { id, email, role: roleOf(may), permissions: may, inviter, created_at: created, expires_at: expires }
}

/** Permissions in the order in which responses list them. */
function inOrder (permissions: readonly Permission[]): Permission[] {
  return PERMISSIONS.filter((one) => permissions.includes(one))
}
