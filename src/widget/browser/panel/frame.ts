import { safeUrl } from '../../../platform/links.ts'
import { drawing, linkNode } from '../draw.ts'
import type { Config } from '../types.ts'
import { BOT, CLOSE, LIST, PERSON, SPARK, icon, iconButton, make } from './dom.ts'
import type { Say } from './messages.ts'

/** Maximum characters of a greeting in the header; a longer one is shown below it. */
const SHORT = 160

/** The panel's parts that do not depend on the messages. */
export function frame (
  say: Say, { isPage, close, list, ask }: { isPage: boolean, close: () => void, list: () => void, ask: () => void }
) {
  const face = make('span', { class: 'face' })
  const title = make('h2')
  const state = make('div', { class: 'state' })
  const hello = make('div', { class: 'hello' })
  const told = make('div', { class: 'told' })
  const welcome = make('div', { class: 'welcome' })
  const earlier = make('div')
  const before = make('div')
  const messages = make('ol', { class: 'messages' })
  const asked = make('div', { class: 'asked', role: 'group', 'aria-label': say('suggestions') })
  const acts = make('div')
  const scroll = make(
    'div',
    { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': say('conversation') },
    earlier,
    welcome,
    messages,
    before,
    asked,
    acts
  )
  const lost = make('div', { class: 'lost', role: 'status' })
  const person = make('button', { class: 'text person', click: ask }, icon(PERSON), say('ask'))
  const powered = make('span')
  const foot = make('footer', {}, person, powered)
  const live = make('div', { class: 'sr', 'aria-live': 'polite' })
  const shut = iconButton(CLOSE, say('close'), close)
  const all = iconButton(LIST, say('list'), list)
  const panel = make(
    'div',
    { class: 'panel', role: 'dialog' },
    make(
      'header', {},
      make('div', { class: 'top' }, face, make('div', { class: 'who' }, title, state), all, shut),
      hello
    ),
    told,
    lost,
    scroll,
    foot,
    live
  )
  const [greeting, longGreeting] = [drawing(hello), drawing(welcome)]
  panel.hidden = all.hidden = true
  shut.hidden = isPage

  /** Applies the owner's settings. */
  function dress (
    { appearance: { chatbotName, welcomeMessage, avatar }, privacy_url: url, white_label: isOwn }: Config
  ) {
    const privacy = safeUrl(url ?? '')
    const isLong = welcomeMessage.length > SHORT
    title.textContent = chatbotName
    panel.ariaLabel = say('title', { name: chatbotName })
    face.replaceChildren(avatar.src ? picture(avatar.src) : icon(BOT))
    greeting.draw(isLong ? say('hello') : welcomeMessage || say('hello'))
    longGreeting.draw(isLong ? welcomeMessage : '')
    told.replaceChildren(
      icon(SPARK), make('span', { text: say('told') }), privacy ? linkNode(privacy, [say('privacy')]) : ''
    )
    powered.textContent = isOwn ? '' : say('powered')
  }
  const sides = { face, title, state, hello, told, earlier, before, messages, asked, acts }
  return { ...sides, panel, scroll, lost, person, foot, live, shut, all, dress }
}

/** An image, or the default one if it cannot be loaded. */
function picture (src: string): HTMLImageElement {
  const made = make('img', { alt: '' })
  made.onerror = () => made.replaceWith(icon(BOT))
  made.src = src
  return made
}

/** Sets the owner's colours for light and dark mode in a style sheet, and the font of the whole widget. */
export function paint (sheet: CSSStyleSheet, { theme: { day, night } }: Config) {
  sheet.replaceSync('.panel{}@media(prefers-color-scheme:dark){.panel{}}')
  const [plain, dark] = sheet.cssRules as unknown as [CSSStyleRule, CSSMediaRule]
  for (const [{ style }, colors] of [[plain, day], [dark.cssRules[0] as CSSStyleRule, night]] as const) {
    // Set one by one, so that nothing in them can end the rule and begin another.
    for (const [name, value] of Object.entries(colors)) style.setProperty(`--${name}`, value)
  }
}
