import { eq } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import { knowledgeSources } from '../../schema/sqlite/knowledge.ts'
import type { Fetched, KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import { timestamp } from '../platform/clock.ts'
import type { Job } from '../platform/storage/sqlite/jobs.ts'
import type { Needs, Rows } from './rows.ts'
import type { Child, TrainingStore } from './store.ts'

const HOUR_MICROS = 3_600_000_000
const DONE = { status: 'Success', training_status: 'Success', error: null } as const

/** The training store in SQLite. */
export function trainingStore ({ db, clock, jobs, blobs, index, embeds }: Needs, rows: Rows): TrainingStore {
  const { orm } = db

  /** The source of a job that is still wanted. */
  function wanted (job: Job, id: Id): KnowledgeSourceRecord | undefined {
    return jobs.isMine(job) ? rows.source(id) : undefined
  }

  /** Ends a job, and asks for the next look at a source that is to be refreshed. */
  function finish (job: Job, kept: KnowledgeSourceRecord) {
    jobs.finish(job)
    const hours = kept.crawl?.refresh_hours
    if (hours) jobs.schedule(job.kind, kept.id, kept.owner, clock.micros() + hours * HOUR_MICROS)
  }

  /** How a child stands that could not be read: it waits to be tried again, or has failed. */
  function standing ({ error, againInMs }: Child) {
    const status = error && againInMs === undefined ? 'Failed' as const : 'Pending' as const
    return { status, training_status: status, ...(error && { error }) }
  }

  /** Asks for the training of a child, now or when it is to be tried again. */
  function ask (kept: KnowledgeSourceRecord, { againInMs = 0 }: Child) {
    jobs.add('train', kept.id, kept.owner, clock.micros() + againInMs * 1000)
  }

  function insertChild (parent: KnowledgeSourceRecord, child: Child): KnowledgeSourceRecord {
    const { key, title, file, fetched } = child
    const now = timestamp(clock.micros())
    const { id } = orm.insert(knowledgeSources).values({
      agent: parent.agent,
      owner: parent.owner,
      urls: parent.type === 'website' ? [key] : [],
      file_path: '',
      file_name: file?.name ?? '',
      file_blob: file?.blob ?? null,
      google_drive_file_id: parent.type === 'google_drive' ? key : null,
      title: title || key,
      ...standing(child),
      type: parent.type,
      agent_knowledge_folder: parent.agent_knowledge_folder,
      parent_knowledge_source: parent.id,
      metadata: { format: '', file_size: `${file?.bytes ?? 0}B`, no_of_rows: null, no_of_chars: null, no_of_pages: null, upload_date: now.replace('Z', '+00:00') },
      is_selected: parent.is_selected,
      fetched,
      total_training_usage_bytes: 0,
      created_at: now,
      updated_at: now
    }).returning({ id: knowledgeSources.id }).get()
    return rows.source(id)!
  }

  function train (kept: KnowledgeSourceRecord, file: Child['file'], fetched: Fetched) {
    if (file && kept.file_blob !== null) blobs.drop(kept.file_blob)
    rows.write(kept.id, {
      ...(file && { file_blob: file.blob, file_name: file.name, metadata: { ...kept.metadata, file_size: `${file.bytes}B` } }),
      fetched,
      status: 'Pending',
      training_status: 'Pending',
      error: null
    })
    jobs.add('train', kept.id, kept.owner)
  }

  /** Fetched bytes are kept only until they have been read; what somebody uploaded stays, to be downloaded again. */
  function isFetched ({ type, file_blob: file }: KnowledgeSourceRecord): boolean {
    return type !== 'docs' && file !== null
  }

  /** Of what could not be read nothing is remembered: the next look fetches it anew, and does not take the old text for the page's. */
  function withoutFetched (kept: KnowledgeSourceRecord) {
    if (!isFetched(kept)) return {}
    blobs.drop(kept.file_blob!)
    return { file_blob: null, fetched: {} }
  }

  /** Takes away what a page that is gone had said, and what was fetched of it before, even if that is being read right now. */
  function forget (kept: KnowledgeSourceRecord) {
    jobs.remove('train', kept.id)
    rows.forgetText(kept)
    index.remove(kept.id)
    return { ...withoutFetched(kept), text_blob: null, total_training_usage_bytes: 0 }
  }

  return {
    begin: (job) => db.atomically(() => {
      const kept = wanted(job, job.subject)
      if (kept) return rows.write(kept.id, { status: 'Processing', training_status: 'Processing', error: null })
      jobs.finish(job)
      return undefined
    }),

    sourceOf: async (job) => db.read(() => rows.source(job.subject)),
    end: (job) => db.atomically(() => { jobs.finish(job) }),

    publish: (job, id, { text, training, metadata, title, fetched }) => db.atomically(() => {
      const kept = wanted(job, id)
      if (!kept || (text.blob !== kept.text_blob && !blobs.keep(text.blob))) return false
      if (isFetched(kept)) blobs.drop(kept.file_blob!)
      rows.write(id, {
        ...rows.swapText(kept, text),
        ...(isFetched(kept) && { file_blob: null }),
        ...(title !== undefined && { title }),
        ...(fetched && { fetched }),
        metadata: { ...kept.metadata, ...metadata },
        sub_urls: null,
        ...DONE
      })
      // It was a site, and is one page now.
      for (const child of rows.children(id)) rows.removeSource(child)
      index.publish(training)
      index.select(id, kept.is_selected)
      if (embeds) jobs.add('embed', id, kept.owner)
      finish(job, kept)
      return true
    }),

    fail: (job, id, error, { isGone = false } = {}) => db.atomically(() => {
      const kept = wanted(job, id)
      if (!kept) return
      const known = isGone ? { ...forget(kept), fetched: {} } : withoutFetched(kept)
      finish(job, kept)
      // What a text said before was replaced; it must not be found where the new one never will be.
      if (kept.type === 'text' && !error.retryable) index.remove(id)
      rows.write(id, { ...known, status: 'Failed', training_status: 'Failed', error })
    }, { frees: true }),

    postpone: (job, id, error) => db.atomically(() => {
      if (wanted(job, id)) rows.write(id, { status: 'Pending', training_status: 'Pending', error })
    }, { frees: true }),

    // Not of what was never trained: that has to be read again even if it has not changed.
    visits: async (source) => db.read(() => Object.assign({}, rows.source(source)?.fetched,
      ...rows.children(source).filter((child) => child.text_blob !== null).map(({ fetched }) => fetched))),

    keepChild: (job, parentId, child) => db.atomically(() => {
      const parent = wanted(job, parentId)
      if (!parent || (child.file && !blobs.keep(child.file.blob))) return false
      const known = rows.children(parentId).find((one) => keyOf(one) === child.key)
      if (!known) {
        const kept = insertChild(parent, child)
        if (kept.status === 'Pending') ask(kept, child)
        rows.announce(kept)
        rows.moved(kept.owner, kept.agent)
      } else if (child.error) {
        // What it said before goes on answering until it is known to be gone.
        // With what is remembered of it forgotten, the next look reads it anew even if it is as it was.
        rows.write(known.id, { ...(child.isGone && forget(known)), fetched: {}, ...standing(child) })
        if (child.againInMs !== undefined) ask(known, child)
      } else if (child.changed) train(known, child.file, child.fetched)
      else orm.update(knowledgeSources).set({ fetched: child.fetched }).where(eq(knowledgeSources.id, known.id)).run()
      return true
    }),

    finishChildren: (job, id, found, { title, fetched, isPartial = false }) => db.atomically(() => {
      const kept = wanted(job, id)
      if (!kept) return
      const keys = new Set(found)
      for (const child of rows.children(id)) {
        // Behind a page that did not answer for once there may be others, which are not gone for that.
        if (isPartial) keys.add(keyOf(child))
        else if (!keys.has(keyOf(child))) rows.removeSource(child)
      }
      finish(job, kept)
      // It was one page, and is a site now: what it said is its pages' to say.
      rows.forgetText(kept)
      index.remove(id)
      rows.write(id, {
        ...DONE,
        text_blob: null,
        total_training_usage_bytes: 0,
        sub_urls: [...keys],
        fetched,
        metadata: { ...kept.metadata, no_of_pages: keys.size },
        ...(title && kept.title === keyOf(kept) && { title })
      })
    }),

    unchanged: (job, id, fetched) => db.atomically(() => {
      const kept = wanted(job, id)
      if (!kept) return
      finish(job, kept)
      rows.write(id, { ...DONE, fetched })
    })
  }
}

/** What a child is known by among those of its parent. */
function keyOf ({ urls, google_drive_file_id: drive }: KnowledgeSourceRecord): string {
  return drive ?? urls[0]!
}
