import { and, eq, getTableColumns } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import type { FolderRecord, KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import type { Tier } from '../../schema/plans.ts'
import { knowledgeFolders, knowledgeSources } from '../../schema/sqlite/knowledge.ts'
import { OF_KEPT_AGENT, wholeSources } from '../agents/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import { slugOf } from '../platform/text.ts'
import { Refusal } from '../platform/errors.ts'
import type { Blobs } from '../platform/storage/sqlite/blobs.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import { mapped, type Work } from '../platform/storage/work.ts'
import type { PassageIndex } from '../search/passages.sqlite.ts'
import type { CreatedSource } from './life/create.ts'
import {
  checkNumber, checkRoom, domainEventsOf, embedding, training, weigh, type JobChange, type PassageChange,
  type SourceRow, type LifeStep
} from './life/step.ts'
import { topicOf } from './store.ts'
import type { AccountRoom } from './contract.ts'
import { storageRoom } from './accounting.ts'
import { visitsIn } from './visits.sqlite.ts'

/** Dependencies of this feature's stores. */
export interface Needs extends Pick<
  Kernel, 'db' | 'clock' | 'revisions' | 'idempotency' | 'notifier' | 'eventBus' | 'jobs'
> {
  blobs: Blobs
  index: PassageIndex
  /** Bytes of text an agent of a tier may have, and bytes an account of it may keep; see Room. */
  limits: { training: (tier: Tier) => number, storage: (tier: Tier) => number }
  /** Whether passages are embedded once they are published. */
  embeds: boolean
}

/** Events kept for each agent. */
const EVENTS_KEPT = 500

/** Reads what decisions need and writes what they say; each of these runs inside the transaction of the change. */
export type SourceRows = ReturnType<typeof sourceRowsOf>

/** See Rows. */
export function sourceRowsOf (needs: Needs) {
  const reading = readingOf(needs)
  const telling = tellingOf(needs)
  const { db, clock, jobs, blobs, index, eventBus } = needs
  const visits = visitsIn(needs.db)
  const settings = new Map<string, { rows: ReturnType<typeof rowsOf>, update: ReturnType<typeof db.objects> }>()
  const nameKey = db.objects(`
    update knowledge_sources set key = :key where id = :id
      and not exists (select 1 from knowledge_sources where agent_id = :agent and key = :key)`)
  const born = rowsOf(knowledgeSources, ['key', 'id'])
  const insert = db.column<any[], Id>(
    `insert into knowledge_sources (${born.columns}) values (${born.placeholders}) returning id`
  )
  const addTraining = db.objects(
    'update agents set total_training_usage_bytes = total_training_usage_bytes + ? where id = ?'
  )

  /** Keeps what was staged; gone means that the server was started again while it was being sent. */
  function * keep (blob: Id) {
    if (!(yield * blobs.keep(blob))) {
      throw new Refusal('unavailable', 'The server was restarted while this was being sent. Send it again.', {
        headers: { 'retry-after': '1' }
      })
    }
  }

  /** The statement that sets these fields, prepared once for each choice of them: there are a few dozen. */
  function settingOf (fields: Partial<SourceRow>) {
    const names = Object.keys(fields).filter((name) => fields[name as keyof SourceRow] !== undefined).sort()
    const shape = names.join()
    const known = settings.get(shape)
    if (known) return known
    const others = Object.keys(getTableColumns(knowledgeSources)).filter((name) => !names.includes(name))
    const rows = rowsOf(knowledgeSources, others as Array<keyof SourceRow>)
    const made = { rows, update: db.objects<unknown[]>(`update knowledge_sources set ${rows.settings} where id = ?`) }
    settings.set(shape, made)
    return made
  }

  function * writeRow ({ source, next, isQuiet }: LifeStep) {
    for (const field of ['file_blob', 'text_blob', 'change_blob'] as const) {
      const [before, after] = [source[field], next[field]]
      if (after === undefined || after === before) continue
      if (after !== null) yield * keep(after)
      if (before !== null) yield * blobs.drop(before)
    }
    const fields = isQuiet ? next : { ...next, updated_at: timestamp(clock.micros()) }
    if (Object.keys(fields).length === 0) return
    const { rows, update } = settingOf(fields)
    yield * update.run(...rows.values(fields as SourceRow), source.id)
  }

  function * changePassages (source: Id, change: PassageChange) {
    if (change === 'remove') yield * index.remove(source)
    else if ('publish' in change) yield * index.publish(change.publish)
    else yield * index.select(source, change.select)
  }

  function * changeJob (source: Pick<SourceRow, 'id' | 'owner' | 'type' | 'file_blob'>, change: JobChange) {
    if ('drop' in change) yield * jobs.drop(change.drop, source.id)
    else if ('later' in change) yield * jobs.ask({ ...training(source, change.inMs), unlessAsked: true })
    else yield * jobs.ask(change.ask === 'embed' ? embedding(source) : training(source, change.inMs))
  }

  function * take (one: LifeStep) {
    const { source, next, passages, jobs: changes, isRemoved, isQuiet } = one
    // Its blobs, passages and jobs go by a trigger, as they do when a whole agent or user is deleted.
    if (isRemoved) yield * db.run(db.orm.delete(knowledgeSources).where(eq(knowledgeSources.id, source.id)))
    else yield * writeRow(one)
    if (one.fetched && !isRemoved) yield * visits.remember(source, one.fetched)
    if (one.choice) yield * visits.choose(source, one.choice)
    for (const change of passages) yield * changePassages(source.id, change)
    for (const change of changes) yield * changeJob({ ...source, ...next }, change)
    if (!isQuiet) yield * telling.announce({ ...source, ...next }, isRemoved)
    yield * eventBus.publish(...domainEventsOf(one))
  }

  /** Updates the byte counts. Throws what `checkRoom` throws. */
  function * count (owner: Id, agent: Id, asked: { counted: number, stored: number }) {
    if (asked.counted > 0 || asked.stored > 0) {
      checkRoom(asked, { training: yield * reading.room(agent), storage: yield * reading.storage(owner) })
    }
    if (asked.counted !== 0) yield * addTraining.run(asked.counted, agent)
  }

  /** Adds this many sources and bytes to an agent's counts. Refuses what does not fit. */
  function * reserve (owner: Id, agent: Id, number: number, asked: { counted: number, stored: number }) {
    checkNumber(yield * reading.number(agent), number)
    yield * count(owner, agent, asked)
  }

  function bring (births: CreatedSource[]): Work<Id[]> {
    return mapped(births, function * ({ row, fetched, jobs: changes }) {
      for (const blob of [row.file_blob, row.text_blob]) if (blob !== null) yield * keep(blob)
      const kept = { ...row, id: (yield * insert.get(...born.values(row)))! }
      const key = row.parent_knowledge_source === null ? slugOf(row.title) : ''
      if (key !== '') yield * nameKey.run({ key, id: kept.id, agent: row.agent })
      if (fetched) yield * visits.remember(kept, fetched)
      for (const change of changes) yield * changeJob(kept, change)
      yield * telling.announce(kept)
      return kept.id
    })
  }

  return {
    ...reading,
    visits,
    moved: telling.moved,

    /** Takes the steps of a decision, all about sources of one agent. Refuses what does not fit. */
    * applyTo (steps: LifeStep[]) {
      const [first] = steps
      if (!first) return
      const { owner, agent } = first.source
      yield * count(owner, agent, weigh(steps))
      for (const one of steps) yield * take(one)
      if (steps.some(({ isQuiet }) => !isQuiet)) yield * telling.moved(owner, agent)
    },

    /** Adds sources to an agent; their ids. Refuses what does not fit. */
    * bear (owner: Id, agent: Id, births: CreatedSource[]): Work<Id[]> {
      yield * reserve(owner, agent, births.length, weigh([], births.map(({ row }) => row)))
      const ids = yield * bring(births)
      if (ids.length) yield * telling.moved(owner, agent)
      return ids
    },

    reserve,
    /** Adds sources for which there is room, announcing each of them; returns their ids. */
    bring,
    /** Refuses `stored` more bytes if the account's storage would not hold them. */
    * demandStorage (owner: Id, stored: number) {
      checkRoom({ counted: 0, stored }, { training: { used: 0, allowed: 0 }, storage: yield * reading.storage(owner) })
    }
  }
}

/** The current state that decisions depend on. */
function readingOf ({ db, limits }: Needs) {
  const owns = db.column<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?')
  const rows = rowsOf(knowledgeSources, ['key'])
  const one = db.rows<[Id], unknown[]>(`select ${rows.columns} from knowledge_sources where id = ? and ${OF_KEPT_AGENT}`)
  const whole = db.rows<[Id], unknown[]>(`select ${wholeSources.columns} from knowledge_sources where id = +? and ${OF_KEPT_AGENT}`)
  const children = db.rows<[Id], unknown[]>(`select ${rows.columns} from knowledge_sources where parent_id = ? order by id`)
  const inside = db.column<[Id], number | null>(`
    select cast(sum(cast(metadata ->> 'no_of_passages' as bigint)) as bigint) from knowledge_sources where parent_id = ?`)
  const number = db.column<[Id], number>('select count(*) from knowledge_sources where agent_id = ?')
  const folderRows = rowsOf(knowledgeFolders)
  const folders = db.rows<[Id], unknown[]>(
    `select ${folderRows.columns} from knowledge_folders where agent_id = ? and ${OF_KEPT_AGENT} order by id`
  )
  const room = db.objects<[Id], { used: number, tier: Tier }>(
    'select total_training_usage_bytes as used, tier from agents join users on users.id = owner_id where agents.id = +?')

  /** A source without its text, and without the title that its text would give it. */
  const plain = (row: SourceRow): KnowledgeSourceRecord => ({ ...row, plain_text: null })

  function * record (id: Id): Work<KnowledgeSourceRecord | undefined> {
    const row = yield * one.get(id)
    return row && plain(rows.record(row))
  }

  /** A site, or a folder of files, with the passages of all that is in it; anything else as it is. */
  function * summed (source: KnowledgeSourceRecord): Work<KnowledgeSourceRecord> {
    const { id, type, parent_knowledge_source: parent, metadata } = source
    const passages = parent === null && ['website', 'google_drive'].includes(type) ? yield * inside.get(id) : undefined
    return passages ? { ...source, metadata: { ...metadata, no_of_passages: passages } } : source
  }

  return {
    record,
    summed,
    /** A single source as shown. */
    * source (id: Id): Work<KnowledgeSourceRecord | undefined> {
      const row = yield * whole.get(id)
      return row && (yield * summed(wholeSources.record(row)))
    },
    * find (owner: Id, agent: Id, id: Id): Work<KnowledgeSourceRecord | undefined> {
      const kept = yield * record(id)
      return kept?.owner === owner && kept.agent === agent ? kept : undefined
    },
    * children (id: Id): Work<KnowledgeSourceRecord[]> {
      return (yield * children.all(id)).map((row) => plain(rows.record(row)))
    },
    /** The page of a site, or the file of a folder, that is known by this. */
    * child ({ id, type }: KnowledgeSourceRecord, key: string): Work<KnowledgeSourceRecord | undefined> {
      const isIt =
        type === 'website' ? eq(knowledgeSources.urls, [key]) : eq(knowledgeSources.google_drive_file_id, key)
      const row = yield * db.get(db.orm
        .select()
        .from(knowledgeSources)
        .where(and(eq(knowledgeSources.parent_knowledge_source, id), isIt)))
      return row && plain(row)
    },
    * folders (agent: Id): Work<FolderRecord[]> { return (yield * folders.all(agent)).map(folderRows.record) },
    * owns (owner: Id, agent: Id): Work<boolean> { return (yield * owns.get(agent, owner)) === 1 },
    /** The number of an agent's sources. */
    * number (agent: Id): Work<number> { return (yield * number.get(agent)) ?? 0 },
    * room (agent: Id): Work<AccountRoom> {
      const { used, tier } = (yield * room.get(agent))!
      return { used, allowed: limits.training(tier) }
    },
    storage: storageRoom(db, limits.storage)
  }
}

/** Announces changes: to an agent's watchers, and by new revisions. */
function tellingOf ({ db, clock, revisions, notifier }: Needs) {
  const touchAgent = db.objects('update agents set revision = ?, updated_at = ? where id = ?')
  const addEvent = db.objects('insert into knowledge_events (agent_id, source, data) values (?, ?, ?)')
  const forgetEvents = db.objects('delete from knowledge_events where agent_id = ? and source = ?')
  const trimEvents = db.objects(`delete from knowledge_events where agent_id = ? and id <=
    (select id from knowledge_events where agent_id = ? order by id desc limit 1 offset ?)`)

  return {
    /** The agent and its owner's lists show something new. */
    * moved (owner: Id, agent: Id) {
      const now = clock.micros()
      yield * touchAgent.run(yield * revisions.move(owner, now), timestamp(now), agent)
    },

    /** Notifies watchers of a source's new state; its title is looked up on delivery. */
    * announce (kept: SourceRow, isGone = false) {
      const {
        id, status, training_status: training, error, total_training_usage_bytes: bytes, is_selected: selected,
        parent_knowledge_source: parent
      } = kept
      // Deleted ones are no longer announced.
      if (isGone) yield * forgetEvents.run(kept.agent, id)
      yield * addEvent.run(
        kept.agent,
        id,
        JSON.stringify(
          isGone
            ? { type: 'removed', id }
            : {
                type: 'source',
                id,
                status,
                training_status: training,
                error,
                is_selected: selected,
                parent_knowledge_source: parent,
                total_training_usage_bytes: bytes
              }
        )
      )
      yield * trimEvents.run(kept.agent, kept.agent, EVENTS_KEPT)
      yield * db.afterwards(() => notifier.notify(topicOf(kept.agent)))
    }
  }
}
