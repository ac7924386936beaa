import type { WidgetConfig } from '../../../../../schema/widget.ts'
import { dress } from '../../../../widget/browser/launcher.ts'
import css from '../../../../widget/browser/stub.css'
import type { Host, Panel } from '../../../../widget/browser/types.ts'

/** A widget embedded in part of a console page. */
export interface Shown { update: (config: WidgetConfig) => void, destroy: () => void }

/** Differences on a stage: the widget sits inside it, not over the page, and fills its height. */
const STAGED = `
:host { position: absolute; inset: 16px !important }
:host([class]) .panel { position: absolute; inset: 0 0 72px; width: 100%; max-width: 100%; height: auto }
:host([class^=top]) .panel { inset: 72px 0 0 }
.launcher { position: absolute }
:host(.bottom-right) .launcher { bottom: 0; right: 0 }
:host(.bottom-left) .launcher { bottom: 0; left: 0 }
:host(.top-right) .launcher { top: 0; right: 0 }
:host(.top-left) .launcher { top: 0; left: 0 }
`

/**
 * Shows the real panel of the widget, open, and its button. Pages load the panel by a script of 2 KB that looks for its
 * own tag; console pages must not add script tags, so this replaces it. Throws when the panel cannot be loaded.
 */
export async function showWidget (into: HTMLElement, config: WidgetConfig, language: string): Promise<Shown> {
  const host = document.createElement('agenthall-preview')
  const root = host.attachShadow({ mode: 'open' })
  const [sheet, staged, colors] = [new CSSStyleSheet(), new CSSStyleSheet(), new CSSStyleSheet()]
  const launcher = document.createElement('button')
  const badge = document.createElement('span')
  let current = config
  let isOpen = true
  const drawn: { panel?: Panel } = {}

  function draw () {
    host.className = current.appearance.position
    dress(launcher, badge, colors, current.appearance, isOpen)
  }

  function turn (open: boolean) {
    isOpen = open
    draw()
    if (open) drawn.panel?.open(true)
    else drawn.panel?.close()
  }

  sheet.replaceSync(css)
  staged.replaceSync(STAGED)
  root.adoptedStyleSheets = [sheet, colors, staged]
  badge.className = 'badge'
  launcher.className = 'launcher'
  launcher.type = 'button'
  launcher.onclick = () => turn(!isOpen)
  root.append(launcher)
  draw()
  into.replaceChildren(host)
  const base = new URL('/', location.href).href
  const { mount } = await import(base + config.files.panel.slice(1)) as { mount: (host: Host) => Promise<Panel> }
  const panel = await mount({
    base,
    config,
    root,
    isPage: false,
    language,
    visitor: language,
    identity: undefined,
    tell: () => {},
    close: () => turn(false),
    unread: (count) => { badge.textContent = count > 0 ? String(count) : '' }
  })
  drawn.panel = panel
  // Must come after the panel's own rules.
  root.adoptedStyleSheets = [...root.adoptedStyleSheets.filter((one) => one !== staged), staged]
  panel.open(false)
  return {
    update (next) {
      current = next
      draw()
      panel.update(next)
    },
    destroy () {
      panel.destroy()
      host.remove()
    }
  }
}
