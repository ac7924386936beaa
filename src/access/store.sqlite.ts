import { and, asc, eq, exists, isNull, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { PERMISSIONS, type ApiKey, type NewApiKey, type UserDraft, type UserRecord } from '../../schema/access.ts'
import { apiKeys, users } from '../../schema/sqlite/access.ts'
import { passwords } from '../../schema/sqlite/sign-in.ts'
import { members } from '../../schema/sqlite/team.ts'
import type { Id } from '../../schema/common.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import type { Work } from '../platform/storage/work.ts'
import { digestOf, hintOf, newKey } from './keys.ts'
import type { NewKey } from './contract.ts'
import { decideUser } from './make-user.ts'
import { SHOWN_USER as shownUser } from './sign-in/rows.ts'
import type { AccessStore, Welcome } from './store.ts'

/** Users and keys in SQLite. */
export function sqliteAccessStore (
  { db, clock, revisions, idempotency, standing }:
  Pick<Kernel, 'db' | 'clock' | 'revisions' | 'idempotency' | 'standing'>
): AccessStore {
  const { orm } = db
  const shownKey = {
    id: apiKeys.id,
    name: apiKeys.name,
    hint: apiKeys.hint,
    permissions: apiKeys.permissions,
    via: apiKeys.via,
    client: apiKeys.client,
    created_at: apiKeys.created_at,
    last_used_at: apiKeys.last_used_at,
    expires_at: apiKeys.expires_at
  }
  /**
   * A deleted user is no longer a member of any account, and has no password: see src/privacy/deleting.sqlite.ts. Users
   * invited into another's account may no longer be members, but can still sign in.
   */
  const isKept = or(
    exists(orm.select({ id: members.id }).from(members).where(eq(members.user, users.id))),
    exists(orm.select({ user: passwords.user }).from(passwords).where(eq(passwords.user, users.id)))
  )
  const accounts = alias(users, 'accounts')
  const byDigest = orm
    .select({
      key: apiKeys.id,
      permissions: apiKeys.permissions,
      held: members.permissions,
      expires_at: apiKeys.expires_at,
      token_until: apiKeys.token_until,
      via: apiKeys.via,
      user: shownUser,
      account: { id: accounts.id, tier: accounts.tier }
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.user))
    .innerJoin(accounts, eq(accounts.id, apiKeys.account))
    .innerJoin(members, and(eq(members.account, apiKeys.account), eq(members.user, apiKeys.user)))
    .where(and(eq(apiKeys.digest, sql.placeholder('digest')), isNull(apiKeys.revoked_at)))
    .prepare()

  function * anybody () {
    return (yield * db.get(orm.select({ id: users.id }).from(users).where(isKept).limit(1))) !== undefined
  }

  function * holderOf (email: string | null): Work<Id | undefined> {
    return (yield * db.get(orm.select({ id: users.id }).from(users).where(sql`lower(${users.email}) = lower(${email})`)))?.id
  }

  function * insertUser (draft: UserDraft): Work<Welcome> {
    const now = clock.micros()
    const { user, key } = decideUser(
      draft, { isFirst: !(yield * anybody()), holder: yield * holderOf(draft.email ?? null) }
    )
    const row = yield * db.get(orm
      .insert(users)
      .values({ ...user, revision: now, created_at: timestamp(now), updated_at: timestamp(now) })
      .returning(shownUser))
    yield * db.run(orm
      .insert(members)
      .values({ account: row.id, user: row.id, permissions: [...PERMISSIONS], created_at: timestamp(now) }))
    return { user: row, key: (yield * insertKey(row.id, row.id, key, now)).key }
  }

  function * insertKey (user: Id, account: Id, decided: NewKey, now: number): Work<NewApiKey> {
    const key = newKey()
    const row = yield * db.get(orm.insert(apiKeys).values({
      ...decided, user, account, digest: digestOf(key), hint: hintOf(key), created_at: timestamp(now)
    }).returning(shownKey))
    return { ...row, key }
  }

  function revoke (which: ReturnType<typeof eq>) {
    return db.atomically(function * () {
      yield * standing.moved()
      return (yield * db.run(orm.update(apiKeys).set({ revoked_at: timestamp(clock.micros()) })
        .where(and(which, isNull(apiKeys.revoked_at))))) > 0
    }, { frees: true })
  }

  return {
    createUser: (draft) => db.atomically(() => insertUser(draft)),
    // Checked before writing: a server must start even when the disk is full.
    createFirstUser: async (draft) =>
      await db.read(() => anybody())
        ? undefined
        : await db.atomically(function * () {
          return (yield * anybody()) ? undefined : (yield * insertUser(draft))
        }),
    users: async () => db.read(() => db.all(orm.select(shownUser).from(users).where(isKept).orderBy(asc(users.id)))),
    setTier: (user, tier) =>
      db.atomically(function * () {
        yield * standing.moved()
        yield * revisions.move(user, clock.micros())
        return yield * db.get(orm
          .update(users)
          .set({ tier, updated_at: timestamp(clock.micros()) })
          .where(and(eq(users.id, user), isKept))
          .returning(shownUser))
      }),
    user: async (user) =>
      db.read(
        (): Work<UserRecord | undefined> => db.get(orm.select().from(users).where(and(eq(users.id, user), isKept)))
      ),

    createKey: (user, decide, once, account = user) =>
      db.atomically(function * () {
        return yield * idempotency.run(user, once, function * () {
          const now = clock.micros()
          return yield * insertKey(user, account, decide(now), now)
        })
      }),
    keys: async (user, account) =>
      db.read((): Work<ApiKey[]> =>
        db.all(orm
          .select(shownKey)
          .from(apiKeys)
          .where(and(eq(apiKeys.user, user), eq(apiKeys.account, account), isNull(apiKeys.revoked_at)))
          .orderBy(asc(apiKeys.id)))
      ),
    allKeys: async () =>
      db.read(() =>
        db.all(orm
          .select({ ...shownKey, user: apiKeys.user, account: apiKeys.account, revoked_at: apiKeys.revoked_at })
          .from(apiKeys)
          .orderBy(asc(apiKeys.id)))
      ),
    revokeKey: (user, key) => revoke(and(eq(apiKeys.id, key), eq(apiKeys.user, user))!),
    revokeAnyKey: (key) => revoke(eq(apiKeys.id, key)),
    async holder (digest) {
      const row = await db.read(() => db.get(byDigest, { digest }))
      if (!row) return undefined
      const { key, user, account, held, via } = row
      // An assistant's token expires before what it was made from.
      const expires = row.token_until ?? row.expires_at
      const permissions = row.permissions.filter((permission) => held.includes(permission))
      return {
        key, user, account, permissions, isAssistant: via === 'oauth', expires: expires === null ? null : Date.parse(expires) * 1000
      }
    },
    touch: (key) =>
      db.atomically(function * () {
        yield * db.run(orm
          .update(apiKeys)
          .set({ last_used_at: timestamp(clock.micros()) })
          .where(eq(apiKeys.id, key)))
      }),
    generation: () => standing.generation()
  }
}
