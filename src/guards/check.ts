import { isDeepStrictEqual } from 'node:util'
import { MOST_TAGS_OF_RULE, type GuardRule, type GuardRuleDraft } from '../../schema/guards.ts'
import { tagsAs, tooManyTags } from '../platform/tags.ts'
import { invalid, Refusal, type FieldError, type RefusalCode } from '../platform/errors.ts'
import type { Way } from '../platform/http/openapi.ts'
import type { When } from './act.ts'
import { compiled, compiling, languageOf, weightOf } from './compile.ts'
import { matchesOf, matching, readyingFor } from './match.ts'
import { words } from '../search/words/words.ts'
import { ORDINARY } from './ordinary.ts'

/*
 * Validates rules: pure functions.
 */

/** Used to find rules that act on nearly everything. */
export interface SaidLately {
  /** Texts of the last days, newest first: visitors' messages and the agent's answers. */
  asked: readonly string[]
  answered: readonly string[]
}

/** The share of texts from which a rule acts on most of them, and how many are needed to tell. */
export const [ACTS_ON_MOST, ENOUGH] = [0.5, 10]
/** Most characters that all rules of an agent may look for together: they are cached, several times over. */
export const MOST_CHARACTERS = 50_000

/** A rule with its defaults filled in, and its tags as stored. */
export function completeRule (
  { text = '', tests, enabled = true, acts_on_most: isBroad = false, tags, ...rule }: GuardRuleDraft
): GuardRule {
  return {
    ...rule,
    ...(tags && { tags: tagsAs(tags) }),
    text,
    tests: tests ?? { match: [], no_match: [] },
    enabled,
    acts_on_most: isBroad
  }
}

/** Why well-formed rules are refused. */
export const NOT_KEPT: readonly Way[] = [
  ['rule_tests_failed', 'A guard rule fails its own tests: `fields.rules` says which and where.'],
  ['rule_acts_on_most', 'A guard rule would act on most messages, and nobody has confirmed it: `fields.rules` says which.']
]

/** The result of trying a rule. */
interface TriedRule {
  /** Its own tests that fail, by their index among those of each kind. */
  failed: Record<'match' | 'no_match', number[]>
  /** How much of recent messages it acts on; undefined for languages with too little to tell. */
  share: Share | undefined
}

/** The same for each of some rules, in order, and what it was measured by: see `trying`. */
export interface Tried { rules: readonly TriedRule[], isByLately: Record<When, boolean> }

/**
 * Tries rules on their own tests and on recent messages: the basis of `checkRules`. Many tests take longer than others
 * may wait, so it pauses between pieces of work. Rules that say too much are not tried.
 */
export function * trying (rules: readonly GuardRule[], lately: SaidLately): Generator<void, Tried> {
  const isByLately = { asked: lately.asked.length >= ENOUGH, answered: lately.answered.length >= ENOUGH }
  if (weightOf(rules) > MOST_CHARACTERS) return { rules: [], isByLately }
  const shares = new Map<GuardRule, Share>()
  for (const when of ['asked', 'answered'] as const) {
    const own = rules.filter((rule) => rule.when === when && rule.enabled && !rule.acts_on_most)
    const found = isByLately[when] ? yield * sharing(own, lately[when]) : yield * ordinarily(own)
    for (const [rule, share] of found) shares.set(rule, share)
  }
  const tried: TriedRule[] = []
  for (const rule of rules) tried.push({ failed: yield * failing(rule), share: shares.get(rule) })
  return { rules: tried, isByLately }
}

/**
 * Refuses rules that say too little or too much with VALIDATION_ERROR, those that fail their own tests with
 * `rule_tests_failed`, and those that act on most messages with `rule_acts_on_most`, unless that is confirmed. What is
 * in `before`, the current rules, may stay. `tried`: the result of trying these rules; `prompt`: the instructions of
 * the agent, in the language most of its visitors write.
 */
export function checkRules (
  rules: readonly GuardRule[], before: readonly GuardRule[], tried: Tried, prompt: string
) {
  const looked = rules.flatMap((rule, at) => {
    const isTwice = rules.findIndex(({ name }) => name === rule.name) < at
    if (!isTwice && before.some((one) => isDeepStrictEqual(one, rule))) return []
    return [{ rule, others: rules.slice(0, at), field: `behavior.guardRules[${at}]`, tried: tried.rules[at]! }]
  })
  const wrong = [
    ...looked.length > 0 ? tooMuch(rules) : [],
    ...looked.flatMap(({ rule, others, field }) => saidWrong(rule, others, field))
  ]
  if (wrong.length > 0) throw invalid(...wrong)
  refuse('rule_tests_failed', looked.flatMap(failedTests))
  refuse('rule_acts_on_most', looked.flatMap((one) => tooBroad(one, tried.isByLately[one.rule.when], prompt)))
}

function tooMuch (rules: readonly GuardRule[]): FieldError[] {
  const weight = weightOf(rules)
  if (weight <= MOST_CHARACTERS) return []
  return [{
    field: 'behavior.guardRules',
    message: `behavior.guardRules look for ${weight} characters in total and may look for ${MOST_CHARACTERS}. Shorten the values, or leave some out.`
  }]
}

function refuse (code: RefusalCode, wrong: readonly FieldError[]) {
  const [first] = wrong
  if (first) throw new Refusal(code, first.message, { fields: { rules: wrong } })
}

