import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'

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
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    // Without the code for it they stay at the top.
    if (toasts.value.length > 0) import('./placing.ts').then(({ place }) => place(box.current!), () => {})
  }, [toasts.value])
  return (
    <div ref={box} class='toasts' role='status'>
      {toasts.value.map(({ id, text }) => <p key={id} class='toast'>{text}</p>)}
    </div>
  )
}
