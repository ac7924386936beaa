import { effect, signal } from '@preact/signals'
import { calling } from '../calling/unread.ts'

const page = signal('')

/** A count as it is shown where there is little room. */
export const short = (count: number) => count > 99 ? '99+' : String(count)

/** Names the browser's tab after the page that it shows. */
export function nameTab (title: string) {
  page.value = title
}

/** Keeps the tab's name and icon saying how many conversations call; the answer ends it. */
export function countInTab (): () => void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')!
  return effect(() => {
    const name = page.value ? `${page.value} – Agenthall` : 'Agenthall'
    document.title = calling.value > 0 ? `(${short(calling.value)}) ${name}` : name
    icon.href = calling.value > 0 ? drawn(short(calling.value)) : 'data:,'
  })
}

/** An icon with a number, to be read on light tabs as on dark ones, because the number has a ground of its own. */
function drawn (number: string): string {
  const size = number.length > 2 ? 15 : 20
  return 'data:image/svg+xml,' + encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="16" fill="#b42318"/>' +
    `<text x="16" y="16" dy=".35em" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="${size}" ` +
    `fill="#fff">${number}</text></svg>`
  )
}
