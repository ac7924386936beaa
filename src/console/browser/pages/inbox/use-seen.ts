import { useEffect, useRef, useState } from 'preact/hooks'
import type { Conversation } from '../../../../../schema/conversations.ts'
import type { SeenByVisitor, SeenState, SeenTold } from '../../../../../schema/handoff.ts'
import { lookAt } from '../../calling/looking.ts'
import { markSeen, unread } from '../../calling/unread.ts'
import { api } from '../../api.ts'
import { isLive, onHappened } from '../../live.ts'
import { me } from '../../session.ts'

/**
 * Marks an open conversation as seen up to its last message while the page is visible: a background tab has shown
 * nothing to anybody. Returns up to where it had been seen when the user opened it: newer messages are new to them;
 * undefined if none are.
 */
export function useSeen (conversation: Conversation | undefined, last: number): number | undefined {
  const id = conversation?.id
  const isOwn = conversation?.handled_by === 'person' && conversation.person === me.value!.user.id
  const isUnread = id !== undefined && unread.value.has(id)
  const [before, setBefore] = useState<number>()
  const asked = useRef<Promise<void>>(undefined)
  const shown = useRef(last)
  shown.current = last
  // Sent again once the server is back.
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
      // Messages that arrive from now on, while the user is looking, do not count as new.
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

/** If nothing was seen yet, or the server cannot be reached, nothing is marked as new. */
async function seenOf (id: string): Promise<number> {
  return await stateOf(id).then(({ up_to: upTo }) => upTo || Infinity, () => Infinity)
}

let asking: { id: string, state: Promise<SeenState> } | undefined

/** Asks the server; concurrent requests for the same are merged. */
async function stateOf (id: string): Promise<SeenState> {
  if (asking?.id === id) return await asking.state
  const mine = asking = { id, state: api.get<SeenState>(`/conversations/${id}/seen`).then(({ data }) => data) }
  try {
    return await mine.state
  } finally {
    if (asking === mine) asking = undefined
  }
}

/** Up to where the visitor has seen it, and when; requested once there is a message from the team. */
export function useSeenByVisitor (id: string, isWanted: boolean): SeenByVisitor | undefined {
  const [seen, setSeen] = useState<SeenByVisitor>()
  const live = isLive.value
  useEffect(() => {
    setSeen(undefined)
    if (isWanted) stateOf(id).then(({ visitor }) => setSeen(visitor ?? undefined), () => {})
  }, [id, isWanted, live])
  useEffect(() => onHappened((event) => {
    const { user, up_to: upTo, at } = event as unknown as SeenTold
    if (event.type === 'seen' && event.id === id && user === null) setSeen({ up_to: upTo, at: at! })
  }), [id])
  return seen
}
