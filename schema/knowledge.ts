import { Type, type Static, type TAny, type TOptional } from '@sinclair/typebox'
import { Id, Timestamp, nullable, oneOf, text, title, closed } from './common.ts'
import { keysOf } from './typed.ts'

/**
 * The state of fetching and reading (`status`) or indexing (`training_status`) a source; it always ends in one of the
 * last two.
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

/** What is known about a source's content; null if not applicable. */
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
            'Invisible characters that were left out; missing or null until they have been counted'
        })
      )
    ),
    no_of_passages: Type.Optional(
      nullable(Type.Integer({
        description:
          'Passages that answers can quote; missing or null until they have been counted. For a website or Google Drive folder, when listed or retrieved on its own: the total of everything in it'
      }))
    ),
    title: Type.Optional(
      nullable(Type.String({
        description:
          'The own title of an HTML file. Citations show it until the source is given another title than the name of its file; missing or null if there is none'
      }))
    ),
    upload_date: Type.String({ examples: ['2026-11-20T15:04:05.123456+00:00'], description: 'ISO 8601 with offset' })
  },
  { title: 'SourceMetadata' }
)
export type SourceMetadata = Static<typeof SourceMetadata>

/** What a source is called where it is cited: an HTML file that nobody gave a title, by its own. */
export function titleShown (
  { title, file_name: name, metadata }: Pick<KnowledgeSourceRecord, 'title' | 'file_name' | 'metadata'>
): string {
  return (title === name && metadata.title) || title
}

/** Where a source's text comes from. */
export const SourceType = oneOf(['docs', 'website', 'text', 'google_drive', 'faq'])
export type SourceType = Static<typeof SourceType>

/** Paths of a site's pages; see src/crawling/patterns.ts. */
const patterns = (description: string, example: string) => Type.Array(
  Type.String({
    maxLength: 200,
    pattern: '^/[^#\\u0000-\\u001F\\u007F]*$',
    description: 'Path from the root of the site; `*` matches anything',
    examples: [example]
  }),
  { maxItems: 20, description, examples: [[example]] }
)

/** How far a website source reaches, and how often it is checked again. */
export const Crawl = Type.Object(
  {
    depth: Type.Integer({
      minimum: 0, maximum: 10, description: 'Maximum number of links to follow from the address'
    }),
    count: Type.Integer({ minimum: 1, maximum: 500, description: 'Maximum number of pages to read' }),
    refresh_hours: nullable(
      Type.Integer({ minimum: 1, maximum: 8760, description: 'Hours between checks; null: only by hand' })
    ),
    include: patterns(
      'Reads only pages whose path matches one of these; empty: all. `*` matches anything, including slashes; `/help/*` also matches `/help`. The address itself is always searched for links. The query is compared only if the pattern has one',
      '/help/*'
    ),
    exclude: patterns('Pages whose path matches one of these are not read, even if `include` matches them', '/blog/*')
  },
  { title: 'Crawl' }
)
export type Crawl = Static<typeof Crawl>

/** Names of its fields, which only sources that are addresses have. */
export const CRAWL_FIELDS = keysOf(Crawl.properties)

/**
 * What is remembered of a fetched page or file, so that an unchanged one costs nothing the next time; 12 KiB at most,
 * not counting its addresses.
 */
export interface Visit {
  /** Which page it is: the requested address, or the one that the page declares as its own. */
  url: string
  etag: string | null
  lastModified: string | null
  /** SHA-256, in hex, of everything that affects what is read from it; the revision of a Google Drive file. */
  contentHash: string
  title: string | null
  /** An encoding of the addresses it links to; see src/crawling/visit.ts. */
  links: string
}

/** Visits by requested address. Those that have no page of their own are stored with the site. */
export type Fetched = Record<string, Visit>

/** A page of a site that a person removed, or excluded from use: it stays so. */
export type PageChoice = 'removed' | 'deselected'

/** A text up to this many characters is shown as `plain_text`; a longer one is read at `…/text`. */
export const SHOWN_TEXT = 16_384

/** In an agent and in a list, only texts of up to this many bytes are shown. */
export const LISTED_TEXT = 1024

/** Sources of each agent that a list of agents shows. A single agent shows all. */
export const LISTED_SOURCES = 50

/** Bytes of text of each agent that a list of agents shows, from its first sources. */
export const LISTED_TEXTS = 6144

/** Why a source may be out of date; the first reason that applies. */
export const Stale = oneOf(['unreachable', 'contradicts', 'old', 'unchecked'], {
  description:
    '`unreachable`: three consecutive checks failed; `contradicts`: another source gives different figures; `old`: its `review_by` date has passed; `unchecked`: often cited but not checked for 90 days'
})
export type Stale = Static<typeof Stale>

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2027-05-03'] })
const ReviewBy = nullable(Day, { description: 'Day after which somebody should check that it is still correct' })

