import { computed, signal } from '@preact/signals'
import type { Conversation, Message } from '../../../../schema/conversations.ts'
import type { Seen, Unread } from '../../../../schema/handoff.ts'
import { api } from '../api.ts'
import type { Happened } from '../live.ts'
import { me } from '../session.ts'
import { follow } from './follow.ts'
import { waiting } from './waiting.ts'

/** Conversations by id, each with the newest message known to be unread. */
type Known = ReadonlyMap<string, number>
const NOTHING: Known = new Map()

/** The signed-in user's conversations in which the visitor has written since they last saw them. */
export const unread = signal(NOTHING)

/** How many conversations need the signed-in user: those that wait for a person, and their own unread ones. */
export const calling = computed(() => waiting.value + unread.value.size)

/** Keeps the unread ones up to date while they are shown; the returned function stops it. */
export function followUnread (): () => void {
  return follow(unread, NOTHING, async () => {
    const { data } = await api.get<Unread>('/me/unread')
    return new Map(data.conversations.map((id) => [id, 0]))
  }, heard, isTaken)
}

/** Whether the signed-in user took over a conversation: the event does not say whether a message waits in it. */
function isTaken ({ type, conversation }: Happened): boolean {
  return type === 'handoff.taken' && (conversation as Conversation | undefined)?.person === me.value?.user.id
}

/** What is unread after an event. */
function heard (before: Known, event: Happened): Known {
  const { id, type } = event
  if (id === undefined || ['typing', 'looking', 'visitor'].includes(type)) return before
  if (type === 'seen') {
    const { user, up_to: upTo } = event as unknown as Seen
    return user === me.value?.user.id && upTo >= (before.get(id) ?? Infinity) ? without(before, id) : before
  }
  const conversation = event.conversation as Conversation | undefined
  const message = event.message as Message | undefined
  if (conversation?.handled_by !== 'person' || conversation.person !== me.value?.user.id) return without(before, id)
  if (message?.role === 'person') return without(before, id)
  // A changed message, for example one that was rated, is not a new one.
  if (message?.role !== 'visitor' || type !== 'message.created') return before
  return new Map([...before, [id, message.seq]])
}

function without (before: Known, id: string): Known {
  if (!before.has(id)) return before
  return new Map([...before].filter(([known]) => known !== id))
}

/** The signed-in user has seen a conversation up to a message. If the server cannot be reached it stays unread. */
export async function markSeen (id: string, upTo: number) {
  await api.put(`/conversations/${id}/seen`, { up_to: upTo }).catch(() => {})
}
