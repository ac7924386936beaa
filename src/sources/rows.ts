import { and, asc, eq, sql } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import type { FolderRecord, KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import type { Tier } from '../../schema/plans.ts'
import { knowledgeFolders, knowledgeSources } from '../../schema/sqlite/knowledge.ts'
import { OF_KEPT_AGENT, wholeSources } from '../agents/index.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { slugOf } from '../platform/text.ts'
import { Refusal } from '../platform/errors.ts'
import type { Blobs } from '../platform/storage/sqlite/blobs.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Jobs } from '../platform/storage/sqlite/jobs.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import type { Revisions } from '../platform/storage/sqlite/revisions.ts'
import { rowsOf } from '../platform/storage/sqlite/rows.ts'
import type { Announcements } from '../platform/work/announcements.ts'
import type { Notifier } from '../platform/work/notifier.ts'
import type { PassageIndex } from '../search/passages.sqlite.ts'
import type { Birth } from './life/birth.ts'
import { embedding, training } from './work/jobs.ts'
import { happeningsOf } from './life/happenings.ts'
import {
  checkNumber, checkRoom, weigh, type JobChange, type PassageChange, type SourceRow, type LifeStep
} from './life/step.ts'
import { topicOf } from './store.ts'
import type { AccountRoom } from './contract.ts'
import { storageRoom } from './accounting.ts'
import { visitsIn } from './visits.sqlite.ts'

/** What the stores of this feature are made of. */
export interface Needs {
  db: Database
  clock: Clock
  revisions: Revisions
  onceOnly: OnceOnly
  notifier: Notifier
  announcements: Announcements
  jobs: Jobs
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
  const { db: { orm, raw }, clock, jobs, blobs, index, announcements } = needs
  const visits = visitsIn(needs.db)
  const nameKey = raw.prepare(`
    update knowledge_sources set key = :key where id = :id
      and not exists (select 1 from knowledge_sources where agent_id = :agent and key = :key)`)
  const addTraining = raw.prepare(
    'update agents set total_training_usage_bytes = total_training_usage_bytes + ? where id = ?'
  )

  /** Keeps what was staged; gone means that the server was started again while it was being sent. */
  function keep (blob: Id) {
    if (!blobs.keep(blob)) {
      throw new Refusal('unavailable', 'The server was restarted while this was being sent. Send it again.', {
        headers: { 'retry-after': '1' }
      })
    }
  }

  function writeRow ({ source, next, isQuiet }: LifeStep) {
    for (const field of ['file_blob', 'text_blob'] as const) {
      const [before, after] = [source[field], next[field]]
      if (after === undefined || after === before) continue
      if (after !== null) keep(after)
      if (before !== null) blobs.drop(before)
    }
    const fields = isQuiet ? next : { ...next, updated_at: timestamp(clock.micros()) }
    if (Object.keys(fields).length === 0) return
    orm.update(knowledgeSources).set(fields).where(eq(knowledgeSources.id, source.id)).run()
  }

  function changePassages (source: Id, change: PassageChange) {
    if (change === 'remove') index.remove(source)
    else if ('publish' in change) index.publish(change.publish)
    else index.select(source, change.select)
  }

  function changeJob (source: Pick<SourceRow, 'id' | 'owner' | 'type' | 'file_blob'>, change: JobChange) {
    if ('drop' in change) jobs.drop(change.drop, source.id)
    else if ('later' in change) jobs.ask({ ...training(source, change.inMs), unlessAsked: true })
    else jobs.ask(change.ask === 'embed' ? embedding(source) : training(source, change.inMs))
  }

  function take (one: LifeStep) {
    const { source, next, passages, jobs: changes, isRemoved, isQuiet } = one
    // Its blobs, passages and jobs go by a trigger, as they do when a whole agent or user is deleted.
    if (isRemoved) orm.delete(knowledgeSources).where(eq(knowledgeSources.id, source.id)).run()
    else writeRow(one)
    if (one.fetched && !isRemoved) visits.remember(source, one.fetched)
    if (one.choice) visits.choose(source, one.choice)
    for (const change of passages) changePassages(source.id, change)
    for (const change of changes) changeJob({ ...source, ...next }, change)
    if (!isQuiet) telling.announce({ ...source, ...next }, isRemoved)
    announcements.announce(...happeningsOf(one))
  }

  /** Counts what is added and taken away. Throws what `checkRoom` throws. */
  function count (owner: Id, agent: Id, asked: { counted: number, stored: number }) {
    if (asked.counted > 0 || asked.stored > 0) {
      checkRoom(asked, { training: reading.room(agent), storage: reading.storage(owner) })
    }
    if (asked.counted !== 0) addTraining.run(asked.counted, agent)
  }

  return {
    ...reading,
    visits,
    moved: telling.moved,

    /** Takes the steps of a decision, all about sources of one agent. Refuses what does not fit. */
    carryOut (steps: LifeStep[]) {
      const [first] = steps
      if (!first) return
      const { owner, agent } = first.source
      count(owner, agent, weigh(steps))
      for (const one of steps) take(one)
      if (steps.some(({ isQuiet }) => !isQuiet)) telling.moved(owner, agent)
    },

    /** Adds sources to an agent; their ids. Refuses what does not fit. */
    bear (owner: Id, agent: Id, births: Birth[]): Id[] {
      checkNumber(reading.number(agent), births.length)
      count(owner, agent, weigh([], births.map(({ row }) => row)))
      const ids = births.map(({ row, fetched, jobs: changes }) => {
        for (const blob of [row.file_blob, row.text_blob]) if (blob !== null) keep(blob)
        const kept = orm.insert(knowledgeSources).values(row).returning().get()
        const key = row.parent_knowledge_source === null ? slugOf(row.title) : ''
        if (key !== '') nameKey.run({ key, id: kept.id, agent })
        if (fetched) visits.remember(kept, fetched)
        for (const change of changes) changeJob(kept, change)
        telling.announce(kept)
        return kept.id
      })
      if (ids.length) telling.moved(owner, agent)
      return ids
    }
  }
}

/** What decisions depend on, as it stands. */
function readingOf ({ db: { orm, raw }, limits }: Needs) {
  const owns = raw.prepare<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?').pluck()
  const rows = rowsOf(knowledgeSources, ['key'])
  const one = raw.prepare<[Id], unknown[]>(`select ${rows.columns} from knowledge_sources where id = ? and ${OF_KEPT_AGENT}`).raw()
  const whole = raw
    .prepare<[Id], unknown[]>(`select ${wholeSources.columns} from knowledge_sources where id = +? and ${OF_KEPT_AGENT}`)
    .raw()
  const number = raw.prepare<[Id], number>('select count(*) from knowledge_sources where agent_id = ?').pluck()
  const room = raw.prepare<[Id], { used: number, tier: Tier }>(
    'select total_training_usage_bytes as used, tier from agents join users on users.id = owner_id where agents.id = +?')

  /** A source without its text, and without the title that its text would give it. */
  const plain = (row: SourceRow): KnowledgeSourceRecord => ({ ...row, plain_text: null })

  function record (id: Id): KnowledgeSourceRecord | undefined {
    const row = one.get(id)
    return row && plain(rows.record(row))
  }

  return {
    record,
    /** A source as it is shown by itself. */
    source (id: Id): KnowledgeSourceRecord | undefined {
      const row = whole.get(id)
      return row && wholeSources.record(row)
    },
    find (owner: Id, agent: Id, id: Id): KnowledgeSourceRecord | undefined {
      const kept = record(id)
      return kept?.owner === owner && kept.agent === agent ? kept : undefined
    },
    children: (id: Id): KnowledgeSourceRecord[] =>
      orm
        .select()
        .from(knowledgeSources)
        .where(eq(knowledgeSources.parent_knowledge_source, id))
        .orderBy(asc(knowledgeSources.id))
        .all()
        .map(plain),
    /** The page of a site, or the file of a folder, that is known by this. */
    child ({ id, type }: KnowledgeSourceRecord, key: string): KnowledgeSourceRecord | undefined {
      const isIt =
        type === 'website' ? eq(knowledgeSources.urls, [key]) : eq(knowledgeSources.google_drive_file_id, key)
      const row = orm
        .select()
        .from(knowledgeSources)
        .where(and(eq(knowledgeSources.parent_knowledge_source, id), isIt))
        .get()
      return row && plain(row)
    },
    folders: (agent: Id): FolderRecord[] =>
      orm
        .select()
        .from(knowledgeFolders)
        .where(and(eq(knowledgeFolders.agent, agent), sql.raw(OF_KEPT_AGENT)))
        .orderBy(asc(knowledgeFolders.id))
        .all(),
    owns: (owner: Id, agent: Id): boolean => owns.get(agent, owner) === 1,
    /** How many sources an agent has. */
    number: (agent: Id): number => number.get(agent) ?? 0,
    room (agent: Id): AccountRoom {
      const { used, tier } = room.get(agent)!
      return { used, allowed: limits.training(tier) }
    },
    storage: storageRoom(raw, limits.storage)
  }
}

/** Tells of changes: those who watch an agent, and whoever asks whether what it shows has changed. */
function tellingOf ({ db: { raw }, clock, revisions, notifier }: Needs) {
  const touchAgent = raw.prepare('update agents set revision = ?, updated_at = ? where id = ?')
  const addEvent = raw.prepare('insert into knowledge_events (agent_id, source, data) values (?, ?, ?)')
  const forgetEvents = raw.prepare('delete from knowledge_events where agent_id = ? and source = ?')
  const trimEvents = raw.prepare(`delete from knowledge_events where agent_id = ? and id <=
    (select id from knowledge_events where agent_id = ? order by id desc limit 1 offset ?)`)

  return {
    /** The agent and its owner's lists show something new. */
    moved (owner: Id, agent: Id) {
      const now = clock.micros()
      touchAgent.run(revisions.move(owner, now), timestamp(now), agent)
    },

    /** Tells those who watch how a source stands now; its title is looked up when they are told. */
    announce (kept: SourceRow, isGone = false) {
      const {
        id, status, training_status: training, error, total_training_usage_bytes: bytes, is_selected: selected,
        parent_knowledge_source: parent
      } = kept
      // Of what is deleted nothing is told any more.
      if (isGone) forgetEvents.run(kept.agent, id)
      addEvent.run(
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
      trimEvents.run(kept.agent, kept.agent, EVENTS_KEPT)
      notifier.notify(topicOf(kept.agent))
    }
  }
}
