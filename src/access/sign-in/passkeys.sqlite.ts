import { and, asc, count, eq } from 'drizzle-orm'
import { passkeys } from '../../../schema/sqlite/sign-in.ts'
import type { Kernel } from '../../kernel/index.ts'
import { timestamp } from '../../platform/clock.ts'
import { Refusal } from '../../platform/errors.ts'
import type { PasskeyStore } from './store.ts'

/** Passkeys that a user may have. */
const MOST_PASSKEYS = 20

/** Passkeys in SQLite. */
export function sqlitePasskeyStore ({ db, clock }: Pick<Kernel, 'db' | 'clock'>): PasskeyStore {
  const { orm } = db
  const shown = {
    id: passkeys.id, name: passkeys.name, created_at: passkeys.created_at, last_used_at: passkeys.last_used_at
  }
  return {
    list: async (user) =>
      db.read(() => db.all(orm.select(shown).from(passkeys).where(eq(passkeys.user, user)).orderBy(asc(passkeys.id)))),
    credentials: async (user) =>
      db.read(() =>
        db.all(orm
          .select({ credential: passkeys.credential, transports: passkeys.transports })
          .from(passkeys)
          .where(eq(passkeys.user, user)))
      ),
    add: (user, passkey) =>
      db.atomically(function * () {
        const [{ there } = { there: 0 }] = yield * db.all(orm
          .select({ there: count() })
          .from(passkeys)
          .where(eq(passkeys.user, user)))
        if (there >= MOST_PASSKEYS) {
          throw new Refusal(
            'limit_reached', `You have ${MOST_PASSKEYS} passkeys, the most allowed. Remove one that you do not use.`
          )
        }
        if (yield * db.get(orm.select().from(passkeys).where(eq(passkeys.credential, passkey.credential)))) {
          throw new Refusal('already_registered', 'This passkey is already registered.')
        }
        return yield * db.get(orm
          .insert(passkeys)
          .values({ ...passkey, user, created_at: timestamp(clock.micros()) })
          .returning(shown))
      }),
    remove: (user, passkey) =>
      db.atomically(
        function * () {
          return (yield * db.run(orm
            .delete(passkeys)
            .where(and(eq(passkeys.user, user), eq(passkeys.id, passkey))))) > 0
        },
        { frees: true }
      ),
    byCredential: async (credential) =>
      db.read(() => db.get(orm.select().from(passkeys).where(eq(passkeys.credential, credential)))),
    used: (passkey, counter) =>
      db.atomically(function * () {
        yield * db.run(orm
          .update(passkeys)
          .set({ counter, last_used_at: timestamp(clock.micros()) })
          .where(eq(passkeys.id, passkey)))
      })
  }
}
