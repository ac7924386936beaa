import { and, asc, count, eq, gt, inArray, sql, type SQL } from 'drizzle-orm'
import { agents, type AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import { knowledgeSources } from '../../schema/knowledge-tables.ts'
import type { KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database.ts'
import type { OnceOnly } from '../platform/idempotency.ts'
import type { Revisions } from '../platform/revisions.ts'
import { fold } from './draft.ts'
import type { AgentFilter, AgentStore, AgentWithSources } from './store.ts'

/** Agents in SQLite. */
export function sqliteAgentStore ({ db, clock, revisions, onceOnly }: {
  db: Database, clock: Clock, revisions: Revisions, onceOnly: OnceOnly
}): AgentStore {
  const { orm } = db
  const columns = Object.keys(agents).filter((name) => name !== 'id' && name !== 'enableRLS')
  const insert = orm.insert(agents)
    .values(Object.fromEntries(columns.map((name) => [name, sql.placeholder(name)])) as never)
    .returning({ id: agents.id }).prepare()
  const one = orm.select().from(agents).where(and(eq(agents.id, sql.placeholder('id')), eq(agents.owner, sql.placeholder('owner')))).prepare()
  const sourcesOfOne = orm.select().from(knowledgeSources).where(eq(knowledgeSources.agent, sql.placeholder('agent'))).orderBy(asc(knowledgeSources.id)).prepare()
  const counted = db.raw.prepare<[Id], { agents: number, training_bytes: number }>(
    'select count(*) as agents, coalesce(sum(total_training_usage_bytes), 0) as training_bytes from agents where owner_id = ?')

  const insertRootFolder = db.raw.prepare('insert into knowledge_folders (agent_id, owner_id, parent_id, name, created_at, updated_at) values (?, ?, null, \'Root\', ?, ?)')

  function find (owner: Id, id: Id): AgentRecord | undefined {
    return one.get({ owner, id })
  }

  const withSources = (agent: AgentRecord): AgentWithSources => ({ agent, sources: sourcesOfOne.all({ agent: agent.id }) })

  function allWithSources (records: AgentRecord[]): AgentWithSources[] {
    const sources = new Map<Id, KnowledgeSourceRecord[]>(records.map(({ id }) => [id, []]))
    if (records.length) {
      const rows = orm.select().from(knowledgeSources).where(inArray(knowledgeSources.agent, [...sources.keys()])).orderBy(asc(knowledgeSources.id)).all()
      for (const row of rows) sources.get(row.agent)!.push(row)
    }
    return records.map((agent) => ({ agent, sources: sources.get(agent.id)! }))
  }

  return {
    create: (owner, draft, { once, alongside } = {}) => db.atomically(() => onceOnly.run(owner, once, () => {
      const now = clock.micros()
      const agent = {
        ...draft(),
        owner,
        created_at: timestamp(now),
        updated_at: timestamp(now),
        conversations: 0,
        total_training_usage_bytes: 0,
        revision: revisions.move(owner, now)
      }
      const { id } = insert.get(agent as never) as { id: Id }
      insertRootFolder.run(id, owner, agent.created_at, agent.created_at)
      if (!alongside) return { agent: { id, ...agent }, sources: [] }
      alongside(id)
      return withSources(find(owner, id)!)
    })),

    get: async (owner, id) => db.read(() => {
      const agent = find(owner, id)
      return agent && withSources(agent)
    }),

    update: (owner, id, change) => db.atomically(() => {
      const current = find(owner, id)
      if (!current) return undefined
      const next = change(current)
      if (JSON.stringify(next) === JSON.stringify(current)) return withSources(current)
      const now = clock.micros()
      const { id: _id, owner: _owner, ...fields } = next
      const agent = orm.update(agents).set({ ...fields, updated_at: timestamp(now), revision: revisions.move(owner, now) })
        .where(eq(agents.id, id)).returning().get()
      return agent && withSources(agent)
    }),

    delete: (owner, id, check) => db.atomically(() => {
      const agent = find(owner, id)
      if (!agent) return false
      check(agent)
      orm.delete(agents).where(eq(agents.id, id)).run()
      revisions.move(owner, clock.micros())
      return true
    }, { frees: true }),

    slice: async (owner, filter, after, limit) => db.read(() => allWithSources(
      orm.select().from(agents).where(and(...scope(owner, filter), gt(agents.id, after))).orderBy(asc(agents.id)).limit(limit).all()
    )),

    page: async (owner, filter, offset, limit) => db.read(() => {
      const where = and(...scope(owner, filter))
      // The inner query walks the index alone, so a far page does not read the agents before it.
      const ids = orm.select({ id: agents.id }).from(agents).where(where).orderBy(asc(agents.id)).limit(limit).offset(offset)
      const items = orm.select().from(agents).where(inArray(agents.id, ids)).orderBy(asc(agents.id)).all()
      return { items: allWithSources(items), total: orm.select({ total: count() }).from(agents).where(where).get()!.total }
    }),

    usage: async (owner) => db.read(() => counted.get(owner)!),
    revision: (owner) => revisions.of(owner)
  }
}

function scope (owner: Id, { status, agent_type: type, search }: AgentFilter): SQL[] {
  return [
    eq(agents.owner, owner),
    ...(status === undefined ? [] : [sql`${agents.status} = ${status}`]),
    ...(type === undefined ? [] : [sql`lower(replace(replace(${agents.agentType}, ' ', '_'), '-', '_')) = ${snakeCase(type)}`]),
    ...(search === undefined ? [] : [sql`instr(${agents.search_text}, ${fold(search)}) > 0`])
  ]
}

/** Only ASCII letters are folded, because SQLite's lower() folds no others. */
function snakeCase (type: string): string {
  return type.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()).replaceAll(/[ -]/g, '_')
}
