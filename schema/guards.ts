import { Type, type Static } from '@sinclair/typebox'
import { closed, nullable, oneOf, text, title } from './common.ts'

/** Rules of one agent, values of each and characters of a value, at most. */
export const [MOST_RULES, MOST_VALUES, LONGEST_VALUE] = [50, 100, 200]
/** Texts that a rule is tried on, of each kind, and their characters, at most. */
const [MOST_TESTS, LONGEST_TEST] = [20, 1000]

/** By what a rule tells a text. */
export const MATCHES = ['words', 'questions', 'language', 'other_language'] as const
export type MatchBy = typeof MATCHES[number]

/** What a rule does. */
export const DOES = ['refuse', 'hand_off', 'ticket', 'mask'] as const
export const GuardDoes = oneOf(DOES, {
  description:
    '`refuse`: `text` is the answer; `hand_off`: a person is called; `ticket`: a ticket is opened; `mask`: the words are replaced by ••• in what is kept and shown'
})
export type GuardDoes = Static<typeof GuardDoes>

/** What a rule looks for. */
export const GuardMatch = Type.Object({
  by: oneOf(MATCHES, {
    description:
      '`words`: one of these words or phrases, in any form of the word; `questions`: asks the same as one of these; `language`: is written in one of these (ISO 639-1); `other_language`: is surely written in another than these'
  }),
  of: Type.Array(title(LONGEST_VALUE), {
    minItems: 1, maxItems: MOST_VALUES, uniqueItems: true, examples: [['lawsuit', 'legal action']]
  })
}, { ...closed, title: 'GuardMatch' })
export type GuardMatch = Static<typeof GuardMatch>

const tests = (description: string) => Type.Array(title(LONGEST_TEST), { maxItems: MOST_TESTS, description })

/** Texts on which a rule is tried before it is kept. */
export const GuardTests = Type.Object({
  match: tests('The rule must act on these'), no_match: tests('It must not act on these')
}, { ...closed, title: 'GuardTests' })
export type GuardTests = Static<typeof GuardTests>

/** A rule that acts before an agent does anything with a message, or before a visitor sees its answer. */
export const GuardRule = Type.Object({
  name: title(64, { description: 'Names the rule in the inbox and in the figures; each once', examples: ['Lawsuits'] }),
  when: oneOf(['asked', 'answered'], {
    description: '`asked`: looks at what visitors write; `answered`: at answers of the agent, before anybody sees them'
  }),
  match: GuardMatch,
  do: GuardDoes,
  text: text(2000, {
    description: 'What the visitor is told; needed to refuse. Empty where a person or a ticket comes: one moment, please'
  }),
  tests: GuardTests,
  enabled: Type.Boolean(),
  acts_on_most: Type.Boolean({
    description: 'Confirms that the rule may act on most messages; without it such a rule is not kept'
  })
}, { ...closed, title: 'GuardRule' })
export type GuardRule = Static<typeof GuardRule>

/** That a rule has acted on a message, for the team; visitors are never told. */
export const GuardNote = Type.Object({
  rule: GuardRule.properties.name, did: GuardDoes
}, { title: 'GuardNote' })
export type GuardNote = Static<typeof GuardNote>

const optional = Type.Partial(Type.Pick(GuardRule, ['text', 'tests', 'enabled', 'acts_on_most'])).properties

/** Rules as they are sent; what is left out has a default. */
export const GuardRules = Type.Array(Type.Object({
  ...GuardRule.properties, ...optional
}, { ...closed, title: 'GuardRuleDraft' }), {
  maxItems: MOST_RULES,
  description:
    'Rules before and after the model, in order: of those that match, the first one that refuses, hands off or opens a ticket decides; each that masks, masks',
  examples: [[{
    name: 'Lawsuits',
    when: 'asked',
    match: { by: 'words', of: ['lawsuit', 'lawyer'] },
    do: 'hand_off',
    tests: { match: ['My lawyers will write to you'], no_match: ['Do you sell law books?'] }
  }]]
})
export type GuardRuleDraft = Static<typeof GuardRules>[number]

/** A message that a rule would act on. */
const GuardExample = Type.Object({
  conversation: Type.String(),
  message: Type.String(),
  text: Type.String({ description: 'How it begins, 300 characters at most, as it was kept' }),
  shown: nullable(Type.String({ description: 'The same masked; null where it is not' }))
}, { title: 'GuardExample' })
export type GuardExample = Static<typeof GuardExample>

/** What a rule would have done. */
export const GuardPreviewed = Type.Object({
  rule: GuardRule.properties.name,
  matches: Type.Integer({ minimum: 0, description: 'Messages that it matches' }),
  acts: Type.Integer({ minimum: 0, description: 'Of these, those on which no rule before it decides' }),
  looked_at: Type.Integer({ minimum: 0, description: 'Messages that it was tried on' }),
  share: Type.Number({ minimum: 0, maximum: 1, description: 'Share of these that it matches' }),
  on_most: Type.Boolean({ description: 'It matches more than half of ten or more: such a rule is not kept unless that is confirmed' }),
  examples: Type.Array(GuardExample, { description: 'The newest five; none for those who may not read conversations' })
}, { title: 'GuardPreviewed' })
export type GuardPreviewed = Static<typeof GuardPreviewed>

/** What rules would have done in the last 30 days. */
export const GuardPreview = Type.Object({
  days: Type.Integer({ examples: [30] }),
  asked: Type.Integer({ minimum: 0, description: 'Messages of visitors that were looked at' }),
  answered: Type.Integer({ minimum: 0, description: 'Answers that were looked at' }),
  complete: Type.Boolean({ description: 'Whether these are all; else the newest' }),
  rules: Type.Array(GuardPreviewed)
}, { title: 'GuardPreview' })
export type GuardPreview = Static<typeof GuardPreview>

/** Rules to try; without them those of the draft. */
export const GuardPreviewDraft = Type.Object({
  rules: Type.Optional(GuardRules)
}, { ...closed, title: 'GuardPreviewDraft', examples: [{}] })
