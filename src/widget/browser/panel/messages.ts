import { safeUrl } from '../../../platform/links.ts'
import { drawing, linkNode, type DrawTable } from '../draw.ts'
import type { Pending, Talking } from '../chat.ts'
import type { Citation, Message } from '../types.ts'
import { make } from './dom.ts'
import type { Text } from '../texts.ts'

/** Puts words into a text of the widget's own. */
export type Say = (text: Text, words?: Record<string, string | number>) => string

/** Draws what a visitor may think of an answer, at once or later. */
export type DrawJudge = (into: HTMLElement, message: Message, needs: Pick<MessageNeeds, 'say' | 'talking'>) => void

/** What a message's picture needs. */
export interface MessageNeeds {
  say: Say, talking: Talking, nameOf: (message: Pick<Message, 'role'>) => string, table: DrawTable, judge: DrawJudge
}

/** A message as it is drawn; kept the same element while it grows. */
interface Shown { node: HTMLElement, update (item: Message | Pending): void }

const isPending = (item: Message | Pending): item is Pending => 'state' in item

/** Keeps a list the picture of the messages: what did not change is not touched. */
export function messageList (into: HTMLElement, needs: MessageNeeds): { show (items: Array<Message | Pending>): void } {
  const shown = new Map<string, Shown & { seen: string }>()
  // A message that is on its way keeps its element when it arrives.
  const keyOf = (item: Message | Pending) => item.client_id ?? (item as Message).id
  return {
    show (items) {
      const keys = new Set(items.map(keyOf))
      for (const [key, { node }] of shown) {
        if (keys.has(key)) continue
        node.remove()
        shown.delete(key)
      }
      items.forEach((item, i) => {
        const key = keyOf(item)
        const one = shown.get(key) ?? { ...messageView(item, needs), seen: '' }
        shown.set(key, one)
        if (into.children[i] !== one.node) into.insertBefore(one.node, into.children[i] ?? null)
        const seen = JSON.stringify(item)
        if (seen !== one.seen) one.update(item)
        one.seen = seen
      })
    }
  }
}

function messageView (first: Message | Pending, needs: MessageNeeds): Shown {
  const role = isPending(first) ? 'visitor' : first.role
  return role === 'visitor' ? ownView(needs) : role === 'system' ? noticeView() : answerView(first as Message, needs)
}

/** What the visitor wrote: as it is, without marks. */
function ownView ({ say, talking }: MessageNeeds): Shown {
  const bubble = make('div', { class: 'bubble', dir: 'auto' })
  const foot = make('div', { class: 'foot' })
  const node = make('li', { class: 'own' }, make('span', { class: 'sr', text: `${say('you')}: ` }), bubble, foot)
  return {
    node,
    update (item) {
      const files = isPending(item)
        ? item.files.map(({ name }) => make('span', { class: 'file', text: name }))
        : item.attachments.map(fileNode)
      bubble.replaceChildren(make('div', { class: 'plain', text: item.text }), ...files)
      foot.replaceChildren()
      if (!isPending(item)) return
      if (item.state === 'sending') return foot.append(say('sending'))
      foot.append(
        make('span', { class: 'bad', text: `${say('unsent')} ${item.why}`.trim() }),
        ' ',
        make('button', { class: 'text', text: say('retry'), click: () => talking.retry(item) })
      )
    }
  }
}

function fileNode ({ name, url }: { name: string, url: string }): HTMLElement {
  const safe = safeUrl(url)
  const node = safe ? linkNode(safe, [name]) : make('span', { text: name })
  node.className = 'file'
  return node
}

/** What nobody said: that a person came, and the like. */
function noticeView (): Shown {
  const node = make('li', { class: 'notice', dir: 'auto' })
  return { node, update: (item) => { node.textContent = item.text } }
}

/** How long dots alone say that an answer comes. */
const PATIENCE_MS = 3000

/** What was answered, by the agent or a person. */
function answerView (first: Message, needs: MessageNeeds): Shown {
  const { say, nameOf, table, judge } = needs
  const body = make('div', { class: 'body', dir: 'auto' })
  const dots = make('div', { class: 'dots' }, make('i'), make('i'), make('i'))
  const bubble = make('div', { class: 'bubble' }, dots, body)
  const sources = make('div', { class: 'sources' })
  const foot = make('div', { class: 'foot' })
  const judged = make('div', { class: 'foot judge' })
  const node = make(
    'li',
    { class: first.role },
    make('span', { class: 'sr', text: `${nameOf(first)}: ` }), bubble, sources, foot, judged
  )
  setTimeout(() => dots.append(say('thinking', { name: nameOf(first) })), PATIENCE_MS)
  let item = first
  let drawn: string | undefined
  const picture = drawing(body, { cite: (n) => citeNode(n, item, sources, say), table })
  return {
    node,
    update (next) {
      item = next as Message
      const { role, status, text, citations, attachments } = item
      const isWriting = status === 'generating'
      dots.hidden = !isWriting || text !== ''
      body.hidden = text === ''
      const known = `${citations.length} ${attachments.length}`
      if (drawn !== known) {
        // With the sources of a finished answer its numbers become links.
        picture.draw('')
        for (const file of bubble.querySelectorAll('.file')) file.remove()
        bubble.append(...attachments.map(fileNode))
        sources.replaceChildren(...citations.map((citation) => sourceNode(citation, say)))
      }
      drawn = known
      picture.draw(text)
      judged.hidden = role !== 'agent' || status !== 'complete' || text === ''
      if (!judged.hidden) judge(judged, item, needs)
      if (!isWriting) foot.replaceChildren(...brokenOff(item, needs))
    }
  }
}

/** The number of a source in a text: leads to it, below. */
function citeNode (n: number, { citations }: Message, sources: HTMLElement, say: Say): Node | undefined {
  if (!citations.some((citation) => citation.n === n)) return undefined
  return make('button', {
    class: 'cite',
    text: String(n),
    'aria-label': say('source', { n }),
    click () {
      const details = sources.querySelector<HTMLDetailsElement>(`[data-n="${n}"]`)
      if (!details) return
      details.open = true
      details.querySelector('summary')?.focus()
    }
  })
}

function sourceNode ({ n, title, url, page, quote }: Citation, say: Say): HTMLElement {
  const safe = url === null ? undefined : safeUrl(url)
  const node = make(
    'details',
    {},
    make('summary', {}, make('span', { class: 'n', text: String(n) }), make('span', { text: title, dir: 'auto' }))
  )
  node.dataset.n = String(n)
  node.append(make('blockquote', { text: quote, dir: 'auto' }))
  if (page !== null) node.append(make('div', { class: 'foot', text: say('page', { n: page }) }))
  if (safe) node.append(linkNode(safe, [safe.replace(/^https?:\/\//, '')]))
  return node
}

/** Why an answer broke off; nothing where it did not. */
function brokenOff (message: Message, { say, talking }: MessageNeeds): Array<Node | string> {
  if (message.status === 'stopped') return [say('stopped')]
  if (message.status !== 'failed') return []
  return [
    make('span', { class: 'bad', text: message.error?.message ?? say('broken') }),
    ' ',
    make('button', {
      class: 'text',
      text: say('again'),
      click () {
        talking.again(message).catch(() => {})
      }
    })
  ]
}
