import { agents } from '../../schema/sqlite/agents.ts'
import type { AgentRecord, AgentSettings } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import { LISTED_SOURCES, type KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import type { Tier } from '../../schema/plans.ts'
import type { VersionSummary } from '../../schema/versions.ts'
import { demandRoomForAgent, type AgentLimits } from '../plans/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import { slugOf } from '../platform/text.ts'
import { Refusal } from '../platform/errors.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import { actingUser } from '../platform/storage/audit.ts'
import { mapped, type Work } from '../platform/storage/work.ts'
import { nextTurn } from '../platform/work/turns.ts'
import { drafted, fold } from './draft.ts'
import { listedSources, withFirstTexts } from './sources.ts'
import {
  goneTopic, REMOVE_AGENT, SOURCES_AT_ONCE, type AgentFilter, type AgentStore, type AgentWithSources, type NewAgent
} from './store.ts'
import { versionRows } from './versions/versions.sqlite.ts'
import { versioning } from './versions/versioning.sqlite.ts'
import { sqliteVocabularies } from './vocabulary.sqlite.ts'

/** As a limit: none. */
const ALL = -1

/** Versions of a list that are decrypted in one go: with the longest prompts some 10 ms. */
const VERSIONS_AT_ONCE = 10

const rows = rowsOf(agents, ['key'])
/** Columns that a change of an agent writes. */
const writtenRows = rowsOf(agents, ['key', 'id', 'owner'])
/** Rows of agents that have an owner; no others are read. */
const agentRows = { ...rows, record: (values: unknown[]) => rows.record(values) as AgentRecord }

interface WriterParts extends Pick<Kernel, 'db' | 'clock' | 'secrets' | 'revisions'> {
  agentLimits: AgentLimits
}

/** Creates agents inside an open transaction, for callers that create more than the agent in it. */
export type AgentWriter = ReturnType<typeof agentWriter>

/** See AgentWriter. */
export function agentWriter ({ db, clock, secrets, revisions, agentLimits }: WriterParts) {
  const versions = versionRows({ db, clock, secrets })
  const insert = db.column<any[], number>(
    `insert into agents (${agentRows.columns}) values (${agentRows.placeholders}) returning id`
  )
  const insertRootFolder = db.objects(
    "insert into knowledge_folders (agent_id, owner_id, parent_id, name, created_at, updated_at) values (?, ?, null, 'Root', ?, ?)"
  )
  const nameKey = db.objects(
    'update agents set key = :key where id = :id and not exists (select 1 from agents where owner_id = :owner and key = :key)'
  )
  const hide = db.objects('update agents set owner_id = null, key = null where id = ?')
  const disown = db.objects('update agents set owner_id = null where id = ? and owner_id = ?')
  const show = db.objects('update agents set owner_id = ? where id = ?')
  const standing = db.objects<[Id], { tier: Tier, agents: number }>(
    'select tier, (select count(*) from agents where owner_id = users.id) as agents from users where id = ?'
  )
  /** Throws `feature_unavailable` if the owner's tier allows no more agents. */
  function * demandRoom (owner: Id) {
    const { tier, agents: count } = (yield * standing.get(owner))!
    demandRoomForAgent(agentLimits, tier, count)
  }

  function * nameIt (owner: Id, id: Id, name: string) {
    const key = slugOf(name)
    if (key !== '') yield * nameKey.run({ key, id, owner })
  }

  const reader = agentReader(db)
  return {
    ...reader,
    versions,
    /**
     * The id of the agent, created as decided with its root folder. Throws the Refusal if that was decided, and
     * `feature_unavailable` if the owner's tier allows no more agents. `by`: who creates it.
     */
    * insert (owner: Id, decided: NewAgent | Refusal, by = actingUser()): Work<Id> {
      if (decided instanceof Refusal) throw decided
      yield * demandRoom(owner)
      const now = clock.micros()
      const [time, revision] = [timestamp(now), yield * revisions.move(owner, now)]
      const agent = {
        ...decided,
        owner,
        created_at: time,
        updated_at: time,
        conversations: 0,
        total_training_usage_bytes: 0,
        revision,
        version: revision,
        live_version: 1,
        draft: null
      }
      const id = (yield * insert.get(agentRows.values(agent)))!
      yield * nameIt(owner, id, agent.name)
      yield * versions.keep(id, { settings: agent, by })
      yield * insertRootFolder.run(id, owner, time, time)
      return id
    },
    /** Hides a newly inserted agent from everybody, as if it were deleted. */
    * hide (id: Id) { yield * hide.run(id) },
    /** The same of an owner's, with its key; false if it is not theirs. */
    * disown (owner: Id, id: Id): Work<boolean> { return (yield * disown.run(id, owner)) === 1 },
    /** Assigns those with their keys to their owner. Throws `feature_unavailable` as `insert` does. */
    * own (owner: Id, ids: readonly Id[]) {
      const { tier, agents: count } = (yield * standing.get(owner))!
      for (const [i, id] of ids.entries()) {
        demandRoomForAgent(agentLimits, tier, count + i)
        yield * show.run(owner, id)
      }
      yield * revisions.move(owner, clock.micros())
    },
    /** Assigns a hidden one to its owner. Throws `feature_unavailable` as `insert` does. */
    * reveal (owner: Id, id: Id) {
      yield * demandRoom(owner)
      yield * show.run(owner, id)
      yield * nameIt(owner, id, (yield * reader.find(owner, id))!.name)
    }
  }
}

/** Reads agents one by one and from rows of `select`. */
function agentReader (db: Database) {
  // The number of sources is included, because most requested agents have none to look up.
  const select = `select ${agentRows.columns}, (select count(*) from knowledge_sources where agent_id = agents.id) from agents`
  const one = db.rows<[Id, Id], unknown[]>(`${select} where id = ? and owner_id = ?`)
  const firstSources = db.rows<[Id, number], unknown[]>(
      `select ${listedSources.columns} from knowledge_sources where agent_id = ? order by id limit ?`
  )
  const sourcesOf = db.rows<[Id, Id, number], unknown[]>(
    `select ${listedSources.columns} from knowledge_sources where agent_id = ? and id > ? order by id limit ?`)
  const nextSources = db.rows<[Id, Id, Id, number], unknown[]>(`
    select ${listedSources.columns} from knowledge_sources
    where agent_id = (select id from agents where id = ? and owner_id = ?) and id > ? order by id limit ?`)

  /** An agent with its draft, from a row of `select`, with the given number of its sources at most. */
  function * agentOf (row: unknown[], most: number): Work<AgentWithSources> {
    const agent = drafted(agentRows.record(row))
    const total = row.at(-1) as number
    return { agent, sources: total ? (yield * firstSources.all(agent.id, most)).map(listedSources.record) : [], total }
  }

  return {
    select,
    /** An agent as a list shows it. */
    * listed (row: unknown[]): Work<AgentWithSources> {
      const { sources, ...listed } = yield * agentOf(row, LISTED_SOURCES)
      return { ...listed, sources: withFirstTexts(sources) }
    },
    /** An agent without its sources, as used for answering visitors. */
    * find (owner: Id, id: Id): Work<AgentRecord | undefined> {
      const row = yield * one.get(id, owner)
      return row && agentRows.record(row)
    },
    /** An agent with its draft, with the given number of its sources. */
    * read (owner: Id, id: Id, most = SOURCES_AT_ONCE): Work<AgentWithSources | undefined> {
      const row = yield * one.get(id, owner)
      return row && (yield * agentOf(row, most))
    },
    /** A newly created agent with everything it was created with: a stored idempotent response is complete. */
    * made (owner: Id, id: Id): Work<AgentWithSources> {
      return yield * agentOf((yield * one.get(id, owner))!, ALL)
    },
    /** The sources after a given one, of an agent that nobody sees yet. */
    * sourcesOf (id: Id, after: Id): Work<KnowledgeSourceRecord[]> {
      return (yield * sourcesOf.all(id, after, SOURCES_AT_ONCE)).map(listedSources.record)
    },
    /** The sources after a given one. */
    * sourcesAfter (owner: Id, id: Id, after: Id): Work<KnowledgeSourceRecord[]> {
      return (yield * nextSources.all(id, owner, after, SOURCES_AT_ONCE)).map(listedSources.record)
    }
  }
}

/** Agents in SQLite. */
export function sqliteAgentStore (
  { db, clock, secrets, revisions, idempotency, notifier, jobs, eventBus, agentLimits }:
  WriterParts & Pick<Kernel, 'idempotency' | 'notifier' | 'jobs' | 'eventBus'>
): AgentStore {
  const writer = agentWriter({ db, clock, secrets, revisions, agentLimits })
  const { select, listed, find, read, sourcesAfter, versions } = writer
  const counted = db.objects<[Id], { agents: number, training_bytes: number }>(
    'select count(*) as agents, coalesce(sum(total_training_usage_bytes), 0) as training_bytes from agents where owner_id = ?'
  )
  const owner = db.column<[Id], Id>('select owner_id from agents where id = ? and owner_id is not null')
  const update = db.objects<unknown[]>(`update agents set ${writtenRows.settings} where id = ?`)
  const conversations = db.column<[Id, Id], number>('select conversations from agents where id = ? and owner_id = ?')
  const naming = db.rows<{ owner: Id, name: string }, unknown[]>(`
      select ${agentRows.columns} from agents where owner_id = :owner and (:name in (select value from json_each(ticketing_providers))
        or draft is not null and :name in (select value from json_each(draft, '$.ticketing_providers')))`)
  const active = db.rows<[Id, number], unknown[]>(
      `select ${agentRows.columns} from agents where owner_id = ? and status = 'Active' order by id limit ?`
  )
  const ofScopes = new Map<string, ReturnType<typeof prepareScope>>()

  /** The statements for lists, by shape of filter: there are eight shapes. */
  function scoped (where: string) {
    const known = ofScopes.get(where) ?? prepareScope(where)
    ofScopes.set(where, known)
    return known
  }

  function prepareScope (where: string) {
    return {
      slice: db.rows<unknown[], unknown[]>(`${select} where ${where} and id > ? order by id limit ?`),
      // The inner query walks the index alone, so a far page does not read the agents before it.
      page: db.rows<unknown[], unknown[]>(
          `${select} where id in (select id from agents where ${where} order by id limit ? offset ?) order by id`
      ),
      total: db.column<unknown[], number>(`select count(*) from agents where ${where}`)
    }
  }

  /** Writes a row. `isDraftNew`: its draft has changed, and so has what If-Match compares. */
  function * write (row: AgentRecord, isDraftNew: boolean) {
    const now = clock.micros()
    const revision = yield * revisions.move(row.owner, now)
    const version = isDraftNew ? revision : row.version
    yield * update.run(...writtenRows.values({ ...row, updated_at: timestamp(now), revision, version }), row.id)
  }

  /** An agent with a stored version, even if it predates versions. */
  async function versioned (owner: Id, id: Id): Promise<AgentRecord | undefined> {
    const agent = await db.read(() => find(owner, id))
    if (!agent || (await db.read(() => versions.hasAny(id)))) return agent
    await db.atomically(function * () { yield * versions.begin(agent) })
    return db.read(() => find(owner, id))
  }

  const changes = versioning({ versions, find, write, read, eventBus })

  return {
    ...sqliteVocabularies(db, clock, function * (owner, id) { return (yield * find(owner, id)) !== undefined }),
    create: (owner, agent, once) =>
      db.atomically(function * () {
        return yield * idempotency.run(owner, once, function * () {
          return yield * writer.made(owner, yield * writer.insert(owner, agent))
        })
      }, { of: owner }),

    get: async (owner, id) => db.read(() => read(owner, id)),
    sources: async (owner, id, after) => db.read(() => sourcesAfter(owner, id, after)),

    live: async (owner, id) => db.read(() => find(owner, id)),
    active: async (owner, limit) => db.read(function * () {
      return (yield * active.all(owner, limit)).map(agentRows.record)
    }),

    update: (owner, id, change, options) =>
      db.atomically(() => changes.update(owner, id, change, options), { of: owner }),
    publish: (owner, id, publishing, once) => db.atomically(function * () {
      const row = yield * find(owner, id)
      return row && (yield * idempotency.run(owner, once, () => changes.publish(row, publishing)))
    }),
    publishVersion: (owner, id, number, again, once) => db.atomically(function * () {
      const { row, version } = yield * changes.found(owner, id, number)
      return version && (yield * idempotency.run(owner, once, () => changes.publishVersion(row, version, again)))
    }),
    restore: (owner, id, number, change) => db.atomically(() => changes.restore(owner, id, number, change)),
    async version (owner, id, number) {
      const agent = await versioned(owner, id)
      return agent && (await db.read(() => versions.find(agent, number)))
    },
    async versions (owner, id, before, limit) {
      const agent = await versioned(owner, id)
      if (!agent) return undefined
      // Each is decrypted whole for its note, so others may run between batches.
      const items: VersionSummary[] = []
      for (let from = before; ; from = items.at(-1)!.number) {
        const few = await db.read(() => versions.list(agent, from, Math.min(VERSIONS_AT_ONCE, limit - items.length)))
        items.push(...few)
        if (few.length < VERSIONS_AT_ONCE || items.length === limit) return items
        await nextTurn()
      }
    },

    * renameProvider (owner, from, to) {
      for (const row of yield * naming.all({ owner, name: from })) {
        yield * changes.renameProvider(
          agentRows.record(row), from, to
        )
      }
    },

    delete: (owner, id, check) =>
      db.atomically(
        function * () {
          const agent = yield * find(owner, id)
          if (!agent) return false
          check(agent)
          yield * writer.disown(owner, id)
          yield * jobs.ask({ kind: REMOVE_AGENT, subject: id, owner })
          yield * revisions.move(owner, clock.micros())
          // Its watchers have nothing more to wait for.
          yield * db.afterwards(() => {
            notifier.notify(`agents/${id}`)
            notifier.notify(goneTopic(id))
          })
          return true
        },
        { frees: true }
      ),

    ...hiding(writer, jobs),

    slice: async (owner, filter, after, limit) =>
      db.read(function * () {
        const { where, values } = scope(owner, filter)
        return yield * mapped(yield * scoped(where)
          .slice.all(...values, after, limit), listed)
      }),

    page: async (owner, filter, offset, limit) =>
      db.read(function * () {
        const { where, values } = scope(owner, filter)
        return yield * mapped(yield * scoped(where)
          .page.all(...values, limit, offset), listed)
      }),

    count: async (owner, filter) =>
      db.read(function * () {
        const { where, values } = scope(owner, filter)
        return (yield * scoped(where).total.get(...values))!
      }),

    usage: async (owner) => db.read(function * () { return (yield * counted.get(owner))! }),
    ownerOf: async (id) => db.read(() => owner.get(id)),
    revision: (owner) => revisions.of(owner),
    tally: (owner) => revisions.tally(owner),
    standing: (owner) => revisions.standing(owner),
    conversations: async (owner, ids) => db.read(() => mapped(ids, function * (id) {
      return (yield * conversations.get(id, owner)) ?? 0
    }))
  }
}

/** Agents that are made hidden, many in several transactions, and shown in one. */
function hiding (writer: AgentWriter, jobs: Kernel['jobs']): Pick<AgentStore, 'hide' | 'show' | 'giveUp'> {
  return {
    * hide (owner, id) {
      if (yield * writer.disown(owner, id)) yield * jobs.hold({ kind: REMOVE_AGENT, subject: id, owner })
    },
    * show (owner, ids) {
      for (const id of ids) {
        if (!(yield * jobs.holds(REMOVE_AGENT, id))) throw madeTooLate()
        yield * jobs.drop(REMOVE_AGENT, id)
      }
      yield * writer.own(owner, ids)
    },
    giveUp (_owner, ids) {
      // If the tables cannot be reached, the next process that finds the claims abandoned removes them.
      for (const id of ids) jobs.letGo(REMOVE_AGENT, id).catch(() => undefined)
    }
  }
}

/** Another process took this one for dead, and removes what it has made. */
export function madeTooLate (): Refusal {
  return new Refusal('unavailable', 'The server was too busy to make the agent. Send it again.', {
    headers: { 'retry-after': '1' }
  })
}

/** The SQL condition of a filter, made of fixed texts alone, and its parameters. */
function scope (owner: Id, { status, search, ...named }: AgentFilter) {
  const conditions: Array<[string, unknown]> = [['owner_id = ?', owner]]
  if (status !== undefined) conditions.push([`${ofDraft('status', 'status')} = ?`, status])
  for (const field of ['agent_type', 'agent_category'] as const) {
    const name = named[field]
    if (name === undefined) continue
    const column = ofDraft(field, field === 'agent_type' ? 'agentType' : field)
    conditions.push([`lower(replace(replace(${column}, ' ', '_'), '-', '_')) = ?`, snakeCase(name)])
  }
  if (search !== undefined) conditions.push(['instr(search_text, ?) > 0', fold(search)])
  return {
    where: conditions.map(([condition]) => condition).join(' and '), values: conditions.map(([, value]) => value)
  }
}

/** A column, from the draft if there is one, as SQL. */
const ofDraft = (column: string, field: keyof AgentSettings) => `coalesce(draft ->> '$.${field}', ${column})`

/** Only ASCII letters are folded, because SQLite's lower() folds no others. */
function snakeCase (name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()).replaceAll(/[ -]/g, '_')
}
