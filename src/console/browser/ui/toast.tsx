import { signal } from '@preact/signals'

interface Toast { id: number, text: string }
const toasts = signal<Toast[]>([])
let last = 0

const SHOWN_MS = 4000

/** Says for a moment that something was done. What failed is said where it failed. */
export function toast (text: string) {
  const id = ++last
  toasts.value = [...toasts.value, { id, text }]
  setTimeout(() => { toasts.value = toasts.value.filter((one) => one.id !== id) }, SHOWN_MS)
}

/** Where they stand; once in the page. */
export function Toasts () {
  return (
    <div class='toasts' role='status'>{toasts.value.map(({ id, text }) => <p key={id} class='toast'>{text}</p>)}</div>
  )
}
