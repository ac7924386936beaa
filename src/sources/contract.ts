import type { Id } from '../../schema/common.ts'
import type { Crawl, Fetched, SourceError, SourceMetadata, SourceType, Visit } from '../../schema/knowledge.ts'

/**
 * Events of a source: the first three by people, the others by the jobs that work on it, on the site that it is a page
 * of, or on the feed that brings it.
 */
export type SourceEvent =
  | { kind: 'changed', change: SourceChange }
  | { kind: 'asked' }
  | { kind: 'removed' }
  | JobEvent
  | { kind: 'seen', child: Child }
  | { kind: 'brought', item: Brought }
  | { kind: 'gone' }

/** What a job does with its source. */
export type JobEvent =
  | { kind: 'begun' }
  | { kind: 'trained', trained: Trained }
  | { kind: 'unchanged', fetched: Fetched }
  | { kind: 'listed', keys: string[], title: string | null, fetched: Fetched, isPartial?: boolean }
  | { kind: 'postponed', error: SourceError }
  | { kind: 'failed', error: SourceError, isGone?: boolean }

/** A text that has been staged as a blob: `bytes` in UTF-8, `chars` as a reader counts them (code points). */
export interface StagedText { blob: Id, bytes: number, chars: number }

/**
 * A file that has been staged as a blob. `path`: random, below the media address, so that one file's address says
 * nothing about another's; never anything a client sent.
 */
export interface StagedFile { blob: Id, bytes: number, name: string, path: string }

/** A source about to be added. */
export interface NewSource {
  type: SourceType
  /** If omitted, a text's first line is its title. */
  title?: string
  urls?: string[]
  google_drive_file_id?: string
  text?: StagedText
  file?: StagedFile
  crawl?: Crawl
  /** Without one, the agent's root folder. */
  folder?: Id
  is_selected?: boolean
}

/** Changes of a source. */
export interface SourceChange {
  title?: string
  folder?: Id
  is_selected?: boolean
  text?: StagedText
  crawl?: Partial<Crawl>
  review_by?: string | null
}

/** A source's new text, read and indexed, waiting to take the place of the old one. */
export interface Trained {
  text: StagedText
  /** The training in the index that becomes the one that answers. */
  training: Id
  metadata: Omit<SourceMetadata, 'file_size' | 'upload_date'> & { file_size?: string }
  /** A better title than the source's initial one, its address or file name. */
  title?: string
  fetched?: Fetched
  /** What has changed in its text, staged as a blob; null: an earlier change no longer counts. */
  change?: Id | null
}

/** Something found through a source: a page of a site, or a file of a Drive folder. */
export interface Child {
  /** The address of a page, or the id of a file. */
  key: string
  title: string | null
  /** The bytes; missing if nothing has changed, and for what training fetches itself. */
  file?: StagedFile
  fetched: Fetched
  /** Whether a known one has to be trained. */
  changed: boolean
  /** Why it could not be read. */
  error?: SourceError
  /** It is retried automatically, after this many milliseconds. */
  againInMs?: number
  /** The page no longer exists: its text is no longer used for answers. */
  isGone?: boolean
}

/** The feed, and the folder for new sources; null: the root folder. */
export interface BringingFeed { id: Id, owner: Id, agent: Id, folder: Id | null }

/** Something that a feed lists, new or changed, as it was read there. */
export interface Brought {
  /** Its id there: unique within the feed. */
  key: string
  type: 'website' | 'docs'
  /** The address that a person opens; null where there is none. */
  url: string | null
  title: string
  file: StagedFile
  /** What is remembered of it, for the next look to compare with. */
  fetched: Fetched
  /** When, or as which version, it was last changed there, as that place says. */
  changedAt: string | null
  /** Its earlier name there; a source that a person has named keeps its name. */
  titleBefore: string | null
}

/** Something that a feed lists, which said the same under another name. */
export interface Moved extends Pick<Brought, 'key' | 'title' | 'titleBefore' | 'changedAt' | 'fetched'> {
  /** The source, and what it was called there. */
  id: Id
  from: string
}

/** A source that a feed has created, as the next check of the feed compares it. */
export interface FedSource {
  id: Id
  key: string
  changedAt: string | null
  checkedAt: string | null
  visit: Visit | null
  /** It could not be learnt for once: it has to be read even if it is as it was. */
  isUnread: boolean
  isGone: boolean
}

/** Use of a limit, in bytes: of text by an agent, of what is kept by an account. */
export interface AccountRoom { used: number, allowed: number }
