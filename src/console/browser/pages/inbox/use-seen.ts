import { useEffect, useRef, useState } from 'preact/hooks'
import type { Conversation } from '../../../../../schema/conversations.ts'
import type { Seen } from '../../../../../schema/handoff.ts'
import { lookAt } from '../../calling/looking.ts'
import { markSeen, unread } from '../../calling/unread.ts'
import { api } from '../../api.ts'
import { isLive } from '../../live.ts'
import { me } from '../../session.ts'

/**
 * Marks a conversation that is open as seen, up to the message that stands last, while the page is looked at: a tab in
 * the background has shown nothing to anybody. The answer is up to where it had been seen when one came to it: what is
 * newer is new to them; undefined where nothing was.
 */
export function useSeen (conversation: Conversation | undefined, last: number): number | undefined {
  const id = conversation?.id
  const isOwn = conversation?.handled_by === 'person' && conversation.person === me.value!.user.id
  const isUnread = id !== undefined && unread.value.has(id)
  const [before, setBefore] = useState<number>()
  const asked = useRef<Promise<void>>(undefined)
  const shown = useRef(last)
  shown.current = last
  // Where the server was away it is said again once it is back.
  const live = isLive.value

  useEffect(() => id ? lookAt(id) : undefined, [id])
  useEffect(() => {
    let left: number | undefined
    const follow = () => {
      if (document.visibilityState !== 'visible') left = shown.current
      else if (left && left < shown.current) setBefore(left)
    }
    document.addEventListener('visibilitychange', follow)
    return () => document.removeEventListener('visibilitychange', follow)
  }, [])
  useEffect(() => {
    if (!id || !isOwn || last === 0) return
    const see = async () => {
      if (document.visibilityState !== 'visible') return
      // What comes from now on, while one looks, is new to nobody.
      asked.current ??= seenOf(id).then((upTo) => { if (upTo < last) setBefore(upTo) })
      await asked.current
      if (isUnread) await markSeen(id, last)
    }
    see()
    document.addEventListener('visibilitychange', see)
    return () => document.removeEventListener('visibilitychange', see)
  }, [id, isOwn, isUnread, last, live])
  return before
}

/** Of what nobody has seen anything, and where the server is away, nothing is drawn as new. */
async function seenOf (id: string): Promise<number> {
  return await api.get<Seen>(`/conversations/${id}/seen`).then(({ data }) => data.up_to || Infinity, () => Infinity)
}
