import type { Fetched, KnowledgeSourceRecord } from '../../../schema/knowledge.ts'
import type { Job } from '../../platform/work/jobs.ts'
import type { Drive } from '../../crawling/drive.ts'
import type { TrainingStore } from '../store.ts'
import type { KeepChild } from './children.ts'
import type { Got } from './fetched-content.ts'
import { ownProperty } from '../../platform/objects.ts'

/** What reading from Google Drive needs; see TrainingNeeds. */
interface DriveNeeds {
  store: TrainingStore
  drive: Drive
  fileLimit: number
  keepChild: KeepChild
}

/** Reads from Google Drive: a file, or the files of a folder, which become its children. */
export function driveReader ({ store, drive, fileLimit, keepChild }: DriveNeeds) {
  return fromDrive

  async function fromDrive (job: Job, source: KnowledgeSourceRecord, signal: AbortSignal): Promise<Got> {
    const id = source.google_drive_file_id!
    const item = await drive.describe(id, signal)
    if (item.isFolder) return await fromFolder(job, source, signal)
    const seen: Fetched = {
      [id]: {
        url: item.webViewLink ?? '',
        etag: null,
        lastModified: null,
        contentHash: item.revision,
        title: item.name,
        links: ''
      }
    }
    const before = source.text_blob === null ? undefined : (await store.visits(source.id))[id]
    if (item.revision !== '' && before?.contentHash === item.revision) return { unchanged: seen }
    const { bytes, contentType } = await drive.download(item, { maxBytes: fileLimit, signal })
    return {
      bytes: [bytes], task: { title: item.name, name: item.name, contentType }, size: bytes.length, fetched: seen
    }
  }

  async function fromFolder (job: Job, source: KnowledgeSourceRecord, signal: AbortSignal): Promise<Got> {
    const items = await drive.list(source.google_drive_file_id!, signal)
    const before = await store.visits(source.id)
    const keys: string[] = []
    for (const { id, name, revision } of items) {
      const seen = ownProperty(before, id)
      const visit = revision !== '' && seen?.contentHash === revision ? seen : undefined
      const child = { key: id, title: name, fetched: visit ? { [id]: visit } : {}, changed: visit === undefined }
      if (await keepChild(job, child)) keys.push(id)
    }
    return { keys, title: null, fetched: {} }
  }
}
