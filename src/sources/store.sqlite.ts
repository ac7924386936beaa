import type { Id } from '../../schema/common.ts'
import type { KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import { checkVersion, listedSources, OF_KEPT_AGENT, type AgentWriter } from '../agents/index.ts'
import { added } from './life/birth.ts'
import { folderStore } from './folders.sqlite.ts'
import { decide } from './life/life.ts'
import type { SourceEvent, NewSource } from './contract.ts'
import { sourceRowsOf, type Needs } from './rows.ts'
import { fedSources } from './fed.sqlite.ts'
import type { FedSources, KnowledgeEvent, KnowledgeStore, SourceFilter, TrainingStore } from './store.ts'
import { aroundOf, trainingStore } from './training.sqlite.ts'

/** What agents know, in SQLite: load, decide, write. */
export function sqliteKnowledgeStore (
  needs: Needs & { agents: AgentWriter }
): KnowledgeStore & TrainingStore & { fed: FedSources } {
  const { db, clock, onceOnly, index, agents } = needs
  const { raw } = db
  const rows = sourceRowsOf(needs)
  const eventsAfter = raw.prepare<[Id, number], { id: number, data: string }>(
    'select id, data from knowledge_events where agent_id = ? and id > ? order by id limit 100'
  )
  const newestEvent = raw
    .prepare<[Id], number>('select coalesce(max(id), 0) from knowledge_events where agent_id = ?')
    .pluck()
  const byFile = raw.prepare<[string], Id>(`select id from knowledge_sources where file_path = ? and ${OF_KEPT_AGENT}`).pluck()
  const unfinished = raw
    .prepare<[Id], number>(
      "select count(*) from knowledge_sources where agent_id = ? and is_selected and training_status in ('Pending', 'Processing')"
    )
    .pluck()

  /** An event with its source's title. */
  function titled ({ id, data }: KnowledgeEvent): KnowledgeEvent {
    const { type, id: source, ...rest } = JSON.parse(data) as { type: string, id: Id }
    return type === 'source'
      ? { id, data: JSON.stringify({ type, id: source, title: rows.source(source)?.title, ...rest }) }
      : { id, data }
  }

  function bear (owner: Id, agent: Id, drafts: NewSource[]): Id[] {
    const folders = rows.folders(agent)
    return rows.bear(owner, agent, drafts.map((draft) => added(owner, agent, draft, { now: clock.micros(), folders })))
  }

  function happens (source: KnowledgeSourceRecord, event: SourceEvent) {
    rows.carryOut(decide(source, event, aroundOf(needs, rows, source, event)) ?? [])
  }

  const shown = (id: Id) => rows.source(id)!

  return {
    ...folderStore(needs, rows),
    ...trainingStore(needs, rows),
    fed: fedSources(needs, rows),

    add: (owner, agent, drafts, once, happenings = []) =>
      db.atomically(() => {
        if (!rows.owns(owner, agent)) return undefined
        return onceOnly.run(owner, once, () => {
          needs.announcements.announce(...happenings)
          return bear(owner, agent, drafts).map(shown)
        })
      }),

    addAgent: (owner, decided, drafts, once) =>
      db.atomically(() =>
        onceOnly.run(owner, once, () => {
          const agent = agents.insert(owner, decided)
          bear(owner, agent, drafts)
          return agents.read(owner, agent)!
        })
      ),

    get: async (owner, agent, id) => db.read(() => rows.find(owner, agent, id) && rows.source(id)),

    list: async (owner, agent, filter, offset, limit) =>
      db.read(() => {
        if (!rows.owns(owner, agent)) return undefined
        const { where, values } = scope(agent, filter)
        const page = raw
          .prepare<unknown[], unknown[]>(
            `select ${listedSources.columns} from knowledge_sources where ${where} order by id limit ? offset ?`
          )
          .raw()
        const total = raw.prepare<unknown[], number>(`select count(*) from knowledge_sources where ${where}`).pluck()
        return { items: page.all(...values, limit, offset).map(listedSources.record), total: total.get(...values)! }
      }),

    update: (owner, agent, id, change, wanted) =>
      db.atomically(() => {
        const source = rows.find(owner, agent, id)
        if (!source) return undefined
        checkVersion(wanted, source, 'The source')
        happens(source, { kind: 'changed', change })
        return shown(id)
      }),

    remove: (owner, agent, id, wanted) =>
      db.atomically(
        () => {
          const source = rows.find(owner, agent, id)
          if (!source) return false
          checkVersion(wanted, source, 'The source')
          happens(source, { kind: 'removed' })
          return true
        },
        { frees: true }
      ),

    progress: async (owner, agent, id) => db.read(() => (rows.find(owner, agent, id) ? index.written(id) : 0)),

    retrain: (owner, agent, id, once) =>
      db.atomically(() => {
        const source = rows.find(owner, agent, id)
        if (!source) return undefined
        return onceOnly.run(owner, once, () => {
          happens(source, { kind: 'asked' })
          return shown(id)
        })
      }),

    room: async (owner, agent) => db.read(() => (rows.owns(owner, agent) ? rows.room(agent) : undefined)),
    storage: async (owner) => db.read(() => rows.storage(owner)),
    training: async (owner, agent) => db.read(() => (rows.owns(owner, agent) ? unfinished.get(agent)! : 0)),
    byFile: async (path) =>
      db.read(() => {
        const id = byFile.get(path)
        return id === undefined ? undefined : rows.record(id)
      }),
    events: async (owner, agent, after) =>
      db.read(() => (rows.owns(owner, agent) ? eventsAfter.all(agent, after).map(titled) : undefined)),
    lastEvent: async (owner, agent) => db.read(() => rows.owns(owner, agent) ? newestEvent.get(agent)! : 0)
  }
}

/**
 * Which sources a filter lets through: a condition made of fixed texts alone, and the values for its question marks.
 */
function scope (agent: Id, { status, training_status: training, folder, parent, after }: SourceFilter) {
  const columns = {
    'agent_id =': agent,
    'status =': status,
    'training_status =': training,
    'folder_id =': folder,
    'parent_id =': parent,
    'id >': after
  }
  const asked = Object.entries(columns).filter(([, value]) => value !== undefined)
  return { where: asked.map(([column]) => `${column} ?`).join(' and '), values: asked.map(([, value]) => value) }
}
