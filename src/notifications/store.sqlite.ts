import { hash } from 'node:crypto'
import type { Id } from '../../schema/common.ts'
import type { Push } from '../../schema/notifications.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import { invalid, Refusal } from '../platform/errors.ts'
import type { Work } from '../platform/storage/work.ts'
import { areKeys, type Keys } from './seal.ts'
import type { PushStore } from './store.ts'

/** Returns why nothing may be sent to an address, in a sentence that begins with its name. */
export type CheckAddress = (what: string, address: string) => string | undefined

/** A push target. */
export interface Target extends Keys { endpoint: string }

/** Where a session's push address is sealed for. */
export const placeOf = (session: Id) => `push_subscriptions.sealed ${session}`

/** See PushStore. `publicKey`: the sender's key for browsers; undefined if nothing is pushed. */
export function sqlitePushStore (
  { db, clock, vault, check, publicKey }:
  Pick<Kernel, 'db' | 'clock' | 'vault' | 'check'> & { publicKey: () => string | undefined }
): PushStore {
  const found = db.objects<[Id, Id], { host: string, since: string }>(
    'select host, created_at as since from push_subscriptions where session_id = ? and user_id = ?'
  )
  const drop = db.objects('delete from push_subscriptions where session_id = ? and user_id = ?')
  // A browser in which somebody else signs in is theirs from then on.
  const dropSame = db.objects('delete from push_subscriptions where digest = ? and session_id <> ?')
  const put = db.objects(`
    insert into push_subscriptions (session_id, user_id, host, language, digest, sealed, created_at) values (?, ?, ?, ?, ?, ?, ?)
    on conflict (session_id) do update set host = excluded.host, language = excluded.language, digest = excluded.digest, sealed = excluded.sealed`)
  const hosts = db.column<[Id], string>(`
    select distinct host from push_subscriptions join members using (user_id), json_each(permissions)
    where account_id = ? and value = 'REPLY_CONVERSATION' order by host`)

  function * shown (user: Id, session: Id): Work<Push> {
    return { public_key: publicKey() ?? null, host: null, since: null, ...yield * found.get(session, user) }
  }

  return {
    get: async (user, session) => db.read(() => shown(user, session)),
    async set (user, session, { endpoint, keys, language = 'en' }) {
      if (publicKey() === undefined) {
        throw new Refusal('unavailable', 'The operator has switched push notifications off (AGENTHALL_WEB_PUSH).')
      }
      const fault = check('endpoint', endpoint)
      if (fault) throw invalid({ field: 'endpoint', message: fault })
      if (!areKeys(keys)) throw invalid({ field: 'keys.p256dh', message: 'keys.p256dh is no key of a browser.' })
      const target: Target = { endpoint, ...keys }
      return await db.atomically(function * () {
        const digest = hash('sha256', endpoint)
        yield * dropSame.run(digest, session)
        const sealed = vault.close(placeOf(session), JSON.stringify(target))
        yield * put.run(session, user, new URL(endpoint).hostname, language, digest, sealed, timestamp(clock.micros()))
        return yield * shown(user, session)
      })
    },
    remove: (user, session) => db.atomically(function * () {
      yield * drop.run(session, user)
      return yield * shown(user, session)
    }, { frees: true }),
    hosts: async (owner) => db.read(() => hosts.all(owner))
  }
}
