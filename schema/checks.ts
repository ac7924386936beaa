import { Type, type Static } from '@sinclair/typebox'
import { Arguments } from './actions.ts'
import { LONGEST_MESSAGE, MessageId } from './conversations.ts'
import { Id, Timestamp, closed, nullable, oneOf, text, title } from './common.ts'
import { HANDOFF_REASONS } from './handoff.ts'

/** Test questions of one agent, and phrases or sources that each expects, at most. */
export const [MOST_QUESTIONS, MOST_EXPECTED] = [1000, 20]

const phrases = (description: string) => Type.Array(title(500), {
  maxItems: MOST_EXPECTED, uniqueItems: true, description, examples: [['30 days']]
})

/** What a right answer is like. Whatever is left out may be as it likes. */
export const Expectation = Type.Object({
  sources: Type.Array(Id, {
    maxItems: MOST_EXPECTED,
    uniqueItems: true,
    description: 'Sources that the answer must cite, by id; of a site one of its pages'
  }),
  says: phrases('What the answer must say; case, spaces and the way in which numbers are written do not matter'),
  never: phrases('What the answer must not say'),
  unknown: nullable(Type.Boolean(), { description: 'Whether the agent must say that it does not know; null: either' }),
  hands_off: nullable(oneOf(['any', 'none', ...HANDOFF_REASONS]), {
    description: 'Why a person must be asked for; `any`: for any reason, `none`: nobody may be; null: either'
  }),
  action: nullable(title(64), { description: 'The action that must be chosen or proposed; null: any or none' }),
  arguments: nullable(Arguments, {
    title: 'ExpectedArguments',
    description: 'Values with which that action must be chosen; others may be as they like'
  })
}, { title: 'Expectation' })
export type Expectation = Static<typeof Expectation>

/** Something that was said before the question. */
const EarlierTurn = Type.Object({
  role: oneOf(['visitor', 'agent']), text: title(LONGEST_MESSAGE)
}, { ...closed, title: 'EarlierTurn' })
export type EarlierTurn = Static<typeof EarlierTurn>

/** What an action answered once, and answers in a run: nothing is asked outside. */
export const RecordedAnswer = Type.Object({
  name: Type.String({ pattern: '^[a-z0-9_]{1,48}$', description: 'Name of the action', examples: ['track_order'] }),
  result: text(6000, { description: 'What it answers', examples: ['{"status":"on its way"}'] })
}, { ...closed, title: 'RecordedAnswer' })
export type RecordedAnswer = Static<typeof RecordedAnswer>

/** What became of a question in a run. */
export const Verdict = oneOf(['pass', 'fail', 'flaky', 'error'], {
  description: '`flaky`: one of three answers of a model was right; `error`: it could not be told, and why'
})
export type Verdict = Static<typeof Verdict>

