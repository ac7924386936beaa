import { blob, index, integer, primaryKey, sqliteTable, text as column, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { CheckRunRecord, RunState, Verdict } from '../checks.ts'
import { agents } from './agents.ts'

/**
 * Test questions of agents. Questions and expectations are sealed, each with a separate secret. `is_stale`: something
 * that it depends on has changed since it was last run against the live version.
 */
export const questions = sqliteTable('questions', {
  id: integer().primaryKey({ autoIncrement: true }),
  agent: integer('agent_id').notNull().references(() => agents.id, { onDelete: 'cascade' }),
  from_message: column(),
  enabled: integer({ mode: 'boolean' }).notNull(),
  blocking: integer({ mode: 'boolean' }).notNull(),
  is_stale: integer({ mode: 'boolean' }).notNull().default(false),
  created_at: column().notNull(),
  updated_at: column().notNull(),
  secret: integer().notNull(),
  sealed: blob({ mode: 'buffer' }).notNull(),
  /** Its key in files of its agent. */
  key: column()
}, (table) => [
  index('questions_by_agent').on(table.agent, table.id), uniqueIndex('questions_by_key').on(table.agent, table.key)
])

/** Which questions depend on a source: they expect it, or were answered from it. */
export const questionSources = sqliteTable('question_sources', {
  question: integer().notNull().references(() => questions.id, { onDelete: 'cascade' }),
  source: integer().notNull()
}, (table) => [
  primaryKey({ columns: [table.question, table.source] }), index('question_sources_by_source').on(table.source)
])

/** Runs of test questions. `sealed`: the settings that are tested, and the questions. */
export const questionRuns = sqliteTable('question_runs', {
  id: integer().primaryKey({ autoIncrement: true }),
  agent: integer('agent_id').notNull().references(() => agents.id, { onDelete: 'cascade' }),
  of: column().$type<CheckRunRecord['of']>().notNull(),
  version: integer(),
  draft_etag: column().notNull(),
  cause: column().$type<CheckRunRecord['cause']>().notNull(),
  state: column().$type<RunState>().notNull(),
  knowledge: column().notNull(),
  knowledge_revision: integer().notNull(),
  total: integer().notNull(),
  worse: integer().notNull(),
  created_at: column().notNull(),
  finished_at: column(),
  secret: integer().notNull(),
  sealed: blob({ mode: 'buffer' }).notNull()
}, (table) => [index('question_runs_by_agent').on(table.agent, table.id)])

/** The result of a question in a run. `sealed`, with the secret of the run: the answer, and why it failed. */
export const questionResults = sqliteTable('question_results', {
  run: integer().notNull().references(() => questionRuns.id, { onDelete: 'cascade' }),
  question: integer().notNull().references(() => questions.id, { onDelete: 'cascade' }),
  verdict: column().$type<Verdict>().notNull(),
  ms: integer().notNull(),
  tokens: integer().notNull(),
  sealed: blob({ mode: 'buffer' }).notNull()
}, (table) => [
  primaryKey({ columns: [table.run, table.question] }), index('question_results_by_question').on(table.question, table.run)
])
