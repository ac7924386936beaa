import { and, asc, eq, exists, isNull, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { PERMISSIONS, type ApiKey, type NewApiKey, type UserDraft, type UserRecord } from '../../schema/access.ts'
import { apiKeys, users } from '../../schema/sqlite/access.ts'
import { passwords } from '../../schema/sqlite/sign-in.ts'
import { members } from '../../schema/sqlite/team.ts'
import type { Id } from '../../schema/common.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import type { Revisions } from '../platform/storage/sqlite/revisions.ts'
import { digestOf, hintOf, newKey } from './keys.ts'
import type { NewKey } from './contract.ts'
import { decideUser } from './make-user.ts'
import { SHOWN_USER as shownUser } from './sign-in/rows.ts'
import type { Standing } from './standing.ts'
import type { AccessStore, Welcome } from './store.ts'

/** Users and keys in SQLite. */
export function sqliteAccessStore ({ db, clock, revisions, onceOnly, standing }: {
  db: Database, clock: Clock, revisions: Revisions, onceOnly: OnceOnly, standing: Standing
}): AccessStore {
  const { orm } = db
  const shownKey = {
    id: apiKeys.id,
    name: apiKeys.name,
    hint: apiKeys.hint,
    permissions: apiKeys.permissions,
    created_at: apiKeys.created_at,
    last_used_at: apiKeys.last_used_at,
    expires_at: apiKeys.expires_at
  }
  /**
   * A user who was deleted is a member of nothing any more, and has no password: see src/privacy/deleting.sqlite.ts.
   * Who was invited into another's account may be no member any more, but still signs in.
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
      user: shownUser,
      account: { id: accounts.id, tier: accounts.tier }
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.user))
    .innerJoin(accounts, eq(accounts.id, apiKeys.account))
    .innerJoin(members, and(eq(members.account, apiKeys.account), eq(members.user, apiKeys.user)))
    .where(and(eq(apiKeys.digest, sql.placeholder('digest')), isNull(apiKeys.revoked_at)))
    .prepare()

  const anybody = () => orm.select({ id: users.id }).from(users).where(isKept).limit(1).get() !== undefined

  function holderOf (email: string | null): Id | undefined {
    return orm.select({ id: users.id }).from(users).where(sql`lower(${users.email}) = lower(${email})`).get()?.id
  }

  function insertUser (draft: UserDraft): Welcome {
    const now = clock.micros()
    const { user, key } = decideUser(draft, { isFirst: !anybody(), holder: holderOf(draft.email ?? null) })
    const row = orm
      .insert(users)
      .values({ ...user, revision: now, created_at: timestamp(now), updated_at: timestamp(now) })
      .returning(shownUser)
      .get()
    orm
      .insert(members)
      .values({ account: row.id, user: row.id, permissions: [...PERMISSIONS], created_at: timestamp(now) })
      .run()
    return { user: row, key: insertKey(row.id, row.id, key, now).key }
  }

  function insertKey (user: Id, account: Id, decided: NewKey, now: number): NewApiKey {
    const key = newKey()
    const row = orm.insert(apiKeys).values({
      ...decided, user, account, digest: digestOf(key), hint: hintOf(key), created_at: timestamp(now)
    }).returning(shownKey).get()
    return { ...row, key }
  }

  function revoke (which: ReturnType<typeof eq>) {
    return db.atomically(() => {
      standing.moved()
      return orm.update(apiKeys).set({ revoked_at: timestamp(clock.micros()) })
        .where(and(which, isNull(apiKeys.revoked_at))).run().changes > 0
    }, { frees: true })
  }

  return {
    createUser: (draft) => db.atomically(() => insertUser(draft)),
    // Asked before it is written: a server must start also where there is no room to write.
    createFirstUser: async (draft) =>
      anybody() ? undefined : db.atomically(() => (anybody() ? undefined : insertUser(draft))),
    users: async () => db.read(() => orm.select(shownUser).from(users).where(isKept).orderBy(asc(users.id)).all()),
    setTier: (user, tier) =>
      db.atomically(() => {
        standing.moved()
        revisions.move(user, clock.micros())
        return orm
          .update(users)
          .set({ tier, updated_at: timestamp(clock.micros()) })
          .where(and(eq(users.id, user), isKept))
          .returning(shownUser)
          .get()
      }),
    user: async (user) =>
      db.read((): UserRecord | undefined => orm.select().from(users).where(and(eq(users.id, user), isKept)).get()),

    createKey: (user, decide, once, account = user) =>
      db.atomically(() =>
        onceOnly.run(user, once, () => {
          const now = clock.micros()
          return insertKey(user, account, decide(now), now)
        })
      ),
    keys: async (user, account) =>
      db.read((): ApiKey[] =>
        orm
          .select(shownKey)
          .from(apiKeys)
          .where(and(eq(apiKeys.user, user), eq(apiKeys.account, account), isNull(apiKeys.revoked_at)))
          .orderBy(asc(apiKeys.id))
          .all()
      ),
    allKeys: async () =>
      db.read(() =>
        orm
          .select({ ...shownKey, user: apiKeys.user, account: apiKeys.account, revoked_at: apiKeys.revoked_at })
          .from(apiKeys)
          .orderBy(asc(apiKeys.id))
          .all()
      ),
    revokeKey: (user, key) => revoke(and(eq(apiKeys.id, key), eq(apiKeys.user, user))!),
    revokeAnyKey: (key) => revoke(eq(apiKeys.id, key)),
    holder (digest) {
      const row = db.read(() => byDigest.get({ digest }))
      if (!row) return undefined
      const { key, user, account, held, expires_at: expires } = row
      const permissions = row.permissions.filter((permission) => held.includes(permission))
      return { key, user, account, permissions, expires: expires === null ? null : Date.parse(expires) * 1000 }
    },
    touch: (key) =>
      db.atomically(() => {
        orm
          .update(apiKeys)
          .set({ last_used_at: timestamp(clock.micros()) })
          .where(eq(apiKeys.id, key))
          .run()
      }),
    generation: () => standing.generation()
  }
}
