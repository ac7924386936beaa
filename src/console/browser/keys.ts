import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Something that a key does, and the palette too. `isListed`: keys that only move are not in the palette. */
export interface Command { key: string, label: string, act: () => void, isListed: boolean }

/** What keys do now, on the page that is shown. */
export const commands = signal<readonly Command[]>([])

/**
 * Gives a key something to do as long as this is shown and `isOn`. It is pressed by itself, while nothing is typed and
 * no dialog is open.
 */
export function useKey (key: string, label: string, act: () => void, { isOn = true, isListed = true } = {}) {
  const latest = useRef(act)
  latest.current = act
  useLayoutEffect(() => {
    if (!isOn) return
    const command = { key, label, isListed, act: () => latest.current() }
    commands.value = [...commands.value, command]
    return () => { commands.value = commands.value.filter((one) => one !== command) }
  }, [key, label, isOn, isListed])
}

const TYPED = 'input, textarea, select, [contenteditable]'

addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey, isComposing, defaultPrevented } = event
  if (ctrlKey || metaKey || altKey || isComposing || defaultPrevented) return
  if ((target as HTMLElement).closest?.(TYPED) || document.querySelector('dialog[open]')) return
  const command = commands.value.findLast((one) => one.key === key)
  if (!command) return
  event.preventDefault()
  command.act()
})
