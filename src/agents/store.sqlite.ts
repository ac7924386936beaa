import { eq } from 'drizzle-orm'
import { agents } from '../../schema/sqlite/agents.ts'
import { type AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import { LISTED_SOURCES } from '../../schema/knowledge.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import type { Revisions } from '../platform/storage/sqlite/revisions.ts'
import type { Notifier } from '../platform/work/notifier.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import { fold } from './draft.ts'
import { listedSources } from './sources.ts'
import type { AgentFilter, AgentStore, AgentWithSources } from './store.ts'

/** As a limit: none. */
const ALL = -1

/** Agents in SQLite. */
export function sqliteAgentStore ({ db, clock, revisions, onceOnly, notifier }: {
  db: Database, clock: Clock, revisions: Revisions, onceOnly: OnceOnly, notifier: Notifier
}): AgentStore {
  const { orm, raw } = db
  const agentRows = rowsOf(agents)
  // How many sources there are comes along, because most agents asked for have none to look up.
  const select = `select ${agentRows.columns}, (select count(*) from knowledge_sources where agent_id = agents.id) from agents`
  const one = raw.prepare<[Id, Id], unknown[]>(`${select} where id = ? and owner_id = ?`).raw()
  const firstSources = raw.prepare<[Id, number], unknown[]>(`select ${listedSources.columns} from knowledge_sources where agent_id = ? order by id limit ?`).raw()
  const insert = raw.prepare(`insert into agents (${agentRows.columns}) values (${agentRows.placeholders})`)
  const counted = raw.prepare<[Id], { agents: number, training_bytes: number }>(
    'select count(*) as agents, coalesce(sum(total_training_usage_bytes), 0) as training_bytes from agents where owner_id = ?')
  const owner = raw.prepare<[Id], Id>('select owner_id from agents where id = ?').pluck()
  const ofScopes = new Map<string, ReturnType<typeof prepareScope>>()

  const insertRootFolder = db.raw.prepare('insert into knowledge_folders (agent_id, owner_id, parent_id, name, created_at, updated_at) values (?, ?, null, \'Root\', ?, ?)')

  function find (owner: Id, id: Id): AgentRecord | undefined {
    const row = one.get(id, owner)
    return row && agentRows.record(row)
  }

  function withSources (agent: AgentRecord): AgentWithSources {
    const sources = firstSources.all(agent.id, ALL).map(listedSources.record)
    return { agent, sources, total: sources.length }
  }

  /** An agent from a row of `select`, with so many of its sources at most. */
  function agentOf (row: unknown[], most: number): AgentWithSources {
    const agent = agentRows.record(row)
    const total = row.at(-1) as number
    return { agent, sources: total ? firstSources.all(agent.id, most).map(listedSources.record) : [], total }
  }

  const listed = (row: unknown[]) => agentOf(row, LISTED_SOURCES)

  /** The statements for lists of one shape of filter: there are eight shapes. */
  function scoped (where: string) {
    const known = ofScopes.get(where) ?? prepareScope(where)
    ofScopes.set(where, known)
    return known
  }

  function prepareScope (where: string) {
    return {
      slice: raw.prepare<unknown[], unknown[]>(`${select} where ${where} and id > ? order by id limit ?`).raw(),
      // The inner query walks the index alone, so a far page does not read the agents before it.
      page: raw.prepare<unknown[], unknown[]>(`${select} where id in (select id from agents where ${where} order by id limit ? offset ?) order by id`).raw(),
      total: raw.prepare<unknown[], number>(`select count(*) from agents where ${where}`).pluck()
    }
  }

  return {
    create: (owner, draft, { once, alongside } = {}) => db.atomically(() => onceOnly.run(owner, once, () => {
      const now = clock.micros()
      const revision = revisions.move(owner, now)
      const agent = {
        ...draft(),
        owner,
        created_at: timestamp(now),
        updated_at: timestamp(now),
        conversations: 0,
        total_training_usage_bytes: 0,
        revision,
        version: revision
      }
      const id = Number(insert.run(agentRows.values(agent)).lastInsertRowid)
      insertRootFolder.run(id, owner, agent.created_at, agent.created_at)
      if (!alongside) return { agent: { id, ...agent }, sources: [], total: 0 }
      alongside(id)
      return withSources(find(owner, id)!)
    })),

    get: async (owner, id) => db.read(() => {
      const row = one.get(id, owner)
      return row && agentOf(row, ALL)
    }),

    update: (owner, id, change) => db.atomically(() => {
      const current = find(owner, id)
      if (!current) return undefined
      const next = change(current)
      if (JSON.stringify(next) === JSON.stringify(current)) return withSources(current)
      const now = clock.micros()
      const { id: _id, owner: _owner, ...fields } = next
      const revision = revisions.move(owner, now)
      const agent = orm.update(agents).set({ ...fields, updated_at: timestamp(now), revision, version: revision })
        .where(eq(agents.id, id)).returning().get()
      return agent && withSources(agent)
    }),

    delete: (owner, id, check) => db.atomically(() => {
      const agent = find(owner, id)
      if (!agent) return false
      check(agent)
      orm.delete(agents).where(eq(agents.id, id)).run()
      revisions.move(owner, clock.micros())
      // Whoever watches it has nothing more to wait for.
      notifier.notify(`agents/${id}`)
      return true
    }, { frees: true }),

    slice: async (owner, filter, after, limit) => db.read(() => {
      const { where, values } = scope(owner, filter)
      return scoped(where).slice.all(...values, after, limit).map(listed)
    }),

    page: async (owner, filter, offset, limit) => db.read(() => {
      const { where, values } = scope(owner, filter)
      return scoped(where).page.all(...values, limit, offset).map(listed)
    }),

    count: async (owner, filter) => db.read(() => {
      const { where, values } = scope(owner, filter)
      return scoped(where).total.get(...values)!
    }),

    usage: async (owner) => db.read(() => counted.get(owner)!),
    ownerOf: async (id) => db.read(() => owner.get(id)),
    revision: (owner) => revisions.of(owner)
  }
}

/** Which agents a filter lets through: a condition made of fixed texts alone, and the values for its question marks. */
function scope (owner: Id, { status, agent_type: type, search }: AgentFilter) {
  const conditions: Array<[string, unknown]> = [['owner_id = ?', owner]]
  if (status !== undefined) conditions.push(['status = ?', status])
  if (type !== undefined) conditions.push(["lower(replace(replace(agent_type, ' ', '_'), '-', '_')) = ?", snakeCase(type)])
  if (search !== undefined) conditions.push(['instr(search_text, ?) > 0', fold(search)])
  return { where: conditions.map(([condition]) => condition).join(' and '), values: conditions.map(([, value]) => value) }
}

/** Only ASCII letters are folded, because SQLite's lower() folds no others. */
function snakeCase (type: string): string {
  return type.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()).replaceAll(/[ -]/g, '_')
}
