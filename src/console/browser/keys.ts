import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { texts } from './texts/index.ts'

/** A command, run by a key or from the palette. `isListed`: keys that only move the focus are not in the palette. */
export interface Command { key: string, label: string, act: () => void, isListed: boolean }

/** The commands available on the current page. */
export const commands = signal<readonly Command[]>([])

/**
 * Binds a key to a command while the component is mounted and `isOn`. It works without modifiers, outside text fields
 * and while no dialog is open.
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

/** The keys that open the palette, as the reader's keyboard labels them. */
export const paletteKeys = () => /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : `${texts.value.ui.keys.Ctrl} K`
