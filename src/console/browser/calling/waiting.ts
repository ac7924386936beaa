import { computed, signal } from '@preact/signals'
import type { Conversation } from '../../../../schema/conversations.ts'
import { api } from '../api.ts'
import { isPassing, type Happened } from '../live.ts'
import { follow } from './follow.ts'

const NOBODY: ReadonlySet<string> = new Set()
const ids = signal(NOBODY)

/** How many conversations wait for a person; 100 where there are more. */
export const waiting = computed(() => ids.value.size)

/** Keeps the count right, as long as it is shown; the answer ends it. */
export function countWaiting (): () => void {
  return follow(ids, NOBODY, async () => {
    const { data } = await api.get<Conversation[]>('/conversations', { handled_by: 'queue', limit: 100 })
    return new Set(data.map(({ id }) => id))
  }, heard)
}

/** Who waits after an event. */
function heard (before: ReadonlySet<string>, { type, id, conversation }: Happened): ReadonlySet<string> {
  if (id === undefined || isPassing(type)) return before
  const isWaiting = (conversation as Conversation | undefined)?.handled_by === 'queue'
  if (isWaiting === before.has(id)) return before
  const after = new Set(before)
  if (isWaiting) after.add(id)
  else after.delete(id)
  return after
}
