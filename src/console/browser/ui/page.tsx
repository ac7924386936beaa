import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { nameTab } from './tab.ts'

/** The frame of a page: its title, which names the tab too, what can be done, and what it shows. */
export function Page ({
  title, actions, children, wide = false
}: {
  title: string, actions?: ComponentChildren, children: ComponentChildren, wide?: boolean
}) {
  useEffect(() => {
    nameTab(title)
  }, [title])
  return (
    <div class={wide ? 'page wide' : 'page'}>
      <header class='page-head'>
        <h1 tabIndex={-1}>{title}</h1>
        {actions && <div class='actions'>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A part of a page on a surface of its own. */
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
