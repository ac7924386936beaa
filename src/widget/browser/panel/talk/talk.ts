import type { Chat } from '../../chat.ts'
import type { Client } from '../../client.ts'
import type { Config, Conversation, Message, Pending } from '../../types.ts'
import { make } from '../dom.ts'
import type { frame } from '../frame.ts'
import type { Say } from '../messages.ts'
import { deskOn, initialsOf } from './desk.ts'
import css from './talk.css'

export { css }
export { finishing } from './finish.ts'
export { talkEnglish as english } from '../../../../locales/english.ts'

/** The time is shown again after a pause of this length. */
const PAUSE_MS = 15 * 60_000

type Parts = Pick<ReturnType<typeof frame>, 'title' | 'face' | 'hello' | 'earlier' | 'messages' | 'all'>

/** An earlier conversation, as an item of the list. */
interface Listed extends Conversation { subject: string, messages: number, last_message_at: string | null }

/** The elements drawn besides the messages. */
interface Shown {
  items: Array<Message | Pending>
  config: Config
  isEmpty: boolean
  isListing: boolean
  /** Whether the visitor is known. */
  isKnown: boolean
}

interface TalkNeeds {
  say: Say
  chat: Chat
  language: string
  call: Client['call']
  /** Something must be redrawn. */
  changed: () => void
  /** Continues an earlier conversation, or begins a new one. */
  go: (conversation?: Conversation) => void
}

/**
 * What is shown besides the messages of a conversation: when each was written and by whom, who answers and whether they
 * are typing, and earlier conversations.
 */
export function talk (parts: Parts, needs: TalkNeeds): (shown: Shown) => void {
  const when = timesIn(needs)
  const [present, list] = [presence(parts, needs), earlier(parts, needs, when)]
  const tellDesk = deskOn(parts, needs.say, when.locale)
  const see = seeing(parts, needs)
  return (shown) => {
    const { items, config, isEmpty, isKnown } = shown
    parts.all.hidden = !isKnown
    tellDesk(isEmpty ? config.desk : null)
    mark(parts.messages, items, when)
    markSeen(parts.messages, items, needs)
    see()
    present(config.appearance.chatbotName)
    list(shown)
  }
}

/** Formats times for the reader: with the browser's locale, if it matches the language of the page. */
function timesIn ({ say, language }: Pick<TalkNeeds, 'say' | 'language'>) {
  const locale = navigator.language.startsWith(language) ? navigator.language : language
  const time = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' })
  const dayOf = (at: Date) => at.toDateString()
  const ago = (days: number) => {
    const then = new Date()
    then.setDate(then.getDate() - days)
    return dayOf(then)
  }

  /** The day, relative if it is recent. */
  function day (at: Date): string {
    if (dayOf(at) === ago(0)) return say('today')
    if (dayOf(at) === ago(1)) return say('yesterday')
    const year = at.getFullYear() === new Date().getFullYear() ? undefined : 'numeric'
    return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year }).format(at)
  }

  const isSameDay = (one: Date, other: Date) => dayOf(one) === dayOf(other)
  return { locale, time: (at: Date) => time.format(at), day, isSameDay }
}
type Times = ReturnType<typeof timesIn>

/** Shows time and author, where they change. */
function mark (list: HTMLElement, items: Shown['items'], { time, day, isSameDay }: Times) {
  let last: Date | undefined
  let by: string | undefined
  items.forEach((item, i) => {
    const at = 'state' in item ? new Date() : new Date(item.created_at)
    const isLater = !last || !isSameDay(last, at) || at.getTime() - last.getTime() > PAUSE_MS
    const name = 'role' in item && item.role === 'person' ? item.person_name ?? '' : undefined
    put(list.children[i]!, 'day', isLater && `${day(at)} ${time(at)}`)
    put(list.children[i]!, 'by', Boolean(name) && (isLater || name !== by) && ` · ${time(at)}`, name)
    last = at
    by = name
  })
}

