import type { FigurePart, PartFigures } from '../../schema/people/analytics.ts'
import type { ConversationRecord, Outcome } from '../../schema/conversations.ts'
import { averageOf, costs } from './figures.ts'

/*
 * Dimensions, besides the day, by which episodes are counted: what they have in common with others. Pure functions, so
 * that exactly what was counted can be subtracted.
 */

/** A sum for one value of a dimension. */
export interface PartIncrement { by: FigurePart, value: string, name: string, n: number }

/** What an episode had in common with others when it ended. Strings, as stored. */
export interface Parts { language: string, channel: string, version: string, tags: string[], person: string }

/** The messages of an episode: the agent's answers, those that knew nothing, and their cost, in millionths. */
export interface SaidInEpisode { answers: number, unknown: number, cost: number | null }

/** Maximum values listed. */
const MOST_VALUES = 100

/** What a conversation has in common with others. `version`, `person`: the one that answered last; null: none. */
export function partsOf (
  { language, channel, tags }: Pick<ConversationRecord, 'language' | 'channel' | 'tags'>,
  { version, person }: { version: number | null, person: number | null }
): Parts {
  return { language: language ?? '', channel, version: String(version ?? ''), tags, person: String(person ?? '') }
}

/** Counts for each value of each dimension. Untagged ones are grouped, as are those without a person. */
export function incrementsBy ({ tags, ...parts }: Parts, names: Record<string, number>): PartIncrement[] {
  const kept = Object.entries(names).filter(([, n]) => n !== 0)
  const values: Array<[FigurePart, string]> = [
    ['language', parts.language], ['channel', parts.channel], ['version', parts.version], ['person', parts.person],
    ...(tags.length > 0 ? tags : ['']).map((tag): [FigurePart, string] => ['tag', tag])
  ]
  return values.flatMap(([by, value]) => kept.map(([name, n]) => ({ by, value, name, n })))
}

/** Counts for the end of an episode. */
export function namesOfEnd (outcome: Outcome, { answers, unknown, cost }: SaidInEpisode): Record<string, number> {
  return {
    episodes: 1,
    ...isResolved(outcome) && { resolved: 1 },
    ...outcome === 'handed_off' && { handed_off: 1 },
    ...outcome === 'ticketed' && { ticketed: 1 },
    answers,
    unknown,
    ...cost !== null && { cost }
  }
}

/** Counts for a visitor's return: it was not resolved. */
export function namesOfReturn (outcome: Outcome): Record<string, number> {
  return isResolved(outcome) ? { resolved: -1 } : {}
}

/** Counts for a satisfaction answer. */
export function namesOfSatisfaction (score: number, before: number | null): Record<string, number> {
  return { satisfied: before === null ? 1 : 0, score: score - (before ?? 0) }
}

const isResolved = (outcome: Outcome) => outcome.startsWith('resolved')

/** The figures of sums, by value: most episodes first. */
export function figuresBy (sums: ReadonlyArray<Omit<PartIncrement, 'by'>>): PartFigures[] {
  const byValue = Map.groupBy(sums, ({ value }) => value)
  return [...byValue]
    .map(([value, some]) => partFigures(value, some))
    .sort((a, b) => b.episodes - a.episodes || (a.value < b.value ? -1 : 1))
    .slice(0, MOST_VALUES)
}

function partFigures (value: string, sums: ReadonlyArray<Omit<PartIncrement, 'by'>>): PartFigures {
  const totals = new Map<string, number>()
  for (const { name, n } of sums) totals.set(name, (totals.get(name) ?? 0) + n)
  const total = (name: string) => totals.get(name) ?? 0
  const [episodes, resolved] = [total('episodes'), total('resolved')]
  return {
    value,
    episodes,
    resolved,
    handed_off: total('handed_off'),
    ticketed: total('ticketed'),
    deflection: episodes > 0 ? Math.round(resolved / episodes * 10_000) / 10_000 : null,
    answers: total('answers'),
    unknown: total('unknown'),
    overdue: total('overdue'),
    satisfaction: { answers: total('satisfied'), average: averageOf(total('satisfied'), total('score')) },
    ...costs(totals.get('cost'), resolved)
  }
}
