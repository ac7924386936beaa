import { make } from '../panel/dom.ts'
import type { Say } from '../panel/messages.ts'
import { ratingEnglish } from '../../../locales/english.ts'
import css from './rating.css'

/** Pixels from the end within which the list stays scrolled to the end. */
const NEAR_PX = 60

type Texts = typeof ratingEnglish

/**
 * Fills a rating form: five choices, and a field for a comment. It is loaded on demand, with its styles and, if the
 * page's language has none, its texts.
 */
export function rating (
  form: HTMLFormElement, say: Say, done: (about: { score: number, comment: string }, where: string) => Promise<void>
) {
  const word = (text: keyof Texts) => {
    // The panel does not know texts for which no language was loaded.
    try { return say(text) } catch { return ratingEnglish[text] }
  }
  const scroll = form.closest('.scroll')
  const isAtEnd = scroll !== null && scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR_PX
  const fault = make('div', { class: 'bad', role: 'alert' })
  const words = make('input', {
    type: 'text', maxlength: '2000', 'aria-label': word('words'), placeholder: word('words')
  })
  const send = make('button', { class: 'main', text: say('send') })
  send.type = 'submit'
  const scores = [1, 2, 3, 4, 5].map((n) => {
    const input = make('input', { type: 'radio', name: 'ah-score', value: String(n), required: '' })
    return { n, input, node: make('label', { class: 'score' }, input, String(n)) }
  })
  const scale = make('div', { class: 'scale' }, ...scores.map(({ node }) => node))
  const ends = make('div', { class: 'ends' }, make('span', { text: word('worst') }), make('span', { text: word('best') }))
  form.append(
    make('fieldset', {}, make('legend', { text: word('rate') }), scale, ends),
    make('div', { class: 'field' }, words), fault, send
  )
  form.onsubmit = async (event) => {
    event.preventDefault()
    const chosen = scores.find(({ input }) => input.checked)
    if (!chosen || send.disabled) return
    send.disabled = true
    fault.textContent = ''
    try {
      await done({ score: chosen.n, comment: words.value.trim() }, '/satisfaction')
      form.replaceChildren(make('p', { role: 'status', text: word('thanks') }))
    } catch {
      fault.textContent = say('failed')
      send.disabled = false
    }
  }
  const root = form.getRootNode() as ShadowRoot
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  // It appears after the panel has scrolled to the end, so it would be out of sight below.
  if (isAtEnd) scroll.scrollTop = scroll.scrollHeight
}
