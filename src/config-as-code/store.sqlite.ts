import { and, desc, eq } from 'drizzle-orm'
import type { ConfigKind } from '../../schema/config.ts'
import type { Id } from '../../schema/common.ts'
import { users } from '../../schema/sqlite/access.ts'
import { configApplies } from '../../schema/sqlite/config.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { atOneStretch, ifAny, inGroups, type Sliced, type Work } from '../platform/storage/work.ts'
import { inSteps } from '../platform/work/slices.ts'
import type { Applied, ConfigStore, Kept, Named, Stamped } from './store.ts'

/** Applies remembered per account. */
const MOST_NOTED = 100

/** Objects read at once. */
const OBJECTS_AT_ONCE = 500

/**
 * Everything that files can hold: for each kind, the SQL that reads its objects. Kinds of which an account may have
 * many are read page by page: those after `:parent` and `:id`, OBJECTS_AT_ONCE at most, in that order.
 */
const STANDING: Record<ConfigKind, string> = {
  business: "select owner_id as id, 'business' as key, null as parent, coalesce(updated_at, '') as stamp from businesses where owner_id = :owner",
  webhook: 'select id, key, null as parent, updated_at as stamp from webhooks where owner_id = :owner order by id',
  connection: 'select id, key, null as parent, updated_at as stamp from connections where owner_id = :owner order by id',
  action: 'select id, key, connection_id as parent, version as stamp from actions where owner_id = :owner order by id',
  agent: `select id, key, null as parent, version || '.' || coalesce((select version from vocabularies where agent_id = agents.id), 0) as stamp
    from agents where owner_id = :owner and id > :id order by id limit ${OBJECTS_AT_ONCE}`,
  // What a feed has made is kept by the feed, as pages are by their site.
  source: `select s.id, s.key, s.agent_id as parent, s.version as stamp from agents join knowledge_sources s on s.agent_id = agents.id
    where agents.owner_id = :owner and agents.id >= :parent and (agents.id > :parent or s.id > :id)
      and s.parent_id is null and s.feed_id is null order by agents.id, s.id limit ${OBJECTS_AT_ONCE}`,
  question: `select q.id, q.key, q.agent_id as parent, q.updated_at as stamp from agents join questions q on q.agent_id = agents.id
    where agents.owner_id = :owner and agents.id >= :parent and (agents.id > :parent or q.id > :id)
    order by agents.id, q.id limit ${OBJECTS_AT_ONCE}`
}
/** Those of which an account may have many. */
const MANY: ReadonlySet<ConfigKind> = new Set(['agent', 'source', 'question'])

/** Of an agent of a key, the same of what is named: a thing by its own key, and sources by their numbers. */
const NAMED = {
  agent: "select id, key, null as parent, version || '.' || coalesce((select version from vocabularies where agent_id = agents.id), 0) as stamp from agents where owner_id = :owner and key = :agent",
  source: sourceNamed('s.key = :key'),
  question: `select q.id, q.key, q.agent_id as parent, q.updated_at as stamp from agents join questions q on q.agent_id = agents.id
    where agents.owner_id = :owner and agents.key = :agent and q.key = :key`,
  sources: sourceNamed('s.id in (select cast(value as integer) from json_each(:sources))')
}

function sourceNamed (which: string): string {
  return `select s.id, s.key, s.agent_id as parent, s.version as stamp from agents join knowledge_sources s on s.agent_id = agents.id
    where agents.owner_id = :owner and agents.key = :agent and ${which} and s.parent_id is null and s.feed_id is null`
}

/** The tables whose rows have a key. */
const TABLES: Record<Exclude<ConfigKind, 'business'>, string> = {
  webhook: 'webhooks',
  connection: 'connections',
  action: 'actions',
  agent: 'agents',
  source: 'knowledge_sources',
  question: 'questions'
}

/** The column that holds a row's owner. */
const mine = (kind: string) =>
  kind === 'question' ? '(select owner_id from agents where id = agent_id)' : 'owner_id'

