import { signal } from '@preact/signals'

interface Toast { id: number, text: string }
const toasts = signal<Toast[]>([])
let last = 0

const SHOWN_MS = 4000

/** Briefly shows that something was done. Failures are shown in place. */
export function toast (text: string) {
  const id = ++last
  toasts.value = [...toasts.value, { id, text }]
  setTimeout(() => { toasts.value = toasts.value.filter((one) => one.id !== id) }, SHOWN_MS)
}

/** Renders them; once in the page. */
export function Toasts () {
  return (
    <div class='toasts' role='status'>{toasts.value.map(({ id, text }) => <p key={id} class='toast'>{text}</p>)}</div>
  )
}
