import type { ComponentChildren, JSX } from 'preact'
import type { LucideIcon } from 'lucide-preact'

type Native = Omit<JSX.IntrinsicElements['button'], 'icon' | 'label'>

/**
 * A button. `kind`: main for the one action that a page is about, plain for others, bad for what destroys. `busy`: it
 * was pressed and is not done; pressing it again does nothing, and it keeps the focus meanwhile.
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

/** A button that shows nothing but a picture: `label` is its name. */
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
