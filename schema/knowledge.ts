import { Type, type Static, type TAny, type TOptional } from '@sinclair/typebox'
import { Id, Timestamp, nullable, oneOf, text, title, closed } from './common.ts'

/**
 * How far getting and reading (`status`) or indexing (`training_status`) a source has come; it always ends in one of
 * the last two.
 */
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
export const SourceMetadata = Type.Object(
  {
    format: Type.String({ description: 'pdf, docx, html, text …; empty until the source has been read' }),
    file_size: Type.String({ pattern: '^\\d+B$', examples: ['48213B'], description: 'Size of the raw upload' }),
    no_of_rows: nullable(Type.Integer()),
    no_of_chars: nullable(Type.Integer()),
    no_of_pages: nullable(Type.Integer()),
    no_of_hidden_chars: Type.Optional(
      nullable(
        Type.Integer({
          description:
            'Characters that were left out because nobody sees them; missing or null until they have been counted'
        })
      )
    ),
    no_of_passages: Type.Optional(
      nullable(Type.Integer({ description: 'Passages that answers can quote; missing or null until they have been counted' }))
    ),
    upload_date: Type.String({ examples: ['2026-11-20T15:04:05.123456+00:00'], description: 'ISO 8601 with offset' })
  },
  { title: 'SourceMetadata' }
)
export type SourceMetadata = Static<typeof SourceMetadata>

/** Where a source's text comes from. */
export const SourceType = oneOf(['docs', 'website', 'text', 'google_drive', 'faq'])
export type SourceType = Static<typeof SourceType>

/** How far a website source reaches, and how often it is looked at again. */
export const Crawl = Type.Object(
  {
    depth: Type.Integer({
      minimum: 0, maximum: 10, description: 'How many links away from the address pages are read'
    }),
    count: Type.Integer({ minimum: 1, maximum: 500, description: 'How many pages are read at most' }),
    refresh_hours: nullable(
      Type.Integer({ minimum: 1, maximum: 8760, description: 'Look again after so many hours; null: only by hand' })
    )
  },
  { title: 'Crawl' }
)
export type Crawl = Static<typeof Crawl>

/**
 * What is remembered of a fetched page or file, so that an unchanged one costs nothing the next time; 12 KiB at most,
 * but for its addresses.
 */
export interface Visit {
  /** Which page it is: the address that was asked, or the one that the page gives as its own. */
  url: string
  etag: string | null
  lastModified: string | null
  /** SHA-256, in hex, of what can change what is read of it; of a file of Google Drive its revision. */
  contentHash: string
  title: string | null
  /** What stands for the addresses it links to; see src/crawling/visit.ts. */
  links: string
}

/** Visits by the address that was asked. A site remembers here what has no page of its own. */
export type Fetched = Record<string, Visit>

/** A page of a site that a person removed, or does not want to be used: it stays so. */
export type PageChoice = 'removed' | 'deselected'

/** A text up to this many characters is shown as `plain_text`; a longer one is read at `…/text`. */
export const SHOWN_TEXT = 16_384

/** In an agent and in a list, only a text of up to this many bytes is shown. */
export const LISTED_TEXT = 1024

/** Sources that a list of agents shows of each. An agent read by itself shows all. */
export const LISTED_SOURCES = 50

/** Bytes of texts that a list of agents shows of each, those of its first sources. */
export const LISTED_TEXTS = 6144

/** Why a source may not say any more what is so; the first that holds. */
export const Stale = oneOf(['unreachable', 'contradicts', 'old', 'unchecked'], {
  description:
    '`unreachable`: it could not be looked at three times; `contradicts`: another source says other figures; `old`: its `review_by` is over; `unchecked`: cited often, and not looked at for 90 days'
})
export type Stale = Static<typeof Stale>

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2027-05-03'] })
const ReviewBy = nullable(Day, { description: 'The day after which somebody is to look whether it still holds' })

