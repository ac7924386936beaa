import type { Id } from '../../../schema/common.ts'
import type { Fetched, FolderRecord, KnowledgeSourceRecord } from '../../../schema/knowledge.ts'
import { timestamp } from '../../platform/clock.ts'
import { folderOf } from '../folders.ts'
import { originOf, standing } from './life.ts'
import type { JobChange, SourceRow } from './step.ts'
import type { Brought, BringingFeed, Child, NewSource } from '../contract.ts'

/** A source to be created: its row, and its jobs. Blobs that the row names are kept. */
export interface CreatedSource { row: Omit<SourceRow, 'id'>, fetched: Fetched | null, jobs: JobChange[] }

/** A source that a person adds to an agent. Throws VALIDATION_ERROR when its folder is not the agent's. */
export function added (
  owner: Id, agent: Id, draft: NewSource, { now, folders }: { now: number, folders: FolderRecord[] }
): CreatedSource {
  const {
    type, title, urls = [], google_drive_file_id: drive, text, file, crawl, folder, is_selected: selected = true
  } = draft
  const blank = blankRow(now, file?.bytes ?? text?.bytes ?? 0)
  return {
    row: {
      ...blank,
      owner,
      agent,
      type,
      urls,
      google_drive_file_id: drive ?? null,
      // An untitled text uses its first line as the title, which changes with it.
      title: title ?? '',
      file_path: file?.path ?? '',
      file_name: file?.name ?? '',
      file_blob: file?.blob ?? null,
      text_blob: text?.blob ?? null,
      metadata: { ...blank.metadata, format: text ? 'text' : '', no_of_chars: text?.chars ?? null },
      agent_knowledge_folder: folderOf(folders, folder, 'agent_knowledge_folder'),
      parent_knowledge_source: null,
      is_selected: selected,
      crawl: crawl ?? null,
      total_training_usage_bytes: text?.bytes ?? 0
    },
    fetched: null,
    jobs: [{ ask: 'train' }]
  }
}

/** A page of a site, or a file of a Drive folder, that its job has found; a person may have deselected it earlier. */
export function found (parent: KnowledgeSourceRecord, child: Child, now: number, isDeselected = false): CreatedSource {
  const { key, title, file, fetched, error, againInMs } = child
  const row = {
    ...blankRow(now, file?.bytes ?? 0),
    owner: parent.owner,
    agent: parent.agent,
    type: parent.type,
    urls: parent.type === 'website' ? [key] : [],
    google_drive_file_id: parent.type === 'google_drive' ? key : null,
    title: title || key,
    file_name: file?.name ?? '',
    file_blob: file?.blob ?? null,
    agent_knowledge_folder: parent.agent_knowledge_folder,
    parent_knowledge_source: parent.id,
    is_selected: parent.is_selected && !isDeselected,
    ...standing(error, againInMs)
  }
  return { row, fetched, jobs: row.status === 'Pending' ? [{ ask: 'train', inMs: againInMs ?? 0 }] : [] }
}

/** A new item of a feed. Throws VALIDATION_ERROR when its folder is not the agent's. */
export function brought (feed: BringingFeed, item: Brought, now: number, folders: FolderRecord[]): CreatedSource {
  const { type, url, title, file, fetched } = item
  return {
    row: {
      ...blankRow(now, file.bytes),
      owner: feed.owner,
      agent: feed.agent,
      type,
      urls: url === null ? [] : [url],
      google_drive_file_id: null,
      title,
      file_path: type === 'docs' ? file.path : '',
      file_name: file.name,
      file_blob: file.blob,
      agent_knowledge_folder: folderOf(folders, feed.folder ?? undefined, 'folder'),
      parent_knowledge_source: null,
      is_selected: true,
      ...originOf(item, now),
      feed: feed.id,
      origin_key: item.key
    },
    fetched,
    jobs: [{ ask: 'train' }]
  }
}

/** What a source begins with, whatever it is; `bytes` is the size of what came with it. */
function blankRow (now: number, bytes: number) {
  const time = timestamp(now)
  return {
    file_path: '',
    file_name: '',
    file_blob: null,
    text_blob: null,
    change_blob: null,
    status: 'Pending' as const,
    training_status: 'Pending' as const,
    error: null,
    metadata: {
      format: '',
      file_size: `${bytes}B`,
      no_of_rows: null,
      no_of_chars: null,
      no_of_pages: null,
      upload_date: time.replace('Z', '+00:00')
    },
    sub_urls: null,
    crawl: null,
    total_training_usage_bytes: 0,
    feed: null,
    origin_key: null,
    origin_changed_at: null,
    checked_at: null,
    changed_at: null,
    review_by: null,
    stale: null,
    contradicts: null,
    misses: 0,
    is_gone: false,
    version: now,
    created_at: time,
    updated_at: time
  }
}
