import { useEffect } from 'preact/hooks'
import type { Conversation } from '../../../../../schema/conversations.ts'
import { isLive } from '../../live.ts'
import { me } from '../../session.ts'
import { markSeen, unread } from '../../calling/unread.ts'

/**
 * Marks a conversation that is open as seen, up to the message that stands last, while the page is looked at: a tab in
 * the background has shown nothing to anybody.
 */
export function useSeen (conversation: Conversation | undefined, last: number) {
  const id = conversation?.id
  const isOwn = conversation?.handled_by === 'person' && conversation.person === me.value!.user.id
  const isUnread = id !== undefined && unread.value.has(id)
  // Where the server was away it is said again once it is back.
  const live = isLive.value
  useEffect(() => {
    if (!id || !isOwn || !isUnread || last === 0) return
    const see = () => {
      if (document.visibilityState === 'visible') markSeen(id, last)
    }
    see()
    document.addEventListener('visibilitychange', see)
    return () => document.removeEventListener('visibilitychange', see)
  }, [id, isOwn, isUnread, last, live])
}
