import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf, title } from '../common.ts'

/** Why something may be worth learning: the agent did not know, a visitor disliked the answer, or a person answered. */
export const CandidateKind = oneOf(['unknown', 'disliked', 'answered'], { title: 'CandidateKind' })
export type CandidateKind = Static<typeof CandidateKind>

/** A question that an agent could learn to answer, as it was asked in one or more conversations. */
export const Suggestion = Type.Object({
  id: Id,
  agent: Id,
  language: nullable(Type.String({ description: 'ISO 639-1 code of the question, as far as it is known' })),
  question: Type.String({ description: 'As the newest of them was asked; addresses, numbers and names masked' }),
  answer: nullable(Type.String({ description: 'What a person answered, masked too; null where nobody did' })),
  kinds: Type.Array(CandidateKind),
  times: Type.Integer({ minimum: 1, description: 'How often it came up' }),
  first_at: Timestamp,
  last_at: Timestamp
}, { title: 'Suggestion' })
export type Suggestion = Static<typeof Suggestion>

/** What is learnt: what is left out is as suggested. */
export const SuggestionApproval = Type.Object({
  question: Type.Optional(title(2000)),
  answer: Type.Optional(title(20_000, { description: 'Needed where no person has answered' }))
}, { ...closed, title: 'SuggestionApproval', examples: [{ answer: 'Gift cards can be returned within 14 days.' }] })
export type SuggestionApproval = Static<typeof SuggestionApproval>
