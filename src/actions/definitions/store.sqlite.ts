import { and, asc, count, eq } from 'drizzle-orm'
import type { Action, ActionRecord } from '../../../schema/actions.ts'
import type { Id } from '../../../schema/common.ts'
import { actions, connections } from '../../../schema/sqlite/actions.ts'
import { timestamp, type Clock } from '../../platform/clock.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import type { OnceOnly } from '../../platform/storage/sqlite/once.ts'
import type { Vault } from '../../platform/storage/vault.ts'
import { openedWith } from '../connections/store.sqlite.ts'
import type { ActionStore } from '../store.ts'
import { changedAction, decideAction } from './decide.ts'

/** Accounts' actions in SQLite. */
export function sqliteActionStore ({ db, clock, onceOnly, vault }: {
  db: Database, clock: Clock, onceOnly: OnceOnly, vault: Vault
}): ActionStore {
  const { orm, raw } = db
  const mine = (owner: Id, id: Id) => and(eq(actions.id, id), eq(actions.owner, owner))
  const find = (owner: Id, id: Id) => orm.select().from(actions).where(mine(owner, id)).get()
  const connectionOf = (owner: Id, id: Id) =>
    orm.select().from(connections).where(and(eq(connections.id, id), eq(connections.owner, owner))).get()
  const isTaken = raw.prepare<[Id, string], number>('select 1 from actions where owner_id = ? and name = ?').pluck()
  const ofAgents = raw.prepare<[Id, Id], string>(`
    select name from agents where owner_id = ? and ? in (select value from json_each(behavior, '$.actionIds')) limit 1`).pluck()
  const set = (id: Id, next: Partial<ActionRecord>) =>
    orm.update(actions).set(next).where(eq(actions.id, id)).returning().get()!

  return {
    list: async (owner) => db.read(() =>
      orm.select().from(actions).where(eq(actions.owner, owner)).orderBy(asc(actions.id)).all().map(shown)),
    get: async (owner, id) => db.read(() => {
      const kept = find(owner, id)
      return kept && shown(kept)
    }),
    add: (owner, draft, once, digest) => db.atomically(() => {
      const connection = connectionOf(owner, draft.connection)
      return connection && onceOnly.run(owner, once, () => {
        const [{ there } = { there: 0 }] =
          orm.select({ there: count() }).from(actions).where(eq(actions.owner, owner)).all()
        if (connection.kind === 'mcp' && digest === undefined) {
          throw invalid({ field: 'connection', message: 'Tools of an MCP server are imported, not made by hand.' })
        }
        const decided = decideAction(draft, there, connection.kind === 'mcp')
        if (isTaken.get(owner, draft.name)) {
          throw new Refusal('taken', `There is an action ${draft.name} already. Choose another name.`)
        }
        const at = timestamp(clock.micros())
        const row = { owner, ...decided, version: 1, schema_digest: digest ?? null, created_at: at, updated_at: at }
        return shown(orm.insert(actions).values(row).returning().get())
      })
    }),
    change: (owner, id, patch, match) => db.atomically(() => {
      const kept = find(owner, id)
      if (!kept) return undefined
      match?.(shown(kept))
      const isMcp = connectionOf(owner, kept.connection)?.kind === 'mcp'
      const {
        id: _id, owner: _owner, version, schema_digest: _digest, created_at: _at, updated_at: _then, ...decided
      } = kept
      const next = changedAction(decided, patch, isMcp)
      return shown(set(id, { ...next, version: version + 1, updated_at: timestamp(clock.micros()) }))
    }),
    remove: (owner, id, match) => db.atomically(() => {
      const kept = find(owner, id)
      if (!kept) return false
      match?.(shown(kept))
      const agent = ofAgents.get(owner, id)
      if (agent !== undefined) throw new Refusal('in_use', `The agent ${agent} has this action. Take it away there first.`)
      orm.delete(actions).where(mine(owner, id)).run()
      return true
    }, { frees: true }),
    known: async (owner, id) => db.read(() => {
      const action = find(owner, id)
      const connection = action && connectionOf(owner, action.connection)
      return connection && { action, connection: openedWith(vault, connection) }
    }),
    enabled: async (owner, ids) => ids.length === 0
      ? []
      : db.read(() => ids.flatMap((id) => {
        const kept = find(owner, id)
        return kept?.enabled ? [kept] : []
      })),
    ofConnection: async (owner, connection) => db.read(() =>
      orm.select().from(actions).where(and(eq(actions.owner, owner), eq(actions.connection, connection))).all()),
    distrust: (owner, connection, digests) => db.atomically(() => orm
      .select()
      .from(actions)
      .where(and(eq(actions.owner, owner), eq(actions.connection, connection)))
      .all()
      .filter(({ path, schema_digest: digest }) => digest !== null && digests.get(path) !== digest)
      .map(({ id, version, name, path, schema_digest: before, enabled }) => {
        set(id, {
          enabled: false,
          version: enabled ? version + 1 : version,
          schema_digest: digests.get(path) ?? before,
          updated_at: timestamp(clock.micros())
        })
        return name
      }))
  }
}

/** The key that files name it by is set after it was made, and told by exports alone. */
function shown (
  { owner: _owner, schema_digest: _digest, key: _key, ...action }: ActionRecord & { key?: unknown }
): Action {
  return action
}