/** Shows below the visitor's last message that the person has seen it, until there is an answer. */
function markSeen (list: HTMLElement, items: Shown['items'], { say, chat: { conversation } }: TalkNeeds) {
  const upTo = conversation?.handled_by === 'person' ? conversation.seen_up_to ?? 0 : 0
  const last = items.findLast((item) => !('role' in item) || item.role !== 'system')
  items.forEach((item, i) => {
    const foot = list.children[i]!.querySelector(':scope > .foot')
    if (!foot || 'state' in item || item.role !== 'visitor') return
    const isSeen = item === last && item.seq <= upTo
    foot.textContent = isSeen ? say('seen') : ''
  })
}

/**
 * Reports up to which of a person's messages the visitor has seen it, once each: while the page is visible and the
 * messages are shown, which they are not in a closed or removed panel.
 */
function seeing ({ messages }: Pick<Parts, 'messages'>, { chat, call }: Pick<TalkNeeds, 'chat' | 'call'>) {
  let told: Message | undefined
  function see () {
    const last = chat.messages.findLast(({ role }) => role === 'person')
    if (!last || last.id === told?.id || document.visibilityState !== 'visible' || !messages.offsetHeight) return
    told = last
    call('PUT', `conversations/${last.conversation}/seen`, { up_to: last.seq }).catch(() => { told = undefined })
  }
  document.addEventListener('visibilitychange', see)
  return see
}

/** A line above a message, or none. */
function put (node: Element, kind: 'day' | 'by', text: string | false, name = '') {
  const there = node.querySelector(`:scope > .${kind}`)
  if (there?.textContent === (text && name + text)) return
  there?.remove()
  if (!text) return
  const line = make('div', { class: kind }, name ? make('b', { text: name, dir: 'auto' }) : '', text)
  if (kind === 'day') node.prepend(line)
  else node.querySelector('.bubble')!.before(line)
}

/** Who answers: for a person, with name and avatar, and whether they are typing. */
function presence ({ title, face, messages }: Parts, { say, chat }: TalkNeeds) {
  const typed = make('div', { class: 'foot' })
  const typing = make('div', { class: 'types' }, make('div', { class: 'bubble' }, dots()), typed)
  let usual: Node[] | undefined
  messages.after(typing)
  return (agent: string) => {
    const { handled_by: by, person_name: person } = chat.conversation ?? {}
    const name = by === 'person' ? person : undefined
    typing.hidden = by !== 'person' || chat.typing < Date.now()
    typed.textContent = say('types', { name: name ?? say('person') })
    if (name && title.textContent !== name) {
      usual ??= [...face.childNodes]
      face.replaceChildren(initialsOf(name))
    } else if (!name && usual) {
      face.replaceChildren(...usual)
      usual = undefined
    }
    title.textContent = name ?? agent
    face.classList.toggle('on', Boolean(name))
  }
}

const dots = () => make('div', { class: 'dots' }, make('i'), make('i'), make('i'))

/** The visitor's conversations: the last one on the first view, all of them on request. */
function earlier ({ earlier: into }: Parts, { say, chat, call, changed, go }: TalkNeeds, { day }: Times) {
  let list: Listed[] = []
  let asked = ''
  let drawn = ''

  function ask (why: string) {
    if (asked === why) return
    asked = why
    if (!why) return
    call<Listed[]>('GET', 'conversations').then((found) => {
      list = found.filter(({ messages }) => messages > 0)
      changed()
    }, () => {})
  }

  const entry = (one: Listed, title: string) => make(
    'button', { click: () => go(one), 'aria-current': String(one.id === chat.conversation?.id) },
    make('span', {}, title && make('small', { text: title }), one.subject || say('conversation')),
    make('small', { text: one.last_message_at ? day(new Date(one.last_message_at)) : '' })
  )

  return ({ isEmpty, isListing, isKnown }: Shown) => {
    ask(isListing ? 'all' : isEmpty && isKnown ? 'last' : '')
    const shown = isListing ? list : isEmpty ? list.slice(0, 1) : []
    const next = JSON.stringify([isListing, shown])
    if (next === drawn) return
    // Redrawing when the list has arrived keeps the focus.
    const isFirst = isListing && (!drawn.startsWith('[true') || into.matches(':focus-within'))
    drawn = next
    into.className = 'earlier'
    into.replaceChildren(
      isListing ? make('button', { class: 'new', text: say('fresh'), click: () => go() }) : '',
      ...shown.map((one) => entry(one, isListing ? '' : say('earlier')))
    )
    if (isFirst) into.querySelector('button')!.focus()
  }
}