/** See ConfigStore. */
export function sqliteConfigStore ({ db }: { db: Database }): ConfigStore {
  const { orm } = db
  const all = Object.entries(STANDING).map(([kind, sql]) => ({
    kind: kind as ConfigKind, statement: db.objects<[object], Omit<Stamped, 'kind'>>(sql)
  }))
  const naming = Object.fromEntries(Object.entries(TABLES).map(([kind, table]) =>
    [kind, db.objects<[string | null, Id, Id]>(`update ${table} set key = ? where id = ? and ${mine(kind)} = ?`)]))
  const lock = db.column<[Id, ConfigKind, Id], string>(
    'select file from config_objects where owner_id = ? and kind = ? and object_id = ? and is_locked = 1'
  )
  const keptAfter = db.objects<[object], Omit<Kept, 'isMade' | 'isLocked'> & { isMade: number, isLocked: number }>(`
    select kind, object_id as id, place, file, is_made as "isMade", is_locked as "isLocked", stamp, applied_at as at
    from config_objects where owner_id = :owner and (kind, object_id) > (:kind, :id) order by kind, object_id limit ${OBJECTS_AT_ONCE}`)
  const insert = db.objects<[Id, string]>(`
    insert into config_objects (owner_id, kind, object_id, place, file, is_made, is_locked, stamp, applied_at)
    select ?, value ->> 'kind', cast(value ->> 'id' as integer), value ->> 'place', value ->> 'file',
      cast(value ->> 'isMade' as integer), cast(value ->> 'isLocked' as integer),
      value ->> 'stamp', value ->> 'at' from json_each(?)`)
  const removeSome = db.objects<[Id, Id]>(`
    delete from config_objects where owner_id = ? and (kind, object_id) in
      (select kind, object_id from config_objects where owner_id = ? order by kind, object_id limit ${OBJECTS_AT_ONCE})`)
  const forget = db.objects<[Id, Id, number]>(`
    delete from config_applies where owner_id = ? and id <=
      (select id from config_applies where owner_id = ? order by id desc limit 1 offset ?)`)

  const folders = db.objects<[Id, Id], { id: Id, parent: Id | null, name: string }>(
    'select id, parent_id as parent, name from knowledge_folders where agent_id = ? and owner_id = ? order by id'
  )

  /** In the order of kinds and numbers; yields after reading much. */
  function * standing (owner: Id): Sliced<Stamped[]> {
    const found: Stamped[] = []
    for (const { kind, statement } of all) {
      const ofKind: Stamped[] = []
      const isMany = MANY.has(kind)
      for (let read = OBJECTS_AT_ONCE; read === OBJECTS_AT_ONCE;) {
        const { parent, id } = ofKind.at(-1) ?? { parent: 0, id: 0 }
        const slice = yield * statement.all({ owner, ...isMany && { id }, ...isMany && kind !== 'agent' && { parent } })
        read = isMany ? slice.length : 0
        for (const one of slice) ofKind.push({ ...one, kind, stamp: String(one.stamp) })
        if (read > 0) yield
      }
      found.push(...kind === 'agent' ? ofKind : ofKind.sort((a, b) => a.id - b.id))
    }
    return found
  }

  const nameds = Object.fromEntries(
    Object.entries(NAMED).map(([name, sql]) => [name, db.objects<[object], Omit<Stamped, 'kind'>>(sql)])
  ) as Record<keyof typeof NAMED, ReturnType<typeof db.objects<[object], Omit<Stamped, 'kind'>>>>
  function * named (owner: Id, { agent, kind, key, sources = [] }: Named): Work<Stamped[]> {
    const found = new Map<string, Stamped>()
    const which: Array<[ConfigKind, keyof typeof NAMED, object]> = [
      ['agent', 'agent', { owner, agent }],
      ...kind === undefined || key === undefined ? [] : [[kind, kind, { owner, agent, key }] as const],
      ...sources.length === 0 ? [] : [['source', 'sources', { owner, agent, sources: JSON.stringify(sources) }] as const]
    ].map(([as, name, values]) => [as, name, values] as [ConfigKind, keyof typeof NAMED, object])
    for (const [as, name, values] of which) {
      for (const one of yield * nameds[name].all(values)) found.set(`${as} ${one.id}`, { ...one, kind: as, stamp: String(one.stamp) })
    }
    return [...found.values()]
  }

  function * kept (owner: Id): Sliced<Kept[]> {
    const found: Kept[] = []
    for (let read = OBJECTS_AT_ONCE; read === OBJECTS_AT_ONCE;) {
      const { kind, id } = found.at(-1) ?? { kind: '', id: 0 }
      const slice = yield * keptAfter.all({ owner, kind, id })
      for (const one of slice) found.push({ ...one, isMade: one.isMade === 1, isLocked: one.isLocked === 1 })
      read = slice.length
      yield
    }
    return found.sort((a, b) => a.place < b.place ? -1 : 1)
  }

  function * last (owner: Id): Work<Applied | null> {
    const row = yield * db.get(orm.select({ apply: configApplies, name: users.name }).from(configApplies)
      .leftJoin(users, eq(users.id, configApplies.user))
      .where(and(eq(configApplies.owner, owner))).orderBy(desc(configApplies.id)).limit(1))
    if (!row) return null
    const { user, by, ref, changes, applied_at: at } = row.apply
    return { at, who: user === null ? null : { id: user, name: row.name }, by, ref, changes }
  }

  return {
    folders: (owner, agent) => folders.all(agent, owner),
    standing: (owner) => inSteps(db, standing(owner)),
    named: async (owner, which) => db.read(() => named(owner, which)),
    namedNow: named,
    kept: (owner) => inSteps(db, kept(owner)),
    * rename (owner, keys) {
      for (const { kind, id } of keys) yield * ifAny(naming[kind]?.run(null, id, owner))
      for (const { kind, id, key } of keys) yield * ifAny(naming[kind]?.run(key, id, owner))
    },
    * keep (owner, kept) {
      while ((yield * removeSome.run(owner, owner)) === OBJECTS_AT_ONCE);
      for (const some of inGroups(kept, OBJECTS_AT_ONCE)) yield * insert.run(owner, JSON.stringify(some))
    },
    * note (owner, { user, by, ref, changes, at }) {
      yield * db.run(orm.insert(configApplies).values({ owner, user, by, ref, changes, applied_at: at }))
      yield * forget.run(owner, owner, MOST_NOTED)
    },
    last: async (owner) => db.read(() => last(owner)),
    standingNow: (owner) => atOneStretch(standing(owner)),
    lastNow: last,
    lockOf: async (owner, kind, id) => db.read(() => lock.get(owner, kind, id))
  }
}
