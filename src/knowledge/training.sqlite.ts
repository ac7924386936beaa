import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Id } from '../../schema/common.ts'
import { knowledgeSources } from '../../schema/knowledge-tables.ts'
import type { KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import { timestamp } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import type { Needs, Rows } from './rows.ts'
import type { CrawledPage, KnowledgeStore } from './store.ts'

type TrainingStore = Pick<KnowledgeStore,
  'begin' | 'publish' | 'fail' | 'postpone' | 'pages' | 'keepPage' | 'finishCrawl' | 'unchanged'>

const HOUR_MICROS = 3_600_000_000
const NOTHING_FETCHED = { etag: null, lastModified: null, contentHash: null }

/** The part of the knowledge store that jobs use. What a job found is written only while the job is still wanted. */
export function trainingStore ({ db, clock, jobs, blobs, index }: Needs, rows: Rows): TrainingStore {
  const { orm } = db

  /** The source of a job that is still wanted. */
  function wanted (job: Job, id: Id): KnowledgeSourceRecord | undefined {
    return jobs.isMine(job) ? rows.source(id) : undefined
  }

  /** Ends a job, and asks for the next look at a source that is to be refreshed. */
  function finish (job: Job, kept: KnowledgeSourceRecord) {
    jobs.finish(job)
    const hours = kept.crawl?.refresh_hours
    if (hours && kept.parent_knowledge_source === null) jobs.schedule(job.kind, kept.id, kept.owner, clock.micros() + hours * HOUR_MICROS)
  }

  function pageOf (parent: Id, url: string): KnowledgeSourceRecord | undefined {
    return rows.children(parent).find(({ urls }) => urls[0] === url)
  }

  function insertPage (parent: KnowledgeSourceRecord, { url, title, file, fetched, error = null }: CrawledPage): KnowledgeSourceRecord {
    const now = timestamp(clock.micros())
    return orm.insert(knowledgeSources).values({
      agent: parent.agent,
      owner: parent.owner,
      urls: [url],
      file_path: file ? randomBytes(24).toString('base64url') : '',
      file_name: file?.name ?? '',
      file_blob: file?.blob ?? null,
      title: title ?? url,
      status: error ? 'Failed' : 'Pending',
      training_status: error ? 'Failed' : 'Pending',
      error,
      type: 'website',
      agent_knowledge_folder: parent.agent_knowledge_folder,
      parent_knowledge_source: parent.id,
      metadata: { format: '', file_size: `${file?.bytes ?? 0}B`, no_of_rows: null, no_of_chars: null, no_of_pages: null, upload_date: now.replace('Z', '+00:00') },
      is_selected: parent.is_selected,
      fetched,
      total_training_usage_bytes: 0,
      created_at: now,
      updated_at: now
    }).returning().get()
  }

  return {
    begin: (job) => db.atomically(() => {
      const kept = rows.source(job.subject)
      if (!kept) {
        jobs.finish(job)
        return undefined
      }
      return rows.write(kept.id, { status: 'Processing', training_status: 'Processing', error: null })
    }),

    publish: (job, id, { text, training, metadata, title, fetched, sub_urls: subUrls }) => db.atomically(() => {
      const kept = wanted(job, id)
      if (!kept) return false
      if (text.blob !== kept.text_blob && !blobs.keep(text.blob)) return false
      rows.write(id, {
        ...rows.swapText(kept, text),
        ...(kept.type === 'text' && { plain_text: text.shown }),
        ...(title !== undefined && { title }),
        ...(fetched && { fetched }),
        ...(subUrls && { sub_urls: subUrls }),
        metadata: { ...kept.metadata, ...metadata },
        status: 'Success',
        training_status: 'Success',
        error: null
      })
      index.select(id, kept.is_selected)
      index.publish(training)
      finish(job, kept)
      return true
    }),

    fail: (job, id, error) => db.atomically(() => {
      const kept = wanted(job, id)
      if (!kept) return
      finish(job, kept)
      rows.write(id, { status: 'Failed', training_status: 'Failed', error })
    }, { frees: true }),

    postpone: (job, id, error) => db.atomically(() => {
      if (wanted(job, id)) rows.write(id, { status: 'Pending', training_status: 'Pending', error })
    }, { frees: true }),

    pages: async (source) => db.read(() => new Map(rows.children(source).map(({ id, urls, fetched }) => [urls[0]!, { id, fetched: fetched ?? NOTHING_FETCHED }]))),

    keepPage: (job, parentId, page) => db.atomically(() => {
      const parent = wanted(job, parentId)
      if (!parent) return
      const known = pageOf(parentId, page.url)
      if (page.file && !blobs.keep(page.file.blob)) return
      if (!known) {
        const kept = insertPage(parent, page)
        if (!page.error) jobs.add('train', kept.id, kept.owner)
        rows.announce(kept)
        rows.moved(kept.owner, kept.agent)
      } else if (page.error) {
        // What the page said before goes on answering until it is known to be gone.
        rows.write(known.id, { status: 'Failed', training_status: 'Failed', error: page.error })
      } else if (page.file) {
        if (known.file_blob !== null) blobs.drop(known.file_blob)
        rows.write(known.id, {
          file_blob: page.file.blob,
          file_name: page.file.name,
          fetched: page.fetched,
          metadata: { ...known.metadata, file_size: `${page.file.bytes}B` },
          status: 'Pending',
          training_status: 'Pending',
          error: null
        })
        jobs.add('train', known.id, known.owner)
      } else orm.update(knowledgeSources).set({ fetched: page.fetched }).where(eq(knowledgeSources.id, known.id)).run()
    }),

    finishCrawl: (job, id, urls, title) => db.atomically(() => {
      const kept = wanted(job, id)
      if (!kept) return
      const still = new Set(urls)
      for (const child of rows.children(id)) if (!still.has(child.urls[0]!)) rows.removeSource(child)
      finish(job, kept)
      rows.write(id, {
        status: 'Success',
        training_status: 'Success',
        error: null,
        sub_urls: urls,
        metadata: { ...kept.metadata, format: 'website', no_of_pages: urls.length },
        ...(title !== null && kept.title === kept.urls[0] && { title })
      })
    }),

    unchanged: (job, id, fetched) => db.atomically(() => {
      const kept = wanted(job, id)
      if (!kept) return
      finish(job, kept)
      rows.write(id, { status: 'Success', training_status: 'Success', error: null, fetched })
    })
  }
}
