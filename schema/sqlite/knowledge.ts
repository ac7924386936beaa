import { sql } from 'drizzle-orm'
import {
  blob, index, integer, primaryKey, sqliteTable, text as column, uniqueIndex, type AnySQLiteColumn
} from 'drizzle-orm/sqlite-core'
import type { FeedRecord } from '../feeds.ts'
import type { FeedKind } from '../feed-kinds.ts'
import { users } from './access.ts'
import { agents } from './agents.ts'
import { completed, listOf } from './completed.ts'
import type { Plain, Same } from '../common.ts'
import type {
  FolderRecord, KnowledgeSourceRecord, PageChoice, Progress, SegmentState, SourceType, Stale, Visit
} from '../knowledge.ts'

/** The table of FolderRecord. */
export const knowledgeFolders = sqliteTable('knowledge_folders', {
  id: integer().primaryKey({ autoIncrement: true }),
  agent: integer('agent_id').notNull().references(() => agents.id, { onDelete: 'cascade' }),
  owner: integer('owner_id').notNull(),
  parent: integer('parent_id').references((): AnySQLiteColumn => knowledgeFolders.id, { onDelete: 'cascade' }),
  name: column().notNull(),
  review_by: column(),
  created_at: column().notNull(),
  updated_at: column().notNull()
}, (table) => [
  index('knowledge_folders_by_agent').on(table.agent, table.id),
  index('knowledge_folders_by_parent').on(table.parent)
])
true satisfies Same<FolderRecord, typeof knowledgeFolders.$inferSelect>

/** The table of FeedRecord. */
export const feeds = sqliteTable('feeds', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull(),
  agent: integer('agent_id').notNull().references(() => agents.id, { onDelete: 'cascade' }),
  name: column().notNull(),
  kind: column().$type<FeedKind>().notNull(),
  config: completed('feedConfig').notNull(),
  secret: blob({ mode: 'buffer' }),
  every: column().notNull(),
  interval: integer('interval_minutes').notNull(),
  folder: integer('folder_id').references(() => knowledgeFolders.id, { onDelete: 'set null' }),
  cursor: column(),
  state: column().$type<FeedRecord['state']>().notNull(),
  error: completed('feedError'),
  failures: integer().notNull().default(0),
  awaiting_removal: integer().notNull().default(0),
  may_remove: integer({ mode: 'boolean' }).notNull().default(false),
  last: completed('feedLook'),
  next_at: column(),
  created_at: column().notNull(),
  updated_at: column().notNull()
}, (table) => [index('feeds_by_agent').on(table.agent, table.id), index('feeds_by_folder').on(table.folder)])
true satisfies Same<FeedRecord, typeof feeds.$inferSelect>

/** Items of a feed that a person removed: they stay removed. */
export const feedExclusions = sqliteTable('feed_exclusions', {
  feed: integer('feed_id').notNull().references(() => feeds.id, { onDelete: 'cascade' }),
  key: column().notNull()
}, (table) => [primaryKey({ columns: [table.feed, table.key] })])

/**
 * The table of KnowledgeSourceRecord, without its text, which is a blob; the title is empty if it is the text's first
 * line. See src/agents/sources.ts.
 */
export const knowledgeSources = sqliteTable(
  'knowledge_sources',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    agent: integer('agent_id')
      .notNull()
      .references(() => agents.id, { onDelete: 'cascade' }),
    owner: integer('owner_id').notNull(),
    urls: listOf().notNull(),
    file_path: column().notNull(),
    file_name: column().notNull().default(''),
    file_blob: integer(),
    text_blob: integer(),
    change_blob: integer(),
    google_drive_file_id: column(),
    title: column().notNull(),
    status: column().$type<Progress>().notNull(),
    training_status: column().$type<Progress>().notNull(),
    error: completed('sourceError'),
    type: column().$type<SourceType>().notNull(),
    agent_knowledge_folder: integer('folder_id')
      .notNull()
      .references(() => knowledgeFolders.id, { onDelete: 'cascade' }),
    parent_knowledge_source: integer('parent_id').references((): AnySQLiteColumn => knowledgeSources.id, {
      onDelete: 'cascade'
    }),
    metadata: completed('metadata').notNull(),
    is_selected: integer({ mode: 'boolean' }).notNull(),
    sub_urls: listOf(),
    crawl: completed('crawl'),
    total_training_usage_bytes: integer().notNull(),
    /** Of feeds; a feed that ends releases its sources first. */
    feed: integer('feed_id'),
    origin_key: column(),
    origin_changed_at: column(),
    checked_at: column(),
    changed_at: column(),
    review_by: column(),
    stale: column().$type<Stale>(),
    contradicts: integer('contradicts_id'),
    misses: integer().notNull().default(0),
    is_gone: integer({ mode: 'boolean' }).notNull().default(false),
    version: integer().notNull().default(0),
    created_at: column().notNull(),
    updated_at: column().notNull(),
    /** Its key in files of its agent; null for a source found through another. */
    key: column()
  },
  (table) => [
    uniqueIndex('knowledge_sources_by_key').on(table.agent, table.key),
    index('knowledge_sources_by_agent').on(table.agent, table.id),
    index('knowledge_sources_by_folder').on(table.agent_knowledge_folder),
    index('knowledge_sources_by_parent').on(table.parent_knowledge_source),
    index('knowledge_sources_by_file').on(table.file_path),
    uniqueIndex('knowledge_sources_by_feed').on(table.feed, table.origin_key).where(sql`${table.feed} is not null`)
  ]
)
true satisfies Same<Omit<KnowledgeSourceRecord, 'plain_text'>, Omit<typeof knowledgeSources.$inferSelect, 'key'>>

