import { computed, signal } from '@preact/signals'
import type { Conversation } from '../../../../schema/conversations.ts'
import { api } from '../api.ts'
import { isPassing, type Happened } from '../live.ts'
import { follow } from './follow.ts'

const NOBODY: ReadonlyMap<string, boolean> = new Map()
/** Those that wait for a person, and whether a reply in them is overdue. */
const known = signal(NOBODY)

/** How many conversations wait for a person; 100 where there are more. */
export const waiting = computed(() => known.value.size)

/** Whether one of them has waited too long. */
export const isAnyLate = computed(() => [...known.value.values()].includes(true))

/** Keeps the count up to date while it is shown; the returned function stops it. */
export function countWaiting (): () => void {
  return follow(known, NOBODY, async () => {
    const { data } = await api.get<Conversation[]>('/conversations', { handled_by: 'queue', limit: 100 })
    return new Map(data.map((one) => [one.id, one.overdue_at !== null]))
  }, heard)
}

/** The waiting conversations after an event. */
function heard (before: ReadonlyMap<string, boolean>, { type, id, ...told }: Happened): ReadonlyMap<string, boolean> {
  if (id === undefined || isPassing(type)) return before
  const conversation = told.conversation as Conversation | undefined
  const isLate = conversation?.handled_by === 'queue' ? conversation.overdue_at !== null : undefined
  if (isLate === before.get(id)) return before
  const after = new Map(before)
  if (isLate === undefined) after.delete(id)
  else after.set(id, isLate)
  return after
}
