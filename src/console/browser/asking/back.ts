/** How often to check whether the server is back. */
const AGAIN_MS = 3000
/** Statuses that a proxy returns while its server is down. */
const AWAY = [0, 502, 503, 504]

const waiting = new Set<() => void>()
let timer: ReturnType<typeof setTimeout> | undefined

/** Whether a refusal only means that the server is down. */
export const isAway = ({ status }: { status: number }) => AWAY.includes(status)

/** Calls `again` once the server is back, with one check for all callers; the returned function cancels that. */
export function onceBack (again: () => void): () => void {
  waiting.add(again)
  timer ??= setTimeout(look, AGAIN_MS)
  return () => { waiting.delete(again) }
}

async function look () {
  const isBack = waiting.size > 0 && await fetch('/readyz', { cache: 'no-store' }).then(({ ok }) => ok, () => false)
  timer = waiting.size === 0 || isBack ? undefined : setTimeout(look, AGAIN_MS)
  if (!isBack) return
  const all = [...waiting]
  waiting.clear()
  for (const again of all) again()
}
