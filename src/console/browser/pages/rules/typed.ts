import type { GuardRule } from '../../../../../schema/guards.ts'
import { tagsIn, type TypedTags } from '../inbox/desk/tags-field.tsx'

/** The form values of a rule: lists with one item per line. */
export interface Typed extends Pick<GuardRule, 'name' | 'when' | 'do' | 'text' | 'enabled' | 'acts_on_most'> {
  by: GuardRule['match']['by']
  of: string
  tags: TypedTags
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
    tags: { tags: rule?.tags ?? [], typed: '' },
    match: rule?.tests.match.join('\n') ?? '',
    noMatch: rule?.tests.no_match.join('\n') ?? ''
  }
}

/** The non-empty lines of a text, without duplicates. */
export const linesOf = (text: string) => [...new Set(text.split('\n').map((line) => line.trim()).filter(Boolean))]

/** Whether a rule with this action has a text. */
export const isSpeaking = (does: GuardRule['do']) => does !== 'mask' && does !== 'tag'

/** The rule that was typed. Only words are masked, only tagging rules have tags, and neither kind has a text. */
export function ruleOf ({ by, of, match, noMatch, tags, ...typed }: Typed): GuardRule {
  const all = typed.do === 'tag' ? tagsIn(tags) : []
  return {
    ...typed,
    ...(all.length > 0 && { tags: all }),
    name: typed.name.trim(),
    text: isSpeaking(typed.do) ? typed.text : '',
    match: { by: typed.do === 'mask' ? 'words' : by, of: linesOf(of) },
    tests: { match: linesOf(match), no_match: linesOf(noMatch) }
  }
}
