import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { nameTab } from './tab.ts'

/**
 * The frame of a page: its title, also used for the tab, its actions, and its content. `width`: "wide slim" begins
 * where a wide page does, and its content is as wide as that of others.
 */
export function Page ({
  title, actions, children, width = ''
}: {
  title: string, actions?: ComponentChildren, children: ComponentChildren, width?: 'wide' | 'wide slim' | ''
}) {
  useEffect(() => {
    nameTab(title)
  }, [title])
  return (
    <div class={`page ${width}`}>
      <header class='page-head'>
        <h1 tabIndex={-1}>{title}</h1>
        {actions && <div class='actions'>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A part of a page on its own surface. */
export function Card ({
  title, actions, children
}: {
  title?: string, actions?: ComponentChildren, children: ComponentChildren
}) {
  return (
    <section class='card' aria-label={title}>
      {(title || actions) && (
        <header>
          {title && <h2>{title}</h2>}
          {actions && <div class='actions'>{actions}</div>}
        </header>
      )}
      {children}
    </section>
  )
}

/** A state in one word: good, bad, waiting or plain. */
export function Badge ({
  tone = 'plain', children
}: {
  tone?: 'plain' | 'good' | 'bad' | 'accent', children: ComponentChildren
}) {
  return <span class={`badge ${tone}`}>{children}</span>
}
