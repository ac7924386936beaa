import { signal } from '@preact/signals'
import { me } from '../../../session.ts'

/** How the list is shown, as the user chose it: rows of one message line, and the agent's conversations put away. */
export type Choice = 'dense' | 'folded'

const made = signal<Readonly<Record<string, boolean>>>({})
const keyOf = (name: Choice) => `agenthall:${name}:${me.value?.user.id}`

/** What the user chose in this browser; undefined: nothing yet. */
export function chosen (name: Choice): boolean | undefined {
  const key = keyOf(name)
  const now = made.value[key]
  if (now !== undefined) return now
  try {
    const kept = localStorage.getItem(key)
    return kept === null ? undefined : kept === 'on'
  } catch {
    return undefined
  }
}

/** Applies a choice, and stores it in this browser. */
export function choose (name: Choice, on: boolean) {
  const key = keyOf(name)
  made.value = { ...made.value, [key]: on }
  try {
    localStorage.setItem(key, on ? 'on' : 'off')
  } catch { /* Then it holds while the page is open. */ }
}