/** A knowledge source as the system keeps it. Its file and its text are blobs; its passages are in the index. */
export const KnowledgeSourceRecord = Type.Object({
  id: Id,
  agent: Id,
  owner: Id,
  urls: Type.Array(Type.String()),
  /** Random path below the media address; empty when there is no file. */
  file_path: Type.String(),
  /** What the uploader called the file; shown to people, never used as a path. */
  file_name: Type.String(),
  file_blob: nullable(Type.Integer()),
  text_blob: nullable(Type.Integer()),
  /** What a look of its feed has changed of its text, as a text; see src/sources/work/wording.ts. */
  change_blob: nullable(Type.Integer()),
  plain_text: nullable(
    Type.String({
      description: `The text of a text source of at most ${SHOWN_TEXT} characters; in an agent and in a list, of at most ${LISTED_TEXT} bytes; a list of agents shows ${LISTED_TEXTS} bytes of each`
    })
  ),
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
  crawl: Type.Unsafe<Crawl | null>({}),
  /** UTF-8 bytes of the extracted text. */
  total_training_usage_bytes: Type.Integer({ minimum: 0 }),
  feed: nullable(Id, { description: 'The feed that has made it and keeps it fresh' }),
  origin_key: nullable(Type.String({ description: 'What it is called where its feed reads it' })),
  origin_changed_at: nullable(Type.String({ description: 'When, or as which version, it was last changed there, as that place says' })),
  checked_at: nullable({ ...Timestamp, description: 'When it was last found to be as it is where it comes from' }),
  changed_at: nullable({ ...Timestamp, description: 'When a look last found it changed' }),
  review_by: ReviewBy,
  stale: nullable(Stale),
  contradicts: nullable(Id, { description: 'The source that says other figures about the same, where `stale` is `contradicts`' }),
  /** Looks one after another at which it could not be read. */
  misses: Type.Integer({ minimum: 0 }),
  /** It is gone where it comes from, and waits to be removed. */
  is_gone: Type.Boolean(),
  /**
   * Moves with every change that a person makes, and with nothing that happens in the background: what If-Match
   * compares.
   */
  version: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type KnowledgeSourceRecord = Static<typeof KnowledgeSourceRecord>

/** A knowledge source as answers show it. */
export const KnowledgeSource = Type.Composite([
  Type.Omit(KnowledgeSourceRecord, ['agent', 'file_path', 'file_name', 'file_blob', 'text_blob', 'change_blob', 'crawl', 'version', 'misses', 'is_gone']),
  Type.Object({
    depth: nullable(Crawl.properties.depth),
    count: nullable(Crawl.properties.count),
    refresh_hours: Crawl.properties.refresh_hours,
    file: Type.String({ description: 'Address of the stored file; empty when there is none' }),
    max_training_usage_bytes: Type.Integer()
  })
], { title: 'KnowledgeSource' })
export type KnowledgeSource = Static<typeof KnowledgeSource>

const address = Type.String({
  maxLength: 2048,
  pattern: '^[hH][tT][tT][pP][sS]?://[^\\s]+$',
  examples: ['https://example.com/help']
})

/*
 * No minLength: to count its characters a validator would walk through all of a text of 30 MiB; the pattern is met by
 * its first letter.
 */

/** A question as customers ask it, and its answer: one passage. */
export const FaqPair = Type.Object(
  {
    question: Type.String({ maxLength: 2000, pattern: '\\S', description: 'As customers ask it' }),
    answer: Type.String({ maxLength: 20_000, pattern: '\\S' })
  },
  {
    ...closed,
    title: 'FaqPair',
    examples: [{ question: 'How long do I have to return an item?', answer: 'Thirty days.' }]
  }
)

const faq = Type.Array(FaqPair, { minItems: 1, maxItems: 10_000, description: 'Questions and answers, a passage each' })

/** What a source is that has its text from whoever added it, not from a file or an address. */
export function hasOwnText ({ type, file_blob: file }: { type: SourceType, file_blob: number | null }): boolean {
  return type === 'text' || (type === 'faq' && file === null)
}

/** Exactly one of `plain_text`, `faq`, `urls` and `google_drive_file_id` says where the text comes from. */
export const SourceDraft = Type.Object(
  {
    plain_text: Type.Optional(Type.String({ pattern: '\\S', description: 'The text itself' })),
    faq: Type.Optional(faq),
    urls: Type.Optional(Type.Array(address, { minItems: 1, maxItems: 500, uniqueItems: true })),
    google_drive_file_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        pattern: '^[A-Za-z0-9_-]+$',
        description: 'A file, or a folder whose files are read'
      })
    ),
    type: Type.Optional(
      // A string to the library too, which is asked about the drafts of a new agent and knows no type made by hand.
      Type.Unsafe<'text' | 'faq' | 'website' | 'google_drive'>(
        Type.String({
          enum: ['text', 'faq', 'website', 'google_drive'],
          description: 'Follows from what is given; what does not go with it is refused'
        })
      )
    ),
    title: Type.Optional(title(500)),
    agent_knowledge_folder: Type.Optional(Id),
    is_selected: Type.Optional(Type.Boolean()),
    ...Type.Partial(Crawl).properties
  },
  {
    ...closed,
    title: 'KnowledgeSourceDraft',
    examples: [{ title: 'Return policy', plain_text: 'Returns are accepted within 30 days.' }]
  }
)
export type SourceDraft = Static<typeof SourceDraft>

const { title: _title, ...shownElse } = Type.Omit(KnowledgeSource, [
  'agent_knowledge_folder', 'is_selected', 'plain_text', 'depth', 'count', 'refresh_hours', 'review_by'
]).properties

/** Fields that a change may carry and that change nothing. */
function asShown<Fields extends object> (fields: Fields) {
  return Object.fromEntries(
    Object.keys(fields).map((field) => [
      field,
      Type.Optional(Type.Any({ description: 'As it is shown; accepted, so that what was read can be sent back' }))
    ])
  ) as Record<Exclude<keyof Fields, symbol>, TOptional<TAny>>
}

