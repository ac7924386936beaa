import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, sqliteTable, text as column, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Same } from '../common.ts'
import type {
  AnsweredBy, Channel, ConversationRecord, ConversationStatus, HandledBy, MessageStatus, Outcome, Priority, ReplyKind,
  Role, VisitorRecord
} from '../conversations.ts'
import { NEW_COURSE, type Course, type HandoffReason } from '../handoff.ts'
import { users } from './access.ts'
import { agents } from './agents.ts'
import { completed, listOf } from './completed.ts'

/** When something was last said in a conversation, as its index has it. Without a comma: drizzle-kit cuts there. */
export const QUIET_SINCE = 'case when last_message_at is null then created_at else last_message_at end'

/** The table's default as it was created: changing it would rebuild the table. Reading completes it. */
const {
  address: _address, passed: _passed, vouched: _vouched, replied_at: _replied, is_promised: _promised, ...built
} = NEW_COURSE
const COURSE_WHEN_BUILT = built as Course

/**
 * The table of ConversationRecord, without its subject and page, which are sealed. `number` is the row id; others see
 * the id.
 */
export const conversations = sqliteTable('conversations', {
  number: integer().primaryKey({ autoIncrement: true }),
  id: column().notNull(),
  /** The id that clients which name their chats themselves give it. */
  alias: column(),
  agent: integer('agent_id').notNull().references(() => agents.id, { onDelete: 'cascade' }),
  owner: integer('owner_id').notNull(),
  visitor: column(),
  channel: column().$type<Channel>().notNull(),
  status: column().$type<ConversationStatus>().notNull(),
  handled_by: column().$type<HandledBy>().notNull(),
  person: integer(),
  assignee: integer(),
  offered_to: integer(),
  offered_until: column(),
  priority: column().$type<Priority>(),
  tags: listOf().notNull().default([]),
  snoozed_until: column(),
  reply_due_for: column().$type<ReplyKind>(),
  reply_due_at: column(),
  overdue_at: column(),
  speaker: integer(),
  reason: column().$type<HandoffReason>(),
  episode: integer().notNull(),
  epoch: integer().notNull(),
  language: column(),
  outcome: column().$type<Outcome>(),
  closed_at: column(),
  reopened_at: column(),
  successor: column(),
  course: completed('course').notNull().default(COURSE_WHEN_BUILT),
  tickets: listOf().notNull(),
  messages: integer().notNull(),
  created_at: column().notNull(),
  updated_at: column().notNull(),
  last_message_at: column(),
  revision: integer().notNull(),
  /** The secret that seals everything said in it. */
  secret: integer().notNull(),
  sealed: blob({ mode: 'buffer' }).notNull(),
  /** Whether a search finds it by conversationWords and its visitor's words; false if an older program wrote it. */
  indexed: integer({ mode: 'boolean' }).notNull().default(false)
}, (table) => [
  uniqueIndex('conversations_by_id').on(table.id),
  index('conversations_by_owner').on(table.owner, table.number),
  index('conversations_by_agent').on(table.agent, table.number),
  index('conversations_by_visitor').on(table.visitor),
  index('conversations_by_agent_silence').on(table.agent, sql.raw(QUIET_SINCE)),
  uniqueIndex('conversations_by_alias').on(table.agent, table.alias),
  index('conversations_unindexed').on(table.owner, table.number).where(sql`not ${table.indexed}`),
  index('conversations_by_owner_silence').on(table.owner, sql.raw(QUIET_SINCE)),
  index('conversations_by_owner_status').on(table.owner, table.status),
  index('conversations_by_owner_handled_by').on(table.owner, table.handled_by),
  index('conversations_by_owner_outcome').on(table.owner, table.outcome),
  index('conversations_by_agent_status').on(table.agent, table.status),
  index('conversations_by_agent_handled_by').on(table.agent, table.handled_by),
  index('conversations_by_agent_outcome').on(table.agent, table.outcome),
  index('conversations_by_owner_person').on(table.owner, table.person).where(sql`${table.person} is not null`),
  index('conversations_by_owner_assignee').on(table.owner, table.assignee).where(sql`${table.assignee} is not null`),
  index('conversations_by_owner_offered_to').on(table.owner, table.offered_to).where(sql`${table.offered_to} is not null`),
  index('conversations_by_owner_priority').on(table.owner, table.priority).where(sql`${table.priority} is not null`),
  index('conversations_by_owner_snoozed').on(table.owner, table.number).where(sql`${table.snoozed_until} is not null`),
  index('conversations_by_owner_overdue').on(table.owner, table.number).where(sql`${table.overdue_at} is not null`)
])
true satisfies Same<
  Omit<ConversationRecord, 'subject' | 'page'>,
  Omit<typeof conversations.$inferSelect, 'number' | 'alias' | 'secret' | 'sealed' | 'indexed'>
