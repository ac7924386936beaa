import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, nullable, oneOf, text, title } from './common.ts'

/** How far getting and reading (`status`) or indexing (`training_status`) a source has come; it always ends in one of the last two. */
export const Progress = oneOf(['Pending', 'Processing', 'Success', 'Failed'])
export type Progress = Static<typeof Progress>

/** Why a source failed, and whether trying again can help. */
export const SourceError = Type.Object({
  code: Type.String(),
  message: Type.String(),
  retryable: Type.Boolean()
}, { title: 'SourceError' })
export type SourceError = Static<typeof SourceError>

/** What is known about a source's content; null where it does not apply. */
export const SourceMetadata = Type.Object({
  format: Type.String({ description: 'pdf, docx, html, text …; empty until the source has been read' }),
  file_size: Type.String({ pattern: '^\\d+B$', examples: ['48213B'], description: 'Size of the raw upload' }),
  no_of_rows: nullable(Type.Integer()),
  no_of_chars: nullable(Type.Integer()),
  no_of_pages: nullable(Type.Integer()),
  upload_date: Type.String({ examples: ['2026-11-20T15:04:05.123456+00:00'], description: 'ISO 8601 with offset' })
}, { title: 'SourceMetadata' })
export type SourceMetadata = Static<typeof SourceMetadata>

/** Where a source's text comes from. */
export const SourceType = oneOf(['docs', 'website', 'text', 'google_drive'])
export type SourceType = Static<typeof SourceType>

/** A knowledge source as the system keeps it. */
export const KnowledgeSourceRecord = Type.Object({
  id: Id,
  agent: Id,
  owner: Id,
  urls: Type.Array(Type.String()),
  /** Random path below the media address; empty when there is no file. */
  file_path: Type.String(),
  google_drive_file_id: nullable(text(256)),
  title: title(500),
  status: Progress,
  training_status: Progress,
  error: Type.Unsafe<SourceError | null>(Type.Union([SourceError, Type.Null()])),
  type: SourceType,
  agent_knowledge_folder: Id,
  parent_knowledge_source: nullable(Id),
  metadata: SourceMetadata,
  is_selected: Type.Boolean(),
  sub_urls: Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
  /** UTF-8 bytes of the extracted text. */
  total_training_usage_bytes: Type.Integer({ minimum: 0 }),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type KnowledgeSourceRecord = Static<typeof KnowledgeSourceRecord>

/** A knowledge source as answers show it. */
export const KnowledgeSource = Type.Composite([
  Type.Omit(KnowledgeSourceRecord, ['agent', 'file_path']),
  Type.Object({
    file: Type.String({ description: 'Address of the stored file; empty when there is none' }),
    plain_text: nullable(Type.String()),
    max_training_usage_bytes: Type.Integer()
  })
], { title: 'KnowledgeSource' })
export type KnowledgeSource = Static<typeof KnowledgeSource>

/** A folder of an agent's sources, as the system keeps it. Every agent has one root folder, which has no parent. */
export const FolderRecord = Type.Object({
  id: Id,
  agent: Id,
  owner: Id,
  parent: nullable(Id),
  name: title(200),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type FolderRecord = Static<typeof FolderRecord>
