import { readMarkdown, type Block, type Inline, type Item } from './markdown.ts'

/** Makes the node for the number of a source; undefined where there is no such source, which is then not shown. */
export type DrawCite = (n: number) => Node | undefined

/** Draws texts into an element, again and again while they grow. */
export interface Drawing { draw (text: string): void }

/**
 * Keeps an element the picture of a text. What was drawn of the same lines stays as it is, so that a selection, or a
 * reader's place, does not jump while more is being written. Only nodes are made, never markup.
 */
export function drawing (into: Element, cite: DrawCite = () => undefined): Drawing {
  let drawn: Array<{ source: string, node: Node }> = []
  return {
    draw (text) {
      const blocks = readMarkdown(text)
      const kept = drawn.findIndex(({ source }, i) => blocks[i]?.source !== source)
      const same = kept < 0 ? drawn.length : kept
      for (const { node } of drawn.slice(same)) into.removeChild(node)
      const fresh = blocks
        .slice(same)
        .map((block) => ({ source: block.source, node: into.appendChild(blockNode(block, cite)) }))
      drawn = [...drawn.slice(0, same), ...fresh]
    }
  }
}

function blockNode (block: Block, cite: DrawCite): Node {
  switch (block.kind) {
    case 'paragraph':
      return element('p', inlineNodes(block.inside, cite))
    // A message is no document: its headings stand below those of the page.
    case 'heading':
      return element(block.level < 3 ? 'h3' : 'h4', inlineNodes(block.inside, cite))
    case 'quote':
      return element(
        'blockquote', block.blocks.map((inner) => blockNode(inner, cite))
      )
    case 'code':
      return element('pre', [element('code', [block.text])], { tabindex: '0' })
    case 'rule':
      return element('hr', [])
    case 'list':
      return element(
        block.ordered ? 'ol' : 'ul',
        block.items.map((item) => itemNode(item, cite)),
        block.start > 1 ? { start: String(block.start) } : {}
      )
  }
}

function itemNode ({ inside, blocks }: Item, cite: DrawCite): Node {
  return element('li', [...inlineNodes(inside, cite), ...blocks.map((block) => blockNode(block, cite))])
}

function inlineNodes (pieces: readonly Inline[], cite: DrawCite): Array<Node | string> {
  return pieces.flatMap((piece): Array<Node | string> => {
    if (typeof piece === 'string') return [piece]
    if (piece.kind === 'code') return [element('code', [piece.text])]
    if (piece.kind === 'break') return [element('br', [])]
    if (piece.kind === 'cite') return [cite(piece.n) ?? '']
    const inside = inlineNodes(piece.inside, cite)
    return [piece.kind === 'link' ? linkNode(piece.url, inside) : element(piece.kind, inside)]
  })
}

/** A link that says nothing of where it was followed from. */
export function linkNode (url: string, inside: Array<Node | string>): HTMLElement {
  return element('a', inside, { href: url, target: '_blank', rel: 'noopener noreferrer nofollow ugc', dir: 'auto' })
}

function element (name: string, inside: Array<Node | string>, attributes: Record<string, string> = {}): HTMLElement {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
  made.append(...inside)
  return made
}
