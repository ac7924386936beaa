import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { apiKeys, users } from '../../schema/sqlite/access.ts'
import type { ApiKey, NewApiKey, UserDraft, UserRecord } from '../../schema/access.ts'
import type { Id } from '../../schema/common.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import type { Revisions } from '../platform/storage/sqlite/revisions.ts'
import { digestOf, hintOf, newKey } from './keys.ts'
import type { NewKey } from './make-key.ts'
import { decideUser } from './make-user.ts'
import type { AccessStore, Welcome } from './store.ts'

/** Users and keys in SQLite. */
export function sqliteAccessStore ({ db, clock, revisions, onceOnly }: {
  db: Database, clock: Clock, revisions: Revisions, onceOnly: OnceOnly
}): AccessStore {
  const { orm } = db
  const shownUser = { id: users.id, name: users.name, email: users.email, tier: users.tier, created_at: users.created_at, updated_at: users.updated_at }
  const shownKey = {
    id: apiKeys.id,
    name: apiKeys.name,
    hint: apiKeys.hint,
    permissions: apiKeys.permissions,
    created_at: apiKeys.created_at,
    last_used_at: apiKeys.last_used_at,
    expires_at: apiKeys.expires_at
  }
  const byDigest = orm.select({ key: apiKeys.id, permissions: apiKeys.permissions, expires_at: apiKeys.expires_at, user: shownUser })
    .from(apiKeys).innerJoin(users, eq(users.id, apiKeys.user))
    .where(and(eq(apiKeys.digest, sql.placeholder('digest')), isNull(apiKeys.revoked_at))).prepare()
  let changes = 0

  const anybody = () => orm.select({ id: users.id }).from(users).limit(1).get() !== undefined

  function holderOf (email: string | null): Id | undefined {
    return orm.select({ id: users.id }).from(users).where(sql`lower(${users.email}) = lower(${email})`).get()?.id
  }

  function insertUser (draft: UserDraft): Welcome {
    const now = clock.micros()
    const { user, key } = decideUser(draft, { isFirst: !anybody(), holder: holderOf(draft.email ?? null) })
    const row = orm.insert(users).values({ ...user, revision: now, created_at: timestamp(now), updated_at: timestamp(now) }).returning(shownUser).get()
    return { user: row, key: insertKey(row.id, key, now).key }
  }

  function insertKey (user: Id, decided: NewKey, now: number): NewApiKey {
    const key = newKey()
    const row = orm.insert(apiKeys).values({
      ...decided, user, digest: digestOf(key), hint: hintOf(key), created_at: timestamp(now)
    }).returning(shownKey).get()
    return { ...row, key }
  }

  function revoke (which: ReturnType<typeof eq>) {
    return db.atomically(() => {
      changes++
      return orm.update(apiKeys).set({ revoked_at: timestamp(clock.micros()) })
        .where(and(which, isNull(apiKeys.revoked_at))).run().changes > 0
    }, { frees: true })
  }

  return {
    createUser: (draft) => db.atomically(() => insertUser(draft)),
    // Asked before it is written: a server must start also where there is no room to write.
    createFirstUser: async (draft) => anybody() ? undefined : db.atomically(() => anybody() ? undefined : insertUser(draft)),
    users: async () => db.read(() => orm.select(shownUser).from(users).orderBy(asc(users.id)).all()),
    setTier: (user, tier) => db.atomically(() => {
      changes++
      revisions.move(user, clock.micros())
      return orm.update(users).set({ tier, updated_at: timestamp(clock.micros()) }).where(eq(users.id, user)).returning(shownUser).get()
    }),
    user: async (user) => db.read((): UserRecord | undefined => orm.select().from(users).where(eq(users.id, user)).get()),

    deleteUser: (user) => db.atomically(() => {
      changes++
      return orm.delete(users).where(eq(users.id, user)).run().changes > 0
    }, { frees: true }),

    createKey: (user, decide, once) => db.atomically(() => onceOnly.run(user, once, () => {
      const now = clock.micros()
      return insertKey(user, decide(now), now)
    })),
    keys: async (user) => db.read((): ApiKey[] => orm.select(shownKey).from(apiKeys)
      .where(and(eq(apiKeys.user, user), isNull(apiKeys.revoked_at))).orderBy(asc(apiKeys.id)).all()),
    allKeys: async () => db.read(() => orm.select({ ...shownKey, user: apiKeys.user, revoked_at: apiKeys.revoked_at }).from(apiKeys).orderBy(asc(apiKeys.id)).all()),
    revokeKey: (user, key) => revoke(and(eq(apiKeys.id, key), eq(apiKeys.user, user))!),
    revokeAnyKey: (key) => revoke(eq(apiKeys.id, key)),
    holder (digest) {
      const row = db.read(() => byDigest.get({ digest }))
      if (!row) return undefined
      const { key, user, permissions, expires_at: expires } = row
      return { key, user, account: { id: user.id, tier: user.tier }, permissions, expires: expires === null ? null : Date.parse(expires) * 1000 }
    },
    touch: (key) => db.atomically(() => {
      orm.update(apiKeys).set({ last_used_at: timestamp(clock.micros()) }).where(eq(apiKeys.id, key)).run()
    }),
    generation: () => db.generation() + changes * 2 ** 32
  }
}
