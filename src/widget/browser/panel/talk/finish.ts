import { safeUrl } from '../../../../platform/links.ts'
import type { Talking } from '../../chat.ts'
import { linkNode } from '../../draw.ts'
import type { Citation, Message } from '../../types.ts'
import { make } from '../dom.ts'
import type { Finish, Say } from '../messages.ts'

/** Adds what a complete message has: its files, its sources, and why it broke off. */
export function finishing ({ say, talking }: { say: Say, talking: Pick<Talking, 'again'> }): Finish {
  return ({ bubble, foot, answer }, item) => {
    const { text, citations, attachments } = item
    for (const file of bubble.querySelectorAll('.file')) file.remove()
    bubble.append(...attachments.map(fileNode))
    if (!answer) return
    // By number, not content: the server sends the same ones in more than one order.
    const known = String(citations.length)
    if (answer.known !== known) {
      // The sources of a finished answer turn its numbers into links.
      answer.known = known
      answer.cite = (n) => citeNode(n, item, answer.sources, say)
      answer.picture.draw('')
      answer.sources.replaceChildren(...citations.map((citation) => sourceNode(citation, say)))
      answer.picture.draw(text)
    }
    foot.replaceChildren(...brokenOff(item, say, talking))
  }
}

function fileNode ({ name, url }: { name: string, url: string }): HTMLElement {
  const safe = safeUrl(url)
  const node = safe ? linkNode(safe, [name]) : make('span', { text: name })
  node.className = 'file'
  return node
}

/** A source number in a text: links to the source below. */
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

/** Why an answer broke off; nothing if it did not. */
function brokenOff (message: Message, say: Say, talking: Pick<Talking, 'again'>): Array<Node | string> {
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
