import { and, desc, eq } from 'drizzle-orm'
import type { ConfigKind } from '../../schema/config.ts'
import type { Id } from '../../schema/common.ts'
import { users } from '../../schema/sqlite/access.ts'
import { configApplies, configObjects } from '../../schema/sqlite/config.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { ConfigStore, Standing } from './store.ts'

/** Applies that are remembered of an account. */
const MOST_NOTED = 100

/** Everything that files can hold: by kind the SQL of what stands in `Standing`. */
const STANDING: Record<ConfigKind, string> = {
  business: "select owner_id as id, 'business' as key, null as parent, coalesce(updated_at, '') as stamp from businesses where owner_id = ?",
  webhook: 'select id, key, null as parent, updated_at as stamp from webhooks where owner_id = ? order by id',
  connection: 'select id, key, null as parent, updated_at as stamp from connections where owner_id = ? order by id',
  action: 'select id, key, connection_id as parent, version as stamp from actions where owner_id = ? order by id',
  agent: `select id, key, null as parent, version || '.' || coalesce((select version from vocabularies where agent_id = agents.id), 0) as stamp
    from agents where owner_id = ? order by id`,
  // What a feed has made is kept by the feed, as pages are by their site.
  source: `select s.id, s.key, s.agent_id as parent, s.version as stamp from agents join knowledge_sources s on s.agent_id = agents.id
    where agents.owner_id = ? and s.parent_id is null and s.feed_id is null order by s.id`,
  question: `select q.id, q.key, q.agent_id as parent, q.updated_at as stamp from agents join questions q on q.agent_id = agents.id
    where agents.owner_id = ? order by q.id`
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

/** What says whose a row is. */
const mine = (kind: string) =>
  kind === 'question' ? '(select owner_id from agents where id = agent_id)' : 'owner_id'

/** See ConfigStore. */
export function sqliteConfigStore ({ db }: { db: Database }): ConfigStore {
  const { orm, raw } = db
  const all = Object.entries(STANDING).map(([kind, sql]) => ({
    kind: kind as ConfigKind, statement: raw.prepare<[Id], Omit<Standing, 'kind'>>(sql)
  }))
  const naming = Object.fromEntries(Object.entries(TABLES).map(([kind, table]) =>
    [kind, raw.prepare<[string | null, Id, Id]>(`update ${table} set key = ? where id = ? and ${mine(kind)} = ?`)]))
  const lock = raw.prepare<[Id, ConfigKind, Id], string>(
    'select file from config_objects where owner_id = ? and kind = ? and object_id = ? and is_locked'
  ).pluck()
  const forget = raw.prepare<[Id, Id, number]>(`
    delete from config_applies where owner_id = ? and id <=
      (select id from config_applies where owner_id = ? order by id desc limit 1 offset ?)`)

  const folders = raw.prepare<[Id, Id], { id: Id, parent: Id | null, name: string }>(
    'select id, parent_id as parent, name from knowledge_folders where agent_id = ? and owner_id = ? order by id'
  )

  return {
    folders: (owner, agent) => folders.all(agent, owner),
    standing: (owner) => db.read(() => all.flatMap(({ kind, statement }) =>
      statement.all(owner).map((one) => ({ ...one, kind, stamp: String(one.stamp) })))),
    kept: (owner) => db.read(() => orm.select().from(configObjects).where(eq(configObjects.owner, owner))
      .orderBy(configObjects.place).all()
      .map(({ kind, object: id, place, file, is_made: isMade, is_locked: isLocked, stamp, applied_at: at }) => (
        { kind, id, place, file, isMade, isLocked, stamp, at }
      ))),
    rename (owner, keys) {
      for (const { kind, id } of keys) naming[kind]?.run(null, id, owner)
      for (const { kind, id, key } of keys) naming[kind]?.run(key, id, owner)
    },
    keep (owner, kept) {
      orm.delete(configObjects).where(eq(configObjects.owner, owner)).run()
      for (const { kind, id, place, file, isMade, isLocked, stamp, at } of kept) {
        orm.insert(configObjects).values({
          owner, kind, object: id, place, file, is_made: isMade, is_locked: isLocked, stamp, applied_at: at
        }).run()
      }
    },
    note (owner, { user, by, ref, changes, at }) {
      orm.insert(configApplies).values({ owner, user, by, ref, changes, applied_at: at }).run()
      forget.run(owner, owner, MOST_NOTED)
    },
    last: (owner) => db.read(() => {
      const row = orm.select({ apply: configApplies, name: users.name }).from(configApplies)
        .leftJoin(users, eq(users.id, configApplies.user))
        .where(and(eq(configApplies.owner, owner))).orderBy(desc(configApplies.id)).limit(1).get()
      if (!row) return null
      const { user, by, ref, changes, applied_at: at } = row.apply
      return { at, who: user === null ? null : { id: user, name: row.name }, by, ref, changes }
    }),
    lockOf: (owner, kind, id) => db.read(() => lock.get(owner, kind, id))
  }
}
