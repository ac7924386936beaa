import { Type, type Static } from '@sinclair/typebox'
import { Arguments } from './actions.ts'
import { LONGEST_MESSAGE, MessageId } from './conversations.ts'
import { Id, Timestamp, closed, nullable, oneOf, text, title } from './common.ts'
import { HANDOFF_REASONS } from './handoff.ts'

/** Maximum test questions of an agent, and phrases or sources that each expects. */
export const [MOST_QUESTIONS, MOST_EXPECTED] = [1000, 20]

const phrases = (description: string) => Type.Array(title(500), {
  maxItems: MOST_EXPECTED, uniqueItems: true, description, examples: [['30 days']]
})

/** What a correct answer must satisfy. Omitted criteria are not checked. */
export const Expectation = Type.Object({
  sources: Type.Array(Id, {
    maxItems: MOST_EXPECTED,
    uniqueItems: true,
    description: 'Ids of the sources that the answer must cite; for a site, one of its pages'
  }),
  says: phrases('What the answer must say; case, spaces and number formats do not matter'),
  never: phrases('What the answer must not say'),
  unknown: nullable(Type.Boolean(), { description: 'Whether the agent must say that it does not know; null: either' }),
  hands_off: nullable(oneOf(['any', 'none', ...HANDOFF_REASONS]), {
    description:
      'Reason for which a person must be requested; `any`: any reason, `none`: no person may be requested; null: either'
  }),
  action: nullable(title(64), { description: 'Action that must be chosen or proposed; null: any or none' }),
  arguments: nullable(Arguments, {
    title: 'ExpectedArguments',
    description: 'Argument values that the action must be chosen with; other arguments may have any value'
  })
}, { title: 'Expectation' })
export type Expectation = Static<typeof Expectation>

/** Something that was said before the question. */
const EarlierTurn = Type.Object({
  role: oneOf(['visitor', 'agent']), text: title(LONGEST_MESSAGE)
}, { ...closed, title: 'EarlierTurn' })
export type EarlierTurn = Static<typeof EarlierTurn>

/** A recorded result that an action returns in a run: no request is sent. */
export const RecordedAnswer = Type.Object({
  name: Type.String({ pattern: '^[a-z0-9_]{1,48}$', description: 'Name of the action', examples: ['track_order'] }),
  result: text(6000, { description: 'What the action returns', examples: ['{"status":"on its way"}'] })
}, { ...closed, title: 'RecordedAnswer' })
export type RecordedAnswer = Static<typeof RecordedAnswer>

/** The result of a question in a run. */
export const Verdict = oneOf(['pass', 'fail', 'flaky', 'error'], {
  description: '`flaky`: one of three answers of a model was correct; `error`: no verdict was possible, `why` says why'
})
export type Verdict = Static<typeof Verdict>