/** A test question as the system keeps it. */
export const QuestionRecord = Type.Object({
  id: Id,
  agent: Id,
  text: title(LONGEST_MESSAGE, { examples: ['How long do I have to return something?'] }),
  language: nullable(Type.String({ pattern: '^[a-z]{2,3}$' }), { description: 'As a widget tells it; null: none' }),
  turns: Type.Array(EarlierTurn, { maxItems: 20, description: 'What was said before, oldest first' }),
  actions: Type.Array(RecordedAnswer, {
    maxItems: 10, description: 'What actions answer that the agent chooses; in a run none is done'
  }),
  expect: Expectation,
  from_message: nullable(MessageId, { description: 'The answer that it was made from' }),
  enabled: Type.Boolean({ description: 'Whether runs ask it' }),
  blocking: Type.Boolean({ description: 'Whether a draft with which it fails is not published' }),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type QuestionRecord = Static<typeof QuestionRecord>

/** A test question as answers show it. */
export const Question = Type.Object({
  ...QuestionRecord.properties,
  recent: Type.Array(Type.Object({ run: Id, verdict: Verdict }), {
    description: 'What became of it in the last ten runs, the newest first'
  })
}, { title: 'Question' })
export type Question = Static<typeof Question>

const set = Type.Object({
  text: QuestionRecord.properties.text,
  language: QuestionRecord.properties.language,
  turns: QuestionRecord.properties.turns,
  actions: QuestionRecord.properties.actions,
  expect: Type.Partial(Expectation, { ...closed, title: 'ExpectationDraft' }),
  enabled: QuestionRecord.properties.enabled,
  blocking: QuestionRecord.properties.blocking
})

/** What making a test question takes; the rest has defaults. */
export const QuestionDraft = Type.Object({
  ...Type.Partial(set).properties, text: set.properties.text, expect: set.properties.expect
}, {
  ...closed,
  title: 'QuestionDraft',
  examples: [{ text: 'How long do I have to return something?', expect: { says: ['30 days'] } }]
})
export type QuestionDraft = Static<typeof QuestionDraft>

/** A change of one: an absent field stays, expectations merge field by field. */
export const QuestionPatch = Type.Object(
  Type.Partial(set).properties, { ...closed, title: 'QuestionPatch', examples: [{ blocking: false }] }
)
export type QuestionPatch = Static<typeof QuestionPatch>

/** How far a run has come. */
export const RunState = oneOf(['queued', 'running', 'done', 'cancelled'])
export type RunState = Static<typeof RunState>

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** A run of test questions as the system keeps it, but for what is sealed. */
export const CheckRunRecord = Type.Object({
  id: Id,
  agent: Id,
  of: oneOf(['draft', 'live', 'version'], { description: 'What was asked' }),
  version: nullable(Type.Integer(), { description: 'The number of the version; null of a draft' }),
  draft_etag: Type.String({ description: 'The draft there was when it began' }),
  cause: oneOf(['asked', 'publish', 'knowledge'], {
    description: 'Somebody asked for it, somebody publishes, or what the agent knows has changed'
  }),
  state: RunState,
  knowledge_revision: count('Moves with everything that happens to the sources'),
  total: count('Questions that are asked'),
  worse: count('Questions that passed in the run of the live version before this one, and do not in this one'),
  created_at: Timestamp,
  finished_at: nullable(Timestamp)
})
export type CheckRunRecord = Static<typeof CheckRunRecord>

/** A run as answers show it. */
export const CheckRun = Type.Object({
  ...CheckRunRecord.properties,
  passed: count('Questions that passed by now'),
  failed: count('Questions that failed'),
  flaky: count('Questions that only one of three answers was right for'),
  errors: count('Questions of which it could not be told')
}, { title: 'CheckRun' })
export type CheckRun = Static<typeof CheckRun>

/** Why a question did not pass. */
export const Why = Type.Object({
  code: oneOf([
    'not_cited', 'not_said', 'said', 'unknown', 'known', 'not_handed_off', 'handed_off', 'no_action', 'wrong_arguments', 'source_gone',
    'provider_down', 'limit', 'failed'
  ]),
  message: Type.String()
}, { title: 'Why' })
export type Why = Static<typeof Why>

/** What became of one question. */
export const CheckResult = Type.Object({
  question: Id,
  text: Type.String(),
  blocking: Type.Boolean(),
  verdict: Verdict,
  why: Type.Array(Why),
  message: nullable(Type.String(), { description: 'What the agent said' }),
  sources: Type.Array(Id, { description: 'The sources that it cited' }),
  ms: Type.Integer({ minimum: 0 }),
  tokens: Type.Integer({ minimum: 0, description: 'Tokens that models took for it' })
}, { title: 'CheckResult' })
export type CheckResult = Static<typeof CheckResult>

/** A run with what became of each question. */
export const CheckRunWithResults = Type.Object({
  ...CheckRun.properties, results: Type.Array(CheckResult)
}, { title: 'CheckRunWithResults' })
export type CheckRunWithResults = Static<typeof CheckRunWithResults>

/** What asking for a run takes. */
export const CheckRunDraft = Type.Object({
  of: Type.Optional(oneOf(['draft', 'live'], { description: '`draft` unless given' })),
  version: Type.Optional(Type.Integer({
    minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'A version, in place of `of`'
  })),
  questions: Type.Optional(Type.Array(Id, {
    minItems: 1, maxItems: MOST_QUESTIONS, uniqueItems: true, description: 'Only these; without it all that are enabled'
  }))
}, { ...closed, title: 'CheckRunDraft', examples: [{ of: 'draft' }] })
export type CheckRunDraft = Static<typeof CheckRunDraft>

/** What came of questions that were read from a table. */
export const QuestionsRead = Type.Object({
  added: count('Questions that are new'),
  changed: count('Questions that were there, with another expectation')
}, { title: 'QuestionsRead' })
export type QuestionsRead = Static<typeof QuestionsRead>

/** Questions as a table, its first line naming the columns. */
export const QuestionsTable = Type.Object({
  csv: text(2_000_000, {
    description: 'Columns text, language, sources, says, never, unknown, hands_off, action, arguments, actions, enabled, blocking; several values of a cell are separated by |, and arguments and actions are JSON',
    examples: ['text,says\nHow long do I have to return something?,30 days']
  })
}, { ...closed, title: 'QuestionsTable' })
export type QuestionsTable = Static<typeof QuestionsTable>
