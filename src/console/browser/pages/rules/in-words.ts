import type { GuardRule } from '../../../../../schema/guards.ts'
import type { DiffLine } from '../../../../../schema/versions.ts'
import { labelled, texts } from '../../texts/index.ts'
import { ruleTexts } from '../../texts/rules/index.ts'

/**
 * How two lists of guard rules differ, with a rule per line. Rules apply from top to bottom: if those in both lists
 * have another order, both lists are shown in full.
 */
export function ruleLines (from: unknown, to: unknown): DiffLine[] {
  const [before, after] = [inWords(from), inWords(to)]
  const [kept, found] = [before.filter((one) => after.includes(one)), after.filter((one) => before.includes(one))]
  const isMoved = kept.some((one, at) => found[at] !== one)
  const only = (all: string[], others: string[]) => isMoved ? all : all.filter((one) => !others.includes(one))
  return [
    ...only(before, after).map((text) => ({ is: 'removed' as const, text })),
    ...only(after, before).map((text) => ({ is: 'added' as const, text }))
  ]
}

const isRule = (value: unknown): value is GuardRule =>
  typeof value === 'object' && value !== null && 'name' in value && 'match' in value && 'tests' in value

const inWords = (rules: unknown) => Array.isArray(rules) ? rules.filter(isRule).map(ruleInWords) : []

/** A rule in the words of the page on which it is made. */
function ruleInWords (rule: GuardRule): string {
  const { name, when, match: { by, of }, do: does, tags = [], text, tests, enabled, acts_on_most: isBroad } = rule
  const say = ruleTexts()
  const listed = (label: string, all: readonly string[]) => all.length > 0 && labelled(label, all.join(', '))
  return [
    labelled(name, say.doing[does]),
    !enabled && say.off,
    listed(texts.value.desk.tags, tags),
    say.whens[when],
    listed(say.bys[by], of),
    text !== '' && labelled(say.text, text),
    isBroad && say.confirm,
    listed(say.match, tests.match),
    listed(say.noMatch, tests.no_match)
  ].filter((one) => one !== false).join(' · ')
}
