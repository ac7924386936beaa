import { marked, type Token, type Tokens } from 'marked'
import type { Document } from '../../document.ts'
import { clean, Draft } from '../../draft.ts'
import { Embedded } from './embedded.ts'
import { unescaped } from './html.ts'
import { labelled, sideBySide } from '../rows.ts'

/** Markdown as GitHub writes it, without its marks. What HTML in it hides is left out. Throws `no_text`. */
export function readMarkdown (text: string): Document {
  const draft = new Draft('markdown')
  const [, front = '', body = ''] = /^(?:---\n([\s\S]*?)\n(?:---|\.\.\.)(?:\n|$))?([\s\S]*)$/.exec(clean(text))!
  draft.title = /^title:(.*)/m.exec(front)?.[1]?.trim().replaceAll(/^["']|["']$/g, '') ?? null
  draft.add(front)
  const reader = new Reader(draft)
  for (const token of marked.lexer(body)) reader.add(token)
  draft.hide(reader.hidden)
  return draft.finish()
}

/** Adds blocks one after the other: an element that hides what is in it may be opened in one and closed in another. */
class Reader {
  readonly #draft: Draft
  readonly #html = new Embedded()

  constructor (draft: Draft) {
    this.#draft = draft
  }

  get hidden () { return this.#html.hidden }

  add (token: Token): void {
    switch (token.type) {
      case 'heading': {
        const { depth, tokens } = token as Tokens.Heading
        const line = this.#inline(tokens)
        if (depth === 1) this.#draft.title ??= line || null
        return this.#draft.heading(depth, line)
      }
      case 'table': return this.#addTable(token as Tokens.Table)
      case 'list': return this.#addList(token as Tokens.List)
      case 'blockquote': return (token as Tokens.Blockquote).tokens.forEach((inner) => this.add(inner))
      default: return this.#draft.add(this.#inline([token]))
    }
  }

  #addTable ({ header, rows }: Tokens.Table) {
    const names = header.map((cell) => this.#inline(cell.tokens))
    this.#draft.add(sideBySide(names))
    for (const row of rows) this.#draft.add(labelled(names, row.map((cell) => this.#inline(cell.tokens))))
  }

  /** A list as one block; where a table is in an item, block by block. */
  #addList (list: Tokens.List) {
    if (!hasTable(list)) return this.#draft.add(this.#listed(list))
    for (const { tokens } of list.items) for (const token of tokens) this.add(token)
  }

  #listed ({ items, ordered, start }: Tokens.List): string {
    return items.map((item, i) => {
      const text = item.tokens
        .map((token) => (token.type === 'list' ? this.#listed(token as Tokens.List) : this.#inline([token])))
        .join('\n')
      return `${ordered ? `${Number(start) + i}.` : '-'} ${text.replaceAll('\n', '\n  ')}`
    }).join('\n')
  }

  /** The words of inline tokens: of links and pictures their text, of embedded HTML what a browser would show. */
  #inline (tokens: Token[]): string {
    return tokens.map((token) => {
      if (token.type === 'br') return '\n'
      if (token.type === 'html') return this.#html.shown(token.raw)
      if ('tokens' in token && token.tokens) return this.#inline(token.tokens)
      if (!('text' in token)) return ''
      // Entities need a parser, which is slow to call for every word.
      return this.#html.seen(
        /^code/.test(token.type) || !/&#?\w+;/.test(token.text) ? token.text : unescaped(token.text)
      )
    }).join('')
  }
}

function hasTable ({ items }: Tokens.List): boolean {
  return items.some(({ tokens }) => tokens.some((token) =>
    token.type === 'table' || (token.type === 'list' && hasTable(token as Tokens.List))))
}