/** A knowledge source as stored. Its file and its text are blobs; its passages are in the index. */
export const KnowledgeSourceRecord = Type.Object({
  id: Id,
  agent: Id,
  owner: Id,
  urls: Type.Array(Type.String()),
  /** Random path below the media address; empty when there is no file. */
  file_path: Type.String(),
  /** The file's original name; shown to people, never used as a path. */
  file_name: Type.String(),
  file_blob: nullable(Type.Integer()),
  text_blob: nullable(Type.Integer()),
  /** The changes that its feed last found in its text, as a text; see src/sources/work/wording.ts. */
  change_blob: nullable(Type.Integer()),
  plain_text: nullable(
    Type.String({
      description: `Text of a text source, if at most ${SHOWN_TEXT} characters; in an agent and in lists, if at most ${LISTED_TEXT} bytes; a list of agents shows at most ${LISTED_TEXTS} bytes per agent`
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
  feed: nullable(Id, { description: 'Feed that created it and keeps it up to date' }),
  origin_key: nullable(Type.String({ description: 'Key of the source at its origin, where its feed reads it' })),
  origin_changed_at: nullable(Type.String({ description: 'When it last changed at its origin, or the version there, as the origin reports it' })),
  checked_at: nullable({ ...Timestamp, description: 'When it was last confirmed to match its origin' }),
  changed_at: nullable({ ...Timestamp, description: 'When a check last found it changed' }),
  review_by: ReviewBy,
  stale: nullable(Stale),
  contradicts: nullable(Id, { description: 'Source with different figures about the same subject, if `stale` is `contradicts`' }),
  /** Consecutive checks at which it could not be read. */
  misses: Type.Integer({ minimum: 0 }),
  /** It no longer exists at its origin, and is pending removal. */
  is_gone: Type.Boolean(),
  /** Changes with every edit by a person, never through background work: compared with If-Match. */
  version: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type KnowledgeSourceRecord = Static<typeof KnowledgeSourceRecord>

/** A knowledge source as responses show it. */
export const KnowledgeSource = Type.Composite([
  Type.Omit(KnowledgeSourceRecord, ['agent', 'file_path', 'file_name', 'file_blob', 'text_blob', 'change_blob', 'crawl', 'version', 'misses', 'is_gone']),
  Type.Object({
    depth: nullable(Crawl.properties.depth),
    count: nullable(Crawl.properties.count),
    refresh_hours: Crawl.properties.refresh_hours,
    // Only of addresses: lists show thousands of sources.
    include: Type.Optional(Crawl.properties.include),
    exclude: Type.Optional(Crawl.properties.exclude),
    file: Type.String({ description: 'URL of the stored file; empty if there is none' }),
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
 * No minLength: to count its characters a validator would walk through all of a text of 30 MiB; its first letter
 * satisfies the pattern.
 */

/** A question as customers ask it, and its answer: one passage. */
export const FaqPair = Type.Object(
  {
    question: Type.String({ maxLength: 2000, pattern: '\\S', description: 'Question as customers ask it' }),
    answer: Type.String({ maxLength: 20_000, pattern: '\\S' })
  },
  {
    ...closed,
    title: 'FaqPair',
    examples: [{ question: 'How long do I have to return an item?', answer: 'Thirty days.' }]
  }
)

const faq = Type.Array(FaqPair, { minItems: 1, maxItems: 10_000, description: 'Questions and answers, a passage each' })

/** Whether a source's text was entered, not read from a file or an address. */
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
        description: 'Id of a file, or of a folder whose files are read'
      })
    ),
    type: Type.Optional(
      // A string to the library too, which validates the drafts of a new agent and does not know our custom types.
      Type.Unsafe<'text' | 'faq' | 'website' | 'google_drive'>(
        Type.String({
          enum: ['text', 'faq', 'website', 'google_drive'],
          description: 'Derived from the content given; a value that does not match it is refused'
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
  'agent_knowledge_folder', 'is_selected', 'plain_text', 'depth', 'count', 'refresh_hours', 'include', 'exclude', 'review_by'
]).properties

/** Fields that a change may contain but that have no effect. */
function asShown<Fields extends object> (fields: Fields) {
  return Object.fromEntries(
    Object.keys(fields).map((field) => [
      field,
      Type.Optional(Type.Any({ description: 'Accepted and ignored, so that a retrieved object can be sent back' }))
    ])
  ) as Record<Exclude<keyof Fields, symbol>, TOptional<TAny>>
}

/** A change of a source; all other fields that a source shows are accepted and ignored. */
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
          description: 'New text of a text source; the old text is used until the new one is trained. null: unchanged'
        })
      )
    ),
    faq: Type.Optional(faq),
    depth: Type.Optional(nullable(Crawl.properties.depth)),
    count: Type.Optional(nullable(Crawl.properties.count)),
    refresh_hours: Type.Optional(Crawl.properties.refresh_hours),
    include: Type.Optional(nullable(Crawl.properties.include)),
    exclude: Type.Optional(nullable(Crawl.properties.exclude)),
    review_by: Type.Optional(ReviewBy)
  },
  { ...closed, title: 'KnowledgeSourcePatch', examples: [{ title: 'Returns', is_selected: false }] }
)
export type SourcePatch = Static<typeof SourcePatch>

const file = Type.String({
  format: 'binary',
  description:
    'File: PDF, Word, Excel, PowerPoint, OpenDocument, RTF, CSV, TSV, HTML, XML, Markdown, text, JSON, EPUB, email (EML, MSG) or subtitles (SRT, VTT). Its name becomes its title'
})

const fileType = Type.Optional(
  oneOf(['docs', 'faq'], {
    description: '`faq`: a CSV file with two columns, or a JSON list of question and answer; each pair is one passage'
  })
)

/** Files as a form carries them, for the OpenAPI document alone: parts are read as a stream. */
export const UploadForm = Type.Object({
  file: Type.Array(file, { minItems: 1, maxItems: 10, description: 'Each file as a part with this name' }),
  title: Type.Optional(title(500, { description: 'Allowed only with a single file' })),
  agent_knowledge_folder: Type.Optional(Id),
  is_selected: Type.Optional(Type.Boolean()),
  type: fileType
}, { title: 'KnowledgeUpload' })

/** The one file of a preview, likewise; the fields that describe it come first. */
export const PreviewForm = Type.Object({ type: fileType, file }, { title: 'KnowledgePreviewUpload' })

const { depth, count, include, exclude } = Type.Partial(Crawl).properties

/** A site to be previewed. */
export const SiteDraft = Type.Object({ url: address, depth, count, include, exclude }, {
  ...closed,
  title: 'KnowledgeSiteDraft',
  examples: [{ url: 'https://example.com/', depth: 2, count: 100, include: ['/help/*'], exclude: ['/help/archive/*'] }]
})
export type SiteDraft = Static<typeof SiteDraft>

/** A page of a site, and whether it would be read. */
export const SitePage = Type.Object({
  url: Type.String(),
  title: nullable(Type.String({ description: 'null if it was not read' })),
  taken: Type.Boolean(),
  reason: oneOf(['included', 'not_included', 'excluded', 'beyond_limit', 'robots', 'unreadable'], {
    description:
      '`not_included`: matches nothing in `include`; `excluded`: matches something in `exclude`; `beyond_limit`: `count` is reached first; `robots`: the site does not allow programs to read it'
  })
}, { title: 'KnowledgeSitePage' })
export type SitePage = Static<typeof SitePage>

/** Which pages of a site would be read. */
export const SitePages = Type.Object({
  pages: Type.Array(SitePage, { description: 'Pages that were read, then all others' }),
  from: oneOf(['sitemap', 'links'], { description: 'Where pages were found; `sitemap` if the address is a sitemap' }),
  sitemaps: Type.Array(Type.String(), {
    description: 'Sitemaps listed in the site\'s robots.txt; each can be used as the address instead'
  }),
  more: Type.Boolean({ description: 'Whether there may be more pages than were checked' })
}, { title: 'KnowledgeSitePages' })
export type SitePages = Static<typeof SitePages>

/** A folder of an agent's sources. Every agent has one root folder, which has no parent. */
export const FolderRecord = Type.Object({
  id: Id,
  agent: Id,
  owner: Id,
  parent: nullable(Id),
  name: title(200),
  review_by: nullable(Day, { description: 'Day after which somebody should review its sources, except those with their own `review_by`' }),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type FolderRecord = Static<typeof FolderRecord>

/** A folder as responses show it. */
export const Folder = Type.Composite([
  Type.Omit(FolderRecord, ['agent']),
  Type.Object({
    no_of_passages: Type.Optional(Type.Integer({
      description: 'In lists: passages of the sources directly in the folder, excluding subfolders'
    }))
  })
], { title: 'KnowledgeFolder' })
export type Folder = Static<typeof Folder>

/** Without a parent a new folder is placed in the root folder. */
export const FolderDraft = Type.Object({
  name: title(200),
  parent: Type.Optional(Id)
}, { ...closed, title: 'KnowledgeFolderDraft', examples: [{ name: 'Shipping' }] })
export type FolderDraft = Static<typeof FolderDraft>

/** A new name or parent folder; all other fields that a folder shows are accepted and ignored. */
export const FolderPatch = Type.Object(
  {
    ...asShown(Type.Omit(Folder, ['name', 'parent', 'review_by']).properties),
    name: Type.Optional(title(200)),
    review_by: Type.Optional(ReviewBy),
    parent: Type.Optional(nullable(Id, { description: 'null is allowed only for the root folder' }))
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
    url: nullable(Type.String({ description: 'URL of the page it comes from' })),
    page: nullable(Type.Integer()),
    row: nullable(Type.Integer()),
    heading: nullable(Type.String({ description: 'Headings above the passage, outermost first' })),
    text: Type.String(),
    score: Type.Number({
      description: 'Orders the results of one search; not comparable between agents'
    }),
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'How certain it is that the passage is about the query; comparable between agents'
    }),
    highlight: Type.Array(Type.Object({ text: Type.String(), marked: Type.Boolean() }), {
      description: 'The text split where words of the query begin and end; the pieces joined are `text`'
    })
  },
  { title: 'FoundPassage' }
)
export type FoundPassage = Static<typeof FoundPassage>

/**
 * State of an index segment: staged while it is written; live, so that it is read; dropped, until its blocks are
 * deleted.
 */
export type SegmentState = 'staged' | 'live' | 'dropped'
