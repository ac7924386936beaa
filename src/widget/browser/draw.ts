import { readInline, readMarkdown, type Block, type Inline, type Item } from './markdown.ts'
import { make } from './panel/dom.ts'

/** Makes the node for the number of a source; undefined where there is no such source, which is then not shown. */
export type DrawCite = (n: number) => Node | undefined

/** Draws a table in the place of its lines, at once or later; `cell` makes nodes of what stands in a cell. */
export type DrawTable = (into: HTMLElement, source: string, cell: (text: string) => Array<Node | string>) => void

/** What is drawn by others; without them numbers of sources are left out, and the lines of a table are text. */
interface Hands { cite?: DrawCite, table?: DrawTable }

/** A line with a bar, and one of dashes and bars below it. */
const TABLE = /^[^|\n]*\|.*\n[ |:-]+$/m

/** Draws texts into an element, again and again while they grow. */
export interface Drawing { draw (text: string): void }

/**
 * Keeps an element the picture of a text. What was drawn of the same lines stays as it is, so that a selection, or a
 * reader's place, does not jump while more is being written. Only nodes are made, never markup.
 */
export function drawing (into: Element, hands: Hands = {}): Drawing {
  let drawn: Array<{ source: string, node: Node }> = []
  return {
    draw (text) {
      const blocks = readMarkdown(text)
      const kept = drawn.findIndex(({ source }, i) => blocks[i]?.source !== source)
      const same = kept < 0 ? drawn.length : kept
      for (const { node } of drawn.slice(same)) into.removeChild(node)
      const fresh = blocks
        .slice(same)
        .map((block) => ({ source: block.source, node: into.appendChild(blockNode(block, hands)) }))
      drawn = [...drawn.slice(0, same), ...fresh]
    }
  }
}

function blockNode (block: Block, hands: Hands): Node {
  switch (block.kind) {
    case 'paragraph':
      return paragraphNode(block.source, make('p', {}, ...inlineNodes(block.inside, hands)), hands)
    // A message is no document: its headings stand below those of the page.
    case 'heading':
      return make(block.level < 3 ? 'h3' : 'h4', {}, ...inlineNodes(block.inside, hands))
    case 'quote':
      return make('blockquote', {}, ...block.blocks.map((inner) => blockNode(inner, hands)))
    case 'code':
      return make('pre', { tabindex: '0' }, make('code', { text: block.text }))
    case 'rule':
      return make('hr')
    case 'list':
      return make(
        block.ordered ? 'ol' : 'ul',
        block.start > 1 ? { start: String(block.start) } : {},
        ...block.items.map((item) => itemNode(item, hands))
      )
  }
}

/** Lines that may be a table are text until it is drawn. */
function paragraphNode (source: string, text: HTMLElement, hands: Hands): Node {
  if (!TABLE.test(source)) return text
  const box = make('div', {}, text)
  hands.table?.(box, source, (cell) => inlineNodes(readInline(cell), hands))
  return box
}

function itemNode ({ inside, blocks }: Item, hands: Hands): Node {
  return make('li', {}, ...inlineNodes(inside, hands), ...blocks.map((block) => blockNode(block, hands)))
}

function inlineNodes (pieces: readonly Inline[], hands: Hands): Array<Node | string> {
  return pieces.flatMap((piece, i): Array<Node | string> => {
    // The number of a source stands close behind its word; where it is not shown, no gap stays before a full stop.
    if (typeof piece === 'string') return [(pieces[i + 1] as { n?: number })?.n ? piece.trimEnd() : piece]
    if (piece.kind === 'code') return [make('code', { text: piece.text })]
    if (piece.kind === 'break') return [make('br')]
    if (piece.kind === 'cite') return [hands.cite?.(piece.n) ?? '']
    const inside = inlineNodes(piece.inside, hands)
    return [piece.kind === 'link' ? linkNode(piece.url, inside) : make(piece.kind, {}, ...inside)]
  })
}

/** A link that says nothing of where it was followed from. */
export function linkNode (url: string, inside: Array<Node | string>): HTMLElement {
  const rel = 'noopener noreferrer nofollow ugc'
  return make('a', { href: url, target: '_blank', rel, dir: 'auto' }, ...inside)
}