>

/** Which conversations have a tag, to find them by it: a copy of each one's tags. */
export const conversationTags = sqliteTable('conversation_tags', {
  account: integer('account_id').notNull(),
  tag: column().notNull(),
  conversation: integer().notNull().references(() => conversations.number, { onDelete: 'cascade' })
}, (table) => [
  primaryKey({ columns: [table.account, table.tag, table.conversation] }),
  index('conversation_tags_by_conversation').on(table.conversation)
])

/**
 * Which words appear in a conversation: four bytes each, which only the account's secret of `wordSecrets` can derive
 * from a word. `part` 0: of its subject; from 1: of a fixed number of messages each.
 */
export const conversationWords = sqliteTable('conversation_words', {
  conversation: integer().notNull().references(() => conversations.number, { onDelete: 'cascade' }),
  part: integer().notNull(),
  words: blob({ mode: 'buffer' }).notNull()
}, (table) => [primaryKey({ columns: [table.conversation, table.part] })])

/** The secret that disguises the words of an account's conversations and visitors. */
export const wordSecrets = sqliteTable('word_secrets', {
  owner: integer('owner_id').primaryKey().references(() => users.id, { onDelete: 'cascade' }),
  secret: integer().notNull()
})

/**
 * Messages. What people wrote, quotes and files are sealed with the key of the conversation; times are microseconds
 * since 1970.
 */
export const messages = sqliteTable('messages', {
  conversation: integer().notNull().references(() => conversations.number, { onDelete: 'cascade' }),
  seq: integer().notNull(),
  id: column().notNull(),
  role: column().$type<Role>().notNull(),
  author: integer(),
  status: column().$type<MessageStatus>().notNull(),
  replaces: column(),
  score: integer(),
  client_id: column(),
  answered_by: column().$type<AnsweredBy>(),
  unknown: integer({ mode: 'boolean' }).notNull().default(false),
  model: column(),
  agent_version: integer(),
  usage: completed('usage'),
  attempts: integer().notNull(),
  created_at: integer().notNull(),
  sealed: blob({ mode: 'buffer' }).notNull()
}, (table) => [
  primaryKey({ columns: [table.conversation, table.seq] }),
  index('messages_unfinished').on(table.conversation).where(sql`${table.status} = 'generating'`)
])

/**
 * Files that visitors added; a name is sealed with the key of the conversation, the bytes are a blob. `path`: random,
 * below the media address.
 */
export const attachments = sqliteTable('attachments', {
  id: column().primaryKey(),
  conversation: integer().notNull().references(() => conversations.number, { onDelete: 'cascade' }),
  owner: integer('owner_id').notNull(),
  agent: integer('agent_id').notNull().default(0),
  path: column().notNull(),
  blob: integer().notNull(),
  bytes: integer().notNull(),
  /** Who added it, if a visitor did so in a widget. */
  visitor: column(),
  /** Microseconds since 1970 at which a visitor added it, until a message names it. */
  loose_since: integer(),
  sealed: blob({ mode: 'buffer' }).notNull()
}, (table) => [
  uniqueIndex('attachments_by_path').on(table.path),
  index('attachments_by_conversation').on(table.conversation),
  index('attachments_by_visitor').on(table.visitor, table.bytes).where(sql`${table.visitor} is not null`),
  index('attachments_loose').on(table.loose_since).where(sql`${table.loose_since} is not null`)
])

