import css from './panel/panel.css'
import { openChat, type Chat } from './chat.ts'
import { openClient, type Visitor } from './client.ts'
import { plainText, readMarkdown } from './markdown.ts'
import { composer } from './panel/composer.ts'
import { make } from './panel/dom.ts'
import { frame, paint } from './panel/frame.ts'
import type { Gate } from './panel/forms/gate.ts'
import { handle } from './panel/keys.ts'
import { messageList, type Say } from './panel/messages.ts'
import type { WidgetTexts as Texts } from '../../locales/contract.ts'
import { english } from '../../locales/english.ts'
import type { Config, Host, Message, Panel } from './types.ts'

/*
 * The large part of the widget: the panel. It is loaded when the pointer comes near the button, and sends nothing to
 * the server before the visitor writes, unless there is a conversation to continue.
 */

/** Pixels from the end of the list within which new messages are followed. */
const NEAR_PX = 60

/** Puts the panel beside the button. */
export async function mount (host: Host): Promise<Panel> {
  const { texts, language } = await textsOf(host)
  const say: Say = (text, words = {}) =>
    texts[text]!.replace(/\{(\w+)\}/g, (all, name: string) => String(words[name] ?? all))
  const loading: Partial<Record<keyof Parts, Promise<unknown>>> = {}
  const fetched = async (name: keyof Parts) => {
    const { root } = host
    const part = await import(host.base + host.config.files[name].slice(1)) as Dressed
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(part.css)
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
    Object.assign(texts, { ...part.english, ...texts })
    return part
  }
  const load = (async (name: keyof Parts) => {
    loading[name] ??= fetched(name).catch((error) => {
      delete loading[name]
      throw error
    })
    return await loading[name]
  }) as Load
  return panelOn(host, say, language, load, missing(host.config) && (await load('form')).gate)
}

/** The parts of the panel that are loaded on demand. */
interface Parts {
  form: typeof import('./panel/forms/gate.ts')
  actions: typeof import('./panel/forms/actions.ts')
  judge: typeof import('./panel/talk/judge.ts')
  table: typeof import('./panel/talk/table.ts')
  talk: typeof import('./panel/talk/talk.ts')
}
type Load = <Name extends keyof Parts>(name: Name) => Promise<Parts[Name]>
/** What each of them exports: its styles, and its English texts. */
interface Dressed { css: string, english?: object }

/** Draws with a part that is loaded on first use; draws nothing if it cannot be loaded. */
function later<Given extends unknown[]> (
  load: () => Promise<(...given: Given) => void>, drawn: () => void
): (...given: Given) => void {
  let draw: ((...given: Given) => void) | undefined
  let loading: Promise<unknown> | undefined
  return (...given) => {
    if (draw) return draw(...given)
    loading ??= load().then((made) => { draw = made }, () => { loading = undefined })
    loading.then(() => {
      draw?.(...given)
      drawn()
    })
  }
}

/** The texts in the language of the page or of the browser, if available; else English. */
async function textsOf ({ base, config, language }: Host): Promise<{ texts: Partial<Texts>, language: string }> {
  const short = language.toLowerCase().split('-')[0]!
  const file = config.files.texts[short]
  const found = file && await import(base + file.slice(1)).then(({ default: texts }) => texts as Texts, () => undefined)
  return found ? { texts: found, language: short } : { texts: english, language: 'en' }
}

