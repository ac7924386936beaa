import type { AgentSettings } from '../../schema/agents.ts'
import type {
  CheckResult, CheckRun, CheckRunRecord, CheckRunWithResults, Question, QuestionDraft, QuestionPatch, QuestionRecord,
  QuestionsRead
} from '../../schema/checks.ts'
import type { Id } from '../../schema/common.ts'
import type { Match, IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Input for a new question, besides its draft. */
export interface NewQuestion { draft: QuestionDraft, from?: string | null }

/** Input for a new run. */
export interface NewRun {
  of: CheckRunRecord['of']
  version: number | null
  cause: CheckRunRecord['cause']
  /** Identifies the current draft. */
  draft: string
  settings: AgentSettings
  /** Only these; by default all that are enabled. */
  questions?: readonly Id[] | undefined
  /** Milliseconds for which the caller runs the questions itself. */
  inMs?: number
}

/** A run to be continued. */
export interface Unfinished { run: CheckRunRecord, settings: AgentSettings, left: QuestionRecord[] }

/** The result of one question, to be stored. */
export interface Noted extends Pick<CheckResult, 'question' | 'verdict' | 'why' | 'message' | 'sources' | 'ms' | 'tokens'> {}

/** Test questions and their runs. An agent that is missing, or somebody else's, is `undefined`. */
export interface CheckStore {
  questions (owner: Id, agent: Id): Promise<Question[] | undefined>
  question (owner: Id, agent: Id, question: Id): Promise<Question | undefined>
  /** Refuses with `limit_reached` where there are too many. */
  add (owner: Id, agent: Id, made: NewQuestion, once?: IdempotencyKey): Promise<IdempotentResult<Question> | undefined>
  /** Adds all or none; one with the text of an existing question replaces it. */
  addAll (owner: Id, agent: Id, drafts: readonly QuestionDraft[]): Promise<QuestionsRead | undefined>
  change (
    owner: Id, agent: Id, question: Id, patch: QuestionPatch, check: Match<Question>
  ): Promise<Question | undefined>
  remove (owner: Id, agent: Id, question: Id, check: Match<Question>): Promise<boolean>
  /** Newest first. */
  runs (owner: Id, agent: Id, before: number, limit: number): Promise<CheckRun[] | undefined>
  run (owner: Id, agent: Id, run: Id): Promise<CheckRunWithResults | undefined>
  /** Requests a run. Refuses with `limit_reached` if too many are pending. */
  begin (owner: Id, agent: Id, made: NewRun, once?: IdempotencyKey): Promise<IdempotentResult<CheckRun> | undefined>
  /** A requested run with its remaining questions; undefined once it is done or deleted. */
  goOn (owner: Id, run: Id): Promise<Unfinished | undefined>
  /** Stores the result of a question; returns whether the run is still wanted. */
  note (owner: Id, run: Id, result: Noted): Promise<boolean>
  /** Ends a run; for the live version it announces what got worse. */
  end (owner: Id, run: Id): Promise<CheckRun | undefined>
  cancel (owner: Id, agent: Id, run: Id): Promise<CheckRun | undefined>
  /**
   * The newest run of exactly this draft, with the current knowledge, that covered all blocking questions; undefined if
   * there is none.
   */
  runOf (owner: Id, agent: Id, draft: string): Promise<CheckRunWithResults | undefined>
  /** Questions that depend on something that changed; and when the last run for such a reason began. */
  stale (owner: Id, agent: Id): Promise<{ questions: Id[], last: string | null } | undefined>
  /** Which of these sources exist, each with the site that it is a page of. */
  sources (owner: Id, agent: Id, ids: readonly Id[]): Promise<Map<Id, Id | null>>
}

/** What is deleted with an agent, a user or an account. */
export const checksKept: Keeps = {
  ofAgent: [
    { table: 'question_runs', of: 'agent_id = ?', order: 'id desc', along: { tables: ['question_results'], by: 'run', key: 'id' } },
    { table: 'questions', of: 'agent_id = ?', order: 'id desc' }
  ]
}
