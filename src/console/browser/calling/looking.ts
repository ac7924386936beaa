const NAME = 'agenthall-looked-at:'
let here: string | undefined

/**
 * Marks a conversation as being viewed while this tab is visible; the returned function stops it. Tabs signal it by a
 * shared lock, which is released even if a tab crashes.
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
  // Over plain http browsers have no locks: then a tab knows only about itself.
  const { locks } = navigator as { locks?: LockManager }
  locks?.request(NAME + id, { mode: 'shared' }, () => over.promise).catch(() => { /* The tab is closing. */ })
  return over.resolve
}

/** Whether a conversation is being viewed in any tab of this browser. */
export async function isLookedAt (id: string): Promise<boolean> {
  if (here === id) return true
  const { locks } = navigator as { locks?: LockManager }
  const { held = [] } = await locks?.query() ?? {}
  return held.some(({ name }) => name === NAME + id)
}
