import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf, title } from '../common.ts'

/** Why something may be worth learning: the agent did not know, a visitor disliked the answer, or a person answered. */
export const CandidateKind = oneOf(['unknown', 'disliked', 'answered'], { title: 'CandidateKind' })
export type CandidateKind = Static<typeof CandidateKind>

/** A question that an agent could learn to answer, as it was asked in one or more conversations. */
export const Suggestion = Type.Object({
  id: Id,
  agent: Id,
  language: nullable(Type.String({ description: 'ISO 639-1 code of the question\'s language; null if unknown' })),
  question: Type.String({ description: 'The most recent wording; addresses, numbers and names are masked' }),
  answer: nullable(Type.String({ description: 'What a person answered, masked likewise; null if nobody did' })),
  kinds: Type.Array(CandidateKind),
  times: Type.Integer({ minimum: 1, description: 'How often it came up' }),
  first_at: Timestamp,
  last_at: Timestamp
}, { title: 'Suggestion' })
export type Suggestion = Static<typeof Suggestion>

/** What is learnt; omitted fields are as suggested. */
export const SuggestionApproval = Type.Object({
  question: Type.Optional(title(2000)),
  answer: Type.Optional(title(20_000, { description: 'Required if no person has answered' }))
}, { ...closed, title: 'SuggestionApproval', examples: [{ answer: 'Gift cards can be returned within 14 days.' }] })
export type SuggestionApproval = Static<typeof SuggestionApproval>
