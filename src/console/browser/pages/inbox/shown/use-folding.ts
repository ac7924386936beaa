import { useMemo } from 'preact/hooks'
import type { Filter } from '../conversations.ts'
import { choose, chosen } from './choices.ts'
import { foldingOf, type Counted } from './folding.ts'

/** How a list is folded, decided when it is read, so that no event moves its rows; then as the user chooses. */
export function useFolding ({ key, isRead, parts }: { key: string, isRead: boolean, parts: Counted }, filter: Filter) {
  const { canFold, isFolded } = useMemo(() => foldingOf(filter, parts), [key, isRead])
  const now = canFold && (chosen('folded') ?? isFolded)
  return { canFold, isFolded: now, turn: () => choose('folded', !now) }
}
