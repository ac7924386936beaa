import { useState } from 'preact/hooks'
import { texts } from '../../../texts/index.ts'
import { useKey } from '../../../keys.ts'

const rows = () => [...document.querySelectorAll<HTMLAnchorElement>('.inbox-entry')]

/** Focuses the reply box once it is enabled. */
export function focusReply () {
  requestAnimationFrame(() => document.querySelector<HTMLTextAreaElement>('.inbox-reply textarea')?.focus())
}

/** Focuses the row of the open conversation, or the first one. */
export function focusRow () {
  const all = rows()
  ;(all.find((row) => row.ariaCurrent === 'true') ?? all[0])?.focus()
}

/** Moves the given number of rows from the focused one, else from the open one. */
function move (by: number) {
  const all = rows()
  const here = all.indexOf(document.activeElement as HTMLAnchorElement)
  const at = here >= 0 ? here : all.findIndex((row) => row.ariaCurrent === 'true')
  all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + by))]?.focus()
}

/** Binds the list's keys, which work anywhere in the inbox. Returns whether the dialog of keys is open. */
export function useListKeys (): [boolean, (isShown: boolean) => void] {
  const { does } = texts.value.desk
  const [isShown, show] = useState(false)
  useKey('j', does.next, () => move(1), { isListed: false })
  useKey('k', does.previous, () => move(-1), { isListed: false })
  useKey('?', does.keys, () => show(true))
  return [isShown, show]
}
