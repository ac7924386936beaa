import { Type, type Static } from '@sinclair/typebox'
import { MOST_TAGS, TagName, closed, nullable, oneOf, text, title } from './common.ts'

/** Maximum rules of an agent, values of a rule and characters of a value. */
export const [MOST_RULES, MOST_VALUES, LONGEST_VALUE] = [50, 100, 200]
/** Maximum texts of each kind that a rule is tried on, and their characters. */
const [MOST_TESTS, LONGEST_TEST] = [20, 1000]

/** How a rule matches a text. */
export const MATCHES = ['words', 'questions', 'language', 'other_language'] as const
export type MatchBy = typeof MATCHES[number]

/** What a rule does. */
export const DOES = ['refuse', 'hand_off', 'ticket', 'mask', 'tag'] as const
export const GuardDoes = oneOf(DOES, {
  description:
    '`refuse`: answers with `text`; `hand_off`: requests a person; `ticket`: opens a ticket; `mask`: replaces the words with ••• in what is stored and shown; `tag`: adds `tags` to the conversation'
})
export type GuardDoes = Static<typeof GuardDoes>

/** What a rule looks for. */
export const GuardMatch = Type.Object({
  by: oneOf(MATCHES, {
    description:
      '`words`: contains one of these words or phrases, in any inflected form; `questions`: asks the same as one of these; `language`: is written in one of these (ISO 639-1); `other_language`: is certainly written in a language other than these'
  }),
  of: Type.Array(title(LONGEST_VALUE), {
    minItems: 1, maxItems: MOST_VALUES, uniqueItems: true, examples: [['lawsuit', 'legal action']]
  })
}, { ...closed, title: 'GuardMatch' })
export type GuardMatch = Static<typeof GuardMatch>

const tests = (description: string) => Type.Array(title(LONGEST_TEST), { maxItems: MOST_TESTS, description })

/** Texts that a rule is tried on before it is saved. */
export const GuardTests = Type.Object({
  match: tests('Texts the rule must act on'), no_match: tests('Texts it must not act on')
}, { ...closed, title: 'GuardTests' })
export type GuardTests = Static<typeof GuardTests>

/** Maximum tags that a rule may add. */
export const MOST_TAGS_OF_RULE = 5

/** A rule that acts before an agent does anything with a message, or before a visitor sees its answer. */
export const GuardRule = Type.Object({
  name: title(64, { description: 'Name of the rule in the inbox and in analytics; unique', examples: ['Lawsuits'] }),
  when: oneOf(['asked', 'answered'], {
    description: '`asked`: checks visitors\' messages; `answered`: checks the agent\'s answers before anyone sees them, or when they end if all the agent\'s rules for answers only tag'
  }),
  match: GuardMatch,
  do: GuardDoes,
  tags: Type.Optional(Type.Array(TagName, {
    minItems: 1,
    maxItems: MOST_TAGS_OF_RULE,
    description:
      `Tags added to the conversation; required for \`tag\`, refused otherwise. Stored in lower case without duplicates. Tags beyond ${MOST_TAGS} on a conversation are dropped`,
    examples: [['complaint', 'urgent']]
  })),
  text: text(2000, {
    description: 'Message to the visitor; required for `refuse`. If empty for `hand_off` or `ticket`: a request to wait a moment'
  }),
  tests: GuardTests,
  enabled: Type.Boolean(),
  acts_on_most: Type.Boolean({
    description: 'Confirms that the rule may act on most messages; such a rule is refused otherwise'
  })
}, { ...closed, title: 'GuardRule' })
export type GuardRule = Static<typeof GuardRule>

/** A record, for the team, that a rule acted on a message; never shown to visitors. */
export const GuardNote = Type.Object({
  rule: GuardRule.properties.name, did: GuardDoes
}, { title: 'GuardNote' })
export type GuardNote = Static<typeof GuardNote>

const optional = Type.Partial(Type.Pick(GuardRule, ['text', 'tests', 'enabled', 'acts_on_most'])).properties

/** Rules as they are sent; omitted fields have defaults. */
export const GuardRules = Type.Array(Type.Object({
  ...GuardRule.properties, ...optional
}, { ...closed, title: 'GuardRuleDraft' }), {
  maxItems: MOST_RULES,
  description:
    'Rules before and after the model, in order. Of those that match, the first that refuses, hands off or opens a ticket decides; every matching `mask` and `tag` rule also applies',
  examples: [[{
    name: 'Lawsuits',
    when: 'asked',
    match: { by: 'words', of: ['lawsuit', 'lawyer'] },
    do: 'hand_off',
    tests: { match: ['My lawyers will write to you'], no_match: ['Do you sell law books?'] }
  }, {
    name: 'Complaints',
    when: 'asked',
    match: { by: 'words', of: ['broken', 'disappointed'] },
    do: 'tag',
    tags: ['complaint']
  }]]
})
export type GuardRuleDraft = Static<typeof GuardRules>[number]

/** A message that a rule would act on. */
const GuardExample = Type.Object({
  conversation: Type.String(),
  message: Type.String(),
  text: Type.String({ description: 'Beginning of the message as stored, 300 characters at most' }),
  shown: nullable(Type.String({ description: 'The same text masked; null if the rule does not mask' }))
}, { title: 'GuardExample' })
export type GuardExample = Static<typeof GuardExample>

/** What a rule would have done. */
export const GuardPreviewed = Type.Object({
  rule: GuardRule.properties.name,
  matches: Type.Integer({ minimum: 0, description: 'Messages it matches' }),
  acts: Type.Integer({ minimum: 0, description: 'Matches on which no earlier rule decides' }),
  looked_at: Type.Integer({ minimum: 0, description: 'Messages it was tested on' }),
  share: Type.Number({ minimum: 0, maximum: 1, description: 'Share of tested messages that it matches' }),
  on_most: Type.Boolean({
    description: 'Whether it matches more than half of ten or more messages; refused unless `acts_on_most` is true'
  }),
  examples: Type.Array(GuardExample, { description: 'Newest five; empty if the caller may not read conversations' })
}, { title: 'GuardPreviewed' })
export type GuardPreviewed = Static<typeof GuardPreviewed>

/** What rules would have done in the last 30 days. */
export const GuardPreview = Type.Object({
  days: Type.Integer({ examples: [30] }),
  asked: Type.Integer({ minimum: 0, description: 'Visitor messages that were checked' }),
  answered: Type.Integer({ minimum: 0, description: 'Answers that were checked' }),
  complete: Type.Boolean({ description: 'Whether all messages were checked; otherwise only the newest' }),
  rules: Type.Array(GuardPreviewed)
}, { title: 'GuardPreview' })
export type GuardPreview = Static<typeof GuardPreview>

/** Rules to try; defaults to those of the draft. */
export const GuardPreviewDraft = Type.Object({
  rules: Type.Optional(GuardRules)
}, { ...closed, title: 'GuardPreviewDraft', examples: [{}] })
