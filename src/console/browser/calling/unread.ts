import { computed, signal } from '@preact/signals'
import type { Conversation, Message } from '../../../../schema/conversations.ts'
import type { Seen, Unread } from '../../../../schema/handoff.ts'
import { api } from '../api.ts'
import type { Happened } from '../live.ts'
import { me } from '../session.ts'
import { follow } from './follow.ts'
import { waiting } from './waiting.ts'

/** Conversations by their ids, each with the newest message that is known to be unread. */
type Known = ReadonlyMap<string, number>
const NOTHING: Known = new Map()

/** The conversations of whoever is signed in, in which the visitor has written since they saw them last. */
export const unread = signal(NOTHING)

/** How many conversations call for whoever is signed in: those that wait for a person, and their own unread ones. */
export const calling = computed(() => waiting.value + unread.value.size)

/** Keeps what is unread right, as long as it is shown; the answer ends it. */
export function followUnread (): () => void {
  return follow(unread, NOTHING, async () => {
    const { data } = await api.get<Unread>('/me/unread')
    return new Map(data.conversations.map((id) => [id, 0]))
  }, heard, isTaken)
}

/** Whether a conversation was taken over by whoever is signed in: whether a message waits in it, it does not say. */
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
  // A message that is changed, as by a judgement on it, is not a new one.
  if (message?.role !== 'visitor' || type !== 'message.created') return before
  return new Map([...before, [id, message.seq]])
}

function without (before: Known, id: string): Known {
  if (!before.has(id)) return before
  return new Map([...before].filter(([known]) => known !== id))
}

/** Whoever is signed in has seen a conversation up to a message. Where the server is away it stays unread. */
export async function markSeen (id: string, upTo: number) {
  await api.put(`/conversations/${id}/seen`, { up_to: upTo }).catch(() => {})
}
