import { drawing, type DrawCite, type DrawTable, type Drawing } from '../draw.ts'
import type { Talking } from '../chat.ts'
import type { Message, Pending } from '../types.ts'
import { make } from './dom.ts'
import type { WidgetTexts } from '../../../locales/contract.ts'

/** Fills placeholders in one of the widget's texts. */
export type Say = (text: keyof WidgetTexts, words?: Record<string, string | number>) => string

/** Draws the feedback controls of an answer, immediately or later. */
export type DrawJudge = (into: HTMLElement, message: Message, needs: Pick<MessageNeeds, 'say' | 'talking'>) => void

/** The elements of a message to which something is added once it is complete. */
export interface Whole {
  bubble: HTMLElement
  foot: HTMLElement
  /** For answers: the element of its sources, and its text, whose numbers link to them through `cite`. */
  answer?: { sources: HTMLElement, picture: Drawing, cite?: DrawCite, known?: string }
}

/** Adds files, sources and why it broke off, immediately or later. */
export type Finish = (whole: Whole, message: Message) => void

/** Dependencies of drawing a message. */
export interface MessageNeeds {
  say: Say
  talking: Talking
  nameOf: (message: Pick<Message, 'role' | 'person_name'>) => string
  table: DrawTable
  judge: DrawJudge
  finish: Finish
}

/** A drawn message; the element stays the same while it grows. */
interface Shown { node: HTMLElement, update (item: Message | Pending): void }

const isPending = (item: Message | Pending): item is Pending => 'state' in item

/** Keeps a list in sync with the messages: unchanged ones are not touched. */
export function messageList (into: HTMLElement, needs: MessageNeeds): { show (items: Array<Message | Pending>): void } {
  const shown = new Map<string, Shown & { seen: string }>()
  // A pending message keeps its element when it arrives.
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

/** The visitor's messages: as plain text, without Markdown. */
function ownView ({ say, talking, finish }: MessageNeeds): Shown {
  const bubble = make('div', { class: 'bubble', dir: 'auto' })
  const foot = make('div', { class: 'foot' })
  const node = make('li', { class: 'own' }, make('span', { class: 'sr', text: `${say('you')}: ` }), bubble, foot)
  return {
    node,
    update (item) {
      bubble.replaceChildren(make('div', { class: 'plain', text: item.text }))
      foot.replaceChildren()
      if (!isPending(item)) return finish({ bubble, foot }, item)
      bubble.append(...item.files.map(({ name }) => make('span', { class: 'file', text: name })))
      if (item.state === 'sending') return foot.append(say('sending'))
      foot.append(
        // A waiting message is sent automatically: it is not an error.
        item.state === 'waiting' ? say('waits') : make('span', { class: 'bad', text: `${say('unsent')} ${item.why}`.trim() }),
        ' ',
        make('button', { class: 'text', text: say('retry'), click: () => talking.retry(item) })
      )
    }
  }
}

/** System messages: that a person joined, and the like. */
function noticeView (): Shown {
  const node = make('li', { class: 'notice', dir: 'auto' })
  return { node, update: (item) => { node.textContent = item.text } }
}

/** How long only dots announce an answer. */
const PATIENCE_MS = 3000

/** Answers by the agent or a person. */
function answerView (first: Message, needs: MessageNeeds): Shown {
  const { say, nameOf, table, judge, finish } = needs
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
  const answer: NonNullable<Whole['answer']> = {
    sources, picture: drawing(body, { cite: (n) => answer.cite?.(n), table })
  }
  return {
    node,
    update (next) {
      const item = next as Message
      const { role, status, text } = item
      const isWriting = status === 'generating'
      dots.hidden = !isWriting || text !== ''
      body.hidden = text === ''
      bubble.classList.toggle('writing', isWriting)
      answer.picture.draw(text)
      // Nobody is asked whether a greeting helped.
      judged.hidden = role !== 'agent' || status !== 'complete' || text === '' || item.answered_by === 'canned'
      if (!judged.hidden) judge(judged, item, needs)
      if (!isWriting) finish({ bubble, foot, answer }, item)
    }
  }
}
