/** How often it is asked whether the server is back. */
const AGAIN_MS = 3000
/** What a proxy says whose server is away. */
const AWAY = [0, 502, 503, 504]

const waiting = new Set<() => void>()
let timer: ReturnType<typeof setTimeout> | undefined

/** Whether a refusal says nothing but that the server is away. */
export const isAway = ({ status }: { status: number }) => AWAY.includes(status)

/** Calls `again` once the server is back, which is asked for all that wait together; the answer takes that back. */
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
