import { Parser } from 'htmlparser2'
import { charactersIn } from '../../document.ts'
import { isVoid } from './dom.ts'
import { hidesByItself } from './hidden.ts'
import { textOfHtml } from './html.ts'

/** HTML in fragments between other text: knows which of the text is inside an element that hides it. */
export class Embedded {
  /** The elements that are open inside the outermost one that hides, that one first. */
  readonly #hiding: string[] = []
  /** One for all pieces: what one of them opens another may close. */
  readonly #parser = new Parser({
    onopentag: (name, attributes) => {
      if (isVoid(name) || (!this.#isHiding && !hidesByItself(name, attributes))) return
      if (!this.#isHiding) this.#show(this.#parser.startIndex)
      this.#hiding.push(name)
    },
    ontext: (text) => { if (this.#isHiding) this.#count(text) },
    onclosetag: (name) => {
      const at = this.#hiding.lastIndexOf(name)
      if (at === -1) return
      this.#hiding.length = at
      if (at === 0) this.#from = this.#parser.endIndex + 1
    }
  })

  /** Where the piece begins in all that was parsed, and where in it what is shown goes on. */
  #start = 0
  #from = 0
  #piece = ''
  #shown = ''
  /** Characters left out so far. */
  hidden = 0

  get #isHiding () { return this.#hiding.length > 0 }

  /** The text of a piece of HTML that a browser would show. */
  shown (html: string): string {
    this.#piece = html
    this.#shown = ''
    this.#from = this.#start
    this.#parser.write(html)
    if (!this.#isHiding) this.#show(this.#start + html.length)
    this.#start += html.length
    return /^\s*<[^>]*>\s*$/.test(this.#shown) ? '' : textOfHtml(this.#shown)
  }

  /** Text between: itself, or nothing where an element hides it. */
  seen (text: string): string {
    if (!this.#isHiding) return text
    this.#count(text)
    return ''
  }

  #show (to: number) {
    this.#shown += this.#piece.slice(Math.max(this.#from - this.#start, 0), Math.max(to - this.#start, 0))
  }

  #count (text: string) {
    if (text.trim()) this.hidden += charactersIn(text.replace(/\s+/g, ' '))
  }
}
