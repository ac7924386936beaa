import {
  MOST_QUESTIONS, type Expectation, type QuestionDraft, type QuestionPatch, type QuestionRecord
} from '../../schema/checks.ts'
import { invalid, Refusal } from '../platform/errors.ts'

/*
 * Operations on questions, as pure functions.
 */

/** Expectations with nothing set. */
export const NOTHING_EXPECTED: Expectation = {
  sources: [], says: [], never: [], unknown: null, hands_off: null, action: null, arguments: null
}

/** A question as it is written, before it has a number. */
export type Written = Omit<QuestionRecord, 'id' | 'agent' | 'created_at' | 'updated_at'>

/** A new question. Refuses with VALIDATION_ERROR one without expectations. */
export function newQuestion (draft: QuestionDraft, from: string | null = null): Written {
  return checked({
    language: null,
    turns: [],
    actions: [],
    enabled: true,
    blocking: true,
    ...draft,
    expect: { ...NOTHING_EXPECTED, ...draft.expect },
    from_message: from
  })
}

/** A question with a change. Refuses as `newQuestion`. */
export function changedQuestion<T extends Written> (question: T, { expect, ...patch }: QuestionPatch): T {
  return checked({ ...question, ...patch, expect: { ...question.expect, ...expect } })
}

function checked<T extends Written> (question: T): T {
  const { sources, says, never, unknown, hands_off: hands, action, arguments: given } = question.expect
  const isEmpty =
    sources.length + says.length + never.length === 0 && unknown === null && hands === null && action === null
  if (isEmpty) {
    throw invalid({ field: 'expect', message: 'expect must say something of the answer: sources, says, never, unknown, hands_off or action.' })
  }
  if (given !== null && action === null) {
    throw invalid({ field: 'expect.arguments', message: 'expect.arguments are those of expect.action: name it.' })
  }
  return question
}

/** Refuses with `limit_reached` more questions than an agent may have. */
export function demandRoom (count: number) {
  if (count <= MOST_QUESTIONS) return
  throw new Refusal('limit_reached', `An agent may have ${MOST_QUESTIONS} test questions. Remove some that are not needed.`)
}
