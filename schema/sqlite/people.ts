import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, sqliteTable, text as column, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Channel, Outcome } from '../conversations.ts'
import type { FigurePart } from '../people/analytics.ts'
import type { CandidateKind } from '../people/learning.ts'
import type { ReviewReason, Verdict } from '../people/reviews.ts'
import { agents } from './agents.ts'
import { conversations } from './conversations.ts'

/*
 * Data derived from conversations: follow-ups, figures, and what agents could learn.
 */

/**
 * Follow-ups that were sent, each only once. `anchor`: the seq of the answer that they follow; `k`: 1-based index of
 * the follow-up.
 */
export const followUps = sqliteTable('follow_ups', {
  conversation: integer().notNull().references(() => conversations.number, { onDelete: 'cascade' }),
  episode: integer().notNull(),
  anchor: integer().notNull(),
  k: integer().notNull(),
  said_at: column().notNull()
}, (table) => [primaryKey({ columns: [table.conversation, table.episode, table.anchor, table.k] })])

/**
 * Daily sums behind the figures: how often something happened with an agent on a day (days since 1970, UTC). They
 * contain no person's id, so they stay when conversations are removed. `name`, `key`: see src/analytics/figures.ts.
 */
export const figures = sqliteTable(
  'figures',
  {
    agent: integer('agent_id')
      .notNull()
      .references(() => agents.id, { onDelete: 'cascade' }),
    owner: integer('owner_id').notNull(),
    day: integer().notNull(),
    name: column().notNull(),
    key: integer().notNull(),
    n: integer().notNull()
  },
  (table) => [
    primaryKey({ columns: [table.agent, table.day, table.name, table.key] }),
    index('figures_by_owner').on(table.owner, table.day)
  ]
)

/**
 * Occurrences that an agent could learn from. `seq`: of the answer that knew nothing, or that a person gave. The masked
 * question is sealed with the key of its conversation, and deleted with it; it is missing until a job has read it.
 * `group`: shared by those that ask the same. Times are microseconds since 1970.
 */
export const candidates = sqliteTable('candidates', {
  id: integer().primaryKey({ autoIncrement: true }),
  owner: integer('owner_id').notNull(),
  agent: integer('agent_id').notNull().references(() => agents.id, { onDelete: 'cascade' }),
  conversation: integer().notNull().references(() => conversations.number, { onDelete: 'cascade' }),
  seq: integer().notNull(),
  kind: column().$type<CandidateKind>().notNull(),
  state: column().$type<'open' | 'approved' | 'dismissed'>().notNull(),
  created_at: integer().notNull(),
  language: column(),
  group: integer('group_id'),
  sealed: blob({ mode: 'buffer' })
}, (table) => [
  uniqueIndex('candidates_once').on(table.conversation, table.seq, table.kind),
  index('candidates_by_agent').on(table.agent, table.id),
  index('candidates_by_group').on(table.owner, table.kind, table.agent, table.group, table.id)
])

/**
 * How content visitors were: a row for each episode after which they were asked. Their comments are sealed with the
 * secret of the conversation, and deleted with it.
 */
export const satisfactions = sqliteTable('satisfactions', {
  number: integer().primaryKey({ autoIncrement: true }),
  id: column().notNull(),
  conversation: integer().notNull().references(() => conversations.number, { onDelete: 'cascade' }),
  episode: integer().notNull(),
  owner: integer('owner_id').notNull(),
  agent: integer('agent_id').notNull(),
  score: integer(),
  outcome: column().$type<Outcome>().notNull(),
  agent_version: integer(),
  person: integer(),
  channel: column().$type<Channel>().notNull(),
  language: column(),
  asked_at: column().notNull(),
  answered_at: column(),
  sealed: blob({ mode: 'buffer' })
}, (table) => [
  uniqueIndex('satisfactions_by_id').on(table.id),
  uniqueIndex('satisfactions_once').on(table.conversation, table.episode),
  index('satisfactions_by_owner').on(table.owner, table.number).where(sql`${table.score} is not null`),
  index('satisfactions_by_agent').on(table.agent, table.number).where(sql`${table.score} is not null`)
])

/**
 * Daily sums by what episodes have in common: `by` language, channel, version, tag or person, and which one. On the day
 * on which they ended, without visitors' ids.
 */
export const figureParts = sqliteTable('figure_parts', {
  agent: integer('agent_id').notNull().references(() => agents.id, { onDelete: 'cascade' }),
  owner: integer('owner_id').notNull(),
  day: integer().notNull(),
  by: column().$type<FigurePart>().notNull(),
  value: column().notNull(),
  name: column().notNull(),
  n: integer().notNull()
}, (table) => [
  primaryKey({ columns: [table.agent, table.day, table.by, table.value, table.name] }),
  index('figure_parts_by_owner').on(table.owner, table.by, table.day)
])

/** Answers to review, by what makes them a risk, and the judgement of them. */
export const reviews = sqliteTable('reviews', {
  number: integer().primaryKey({ autoIncrement: true }),
  conversation: integer().notNull().references(() => conversations.number, { onDelete: 'cascade' }),
  seq: integer().notNull(),
  owner: integer('owner_id').notNull(),
  agent: integer('agent_id').notNull(),
  reason: column().$type<ReviewReason>().notNull(),
  created_at: column().notNull(),
  verdict: column().$type<Verdict>(),
  person: integer(),
  reviewed_at: column()
}, (table) => [
  uniqueIndex('reviews_once').on(table.conversation, table.seq),
  index('reviews_open_by_owner').on(table.owner, table.number).where(sql`${table.verdict} is null`),
  index('reviews_open_by_agent').on(table.agent, table.number).where(sql`${table.verdict} is null`)
])