/** The part of a source that changes; everything else that a source shows is accepted beside it. */
export const SourcePatch = Type.Object(
  {
    ...asShown(shownElse),
    title: Type.Optional(title(500)),
    agent_knowledge_folder: Type.Optional(Id),
    is_selected: Type.Optional(Type.Boolean()),
    plain_text: Type.Optional(
      nullable(
        Type.String({
          pattern: '\\S',
          description: 'New text of a text source; the old one answers until this one is trained. Null: as it is'
        })
      )
    ),
    faq: Type.Optional(faq),
    depth: Type.Optional(nullable(Crawl.properties.depth)),
    count: Type.Optional(nullable(Crawl.properties.count)),
    refresh_hours: Type.Optional(Crawl.properties.refresh_hours),
    review_by: Type.Optional(ReviewBy)
  },
  { ...closed, title: 'KnowledgeSourcePatch', examples: [{ title: 'Returns', is_selected: false }] }
)
export type SourcePatch = Static<typeof SourcePatch>

const file = Type.String({
  format: 'binary',
  description:
    'A file: PDF, Word, Excel, PowerPoint, OpenDocument, RTF, CSV, TSV, HTML, XML, Markdown, text, JSON, EPUB, a message (EML, MSG) or subtitles (SRT, VTT). Its name becomes its title'
})

const fileType = Type.Optional(
  oneOf(['docs', 'faq'], {
    description: 'faq: a CSV file of two columns, or a JSON list of question and answer, as one passage a pair'
  })
)

/** Files as a form carries them, for the document alone: parts are read as they come. */
export const UploadForm = Type.Object({
  file: Type.Array(file, { minItems: 1, maxItems: 10, description: 'Each file as a part of this name' }),
  title: Type.Optional(title(500, { description: 'Goes with one file only' })),
  agent_knowledge_folder: Type.Optional(Id),
  is_selected: Type.Optional(Type.Boolean()),
  type: fileType
}, { title: 'KnowledgeUpload' })

/** The one file of a preview, in the same way; what it is comes before it. */
export const PreviewForm = Type.Object({ type: fileType, file }, { title: 'KnowledgePreviewUpload' })

/** A folder of an agent's sources. Every agent has one root folder, which has no parent. */
export const FolderRecord = Type.Object({
  id: Id,
  agent: Id,
  owner: Id,
  parent: nullable(Id),
  name: title(200),
  review_by: nullable(Day, { description: 'The day after which somebody is to look at its sources, but those that have a day of their own' }),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type FolderRecord = Static<typeof FolderRecord>

/** A folder as answers show it. */
export const Folder = Type.Omit(FolderRecord, ['agent'], { title: 'KnowledgeFolder' })
export type Folder = Static<typeof Folder>

/** Without a parent a new folder is in the root folder. */
export const FolderDraft = Type.Object({
  name: title(200),
  parent: Type.Optional(Id)
}, { ...closed, title: 'KnowledgeFolderDraft', examples: [{ name: 'Shipping' }] })
export type FolderDraft = Static<typeof FolderDraft>

/** A new name, or another folder to be in; everything else that a folder shows is accepted beside it. */
export const FolderPatch = Type.Object(
  {
    ...asShown(Type.Omit(Folder, ['name', 'parent', 'review_by']).properties),
    name: Type.Optional(title(200)),
    review_by: Type.Optional(ReviewBy),
    parent: Type.Optional(nullable(Id, { description: 'Null goes with the root folder only' }))
  },
  { ...closed, title: 'KnowledgeFolderPatch', examples: [{ name: 'Delivery' }] }
)
export type FolderPatch = Static<typeof FolderPatch>

/** A passage that answers a query. */
export const FoundPassage = Type.Object(
  {
    source: Type.Integer(),
    title: Type.String(),
    type: SourceType,
    url: nullable(Type.String({ description: 'Address of the page it is from' })),
    page: nullable(Type.Integer()),
    row: nullable(Type.Integer()),
    heading: nullable(Type.String({ description: 'The headings above it, outermost first' })),
    text: Type.String(),
    score: Type.Number({
      description: 'What the results of one search are ordered by; it means something else in every agent'
    }),
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'How sure it is that the passage is about what was asked; it means the same in every agent'
    }),
    highlight: Type.Array(Type.Object({ text: Type.String(), marked: Type.Boolean() }), {
      description: 'The text again, cut where the words of the query begin and end; joined, the pieces are the text'
    })
  },
  { title: 'FoundPassage' }
)
export type FoundPassage = Static<typeof FoundPassage>

/**
 * What becomes of a segment of the index: staged while it is written; live, so that it is read; dropped, until its
 * blocks are gone.
 */
export type SegmentState = 'staged' | 'live' | 'dropped'
