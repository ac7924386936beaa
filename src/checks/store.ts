import type { AgentSettings } from '../../schema/agents.ts'
import type {
  CheckResult, CheckRun, CheckRunRecord, CheckRunWithResults, Question, QuestionDraft, QuestionPatch, QuestionRecord,
  QuestionsRead
} from '../../schema/checks.ts'
import type { Id } from '../../schema/common.ts'
import type { Match, Once, Outcome } from '../platform/storage/contract.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** What a new question is made from, beside its draft. */
export interface NewQuestion { draft: QuestionDraft, from?: string | null }

/** What is asked in a new run. */
export interface NewRun {
  of: CheckRunRecord['of']
  version: number | null
  cause: CheckRunRecord['cause']
  /** Names the draft there is. */
  draft: string
  settings: AgentSettings
  /** Only these; without it all that are enabled. */
  questions?: readonly Id[] | undefined
  /** Milliseconds for which whoever asks for it asks the questions itself. */
  inMs?: number
}

/** A run that is to be gone on with. */
export interface Unfinished { run: CheckRunRecord, settings: AgentSettings, left: QuestionRecord[] }

/** What came of one question, to be kept. */
export interface Noted extends Pick<CheckResult, 'question' | 'verdict' | 'why' | 'message' | 'sources' | 'ms' | 'tokens'> {}

/** Test questions and their runs. An agent that is missing, or somebody else's, is `undefined`. */
export interface CheckStore {
  questions (owner: Id, agent: Id): Promise<Question[] | undefined>
  question (owner: Id, agent: Id, question: Id): Promise<Question | undefined>
  /** Refuses with `limit_reached` where there are too many. */
  add (owner: Id, agent: Id, made: NewQuestion, once?: Once): Promise<Outcome<Question> | undefined>
  /** Adds all or none; one that asks what there is already takes its place. */
  addAll (owner: Id, agent: Id, drafts: readonly QuestionDraft[]): Promise<QuestionsRead | undefined>
  change (
    owner: Id, agent: Id, question: Id, patch: QuestionPatch, check: Match<Question>
  ): Promise<Question | undefined>
  remove (owner: Id, agent: Id, question: Id, check: Match<Question>): Promise<boolean>
  /** Newest first. */
  runs (owner: Id, agent: Id, before: number, limit: number): Promise<CheckRun[] | undefined>
  run (owner: Id, agent: Id, run: Id): Promise<CheckRunWithResults | undefined>
  /** Asks for a run. Refuses with `limit_reached` where too many are to be done. */
  begin (owner: Id, agent: Id, made: NewRun, once?: Once): Promise<Outcome<CheckRun> | undefined>
  /** A run that was asked for, with the questions that are left of it; undefined once it is done or gone. */
  goOn (owner: Id, run: Id): Promise<Unfinished | undefined>
  /** Keeps what came of a question; whether the run is still wanted. */
  note (owner: Id, run: Id, result: Noted): Promise<boolean>
  /** Ends a run; of the live version it tells what got worse. */
  end (owner: Id, run: Id): Promise<CheckRun | undefined>
  cancel (owner: Id, agent: Id, run: Id): Promise<CheckRun | undefined>
  /**
   * The newest run of exactly this draft, with what is known now, in which all questions were asked that block;
   * undefined where there is none.
   */
  runOf (owner: Id, agent: Id, draft: string): Promise<CheckRunWithResults | undefined>
  /** Questions that rest on something that has changed; and when the last run for such a reason began. */
  stale (owner: Id, agent: Id): Promise<{ questions: Id[], last: string | null } | undefined>
  /** Which of these sources there are, each with the site that it is a page of. */
  sources (owner: Id, agent: Id, ids: readonly Id[]): Promise<Map<Id, Id | null>>
}

/** What goes with an agent, a user or an account. */
export const checksKept: Keeps = {
  ofAgent: [
    { table: 'question_runs', of: 'agent_id = ?', order: 'id desc', along: { tables: ['question_results'], by: 'run', key: 'id' } },
    { table: 'questions', of: 'agent_id = ?', order: 'id desc' }
  ]
}
