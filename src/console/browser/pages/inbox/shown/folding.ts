import type { Filter, Group } from '../conversations.ts'

/** Most conversations that agents answer alone which are listed unasked below those of people. */
export const MANY = 25

/** The sections of a list, and which conversations are in each. */
export type Counted = ReadonlyArray<{ group: Pick<Group, 'name'>, ids: readonly string[] }>

/**
 * Whether the section of what agents answer alone can be folded, which is of use only where everything is listed and
 * there is much of it; and whether it is at first: if there is something else to be seen.
 */
export function foldingOf (
  { view, search, ...narrowed }: Filter, parts: Counted
): { canFold: boolean, isFolded: boolean } {
  const agents = parts.find(({ group }) => group.name === 'agent')?.ids.length ?? 0
  const isAll = view === 'all' && search === '' && Object.values(narrowed).every((value) => value === undefined)
  const canFold = isAll && agents > MANY
  return { canFold, isFolded: canFold && parts.some(({ group, ids }) => group.name !== 'agent' && ids.length > 0) }
}
