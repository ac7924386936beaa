import css from './stub.css'
import { dress } from './launcher.ts'
import type { Config, WidgetEvent, Host, Panel } from './types.ts'

/*
 * The small part of the widget, which every page loads: it requests the settings, draws the button that opens the
 * widget, and loads the rest when the pointer comes near it. If the server cannot be reached it draws nothing and
 * reports nothing.
 */

const script = document.currentScript as HTMLScriptElement
const { agent: key = '', page, language: named = document.documentElement.lang, visitor = named } = script.dataset
const language = named || navigator.language
const base = new URL('.', script.src).href
const isPage = page !== undefined
const name = `agenthall:${key}`
const closed = `${name}:closed`
const TAG = 'agenthall-widget'
const PHONE = '(max-width: 480px)'

class Widget extends HTMLElement {}

function start () {
  const host = document.createElement(TAG)
  const root = host.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  const colors = new CSSStyleSheet()
  const launcher = document.createElement('button')
  const badge = document.createElement('span')
  let config: Config | undefined
  let panel: Promise<Panel> | undefined
  let identity: string | undefined
  let isOpen = false
  let isWanted: boolean | undefined
  let isGone = false
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Listeners belong to the page: their errors are reported by the browser, and stop nothing here. */
  const tell = (what: WidgetEvent, detail?: unknown) => host.dispatchEvent(new CustomEvent(what, { detail }))

  /**
   * The rest of the widget. A new server version serves it under another name than the one cached, and not every
   * browser requests an address again once it has failed to load.
   */
  const load = () => {
    const asked = (fresh: Config) => import(`${base}${fresh.files.panel.slice(1)}#${Date.now()}`).then(({ mount }) => mount({
      base, config: fresh, root, isPage, language, visitor, identity, tell, unread, close: () => api.close()
    } satisfies Host) as Panel)
    panel ??= asked(config!).catch(async () => await asked(await ask('reload'))).catch((error) => {
      panel = undefined
      isOpen = false
      draw()
      tell('error', error)
      throw error
    })
    return panel
  }

  const unread = (count: number) => { badge.textContent = count > 0 ? String(Math.min(count, 99)) : '' }

  const draw = () => {
    host.className = isPage ? 'page' : config!.appearance.position
    host.hidden = !(isWanted ?? (config!.show_on_mobile || !matchMedia(PHONE).matches)) && !isOpen
    dress(launcher, badge, colors, config!.appearance, isOpen)
    // Only one ✕: the panel's, once it is loaded.
    launcher.hidden = isPage || (isOpen && launcher.hidden)
  }

  const turn = (open: boolean, focus = true) => {
    if (!config || isGone || isOpen === open) return
    clearTimeout(timer)
    isOpen = open
    launcher.hidden = open && !focus
    draw()
    tell(open ? 'open' : 'close')
    attempt(() => sessionStorage.setItem(closed, open ? '' : '1'))
    if (open) {
      load().then((loaded) => {
        if (!isOpen) return
        loaded.open(focus)
        launcher.hidden = true
      }, () => {})
    } else {
      panel?.then((loaded) => loaded.close(), () => {})
      if (!isPage) launcher.focus({ preventScroll: true })
    }
  }

  const api = {
    open: () => turn(true),
    close: () => turn(false),
    toggle: () => turn(!isOpen),
    show () {
      isWanted = true
      if (config) draw()
    },
    hide () {
      turn(false)
      isWanted = false
      if (config) draw()
    },
    identify (signed: string) {
      identity = signed
      panel?.then((loaded) => loaded.identify(signed), () => {})
    },
    reset () {
      identity = undefined
      attempt(() => localStorage.removeItem(name))
      panel?.then((loaded) => loaded.reset(), () => {})
    },
    on (name: string, listener: (detail: unknown) => void) {
      host.addEventListener(name, (event) => listener((event as CustomEvent).detail))
    },
    /** Shows other settings, for previews. */
    update (next: Config) {
      config = next
      draw()
      panel?.then((loaded) => loaded.update(next), () => {})
    },
    destroy () {
      isGone = true
      clearTimeout(timer)
      panel?.then((loaded) => loaded.destroy(), () => {})
      host.remove()
      delete (window as { Agenthall?: unknown }).Agenthall
    }
  }

  const ask = async (cache: RequestCache): Promise<Config> => {
    const answer = await fetch(`${base}v1/widget/${key}/config?language=${language}`, { cache, credentials: 'omit' })
    const { data } = await answer.json() as { data?: Config }
    if (!answer.ok || !data) throw new Error()
    return data
  }

  const begin = (answer: Config) => {
    if (isGone || (!answer.active && !isPage)) return
    config = answer
    sheet.replaceSync(css)
    root.adoptedStyleSheets = [sheet, colors]
    badge.className = 'badge'
    launcher.className = 'launcher'
    launcher.onclick = api.toggle
    launcher.onpointerenter = launcher.onfocus = () => { load().catch(() => {}) }
    root.append(launcher)
    draw()
    // Pages that replace their body keep children of the document element.
    document.documentElement.append(host)
    matchMedia(PHONE).onchange = draw
    const isRunning = stored(() => localStorage, name)?.includes('conversation')
    // If the visitor left it open in a conversation, it opens on the next page too.
    const was = stored(() => sessionStorage, closed)
    if (isPage) turn(true)
    else if (isRunning) was === '' ? turn(true, false) : load().catch(() => {})
    if (answer.auto_show_after > 0 && !was) {
      timer = setTimeout(() => turn(true, false), answer.auto_show_after * 1000)
    }
    tell('ready')
  }

  ask('default').then(begin, () => {})
  return api
}

/** Storage may be blocked altogether: then even accessing the property throws. */
function attempt<T> (work: () => T): T | undefined {
  try { return work() } catch { return undefined }
}

function stored (storage: () => Storage, name: string): string | null | undefined {
  return attempt(() => storage().getItem(name))
}

if (key && !(window as { Agenthall?: unknown }).Agenthall) {
  if (!customElements.get(TAG)) customElements.define(TAG, Widget)
  ;(window as { Agenthall?: unknown }).Agenthall = start()
}
