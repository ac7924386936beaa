import { useState } from 'preact/hooks'
import { texts } from '../../../texts/index.ts'
import { useKey } from '../../../keys.ts'

const rows = () => [...document.querySelectorAll<HTMLAnchorElement>('.inbox-entry')]

/** The box in which a person answers gets the focus, once it can be written in. */
export function focusReply () {
  requestAnimationFrame(() => document.querySelector<HTMLTextAreaElement>('.inbox-reply textarea')?.focus())
}

/** The row of the conversation that is open, or the first one, gets the focus. */
export function focusRow () {
  const all = rows()
  ;(all.find((row) => row.ariaCurrent === 'true') ?? all[0])?.focus()
}

/** Goes so many rows on from the one that has the focus, else from the one that is open. */
function move (by: number) {
  const all = rows()
  const here = all.indexOf(document.activeElement as HTMLAnchorElement)
  const at = here >= 0 ? here : all.findIndex((row) => row.ariaCurrent === 'true')
  all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + by))]?.focus()
}

/** The keys that work in the list wherever one is in the inbox. The answer: whether the keys are shown. */
export function useListKeys (): [boolean, (isShown: boolean) => void] {
  const { does } = texts.value.desk
  const [isShown, show] = useState(false)
  useKey('j', does.next, () => move(1), { isListed: false })
  useKey('k', does.previous, () => move(-1), { isListed: false })
  useKey('?', does.keys, () => show(true))
  return [isShown, show]
}
