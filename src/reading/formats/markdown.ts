import { marked, type Token, type Tokens } from 'marked'
import type { Document } from '../document.ts'
import { clean, Draft } from '../draft.ts'
import { textOfHtml, unescaped } from './html.ts'
import { labelled, sideBySide } from './rows.ts'

/** Markdown as GitHub writes it, without its marks. Throws `no_text`. */
export function readMarkdown (text: string): Document {
  const draft = new Draft('markdown')
  const [, front = '', body = ''] = /^(?:---\n([\s\S]*?)\n(?:---|\.\.\.)(?:\n|$))?([\s\S]*)$/.exec(clean(text))!
  draft.title = /^title:\s*["']?(.*?)["']?\s*$/m.exec(front)?.[1] ?? null
  draft.add(front)
  for (const token of marked.lexer(body)) addBlock(draft, token)
  return draft.finish()
}

function addBlock (draft: Draft, token: Token) {
  switch (token.type) {
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading
      const line = inline(tokens)
      if (depth === 1) draft.title ??= line
      return draft.heading(depth, line)
    }
    case 'table': return addTable(draft, token as Tokens.Table)
    case 'list': return draft.add(listed(token as Tokens.List))
    case 'blockquote': return (token as Tokens.Blockquote).tokens.forEach((inner) => addBlock(draft, inner))
    default: return draft.add(inline([token]))
  }
}

function addTable (draft: Draft, { header, rows }: Tokens.Table) {
  const names = header.map((cell) => inline(cell.tokens))
  draft.add(sideBySide(names))
  for (const row of rows) draft.add(labelled(names, row.map((cell) => inline(cell.tokens))))
}

function listed ({ items, ordered, start }: Tokens.List): string {
  return items.map((item, i) => {
    const text = item.tokens.map((token) => token.type === 'list' ? listed(token as Tokens.List) : inline([token])).join('\n')
    return `${ordered ? `${Number(start) + i}.` : '-'} ${text.replaceAll('\n', '\n  ')}`
  }).join('\n')
}

/** The words of inline tokens: of links and pictures their text, of embedded HTML what a browser would show. */
function inline (tokens: Token[]): string {
  return tokens.map((token) => {
    if (token.type === 'br') return '\n'
    if (token.type === 'html') return /^<[^>]*>$/.test(token.raw.trim()) ? '' : textOfHtml(token.raw)
    if ('tokens' in token && token.tokens) return inline(token.tokens)
    if (!('text' in token)) return ''
    // Entities need a parser, which is slow to call for every word.
    return /^code/.test(token.type) || !/&#?\w+;/.test(token.text) ? token.text : unescaped(token.text)
  }).join('')
}
