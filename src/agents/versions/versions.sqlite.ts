import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { settingsIn, type AgentRecord, type AgentSettings } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import { agents, agentVersions } from '../../../schema/sqlite/agents.ts'
import { completedSettings } from '../../../schema/sqlite/completed.ts'
import type { SealedVersion, Version, VersionRecord, VersionSummary } from '../../../schema/versions.ts'
import type { Kernel } from '../../kernel/index.ts'
import { timestamp } from '../../platform/clock.ts'
import { sealKept } from '../../platform/storage/secrets.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import { mapped, type Work } from '../../platform/storage/work.ts'
import { inSlices } from '../../platform/work/slices.ts'
import type { JobRequest } from '../../platform/work/jobs.ts'
import { knowledgeIn } from './knowledge.sqlite.ts'

/** Milliseconds for which a replaced draft is stored. */
const DRAFT_KEPT_MS = 30 * 86_400_000

/** Metadata of a stored version. */
interface VersionDraft {
  settings: AgentSettings
  note?: string | undefined
  reason?: string | null | undefined
  copyOf?: number | null
  /** Its name in messages that are older than versions. */
  knownAs?: number | null
  by: Id | null
}

/** Who changes which agent, according to its row. */
type Of = Pick<AgentRecord, 'id' | 'owner' | 'live_version'>

/** Stores and reads versions inside an open transaction. */
export type VersionRows = ReturnType<typeof versionRows>

/** See VersionRows. */
export function versionRows ({ db, clock, secrets }: Pick<Kernel, 'db' | 'clock' | 'secrets'>) {
  const rows = rowsOf(agentVersions)
  const select = `select ${rows.columns}, (select name from users where users.id = published_by) from agent_versions`
  const insert = db.objects(`insert into agent_versions (${rows.columns}) values (${rows.placeholders})`)
  const isAny = db.column<[Id], number>('select 1 from agent_versions where agent_id = ? limit 1')
  const last = db.column<[Id], number>('select coalesce(max(number), 0) from agent_versions where agent_id = ?')
  const one = db.rows<[Id, number], unknown[]>(`${select} where agent_id = ? and number = ?`)
  const named = db.rows<[Id, number], unknown[]>(`${select} where agent_id = ? and known_as = ?`)
  const some = db.rows<[Id, number, number], unknown[]>(
      `${select} where agent_id = ? and number < ? order by number desc limit ?`
  )
  const knowledgeOf = knowledgeIn(db)
  const gone = db.column<[string, Id], Id>(
    'select cast(value as bigint) from json_each(?) where cast(value as bigint) not in (select id from knowledge_sources where agent_id = ?)'
  )
  const expired = db.objects<[string, number]>(`
    delete from agent_versions where id in (
      select id from agent_versions indexed by agent_versions_by_expiry where expires_at < ? order by expires_at limit ?)`)

  function * add (agent: Id, number: number, draft: VersionDraft, expires: string | null) {
    const { settings, note = '', reason = null, copyOf = null, knownAs = null, by } = draft
    const secret = yield * secrets.create()
    const knowledge = yield * knowledgeOf(agent)
    const sealed: SealedVersion = { settings: settingsIn(settings), note, reason, knowledge }
    yield * insert.run(rows.values({
      agent,
      number,
      copy_of: copyOf,
      known_as: knownAs,
      published_by: by,
      published_at: timestamp(clock.micros()),
      expires_at: expires,
      secret,
      sealed: (yield * sealKept(secrets, secret)).close(
        placeOf({ agent, number }), deflateRawSync(JSON.stringify(sealed))
      )
    }))
    return number
  }

  function stateOf ({ expires_at: expires, number }: Pick<Version, 'expires_at' | 'number'>, live: number | null) {
    if (expires !== null) return 'draft'
    return number === live ? 'live' : 'previous'
  }

  function * shown (row: unknown[], { live_version: live }: Of): Work<Version> {
    const { id: _id, agent, secret, sealed, known_as: _name, ...kept } = rows.record(row)
    const opened = (yield * sealKept(secrets, secret)).open(placeOf({ agent, number: kept.number }), sealed)
    const { settings, note, reason, knowledge } = JSON.parse(inflateRawSync(opened).toString()) as SealedVersion
    return {
      ...kept,
      state: stateOf(kept, live),
      note,
      published_by: kept.published_by === null ? null : { id: kept.published_by, name: row.at(-1) as string | null },
      force_reason: reason,
      settings: completedSettings(settings),
      knowledge,
      gone_sources: []
    }
  }

  return {
    /** Whether one is stored: agents from before there were versions have none at first. */
    * hasAny (agent: Id): Work<boolean> { return (yield * isAny.get(agent)) === 1 },
    /** Stores what is published as the next version; returns its number. */
    * keep (agent: Id, draft: VersionDraft): Work<number> {
      return yield * add(agent, (yield * last.get(agent))! + 1, draft, null)
    },
    /** Stores a draft, for a while, that is about to be replaced. */
    * keepDraft (agent: Id, settings: AgentSettings, by: Id | null): Work<number> {
      return yield * add(
        agent, (yield * last.get(agent))! + 1, { settings, by }, timestamp(clock.micros() + DRAFT_KEPT_MS * 1000)
      )
    },
    /** Stores the first version of an agent from before there were any: what is live. */
    * begin (agent: AgentRecord) {
      if ((yield * isAny.get(agent.id)) === 1) return
      yield * add(agent.id, agent.live_version, { settings: agent, knownAs: agent.version, by: null }, null)
    },
    * find (of: Of, number: number): Work<Version | undefined> {
      const row = (yield * one.get(of.id, number)) ?? (yield * named.get(of.id, number))
      if (!row) return undefined
      const version = yield * shown(row, of)
      return { ...version, gone_sources: yield * gone.all(JSON.stringify(version.knowledge.sources), of.id) }
    },
    /** Those before a number, newest first. */
    * list (of: Of, before: number, limit: number): Work<VersionSummary[]> {
      return yield * mapped(yield * some.all(of.id, before, limit), (row) => shown(row, of))
    },
    /** Deletes some of the expired drafts; whether there may be more. */
    * forgetSome (most: number): Work<boolean> {
      return (yield * expired.run(timestamp(clock.micros()), most)) === most
    }
  }
}

