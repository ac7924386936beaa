import type { GuardRule } from '../../../../../schema/guards.ts'

/** What is typed of a rule: lists a line each. */
export interface Typed extends Pick<GuardRule, 'name' | 'when' | 'do' | 'text' | 'enabled' | 'acts_on_most'> {
  by: GuardRule['match']['by']
  of: string
  match: string
  noMatch: string
}

export function typedOf (rule: GuardRule | undefined): Typed {
  const { by = 'words', of = [] } = rule?.match ?? {}
  return {
    name: rule?.name ?? '',
    when: rule?.when ?? 'asked',
    do: rule?.do ?? 'refuse',
    text: rule?.text ?? '',
    enabled: rule?.enabled ?? true,
    acts_on_most: rule?.acts_on_most ?? false,
    by,
    of: of.join('\n'),
    match: rule?.tests.match.join('\n') ?? '',
    noMatch: rule?.tests.no_match.join('\n') ?? ''
  }
}

/** The lines of a text that hold anything, each once. */
export const linesOf = (text: string) => [...new Set(text.split('\n').map((line) => line.trim()).filter(Boolean))]

/** The rule that was typed. Only words are masked, and a mask says nothing. */
export function ruleOf ({ by, of, match, noMatch, ...typed }: Typed): GuardRule {
  return {
    ...typed,
    name: typed.name.trim(),
    text: typed.do === 'mask' ? '' : typed.text,
    match: { by: typed.do === 'mask' ? 'words' : by, of: linesOf(of) },
    tests: { match: linesOf(match), no_match: linesOf(noMatch) }
  }
}
