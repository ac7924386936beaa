import { and, asc, count, eq } from 'drizzle-orm'
import type { Connection, ConnectionDraft, ConnectionRecord } from '../../../schema/actions.ts'
import type { Id } from '../../../schema/common.ts'
import { actions, connections } from '../../../schema/sqlite/actions.ts'
import type { Kernel } from '../../kernel/index.ts'
import { timestamp } from '../../platform/clock.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Vault } from '../../platform/storage/vault.ts'
import type { OpenConnection } from '../contract.ts'
import type { ConnectionStore } from '../store.ts'
import { decideConnection, demandRoom, replacedConnection } from './decide.ts'

/** Accounts' connections in SQLite, their secrets sealed for their rows. */
export function sqliteConnectionStore (
  { db, clock, idempotency, vault, check }: Pick<Kernel, 'db' | 'clock' | 'idempotency' | 'vault' | 'check'>
): ConnectionStore {
  const { orm } = db
  const mine = (owner: Id, id: Id) => and(eq(connections.id, id), eq(connections.owner, owner))
  const find = (owner: Id, id: Id) => db.get(orm.select().from(connections).where(mine(owner, id)))
  function * set (id: Id, next: Partial<ConnectionRecord>) {
    return (yield * db.get(orm.update(connections).set(next).where(eq(connections.id, id)).returning()))!
  }
  const sealed = (id: Id, { secret, auth = 'none' }: ConnectionDraft) => {
    if (auth === 'none') return { secret: null }
    return secret === undefined ? {} : { secret: vault.close(placeOf(id), secret) }
  }

  return {
    list: async (owner) => db.read(function * () {
      const all = orm.select().from(connections).where(eq(connections.owner, owner)).orderBy(asc(connections.id))
      return (yield * db.all(all)).map(shown)
    }),
    get: async (owner, id) => db.read(function * () {
      const kept = yield * find(owner, id)
      return kept && shown(kept)
    }),
    add: (owner, draft, once) => db.atomically(function * () {
      return yield * idempotency.run(owner, once, function * () {
        const [{ there } = { there: 0 }] =
        yield * db.all(orm.select({ there: count() }).from(connections).where(eq(connections.owner, owner)))
        demandRoom(there)
        const at = timestamp(clock.micros())
        const row = {
          owner,
          ...decideConnection(draft, false, check),
          secret: null,
          last_ok: null,
          last_error: null,
          last_error_code: null,
          created_at: at,
          updated_at: at
        }
        const made = yield * db.get(orm.insert(connections).values(row).returning())
        // The secret is sealed for the row's number.
        return shown(yield * set(made.id, { updated_at: at, ...sealed(made.id, draft) }))
      })
    }),
    replace: (owner, id, draft, match) => db.atomically(function * () {
      const kept = yield * find(owner, id)
      if (!kept) return undefined
      match?.(shown(kept))
      const next = replacedConnection(kept, draft, check)
      return shown(yield * set(id, { ...next, ...sealed(id, draft), updated_at: timestamp(clock.micros()) }))
    }),
    remove: (owner, id, match) => db.atomically(function * () {
      const kept = yield * find(owner, id)
      if (!kept) return false
      match?.(shown(kept))
      if (yield * db.get(orm.select({ id: actions.id }).from(actions).where(eq(actions.connection, id)))) {
        throw new Refusal('in_use', 'Actions use this connection. Remove them first.')
      }
      yield * db.run(orm.delete(connections).where(mine(owner, id)))
      return true
    }, { frees: true }),
    opened: async (owner, id) => db.read(function * () {
      const kept = yield * find(owner, id)
      return kept && openedWith(vault, kept)
    }),
    note: (owner, id, failure) => db.atomically(function * () {
      const kept = yield * find(owner, id)
      if (!kept) return
      yield * set(id, failure === null
        ? { last_ok: timestamp(clock.micros()), last_error: null, last_error_code: null }
        : { last_error: failure.error, last_error_code: failure.error_code })
    })
  }
}

/** A connection whose secret can be decrypted. */
export function openedWith (vault: Vault, kept: ConnectionRecord): OpenConnection {
  const { id, secret } = kept
  return { ...kept, opened: () => secret === null ? null : vault.open(placeOf(id), secret) }
}

/** Associated data of a sealed secret. */
const placeOf = (id: Id) => `connections.secret ${id}`

/** The key by which files name it is set after creation, and appears only in exports. */
function shown ({ owner: _owner, secret, key: _key, ...connection }: ConnectionRecord & { key?: unknown }): Connection {
  return { ...connection, has_secret: secret !== null }
}
