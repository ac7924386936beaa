import { effect, signal } from '@preact/signals'
import { calling } from '../calling/unread.ts'

const page = signal('')

/** The logo of the product, in a square of 20. */
export const MARK = 'M2 18V8a8 8 0 0 1 16 0v10h-4v-4a4 4 0 0 0-8 0v4z'

/** The icon, which follows the browser's colour scheme. */
const OURS = 'data:image/svg+xml,' + encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">' +
  '<style>path{fill:#17181c}@media(prefers-color-scheme:dark){path{fill:#f1f1f4}}</style>' +
  `<path d="${MARK}"/></svg>`
)

/** Scrolls the current link of a row into view: on a phone a row holds more than fits. */
export function currentInView (row: HTMLElement | null) {
  const current = row?.querySelector<HTMLElement>('[aria-current]')
  if (row && current) row.scrollLeft = current.offsetLeft + current.offsetWidth / 2 - row.clientWidth / 2
}

/** A count as shown where there is little room. */
export const short = (count: number) => count > 99 ? '99+' : String(count)

/** Names the browser's tab after the page that it shows. */
export function nameTab (title: string) {
  page.value = title
}

/** Shows in the tab's name and icon how many conversations need attention; the returned function stops it. */
export function countInTab (): () => void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')!
  return effect(() => {
    const name = page.value ? `${page.value} – Agenthall` : 'Agenthall'
    document.title = calling.value > 0 ? `(${short(calling.value)}) ${name}` : name
    icon.href = calling.value > 0 ? drawn(short(calling.value)) : OURS
  })
}

/** An icon with a number, readable on light and dark tabs, because the number has its own background. */
function drawn (number: string): string {
  const size = number.length > 2 ? 15 : 20
  return 'data:image/svg+xml,' + encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="16" fill="#b42318"/>' +
    `<text x="16" y="16" dy=".35em" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="${size}" ` +
    `fill="#fff">${number}</text></svg>`
  )
}