/**
 * Events of conversations, numbered in each from 1, for watchers. `message`: the seq of the message it is about, 0 for
 * none; its text is looked up on delivery. `type`: its index in EVENTS.
 */
export const conversationEvents = sqliteTable('conversation_events', {
  conversation: integer().notNull().references(() => conversations.number, { onDelete: 'cascade' }),
  seq: integer().notNull(),
  type: integer().notNull(),
  message: integer().notNull()
}, (table) => [primaryKey({ columns: [table.conversation, table.seq] })])

/** The table of VisitorRecord; who they are is sealed. */
export const visitors = sqliteTable(
  'visitors',
  {
    number: integer().primaryKey({ autoIncrement: true }),
    id: column().notNull(),
    agent: integer('agent_id')
      .notNull()
      .references(() => agents.id, { onDelete: 'cascade' }),
    owner: integer('owner_id').notNull(),
    verified: integer({ mode: 'boolean' }).notNull(),
    /** Digest of the identity that the business vouched for, to find it again. */
    subject: column(),
    created_at: column().notNull(),
    last_seen_at: column().notNull(),
    secret: integer().notNull(),
    sealed: blob({ mode: 'buffer' }).notNull(),
    /** The words of their details, as conversationWords has them; null if an older program wrote it. */
    words: blob({ mode: 'buffer' })
  },
  (table) => [
    uniqueIndex('visitors_by_id').on(table.id),
    index('visitors_by_owner').on(table.owner, table.number),
    index('visitors_by_agent').on(table.agent, table.number),
    uniqueIndex('visitors_by_subject').on(table.agent, table.subject),
    index('visitors_by_silence').on(table.agent, table.last_seen_at)
  ]
)
true satisfies Same<
  Omit<
    VisitorRecord, 'external_id' | 'name' | 'email' | 'phone' | 'attributes' | 'consent' | 'time_zone' | 'place'
  >,
  Omit<typeof visitors.$inferSelect, 'number' | 'subject' | 'secret' | 'sealed' | 'words'>
>

/** Usage of each model answer: the ledger behind the figures and the daily caps. No message content. */
export const modelRuns = sqliteTable(
  'model_runs',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    owner: integer('owner_id').notNull(),
    agent: integer('agent_id').notNull(),
    conversation: integer(),
    /** Days since 1970. */
    day: integer().notNull(),
    model: column().notNull(),
    provider: column().notNull(),
    outcome: column().$type<'complete' | 'stopped' | 'failed'>().notNull(),
    input_tokens: integer().notNull(),
    output_tokens: integer().notNull(),
    cached_tokens: integer().notNull(),
    cost: integer(),
    first_ms: integer(),
    total_ms: integer()
  },
  (table) => [
    index('model_runs_by_owner').on(table.owner, table.day),
    index('model_runs_by_agent').on(table.agent, table.day),
    index('model_runs_by_conversation').on(table.conversation)
  ]
)

/** Sums of the ledger by day (days since 1970), for figures over many days: updated with each run. */
export const modelDays = sqliteTable('model_days', {
  owner: integer('owner_id').notNull(),
  day: integer().notNull(),
  model: column().notNull(),
  agent: integer('agent_id').notNull(),
  runs: integer().notNull(),
  input_tokens: integer().notNull(),
  output_tokens: integer().notNull(),
  cached_tokens: integer().notNull(),
  /** Null while none of its runs has a price. */
  cost: integer()
}, (table) => [primaryKey({ columns: [table.owner, table.day, table.model, table.agent] })])
