import { computed, signal } from '@preact/signals'

/** The address after the #: `/agents/7?tab=look`. */
const address = signal(read())

/** The current path, without the query. */
export const path = computed(() => address.value.split('?')[0]!)

/** The query parameters. */
export const query = computed(() => new URLSearchParams(address.value.split('?')[1] ?? ''))

/** Asks whether a page may be left; false prevents it. */
type Guard = () => Promise<boolean>
let guard: Guard | undefined

function read (): string {
  return location.hash.slice(1) || '/'
}

/** Navigates to a page. */
export function go (to: string) {
  location.hash = to
}

/** Navigates to a page, replacing the current history entry. */
export function replace (to: string) {
  history.replaceState(null, '', `#${to}`)
  address.value = read()
}

/** The address of a page, for links. */
export const linkTo = (to: string) => `#${to}`

/** Asks before leaving while there are unsaved changes; the returned function removes the guard. */
export function guardLeaving (asks: Guard): () => void {
  guard = asks
  const stay = (event: BeforeUnloadEvent) => event.preventDefault()
  addEventListener('beforeunload', stay)
  return () => {
    removeEventListener('beforeunload', stay)
    if (guard === asks) guard = undefined
  }
}

async function follow () {
  const wanted = read()
  if (wanted === address.value) return
  const isSamePage = wanted.split('?')[0] === path.value
  if (guard && !isSamePage) {
    // The address is reset until the question is answered.
    history.replaceState(null, '', `#${address.value}`)
    if (!await guard()) return
    guard = undefined
    history.replaceState(null, '', `#${wanted}`)
  }
  address.value = wanted
  if (!isSamePage) scrollTo(0, 0)
}

addEventListener('hashchange', () => { follow() })

/** Decodes a part of an address; one cut off within an escape, as in a mail, is left as it is. */
function decoded (part: string): string {
  try { return decodeURIComponent(part) } catch { return part }
}

/** The parameters of a path for a pattern such as `/agents/:id`; undefined if it does not match. */
export function match (pattern: string, asked: string): Record<string, string> | undefined {
  const names = pattern.split('/')
  const parts = asked.split('/')
  if (names.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, name] of names.entries()) {
    if (name.startsWith(':')) params[name.slice(1)] = decoded(parts[i]!)
    else if (name !== parts[i]) return undefined
  }
  return params
}