const placeOf = ({ agent, number }: Pick<VersionRecord, 'agent' | 'number'>) => `agent_versions/${agent}/${number}`

const DAY_MS = 86_400_000
/** Versions that are written or deleted in one go. */
const BATCH_SIZE = 20

/** Schedules storing the first versions of agents from before there were any, after an upgrade. */
export const FIRST_VERSIONS: JobRequest = { kind: 'agents.first-versions', subject: 0, owner: 0, unlessAsked: true }

/**
 * Has the worker store the first version of each agent from before there were any, in slices that do not block others,
 * and delete expired drafts. Returns whether there are such agents.
 */
export function workOnVersions (
  kernel: Pick<Kernel, 'worker' | 'db' | 'clock' | 'secrets'>
): () => Promise<boolean> {
  const { db, worker } = kernel
  const versions = versionRows(kernel)
  const agentRows = rowsOf(agents, ['key'])
  const unversioned = db.rows<[number], unknown[]>(`
      select ${agentRows.columns} from agents
      where owner_id is not null and not exists (select 1 from agent_versions where agent_id = agents.id) limit ?`)
  worker.handle(FIRST_VERSIONS.kind, {
    async run (_job, signal) {
      const slice = inSlices(db, signal)
      while (await slice(function * () {
        const rows = yield * unversioned.all(BATCH_SIZE)
        for (const row of rows) yield * versions.begin(agentRows.record(row) as AgentRecord)
        return rows.length === BATCH_SIZE
      }));
      signal.throwIfAborted()
      return { done: true }
    },
    tries: Infinity
  })
  worker.every('agents.drafts', DAY_MS, async (signal) => {
    const slice = inSlices(db, signal)
    while (await slice(() => versions.forgetSome(BATCH_SIZE)));
  })
  return async () => db.read(function * () { return (yield * unversioned.get(1)) !== undefined })
}
