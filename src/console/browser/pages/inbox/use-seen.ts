import { useEffect, useRef, useState } from 'preact/hooks'
import type { Conversation } from '../../../../../schema/conversations.ts'
import type { Seen, SeenByVisitor, SeenState } from '../../../../../schema/handoff.ts'
import { lookAt } from '../../calling/looking.ts'
import { markSeen, unread } from '../../calling/unread.ts'
import { api } from '../../api.ts'
import { isLive, onHappened } from '../../live.ts'
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
  return await stateOf(id).then(({ up_to: upTo }) => upTo || Infinity, () => Infinity)
}

let asking: { id: string, state: Promise<SeenState> } | undefined

/** Asks the server; what is asked for twice at a time, once. */
async function stateOf (id: string): Promise<SeenState> {
  if (asking?.id === id) return await asking.state
  const mine = asking = { id, state: api.get<SeenState>(`/conversations/${id}/seen`).then(({ data }) => data) }
  try {
    return await mine.state
  } finally {
    if (asking === mine) asking = undefined
  }
}

/** Up to where the visitor has seen it, and when; asked for once there is something of the team's to see. */
export function useSeenByVisitor (id: string, isWanted: boolean): SeenByVisitor | undefined {
  const [seen, setSeen] = useState<SeenByVisitor>()
  const live = isLive.value
  useEffect(() => {
    setSeen(undefined)
    if (isWanted) stateOf(id).then(({ visitor }) => setSeen(visitor ?? undefined), () => {})
  }, [id, isWanted, live])
  useEffect(() => onHappened((event) => {
    const { user, up_to: upTo } = event as unknown as Seen
    if (event.type === 'seen' && event.id === id && user === null) setSeen({ up_to: upTo, at: new Date().toISOString() })
  }), [id])
  return seen
}
