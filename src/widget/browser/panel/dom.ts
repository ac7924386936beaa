/** Options of a new element: attributes, texts, a click handler. */
export interface Given {
  text?: string
  click?: () => void
  [attribute: string]: string | (() => void) | undefined
}

/** Makes an element. Nothing passed in is ever parsed as markup. */
export function make<K extends keyof HTMLElementTagNameMap> (
  name: K, { text = '', click, ...attributes }: Given = {}, ...inside: Array<Node | string>
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name)
  made.textContent = text
  if (click) made.addEventListener('click', click)
  if (name === 'button') made.setAttribute('type', 'button')
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value as string)
  made.append(...inside)
  return made
}

/* The icons of buttons, 24 units wide; exported separately, so that each part bundles only those it uses. */
export const CLOSE = 'M6 6l12 12M18 6L6 18'
export const LIST = 'M8 6h13M8 12h13M8 18h13M3 6h0M3 12h0M3 18h0'
export const SPARK = 'M12 3l2 7 7 2-7 2-2 7-2-7-7-2 7-2z'
export const SEND = 'M12 19V5M6 11l6-6 6 6'
export const STOP = 'M7 7h10v10H7z'
export const ATTACH = 'M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7l-8.4 8.4a1.7 1.7 0 0 1-2.4-2.4l7.8-7.8'
export const UP = 'M7 21V10l4-7a2 2 0 0 1 2 2v4h6a2 2 0 0 1 2 2.3l-1.3 8A2 2 0 0 1 17.7 21zM3 10h4v11H3z'
export const PERSON = 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20a7 7 0 0 1 14 0'
export const BOT = 'M5 9h14v10H5zM12 9V5M9 13v2M15 13v2'

/** One of them, hidden from screen readers. */
export function icon (path: string): SVGElement {
  const NS = 'http://www.w3.org/2000/svg'
  const made = document.createElementNS(NS, 'svg')
  made.setAttribute('viewBox', '0 0 24 24')
  made.setAttribute('aria-hidden', 'true')
  made.appendChild(document.createElementNS(NS, 'path')).setAttribute('d', path)
  return made
}

/** A button with an icon and an accessible name. */
export function iconButton (path: string, label: string, click: () => void): HTMLButtonElement {
  return make('button', { class: 'icon', 'aria-label': label, title: label, click }, icon(path))
}