function panelOn (host: Host, say: Say, language: string, load: Load, form: Gate | undefined): Panel {
  const { base, root, isPage } = host
  let config = host.config
  let identity = host.identity
  let [isOpen, isListing] = [false, false]
  let [unread, pending] = [0, 0]
  const client = openClient(base, config.key, () => identity)
  const talking = openChat(client, host.visitor, { changed: schedule, writing, written })
  const { chat } = talking
  const parts = frame(say, {
    isPage,
    close: host.close,
    list () {
      isListing = !isListing
      draw()
    },
    ask () {
      talking.person(say('asking'))
      write.focus()
    }
  })
  const { panel, asked, before, live } = parts
  const { toEnd, isAtEnd } = endOf(parts)
  const write = composer(say, {
    draft: draftOf(config.key),
    send,
    typing: talking.typing,
    stop () {
      const message = chat.messages.findLast(({ status }) => status === 'generating')
      if (message) talking.stop(message).catch(() => {})
    }
  })
  const messages = messageList(parts.messages, {
    say,
    talking,
    nameOf: ({ role, person_name: name }) => role === 'person' ? name ?? say('person') : config.appearance.chatbotName,
    table: later(async () => (await load('table')).fillTable, schedule),
    judge: later(async () => (await load('judge')).judge, schedule),
    finish: later(async () => (await load('talk')).finishing({ say, talking }), schedule)
  })
  const drawSuggestions = suggesting(asked, send)
  const acting = { say, config, talking, call: client.call, changed: schedule, done: write.focus }
  const act = later(async () => (await load('actions')).actions(parts.acts, acting), schedule)
  const drawTalk = later(async () => (await load('talk')).talk(parts, {
    say,
    chat,
    language,
    call: client.call,
    changed: schedule,
    go (conversation) {
      isListing = false
      if (conversation) talking.go(conversation)
      else talking.fresh()
      write.focus()
    }
  }), schedule)
  const gate = gating(before, form, load, draw, (made, wanted) => made(say, config, wanted, async (about, where) => {
    if (wanted.email) return send(about.email!)
    await talking.tell(about, where)
    draw()
    write.focus()
  }))
  const hands = handle(panel, root, {
    isPage,
    close: host.close,
    drop: (files) => write.node.hidden || write.add(files)
  })
  const [sheet, colors] = [new CSSStyleSheet(), new CSSStyleSheet()]
  sheet.replaceSync(css)
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet, colors]
  panel.lang = language
  // Same as `directionOf`, which would cost more bytes here.
  panel.dir = /ar|fa|he|iw/.test(language) ? 'rtl' : 'ltr'
  parts.foot.before(write.node)
  root.append(panel)
  dress()
  document.addEventListener('visibilitychange', watch)
  if (client.isKnown()) resume()

  function resume () {
    talking.resume().then(watch, () => {})
  }

  function dress () {
    paint(colors, config)
    parts.dress(config)
    draw()
  }

  function send (text: string, files: File[] = []) {
    talking.send(text, files)
    host.tell('message', { role: 'visitor', text })
    write.focus()
    toEnd()
  }

  function schedule () {
    pending ||= requestAnimationFrame(() => {
      pending = 0
      draw()
      watch()
    })
  }

  function draw () {
    if (panel.hidden) return
    const isFollowing = isAtEnd()
    const replaced = new Set(chat.messages.map(({ replaces }) => replaces))
    const shown = chat.messages.filter(({ id }) => !replaced.has(id))
    const last = shown.at(-1)
    const wanted = missing(config, chat.visitor)
    const { active, handoff } = config
    const items = [...shown, ...chat.pending]
    const isEmpty = !items[0]
    const { handled_by: handled = 'agent', status, asks } = chat.conversation ?? {}
    const isWriting = last?.status === 'generating'
    const isFree = active && handled === 'agent' && !wanted
    messages.show(items)
    gate.draw(active && (wanted ?? asks))
    drawSuggestions(!active || wanted ? [] : suggested(config, chat, last))
    if (config.actions) act(config.actions, isFree && status !== 'closed' && !asks && !isWriting)
    parts.state.textContent = say(stateOf(config, chat))
    parts.lost.textContent = chat.isLost || chat.pending.some(({ state }) => state === 'waiting') ? say('offline') : ''
    parts.told.hidden = handled === 'person'
    parts.person.hidden = !(handoff && isFree)
    panel.classList.toggle('first', isEmpty && !isListing)
    panel.classList.toggle('listing', isListing)
    drawTalk({ items, config, isEmpty, isListing, isKnown: client.isKnown() })
    write.node.hidden = !!wanted || !active
    write.writing(isWriting)
    write.unsent(chat.pending.map(({ text }) => text).join('\n'))
    if (isFollowing) toEnd()
  }

  /** Each is announced once: the list itself is not a live region, or every word would be. */
  function writing ({ role }: Message) {
    if (isOpen && role === 'agent') live.textContent = say('thinking', { name: config.appearance.chatbotName })
  }

  function written ({ role, text, status }: Message) {
    if (isOpen) live.textContent = plainText(readMarkdown(text)) || say(status === 'failed' ? 'broken' : 'stopped')
    else host.unread(++unread)
    host.tell('message', { role, text })
  }

  /** Streams are open while the panel is visible, or while an answer or a person is expected. */
  function watch () {
    talking.watch((isOpen && document.visibilityState === 'visible') || isExpecting(chat))
  }

  return {
    open (focus) {
      isOpen = true
      unread = 0
      host.unread(0)
      panel.hidden = false
      hands.fit()
      draw()
      toEnd()
      watch()
      if (!focus) return
      if (write.node.hidden) (before.querySelector<HTMLElement>('input, button') ?? parts.shut).focus()
      else write.focus()
    },
    close () {
      isOpen = false
      panel.hidden = true
      live.textContent = ''
      watch()
    },
    identify (signed) {
      identity = signed
      client.renew()
      talking.fresh()
      resume()
    },
    reset () {
      identity = undefined
      chat.visitor = undefined
      chat.pending = []
      isListing = false
      talking.fresh()
      client.forget()
    },
    update (next) {
      config = next
      gate.forget()
      dress()
    },
    destroy () {
      talking.watch(false)
      chat.pending = []
      cancelAnimationFrame(pending)
      hands.stop()
      document.removeEventListener('visibilitychange', watch)
      panel.remove()
    }
  }
}

