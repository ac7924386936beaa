const NAME = 'agenthall-looked-at:'
let here: string | undefined

/**
 * Says that a conversation is looked at, as long as this tab is seen; the answer ends it. Tabs tell one another by a
 * lock that several may hold, which a tab that crashes lets go as well.
 */
export function lookAt (id: string): () => void {
  let letGo: (() => void) | undefined

  const follow = () => {
    const isSeen = document.visibilityState === 'visible'
    if (isSeen === Boolean(letGo)) return
    letGo?.()
    letGo = isSeen ? held(id) : undefined
    here = isSeen ? id : undefined
  }

  follow()
  document.addEventListener('visibilitychange', follow)
  return () => {
    document.removeEventListener('visibilitychange', follow)
    letGo?.()
    here = undefined
  }
}

function held (id: string): () => void {
  const over = Promise.withResolvers<void>()
  // Over plain http browsers have no locks: then a tab knows of itself alone.
  const { locks } = navigator as { locks?: LockManager }
  locks?.request(NAME + id, { mode: 'shared' }, () => over.promise).catch(() => { /* The tab is closing. */ })
  return over.resolve
}

/** Whether a conversation is looked at, in any tab of this browser. */
export async function isLookedAt (id: string): Promise<boolean> {
  if (here === id) return true
  const { locks } = navigator as { locks?: LockManager }
  const { held = [] } = await locks?.query() ?? {}
  return held.some(({ name }) => name === NAME + id)
}
