import type { Arguments } from '../../schema/actions.ts'
import type { Expectation, Verdict, Why } from '../../schema/checks.ts'
import type { HandoffReason } from '../../schema/handoff.ts'
import { ownProperty } from '../platform/objects.ts'

/*
 * Whether an answer is correct, as pure functions, without a model as the judge.
 */

/** The judged properties of an answer. */
export interface Examined {
  text: string
  /** The sources that it cites, and the sites that these are pages of. */
  cited: ReadonlySet<number>
  isUnknown: boolean
  /** Why a person was requested; null: none was. */
  reason: HandoffReason | null
  /** The step that was proposed, such as a ticket. */
  action: string | null
  /** The actions that were chosen. */
  chosen: ReadonlyArray<{ name: string, arguments: Arguments }>
  /** Why it is no evidence about the agent. */
  fault: 'provider_down' | 'limit' | 'failed' | null
}

/** Each fault in words for a person. */
const FAULTS = {
  provider_down: 'No model could answer. See whether its provider is up, then run the questions again.',
  limit: 'The daily tokens are used up. Run the questions again tomorrow, or raise the limit.',
  failed: 'The answer broke off. Run the questions again.'
}

/** Why an answer is wrong; empty if it is correct. `isThere`: whether a source with this id exists. */
export function reasonsAgainst (expect: Expectation, answer: Examined, isThere: (source: number) => boolean): Why[] {
  const gone = expect.sources.filter((source) => !isThere(source))
  if (gone.length > 0) {
    return gone.map((source) => ({
      code: 'source_gone', message: `Source ${source} is gone: expect another one, or none.`
    }))
  }
  if (answer.fault) return [{ code: answer.fault, message: FAULTS[answer.fault] }]
  const said = folded(answer.text)
  return [
    ...expect.sources.filter((source) => !answer.cited.has(source))
      .map((source): Why => ({ code: 'not_cited', message: `Source ${source} is not cited.` })),
    ...expect.says.filter((phrase) => !said.includes(folded(phrase)))
      .map((phrase): Why => ({ code: 'not_said', message: `"${phrase}" is not in the answer.` })),
    ...expect.never.filter((phrase) => said.includes(folded(phrase)))
      .map((phrase): Why => ({ code: 'said', message: `"${phrase}" is said.` })),
    ...aboutKnowing(expect, answer),
    ...aboutHands(expect, answer),
    ...aboutAction(expect, answer)
  ]
}

function aboutKnowing ({ unknown }: Expectation, { isUnknown }: Examined): Why[] {
  if (unknown === null || unknown === isUnknown) return []
  return unknown
    ? [{ code: 'known', message: 'It is answered; the agent should say that it does not know.' }]
    : [{ code: 'unknown', message: 'The agent says that it does not know.' }]
}

function aboutHands ({ hands_off: wanted }: Expectation, { reason }: Examined): Why[] {
  if (wanted === null || wanted === (reason ?? 'none') || (wanted === 'any' && reason !== null)) return []
  return reason === null
    ? [{ code: 'not_handed_off', message: 'No person is requested.' }]
    : [{ code: 'handed_off', message: `A person is requested: ${reason}.` }]
}

function aboutAction (
  { action, arguments: wanted }: Expectation, { action: proposed, chosen }: Examined
): Why[] {
  if (action === null) return []
  const made = chosen.filter(({ name }) => name === action)
  if (made.length === 0 && proposed !== action) {
    const others = [...chosen.map(({ name }) => name), ...(proposed === null ? [] : [proposed])].join(', ')
    return [{ code: 'no_action', message: `${action} is not chosen, but ${others || 'nothing'}.` }]
  }
  const fits = (given: Arguments) => Object.entries(wanted ?? {}).every(([name, value]) =>
    folded(String(ownProperty(given, name) ?? '')) === folded(String(value)))
  if (wanted === null || made.some(({ arguments: given }) => fits(given))) return []
  return [{ code: 'wrong_arguments', message: `${action} is chosen with ${JSON.stringify(made.at(-1)?.arguments ?? {})}.` }]
}

const ERRORS: ReadonlyArray<Why['code']> = ['source_gone', 'provider_down', 'limit', 'failed']

/** The verdict on one answer, or on two or three of a model: two correct ones suffice. */
export function verdictOf (tries: ReadonlyArray<readonly Why[]>): Verdict {
  if (tries.some((why) => why.some(({ code }) => ERRORS.includes(code)))) return 'error'
  const right = tries.filter((why) => why.length === 0).length
  if (right >= Math.min(tries.length, 2)) return 'pass'
  return right > 0 ? 'flaky' : 'fail'
}

/** Whether another answer of a model could still change the verdict: two of a kind decide it. */
export function isDecided (tries: ReadonlyArray<readonly Why[]>): boolean {
  if (verdictOf(tries) === 'error') return true
  return tries.length === 3 || tries.filter((why) => why.length === 0).length === 2
}

/** Text normalised for case, spaces, marks of emphasis and sources, and number formats. */
export function folded (text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\[\d{1,3}\]|[*_`]/g, '')
    .replaceAll(/[\u2018\u2019]/g, "'")
    .replaceAll(/[\u2010-\u2015]/g, '-')
    // 1,000 and 1.000 and 1 000 and 1'000 are a thousand; 2,5 and 2.5 are two and a half.
    .replaceAll(/(?<=\d)[.,' ](?=\d{3}(?!\d))/g, '')
    .replaceAll(/(?<=\d),(?=\d)/g, '.')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
