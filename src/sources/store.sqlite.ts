import type { Id } from '../../schema/common.ts'
import type { KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import { checkVersion, listedSources, OF_KEPT_AGENT, type AgentWriter } from '../agents/index.ts'
import { added } from './life/create.ts'
import { folderStore } from './folders.sqlite.ts'
import { decide } from './life/life.ts'
import { agentMaking, TRAIN_ALL } from './life/with-agent.sqlite.ts'
import type { SourceEvent, NewSource } from './contract.ts'
import { sourceRowsOf, type Needs } from './rows.ts'
import { fedSources } from './fed.sqlite.ts'
import type { FedSources, KnowledgeEvent, KnowledgeStore, SourceFilter, TrainingStore } from './store.ts'
import { aroundOf, trainingStore } from './training.sqlite.ts'
import { filtered, mapped, type Work } from '../platform/storage/work.ts'

/** What agents know, in SQLite: load, decide, write. */
export function sqliteKnowledgeStore (
  needs: Needs & { agents: AgentWriter }
): KnowledgeStore & TrainingStore & { fed: FedSources } {
  const { db, clock, idempotency, index } = needs
  const rows = sourceRowsOf(needs)
  const eventsAfter = db.objects<[Id, number], { id: number, data: string }>(
    'select id, data from knowledge_events where agent_id = ? and id > ? order by id limit 100'
  )
  const newestEvent = db.column<[Id], number>('select coalesce(max(id), 0) from knowledge_events where agent_id = ?')
  const byFile = db.column<[string], Id>(`select id from knowledge_sources where file_path = ? and ${OF_KEPT_AGENT}`)
  const unfinished = db.column<[Id], number>(
    "select count(*) from knowledge_sources where agent_id = ? and is_selected = 1 and training_status in ('Pending', 'Processing')"
  )

  /** An event with its source's title. */
  function * titled ({ id, data }: KnowledgeEvent): Work<KnowledgeEvent> {
    const { type, id: source, ...rest } = JSON.parse(data) as { type: string, id: Id }
    return type === 'source'
      ? { id, data: JSON.stringify({ type, id: source, title: (yield * rows.source(source))?.title, ...rest }) }
      : { id, data }
  }

  function * bear (owner: Id, agent: Id, drafts: NewSource[]): Work<Id[]> {
    const folders = yield * rows.folders(agent)
    return yield * rows.bear(
      owner, agent, drafts.map((draft) => added(owner, agent, draft, { now: clock.micros(), folders }))
    )
  }

  function * happens (source: KnowledgeSourceRecord, event: SourceEvent) {
    yield * rows.applyTo(decide(source, event, yield * aroundOf(needs, rows, source, event)) ?? [])
  }

  function * shown (id: Id) { return (yield * rows.source(id))! }

  return {
    ...folderStore(needs, rows),
    ...trainingStore(needs, rows),
    fed: fedSources(needs, rows),

    add: (owner, agent, drafts, once, domainEvents = []) =>
      db.atomically(function * () {
        if (!(yield * rows.owns(owner, agent))) return undefined
        return yield * idempotency.run(owner, once, function * () {
          yield * needs.eventBus.publish(...domainEvents)
          return yield * mapped(yield * bear(owner, agent, drafts), shown)
        })
      }),

    addAgent: agentMaking(needs, rows),
    * postpone (owner, agent, sources) {
      const own = yield * filtered(sources, function * (id) {
        return (yield * rows.find(owner, agent, id)) !== undefined
      })
      for (const id of own) yield * needs.jobs.drop('train', id)
    },
    * trainAll (owner, agents) {
      const own = yield * filtered(agents, (agent) => rows.owns(owner, agent))
      yield * needs.jobs.ask(...own.map((subject) => ({ kind: TRAIN_ALL, subject, owner, unlessAsked: true })))
    },

    get: async (owner, agent, id) => db.read(function * () {
      return (yield * rows.find(owner, agent, id)) && (yield * rows.source(id))
    }),

    list: async (owner, agent, filter, offset, limit) =>
      db.read(function * () {
        if (!(yield * rows.owns(owner, agent))) return undefined
        const { where, values } = scope(agent, filter)
        const page = db.rows<unknown[], unknown[]>(
            `select ${listedSources.columns} from knowledge_sources where ${where} order by id limit ? offset ?`
        )
        const total = db.column<unknown[], number>(`select count(*) from knowledge_sources where ${where}`)
        const found = (yield * page.all(...values, limit, offset)).map(listedSources.record)
        const items = yield * mapped(found, rows.summed)
        return { items, total: (yield * total.get(...values))! }
      }),

    update: (owner, agent, id, change, wanted) =>
      db.atomically(function * () {
        const source = yield * rows.find(owner, agent, id)
        if (!source) return undefined
        checkVersion(wanted, source, 'The source')
        yield * happens(source, { kind: 'changed', change })
        return yield * shown(id)
      }),

    remove: (owner, agent, id, wanted) =>
      db.atomically(
        function * () {
          const source = yield * rows.find(owner, agent, id)
          if (!source) return false
          checkVersion(wanted, source, 'The source')
          yield * happens(source, { kind: 'removed' })
          return true
        },
        { frees: true }
      ),

    progress: async (owner, agent, id) => db.read(function * () {
      return (yield * rows.find(owner, agent, id)) ? yield * index.written(id) : 0
    }),

    retrain: (owner, agent, id, once) =>
      db.atomically(function * () {
        const source = yield * rows.find(owner, agent, id)
        if (!source) return undefined
        return yield * idempotency.run(owner, once, function * () {
          yield * happens(source, { kind: 'asked' })
          return yield * shown(id)
        })
      }),

    room: async (owner, agent) => db.read(function * () {
      return (yield * rows.owns(owner, agent)) ? (yield * rows.room(agent)) : undefined
    }),
    storage: async (owner) => db.read(() => rows.storage(owner)),
    training: async (owner, agent) => db.read(function * () {
      return (yield * rows.owns(owner, agent)) ? (yield * unfinished.get(agent))! : 0
    }),
    byFile: async (path) =>
      db.read(function * () {
        const id = yield * byFile.get(path)
        return id === undefined ? undefined : (yield * rows.record(id))
      }),
    events: async (owner, agent, after) =>
      db.read(function * () {
        return (yield * rows.owns(owner, agent))
          ? (yield * mapped(yield * eventsAfter.all(agent, after), titled))
          : undefined
      }),
    lastEvent: async (owner, agent) => db.read(function * () {
      return (yield * rows.owns(owner, agent)) ? (yield * newestEvent.get(agent))! : 0
    })
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
    'parent_id is': parent,
    'id >': after
  }
  const asked = Object.entries(columns).filter(([, value]) => value !== undefined)
  return { where: asked.map(([column]) => `${column} ?`).join(' and '), values: asked.map(([, value]) => value) }
}
