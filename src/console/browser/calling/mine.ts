import { computed, signal } from '@preact/signals'
import type { Conversation } from '../../../../schema/conversations.ts'
import { api } from '../api.ts'
import { isPassing, type Happened } from '../live.ts'
import { me } from '../session.ts'
import { follow } from './follow.ts'

const NONE: ReadonlySet<string> = new Set()
const ids = signal(NONE)

/** How many conversations are assigned to the signed-in user; 100 if there are more. */
export const mine = computed(() => ids.value.size)

/** Keeps the count up to date while it is shown; the returned function stops it. */
export function countMine (): () => void {
  return follow(ids, NONE, async () => {
    const query = { person: me.value!.user.id, status: 'open', limit: 100 }
    return new Set((await api.get<Conversation[]>('/conversations', query)).data.map(({ id }) => id))
  }, heard)
}

/** Their conversations after an event. */
function heard (before: ReadonlySet<string>, { type, id, conversation }: Happened): ReadonlySet<string> {
  if (id === undefined || isPassing(type)) return before
  const isMine = (conversation as Conversation | undefined)?.person === me.value?.user.id
  if (isMine === before.has(id)) return before
  return new Set(isMine ? [...before, id] : [...before].filter((one) => one !== id))
}
