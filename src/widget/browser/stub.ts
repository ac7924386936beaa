import css from './stub.css'
import { dress } from './launcher.ts'
import type { Config, Happening, Host, Panel } from './types.ts'

/*
 * The small part of the widget, which every page loads: it asks how the widget looks, draws the button that opens it,
 * and loads the rest when somebody comes near it. Where the server cannot be reached it draws nothing and says nothing.
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

  /** Listeners are the page's own: what goes wrong in one is reported by the browser, and stops nothing here. */
  const tell = (what: Happening, detail?: unknown) => host.dispatchEvent(new CustomEvent(what, { detail }))

  /**
   * The rest of the widget. A new version of the server has it under another name than one that is remembered, and what
   * could not be loaded once is not asked for again under the same address by every browser.
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
    // One ✕: that of the panel, once it is there.
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
    /** Shows other settings, for whoever is choosing them. */
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
    // Pages that swap their body keep what hangs on the document itself.
    document.documentElement.append(host)
    matchMedia(PHONE).onchange = draw
    const isRunning = stored(() => localStorage, name)?.includes('conversation')
    // Where somebody left it open in a conversation, it is open on the next page too.
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

/** Storage may be blocked altogether: then even naming it throws. */
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
