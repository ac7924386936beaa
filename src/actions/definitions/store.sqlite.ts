import { and, asc, count, eq } from 'drizzle-orm'
import type { Action, ActionRecord } from '../../../schema/actions.ts'
import type { Id } from '../../../schema/common.ts'
import { actions, connections } from '../../../schema/sqlite/actions.ts'
import type { Kernel } from '../../kernel/index.ts'
import { timestamp } from '../../platform/clock.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import { flatMapped, mapped } from '../../platform/storage/work.ts'
import { openedWith } from '../connections/store.sqlite.ts'
import type { ActionStore } from '../store.ts'
import { changedAction, decideAction } from './decide.ts'

/** Accounts' actions in SQLite. */
export function sqliteActionStore (
  { db, clock, idempotency, vault }: Pick<Kernel, 'db' | 'clock' | 'idempotency' | 'vault'>
): ActionStore {
  const { orm } = db
  const mine = (owner: Id, id: Id) => and(eq(actions.id, id), eq(actions.owner, owner))
  const find = (owner: Id, id: Id) => db.get(orm.select().from(actions).where(mine(owner, id)))
  const connectionOf = (owner: Id, id: Id) =>
    db.get(orm.select().from(connections).where(and(eq(connections.id, id), eq(connections.owner, owner))))
  const isTaken = db.column<[Id, string], number>('select 1 from actions where owner_id = ? and name = ?')
  const ofAgents = db.column<[Id, Id], string>(`
    select name from agents where owner_id = ? and ? in (select value from json_each(behavior, '$.actionIds')) limit 1`)
  function * set (id: Id, next: Partial<ActionRecord>) {
    return (yield * db.get(orm.update(actions).set(next).where(eq(actions.id, id)).returning()))!
  }

  return {
    list: async (owner) => db.read(function * () {
      const all = orm.select().from(actions).where(eq(actions.owner, owner)).orderBy(asc(actions.id))
      return (yield * db.all(all)).map(shown)
    }),
    get: async (owner, id) => db.read(function * () {
      const kept = yield * find(owner, id)
      return kept && shown(kept)
    }),
    add: (owner, draft, once, digest) => db.atomically(function * () {
      const connection = yield * connectionOf(owner, draft.connection)
      return connection && (yield * idempotency.run(owner, once, function * () {
        const [{ there } = { there: 0 }] =
          yield * db.all(orm.select({ there: count() }).from(actions).where(eq(actions.owner, owner)))
        if (connection.kind === 'mcp' && digest === undefined) {
          throw invalid({ field: 'connection', message: 'Tools of an MCP server are imported, not made by hand.' })
        }
        const decided = decideAction(draft, there, connection.kind === 'mcp')
        if (yield * isTaken.get(owner, draft.name)) {
          throw new Refusal('taken', `An action named ${draft.name} already exists. Choose another name.`)
        }
        const at = timestamp(clock.micros())
        const row = { owner, ...decided, version: 1, schema_digest: digest ?? null, created_at: at, updated_at: at }
        return shown(yield * db.get(orm.insert(actions).values(row).returning()))
      }))
    }),
    change: (owner, id, patch, match) => db.atomically(function * () {
      const kept = yield * find(owner, id)
      if (!kept) return undefined
      match?.(shown(kept))
      const isMcp = (yield * connectionOf(owner, kept.connection))?.kind === 'mcp'
      const {
        id: _id, owner: _owner, version, schema_digest: _digest, created_at: _at, updated_at: _then, ...decided
      } = kept
      const next = changedAction(decided, patch, isMcp)
      return shown(yield * set(id, { ...next, version: version + 1, updated_at: timestamp(clock.micros()) }))
    }),
    remove: (owner, id, match) => db.atomically(function * () {
      const kept = yield * find(owner, id)
      if (!kept) return false
      match?.(shown(kept))
      const agent = yield * ofAgents.get(owner, id)
      if (agent !== undefined) throw new Refusal('in_use', `Agent ${agent} uses this action. Remove it there first.`)
      yield * db.run(orm.delete(actions).where(mine(owner, id)))
      return true
    }, { frees: true }),
    known: async (owner, id) => db.read(function * () {
      const action = yield * find(owner, id)
      const connection = action && (yield * connectionOf(owner, action.connection))
      return connection && { action, connection: openedWith(vault, connection) }
    }),
    enabled: async (owner, ids) => ids.length === 0
      ? []
      : (await db.read(() => flatMapped(ids, function * (id) {
          const kept = yield * find(owner, id)
          return kept?.enabled ? [kept] : []
        }))),
    ofConnection: async (owner, connection) => db.read(() =>
      db.all(orm.select().from(actions).where(and(eq(actions.owner, owner), eq(actions.connection, connection))))),
    distrust: (owner, connection, digests) => db.atomically(function * () {
      const all = yield * db.all(orm
        .select()
        .from(actions)
        .where(and(eq(actions.owner, owner), eq(actions.connection, connection))))
      const moved = all.filter(({ path, schema_digest: digest }) => digest !== null && digests.get(path) !== digest)
      return yield * mapped(moved, function * ({ id, version, name, path, schema_digest: before, enabled }) {
        yield * set(id, {
          enabled: false,
          version: enabled ? version + 1 : version,
          schema_digest: digests.get(path) ?? before,
          updated_at: timestamp(clock.micros())
        })
        return name
      })
    })
  }
}

/** The key by which files name it is set after creation, and appears only in exports. */
function shown (
  { owner: _owner, schema_digest: _digest, key: _key, ...action }: ActionRecord & { key?: unknown }
): Action {
  return action
}
