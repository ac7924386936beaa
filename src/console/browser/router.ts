import { computed, signal } from '@preact/signals'

/** What stands after the # of the address: `/agents/7?tab=look`. */
const address = signal(read())

/** Where one is, without what follows the question mark. */
export const path = computed(() => address.value.split('?')[0]!)

/** What follows the question mark. */
export const query = computed(() => new URLSearchParams(address.value.split('?')[1] ?? ''))

/** Asks whether a page may be left; false keeps one there. */
type Guard = () => Promise<boolean>
let guard: Guard | undefined

function read (): string {
  return location.hash.slice(1) || '/'
}

/** Goes to a page. */
export function go (to: string) {
  location.hash = to
}

/** Goes to a page in place of this one, which is not gone back to. */
export function replace (to: string) {
  history.replaceState(null, '', `#${to}`)
  address.value = read()
}

/** The address of a page, for links. */
export const linkTo = (to: string) => `#${to}`

/** Lets nobody leave without being asked, as long as something is not saved; the answer takes the guard away again. */
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
    // The address goes back until the question is answered.
    history.replaceState(null, '', `#${address.value}`)
    if (!await guard()) return
    guard = undefined
    history.replaceState(null, '', `#${wanted}`)
  }
  address.value = wanted
  if (!isSamePage) scrollTo(0, 0)
}

addEventListener('hashchange', () => { follow() })

/** A part of an address; one that was cut off within a sign, as in a mail, stays as it is. */
function decoded (part: string): string {
  try { return decodeURIComponent(part) } catch { return part }
}

/** What a path says for a pattern such as `/agents/:id`; undefined where it is another. */
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
