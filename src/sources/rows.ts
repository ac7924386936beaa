import { eq } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import { knowledgeFolders, knowledgeSources } from '../../schema/sqlite/knowledge.ts'
import type { KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import { wholeSources } from '../agents/index.ts'
import type { Blobs } from '../platform/storage/sqlite/blobs.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { invalid } from '../platform/errors.ts'
import type { OnceOnly } from '../platform/storage/sqlite/once.ts'
import type { Jobs } from '../platform/storage/sqlite/jobs.ts'
import type { Revisions } from '../platform/storage/sqlite/revisions.ts'
import type { Notifier } from '../platform/work/notifier.ts'
import type { Accounting } from './accounting.ts'
import type { PassageIndex } from '../search/passages.sqlite.ts'
import { topicOf } from './store.ts'

/** What the stores of this feature are made of. */
export interface Needs {
  db: Database
  clock: Clock
  revisions: Revisions
  onceOnly: OnceOnly
  notifier: Notifier
  jobs: Jobs
  blobs: Blobs
  accounting: Accounting
  index: PassageIndex
  /** Whether passages are embedded once they are published. */
  embeds: boolean
}

/** Events kept for each agent. */
const EVENTS_KEPT = 500

/** The steps that every change of what an agent knows is made of; each runs inside the transaction of the change. */
export type Rows = ReturnType<typeof rowsOf>

/** See Rows. */
export function rowsOf ({ db, clock, revisions, notifier, blobs, accounting }: Needs) {
  const { orm, raw } = db
  const owns = raw.prepare<[Id, Id], number>('select 1 from agents where id = ? and owner_id = ?').pluck()
  const touchAgent = raw.prepare('update agents set revision = ?, updated_at = ? where id = ?')
  const addEvent = raw.prepare('insert into knowledge_events (agent_id, source, data) values (?, ?, ?)')
  const forgetEvents = raw.prepare('delete from knowledge_events where agent_id = ? and source = ?')
  const trimEvents = raw.prepare(`delete from knowledge_events where agent_id = ? and id <=
    (select id from knowledge_events where agent_id = ? order by id desc limit 1 offset ?)`)
  const rootFolder = raw.prepare<[Id], Id>('select id from knowledge_folders where agent_id = ? and parent_id is null').pluck()
  const folderOf = raw.prepare<[Id, Id], Id>('select id from knowledge_folders where id = ? and agent_id = ?').pluck()
  const select = `select ${wholeSources.columns} from knowledge_sources`
  const byId = raw.prepare<[Id], unknown[]>(`${select} where id = ?`).raw()
  const childrenOf = raw.prepare<[Id], unknown[]>(`${select} where parent_id = ? order by id`).raw()

  function source (id: Id): KnowledgeSourceRecord | undefined {
    const row = byId.get(id)
    return row && wholeSources.record(row)
  }

  /** The agent and its owner's lists show something new. */
  function moved (owner: Id, agent: Id) {
    const now = clock.micros()
    touchAgent.run(revisions.move(owner, now), timestamp(now), agent)
  }

  /** Tells those who watch how a source stands now; its title is looked up when they are told. */
  function announce (kept: KnowledgeSourceRecord, gone = false) {
    const { id, status, training_status: training, error, total_training_usage_bytes: bytes, is_selected: selected, parent_knowledge_source: parent } = kept
    // Of what is deleted nothing is told any more.
    if (gone) forgetEvents.run(kept.agent, id)
    addEvent.run(kept.agent, id, JSON.stringify(gone
      ? { type: 'removed', id }
      : { type: 'source', id, status, training_status: training, error, is_selected: selected, parent_knowledge_source: parent, total_training_usage_bytes: bytes }))
    trimEvents.run(kept.agent, kept.agent, EVENTS_KEPT)
    notifier.notify(topicOf(kept.agent))
  }

  function write (id: Id, fields: Partial<typeof knowledgeSources.$inferInsert>): KnowledgeSourceRecord {
    orm.update(knowledgeSources).set({ ...fields, updated_at: timestamp(clock.micros()) }).where(eq(knowledgeSources.id, id)).run()
    const kept = source(id)!
    moved(kept.owner, kept.agent)
    announce(kept)
    return kept
  }

  return {
    source,
    moved,
    announce,
    write,
    children: (id: Id): KnowledgeSourceRecord[] => childrenOf.all(id).map(wholeSources.record),
    owns: (owner: Id, agent: Id): boolean => owns.get(agent, owner) === 1,

    find (owner: Id, agent: Id, id: Id): KnowledgeSourceRecord | undefined {
      const found = source(id)
      return found?.owner === owner && found.agent === agent ? found : undefined
    },

    /** The folder asked for, or the root folder. Throws VALIDATION_ERROR when the agent has no such folder. */
    folder (agent: Id, wanted: Id | undefined, field = 'agent_knowledge_folder'): Id {
      const found = wanted === undefined ? rootFolder.get(agent) : folderOf.get(wanted, agent)
      if (found === undefined) throw invalid({ field, message: `${field} is not a folder of this agent; knowledge_folders/ lists them.` })
      return found
    },

    /** Puts a text in the place of the source's old one, and counts it. */
    swapText (kept: KnowledgeSourceRecord, text: { blob: Id, bytes: number }) {
      if (kept.is_selected) accounting.add(kept.agent, text.bytes - kept.total_training_usage_bytes)
      if (kept.text_blob !== null && kept.text_blob !== text.blob) blobs.drop(kept.text_blob)
      return { text_blob: text.blob, total_training_usage_bytes: text.bytes }
    },

    /** Gives up a source's text, uncounted. */
    forgetText (kept: KnowledgeSourceRecord) {
      if (kept.is_selected) accounting.add(kept.agent, -kept.total_training_usage_bytes)
      if (kept.text_blob !== null) blobs.drop(kept.text_blob)
    },

    /** Takes a source out, uncounted. Its children must have gone first. */
    removeSource (kept: KnowledgeSourceRecord) {
      if (kept.is_selected) accounting.add(kept.agent, -kept.total_training_usage_bytes)
      // Its blobs, passages and job go by a trigger, as they do when a whole agent or user is deleted.
      orm.delete(knowledgeSources).where(eq(knowledgeSources.id, kept.id)).run()
      announce(kept, true)
    },

    insertFolder: (agent: Id, owner: Id, name: string, parent: Id | null) => {
      const now = timestamp(clock.micros())
      return orm.insert(knowledgeFolders).values({ agent, owner, parent, name, created_at: now, updated_at: now }).returning().get()
    }
  }
}