/** Scrolls to the end of messages; the first view and the list of conversations have none, and start at the top. */
function endOf ({ scroll, messages }: Pick<ReturnType<typeof frame>, 'scroll' | 'messages'>) {
  return {
    toEnd () { if (messages.offsetHeight) scroll.scrollTop = scroll.scrollHeight },
    isAtEnd: () => !messages.offsetHeight || scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR_PX
  }
}

/** Draws the form; typed text stays while other things change. An address is sent as a message. */
function gating (
  into: HTMLElement, form: Gate | undefined, load: Load, loaded: () => void,
  made: (gate: Gate, wanted: Parameters<Gate>[2]) => HTMLElement
) {
  let drawn: string | undefined
  return {
    /** Redraws it next time. */
    forget () { drawn = '' },
    draw (wanted?: Parameters<Gate>[2] | false) {
      if (wanted && !form) {
        load('form').then(({ gate }) => {
          form = gate
          loaded()
        }, () => {})
        return
      }
      const next = JSON.stringify(wanted)
      if (next === drawn) return
      drawn = next
      into.replaceChildren(wanted ? made(form!, wanted) : '')
    }
  }
}

/** Whether an answer or a person is expected. */
const isExpecting = (chat: Chat): boolean =>
  (chat.conversation?.handled_by ?? 'agent') !== 'agent' || chat.messages.some(({ status }) => status === 'generating')

/** What is asked before the first message. */
interface Wanted { data: boolean, consent: boolean }

/** What is asked before the first message; undefined once done. */
function missing (
  { collect_visitor_data: isAsked, consent: text }: Config, visitor?: Visitor
): Wanted | undefined {
  const data = isAsked && !visitor?.introduced
  const consent = text !== null && !visitor?.consented
  return data || consent ? { data, consent } : undefined
}

/** What the visitor may say with one click: at the start, and after an answer that suggests it. */
function suggested ({ suggestions }: Config, { pending }: Chat, last: Message | undefined): string[] {
  if (pending.length > 0) return []
  if (!last) return suggestions
  return last.role === 'agent' ? last.suggestions : []
}

/** Draws what the visitor may say with one click, if it has changed. */
function suggesting (into: HTMLElement, send: (text: string) => void) {
  let drawn: string | undefined
  return (texts: string[]) => {
    const next = JSON.stringify(texts)
    if (next === drawn) return
    drawn = next
    into.replaceChildren(...texts.map((text) => make('button', { text, dir: 'auto', click: () => send(text) })))
  }
}

/** Who the visitor talks to. */
function stateOf ({ active }: Config, { conversation }: Chat): keyof Texts {
  if (!active) return 'absent'
  if (conversation?.status === 'closed') return 'closed'
  if (conversation?.handled_by === 'queue') return 'waiting'
  return conversation?.handled_by === 'person' ? 'person' : 'ai'
}

/** The draft outlives the page, in this tab. */
function draftOf (key: string) {
  const name = `agenthall:${key}:draft`
  return {
    get () {
      try { return sessionStorage.getItem(name) ?? '' } catch { return '' }
    },
    set (text: string) {
      try { sessionStorage.setItem(name, text) } catch { /* Blocked: then it is lost with the page, as any field's. */ }
    }
  }
}
