import type { ComponentChildren, JSX } from 'preact'
import { useId, useRef } from 'preact/hooks'
import type { LucideIcon } from 'lucide-preact'

type Native = Omit<JSX.IntrinsicElements['button'], 'icon' | 'label'>

/**
 * A button. `kind`: main for the primary action of a page, plain for others, bad for destructive ones. `busy`: its
 * action is running; clicking it again does nothing, and it keeps the focus meanwhile.
 */
export function Button ({ kind = 'plain', busy = false, icon: Icon, children, ...rest }: Native & {
  kind?: 'main' | 'plain' | 'quiet' | 'bad', busy?: boolean, icon?: LucideIcon, children?: ComponentChildren
}) {
  return (
    <button
      type='button'
      {...rest}
      class={`button ${kind} ${String(rest.class ?? '')}`}
      aria-disabled={busy || undefined}
      aria-busy={busy}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
    >
      {Icon && <Icon size={16} aria-hidden='true' />}
      {children}
    </button>
  )
}

/** A button that shows only an icon: `label` is its accessible name. */
export function IconButton ({ label, icon: Icon, ...rest }: Native & { label: string, icon: LucideIcon }) {
  return (
    <button type='button' {...rest} class={`button icon ${String(rest.class ?? '')}`} aria-label={label} title={label}>
      <Icon size={16} aria-hidden='true' />
    </button>
  )
}

/** A link that looks like a button. */
export function LinkButton ({
  kind = 'plain', to, icon: Icon, children
}: {
  kind?: 'main' | 'plain' | 'quiet', to: string, icon?: LucideIcon, children: ComponentChildren
}) {
  return (
    <a class={`button ${kind}`} href={`#${to}`}>
      {Icon && <Icon size={16} aria-hidden='true' />}
      {children}
    </a>
  )
}

/** Pixels the menu needs below its button; with less it opens above. */
const ROOM = 280

/**
 * A button that opens a menu, which Escape or a click outside closes. `name`: its accessible name if the content does
 * not say it; `isStaying`: clicks on anything but links do not close it.
 */
export function Menu ({ name, shown, children, isStaying = false, ...rest }: Omit<Native, 'name'> & {
  name?: string, shown: ComponentChildren, children: ComponentChildren, isStaying?: boolean
}) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  return (
    <>
      <button
        type='button' {...rest} ref={button} aria-label={name} title={name ?? rest.title} popoverTarget={id}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          list.current!.showPopover()
          step(list.current!, 1)
        }}
      >
        {shown}
      </button>
      <div
        ref={list} id={id} popover='auto' class='menu-list' role='group' aria-label={name}
        onBeforeToggle={(event) => { if (event.newState === 'open') place(list.current!, button.current!) }}
        onClickCapture={({ target }) => {
          // Before the clicked item acts, so that a dialog returns the focus to the button.
          if ((target as HTMLElement).closest(isStaying ? 'a' : 'button, a')) list.current!.hidePopover()
        }}
        onKeyDown={(event) => {
          const by = Number(event.key === 'ArrowDown') - Number(event.key === 'ArrowUp')
          if (by === 0 || (event.target as HTMLElement).matches('select, input')) return
          event.preventDefault()
          step(list.current!, by)
        }}
        onFocusOut={({ relatedTarget }) => {
          if (relatedTarget && !list.current!.contains(relatedTarget as Node)) list.current!.hidePopover()
        }}
      >
        {children}
      </div>
    </>
  )
}

/** An item of a menu. */
export function MenuItem (
  { icon: Icon, children, ...rest }: Native & { icon?: LucideIcon, children: ComponentChildren }
) {
  return (
    <button type='button' {...rest} class={`menu-item ${String(rest.class ?? '')}`}>
      {Icon && <Icon size={16} aria-hidden='true' />}{children}
    </button>
  )
}

/** Moves the focus to the next or the previous item. */
function step (list: HTMLElement, by: number) {
  const all = [...list.querySelectorAll<HTMLElement>('button:not(:disabled), a, select')]
  const at = all.indexOf(document.activeElement as HTMLElement)
  all[(at + by + all.length) % all.length]?.focus()
}

/** Places the menu below its button, or above it, on the side where there is room. */
function place (list: HTMLElement, button: HTMLElement) {
  const { top, bottom, left, right } = button.getBoundingClientRect()
  const isBelow = innerHeight - bottom > ROOM || top < ROOM
  const isAtEnd = left > innerWidth / 2
  list.style.inset = [
    isBelow ? `${bottom + 4}px` : 'auto', isAtEnd ? `${Math.max(8, innerWidth - right)}px` : 'auto',
    isBelow ? 'auto' : `${innerHeight - top + 4}px`, isAtEnd ? 'auto' : `${Math.max(8, left)}px`
  ].join(' ')
}
