import { textOn } from './colors.ts'
import type { Config } from './types.ts'

const CHAT = 'M21 12a8 8 0 0 1-8 8H4l2-3a8 8 0 1 1 15-5z'

/** Draws the button that opens the widget, according to the settings; `colors` is a style sheet of its root. */
export function dress (
  launcher: HTMLElement, badge: HTMLElement, colors: CSSStyleSheet,
  { primaryColor, buttonText, fontFamily, avatar, chatbotName }: Config['appearance'], isOpen: boolean
) {
  colors.replaceSync(':host{}')
  const { style } = colors.cssRules[0] as CSSStyleRule
  style.setProperty('--p', primaryColor)
  style.setProperty('--pt', textOn(primaryColor))
  style.setProperty('--f', fontFamily)
  launcher.replaceChildren(
    avatar.src ? picture(avatar.src) : icon(),
    buttonText,
    badge
  )
  launcher.setAttribute('aria-label', buttonText || chatbotName)
  launcher.setAttribute('aria-expanded', String(isOpen))
}

function picture (src: string): HTMLElement {
  const made = new Image()
  made.alt = ''
  made.onerror = () => made.replaceWith(icon())
  made.src = src
  return made
}

function icon (): SVGElement {
  const NS = 'http://www.w3.org/2000/svg'
  const made = document.createElementNS(NS, 'svg')
  made.setAttribute('viewBox', '0 0 24 24')
  made.appendChild(document.createElementNS(NS, 'path')).setAttribute('d', CHAT)
  return made
}