/** Events of an agent's sources, for watchers; only the latest of each agent are stored. */
export const knowledgeEvents = sqliteTable('knowledge_events', {
  id: integer().primaryKey({ autoIncrement: true }),
  agent: integer('agent_id').notNull().references(() => agents.id, { onDelete: 'cascade' }),
  source: integer().notNull(),
  data: column().notNull()
}, (table) => [index('knowledge_events_by_agent').on(table.agent, table.id)])

/**
 * Bytes of files, texts and remembered pages that an account stores for an agent: kept by triggers as the exact sum
 * over its sources and its visitors' files, see `stored` in src/sources/life/step.ts.
 */
export const storedBytes = sqliteTable('stored_bytes', {
  owner: integer('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  agent: integer('agent_id').notNull().references(() => agents.id, { onDelete: 'cascade' }),
  bytes: integer().notNull()
}, (table) => [
  primaryKey({ columns: [table.owner, table.agent] }),
  index('stored_bytes_by_agent').on(table.agent)
])

/** What is remembered of the pages that a source was read from, one Visit each; see src/sources/visits.sqlite.ts. */
export const sitePages = sqliteTable('site_pages', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull(),
  agent: integer('agent_id').notNull().default(0),
  source: integer('source_id').notNull().references(() => knowledgeSources.id, { onDelete: 'cascade' }),
  address: column().notNull(),
  url: column().notNull(),
  etag: column(),
  lastModified: column('last_modified'),
  contentHash: column('content_hash').notNull(),
  title: column(),
  links: column().notNull()
}, (table) => [index('site_pages_by_source').on(table.source)])
true satisfies Same<
  Plain<Visit & { id: number, owner: number, agent: number, source: number, address: string }>,
  Plain<typeof sitePages.$inferSelect>
>

/** A person's decision about a page of a site, or a file of a folder, for when the next check finds it again. */
export const pageChoices = sqliteTable('page_choices', {
  id: integer().primaryKey({ autoIncrement: true }),
  site: integer('site_id').notNull().references(() => knowledgeSources.id, { onDelete: 'cascade' }),
  /** The page's address, or the file's id. */
  page: column().notNull(),
  choice: column().$type<PageChoice>().notNull()
}, (table) => [uniqueIndex('page_choices_by_site').on(table.site, table.page)])

/** The embeddings of one group of passages, its first passage being `first`; see src/search/vectors.sqlite.ts. */
export const passageVectors = sqliteTable('passage_vectors', {
  first: integer().primaryKey(),
  /** The model and the requested dimensions: vectors of other ones are not comparable. */
  model: column().notNull(),
  /** The sign of each number, a bit each, padded to whole words of 32 bits. */
  signs: blob().notNull(),
  /** Each number in a byte, in units of the vector's own. */
  numbers: blob().notNull()
})

/**
 * Where words appear in an agent's passages `low` to `high`: one training, or several merged (`level`); see
 * src/search/index. Not a foreign key: it outlives its agent until its words are out of the file.
 */
export const segments = sqliteTable('segments', {
  id: integer().primaryKey({ autoIncrement: true }),
  agent: integer().notNull(),
  level: integer().notNull(),
  low: integer().notNull(),
  high: integer().notNull(),
  state: column().$type<SegmentState>().notNull(),
  /** How often some of its blocks were replaced. */
  version: integer().notNull().default(0)
}, (table) => [
  index('segments_of_agent').on(table.agent, table.state, table.level),
  index('segments_unfinished').on(table.state).where(sql`state <> 'live'`)
])

/** The blocks of segments, see src/search/index/blocks.ts. Blocks never change. */
export const blocks = sqliteTable('blocks', {
  id: integer().primaryKey({ autoIncrement: true }),
  segment: integer().notNull(),
  term: integer().notNull(),
  first: integer().notNull(),
  data: blob().notNull(),
  /** The CRC-32 of `data`: the only way to detect a bit that a disk changed. */
  sum: integer().notNull()
}, (table) => [uniqueIndex('blocks_by_term').on(table.segment, table.term, table.first)])