/** A test question as stored. */
export const QuestionRecord = Type.Object({
  id: Id,
  agent: Id,
  text: title(LONGEST_MESSAGE, { examples: ['How long do I have to return something?'] }),
  language: nullable(Type.String({ pattern: '^[a-z]{2,3}$' }), {
    description: 'Language as reported by a widget; null: none'
  }),
  turns: Type.Array(EarlierTurn, { maxItems: 20, description: 'What was said before the question, oldest first' }),
  actions: Type.Array(RecordedAnswer, {
    maxItems: 10, description: 'Recorded results of the actions that the agent chooses; a run executes none'
  }),
  expect: Expectation,
  from_message: nullable(MessageId, { description: 'The answer that it was created from' }),
  enabled: Type.Boolean({ description: 'Whether runs include it' }),
  blocking: Type.Boolean({ description: 'Whether a draft that fails it is not published' }),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type QuestionRecord = Static<typeof QuestionRecord>

/** A test question as responses show it. */
export const Question = Type.Object({
  ...QuestionRecord.properties,
  recent: Type.Array(Type.Object({ run: Id, verdict: Verdict }), {
    description: 'Verdicts of the last ten runs, newest first'
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

/** Request to create a test question; other fields have defaults. */
export const QuestionDraft = Type.Object({
  ...Type.Partial(set).properties, text: set.properties.text, expect: set.properties.expect
}, {
  ...closed,
  title: 'QuestionDraft',
  examples: [{ text: 'How long do I have to return something?', expect: { says: ['30 days'] } }]
})
export type QuestionDraft = Static<typeof QuestionDraft>

/** A change of a test question: an absent field stays, expectations are merged field by field. */
export const QuestionPatch = Type.Object(
  Type.Partial(set).properties, { ...closed, title: 'QuestionPatch', examples: [{ blocking: false }] }
)
export type QuestionPatch = Static<typeof QuestionPatch>

/** The state of a run. */
export const RunState = oneOf(['queued', 'running', 'done', 'cancelled'])
export type RunState = Static<typeof RunState>

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** A run of test questions as stored, without what is sealed. */
export const CheckRunRecord = Type.Object({
  id: Id,
  agent: Id,
  of: oneOf(['draft', 'live', 'version'], { description: 'What was tested' }),
  version: nullable(Type.Integer(), { description: 'Version number; null for a draft' }),
  draft_etag: Type.String({ description: 'ETag of the draft when the run started' }),
  cause: oneOf(['asked', 'publish', 'knowledge'], {
    description:
      "`asked`: somebody started it; `publish`: somebody publishes the agent; `knowledge`: the agent's knowledge " +
      'has changed'
  }),
  state: RunState,
  knowledge_revision: count('Changes with everything that happens to the sources'),
  total: count('Questions in the run'),
  worse: count('Questions that passed in the previous run of the live version but not in this one'),
  created_at: Timestamp,
  finished_at: nullable(Timestamp)
})
export type CheckRunRecord = Static<typeof CheckRunRecord>

/** A run as responses show it. */
export const CheckRun = Type.Object({
  ...CheckRunRecord.properties,
  passed: count('Questions that have passed so far'),
  failed: count('Questions that have failed'),
  flaky: count('Questions for which only one of three answers was correct'),
  errors: count('Questions without a verdict')
}, { title: 'CheckRun' })
export type CheckRun = Static<typeof CheckRun>

/** Why a question failed. */
export const Why = Type.Object({
  code: oneOf([
    'not_cited', 'not_said', 'said', 'unknown', 'known', 'not_handed_off', 'handed_off', 'no_action', 'wrong_arguments', 'source_gone',
    'provider_down', 'limit', 'failed'
  ]),
  message: Type.String()
}, { title: 'Why' })
export type Why = Static<typeof Why>

/** The result of one question. */
export const CheckResult = Type.Object({
  question: Id,
  text: Type.String(),
  blocking: Type.Boolean(),
  verdict: Verdict,
  why: Type.Array(Why),
  message: nullable(Type.String(), { description: 'What the agent said' }),
  sources: Type.Array(Id, { description: 'The sources it cited' }),
  ms: Type.Integer({ minimum: 0 }),
  tokens: Type.Integer({ minimum: 0, description: 'Tokens used by models' })
}, { title: 'CheckResult' })
export type CheckResult = Static<typeof CheckResult>

/** A run with the result of each question. */
export const CheckRunWithResults = Type.Object({
  ...CheckRun.properties, results: Type.Array(CheckResult)
}, { title: 'CheckRunWithResults' })
export type CheckRunWithResults = Static<typeof CheckRunWithResults>

/** Request to start a run. */
export const CheckRunDraft = Type.Object({
  of: Type.Optional(oneOf(['draft', 'live'], { description: 'Default: `draft`' })),
  version: Type.Optional(Type.Integer({
    minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'A version number, instead of `of`'
  })),
  questions: Type.Optional(Type.Array(Id, {
    minItems: 1,
    maxItems: MOST_QUESTIONS,
    uniqueItems: true,
    description: 'Only these questions; default: all enabled ones'
  }))
}, { ...closed, title: 'CheckRunDraft', examples: [{ of: 'draft' }] })
export type CheckRunDraft = Static<typeof CheckRunDraft>

/** The result of importing questions from a table. */
export const QuestionsRead = Type.Object({
  added: count('New questions'),
  changed: count('Existing questions whose expectation was updated')
}, { title: 'QuestionsRead' })
export type QuestionsRead = Static<typeof QuestionsRead>

/** Questions as a table; the first line names the columns. */
export const QuestionsTable = Type.Object({
  csv: text(2_000_000, {
    description:
      'Columns text, language, sources, says, never, unknown, hands_off, action, arguments, actions, enabled, ' +
      'blocking; multiple values in a cell are separated by |, and arguments and actions are JSON',
    examples: ['text,says\nHow long do I have to return something?,30 days']
  })
}, { ...closed, title: 'QuestionsTable' })
export type QuestionsTable = Static<typeof QuestionsTable>