function saidWrong (
  rule: GuardRule, others: readonly GuardRule[], field: string
): FieldError[] {
  const { name, match: { by, of }, do: does, text, tags } = rule
  const named = of.findIndex((one) => isOfLanguages(rule) ? !/^[a-z]{2,3}$/.test(one) : words(one, null).length === 0)
  return [
    ...others.some((one) => one.name === name)
      ? [{ field: `${field}.name`, message: `${field}.name is "${name}", like that of another rule. Choose another name.` }]
      : [],
    ...named < 0
      ? []
      : [{
          field: `${field}.match.of[${named}]`,
          message: `${field}.match.of[${named}] must be ${isOfLanguages(rule) ? 'a language by its code, such as de' : 'a text with a letter or a digit in it'}.`
        }],
    ...does === 'refuse' && text.trim() === ''
      ? [{ field: `${field}.text`, code: 'required', message: `${field}.text is required to refuse: say what visitors are told.` }]
      : [],
    ...does === 'mask' && by !== 'words'
      ? [{ field: `${field}.match.by`, message: `${field}.match.by must be words to mask words.` }]
      : [],
    ...does === 'tag' && tags === undefined
      ? [{
          field: `${field}.tags`,
          code: 'required',
          message: `${field}.tags is required to tag: say which, 1 to ${MOST_TAGS_OF_RULE}.`
        }]
      : [],
    ...tags && tags.length > MOST_TAGS_OF_RULE
      ? [tooManyTags(`${field}.tags`, tags, MOST_TAGS_OF_RULE)]
      : [],
    ...does !== 'tag' && tags !== undefined
      ? [{ field: `${field}.tags`, message: `${field}.tags is only for rules that tag. Leave it out, or let do be tag.` }]
      : []
  ]
}

/** The rule alone, switched on or not, on each of its own tests. */
function * failing (rule: GuardRule): Generator<void, TriedRule['failed']> {
  const failed: TriedRule['failed'] = { match: [], no_match: [] }
  const ready = yield * compiling([rule])
  for (const kind of ['match', 'no_match'] as const) {
    for (const [at, text] of rule.tests[kind].entries()) {
      yield * readyingFor(text, ready)
      if ((yield * matching(text, ready)).has(0) !== (kind === 'match')) failed[kind].push(at)
      yield
    }
  }
  return failed
}

/** A rule to check, and its index. */
interface Looked { rule: GuardRule, field: string, tried: TriedRule }

function failedTests ({ rule, field, tried: { failed } }: Looked): FieldError[] {
  return (['match', 'no_match'] as const).flatMap((kind) => failed[kind].map((at) => ({
    field: `${field}.tests.${kind}[${at}]`,
    message: `The rule "${rule.name}" ${kind === 'match' ? 'does not act' : 'acts'} on "${rule.tests[kind][at]}", and its test says that it ${kind === 'match' ? 'does' : 'does not'}. Change the rule or the test.`
  })))
}

/**
 * Whether a rule would act on most recent messages or, where those are too few, on most ordinary questions.
 */
function tooBroad ({ rule, field, tried }: Looked, isByLately: boolean, prompt: string): FieldError[] {
  if (!rule.enabled || rule.acts_on_most) return []
  const { count, of, share } = tried.share ?? shareOfPrompt(rule, prompt)
  if (share <= ACTS_ON_MOST) return []
  const what = isByLately ? 'messages of the last days' : 'ordinary messages'
  return [{
    field: `${field}.acts_on_most`,
    message: `The rule "${rule.name}" would act on ${count} of ${of} ${what}. Look at it in the preview and narrow it, or set acts_on_most to true if that is what you want.`
  }]
}

/** How many of some texts a rule acts on. */
interface Share { count: number, of: number, share: number }

const shareIn = (count: number, of: number): Share => ({ count, of, share: of === 0 ? 0 : count / of })

/** If nothing else is known, an agent's prompt tells what language it is asked in. */
function shareOfPrompt (rule: GuardRule, prompt: string): Share {
  if (prompt === '') return shareIn(0, 0)
  return shareIn(matchesOf(prompt, compiled([rule])).size, 1)
}

/**
 * How many of these texts each rule acts on, as if it were alone: rules in one language are compared with a text
 * together, since tokenizing is expensive. Pauses between pieces of the work.
 */
export function * sharing (
  rules: readonly GuardRule[], texts: readonly string[]
): Generator<void, Map<GuardRule, Share>> {
  const counts = new Map(rules.map((rule) => [rule, 0]))
  for (const alike of Map.groupBy(rules, languageOf).values()) {
    const ready = yield * compiling(alike)
    for (const text of texts) {
      yield * readyingFor(text, ready)
      for (const at of (yield * matching(text, ready)).keys()) counts.set(alike[at]!, counts.get(alike[at]!)! + 1)
      yield
    }
  }
  return new Map([...counts].map(([rule, count]) => [rule, shareIn(count, texts.length)]))
}

/** The same for customers' usual questions: most of those in one language is most for somebody. */
function * ordinarily (rules: readonly GuardRule[]): Generator<void, Map<GuardRule, Share>> {
  const others = rules.filter((rule) => !isOfLanguages(rule))
  const most = new Map<GuardRule, Share>()
  for (const texts of ORDINARY) {
    for (const [rule, share] of yield * sharing(others, texts)) {
      if (share.share > (most.get(rule)?.share ?? -1)) most.set(rule, share)
    }
  }
  return most
}

const isOfLanguages = ({ match: { by } }: GuardRule) => by === 'language' || by === 'other_language'
