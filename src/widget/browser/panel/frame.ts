import { safeUrl } from '../../../platform/links.ts'
import { themeOf } from '../colors.ts'
import { drawing, linkNode } from '../draw.ts'
import type { Config } from '../types.ts'
import { icon, iconButton, make } from './dom.ts'
import type { Say } from './messages.ts'

/** The panel's parts that do not change with what is said. */
export function frame (
  say: Say, { isPage, close, fresh, ask }: { isPage: boolean, close: () => void, fresh: () => void, ask: () => void }
) {
  const face = make('span', { class: 'face' })
  const title = make('h2')
  const state = make('div', { class: 'state' })
  const welcome = make('div', { class: 'welcome' })
  const before = make('div')
  const list = make('ol', { class: 'messages' })
  const asked = make('div', { class: 'asked', role: 'group', 'aria-label': say('suggestions') })
  const acts = make('div')
  const scroll = make(
    'div',
    { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': say('conversation') },
    welcome,
    list,
    before,
    asked,
    acts
  )
  const lost = make('div', { class: 'lost', role: 'status' })
  const person = make('button', { class: 'text person', click: ask }, icon('person'), say('ask'))
  const foot = make('footer')
  const live = make('div', { class: 'sr', 'aria-live': 'polite' })
  const shut = iconButton('close', say('close'), close)
  const anew = iconButton('fresh', say('fresh'), fresh)
  const panel = make(
    'div',
    { class: 'panel', role: 'dialog' },
    make('header', {}, face, make('div', { class: 'who' }, title, state), anew, shut),
    scroll,
    lost,
    person,
    foot,
    live
  )
  const greeting = drawing(welcome)
  panel.hidden = true
  shut.hidden = isPage

  /** Shows what the owner has set. */
  function dress (config: Config) {
    const {
      appearance: { chatbotName, welcomeMessage, avatar }
    } = config
    const privacy = safeUrl(config.privacy_url ?? '')
    title.textContent = chatbotName
    panel.ariaLabel = say('title', { name: chatbotName })
    face.replaceChildren(avatar.src ? picture(avatar.src) : icon('bot'))
    greeting.draw(welcomeMessage)
    foot.replaceChildren(
      privacy ? linkNode(privacy, [say('privacy')]) : '', config.white_label ? '' : say('powered')
    )
  }

  return { panel, state, before, list, asked, acts, scroll, lost, person, foot, live, shut, anew, dress }
}

/** A picture, or the usual one where it cannot be had. */
function picture (src: string): HTMLImageElement {
  const made = make('img', { alt: '' })
  made.onerror = () => made.replaceWith(icon('bot'))
  made.src = src
  return made
}

/** Gives a sheet the colours that the owner has chosen; the font is that of the whole widget. */
export function paint (sheet: CSSStyleSheet, { appearance: { primaryColor, secondaryColor } }: Config) {
  const { primary, onPrimary, surface, onSurface, muted, link } = themeOf(primaryColor, secondaryColor)
  sheet.replaceSync('.panel{}')
  const { style } = sheet.cssRules[0] as CSSStyleRule
  // Set one by one, so that nothing in them can end the rule and begin another.
  for (const [name, value] of Object.entries({
    p: primary, pt: onPrimary, s: surface, st: onSurface, sm: muted, a: link
  })) { style.setProperty(`--${name}`, value) }
}
