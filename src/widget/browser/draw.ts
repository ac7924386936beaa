import { readInline, readMarkdown, type Block, type Inline, type Item } from './markdown.ts'
import { make } from './panel/dom.ts'

/** Makes the node for a source number; undefined if there is no such source, and the number is then not shown. */
export type DrawCite = (n: number) => Node | undefined

/** Draws a table in place of its lines, immediately or later; `cell` makes the nodes of a cell's content. */
export type DrawTable = (into: HTMLElement, source: string, cell: (text: string) => Array<Node | string>) => void

/** Optional renderers; without them source numbers are omitted, and table lines are text. */
interface Drawers { cite?: DrawCite, table?: DrawTable }

/** A line with a bar, and one of dashes and bars below it. */
const TABLE = /^[^|\n]*\|.*\n[ |:-]+$/m

/** Draws texts into an element, repeatedly while they grow. */
export interface Drawing { draw (text: string): void }

/**
 * Keeps an element in sync with a text. Nodes of unchanged lines are kept, so that a selection or a screen reader's
 * position does not jump while more is being written. Only nodes are made, never markup.
 */
export function drawing (into: Element, drawers: Drawers = {}): Drawing {
  let drawn: Array<{ source: string, node: Node }> = []
  return {
    draw (text) {
      const blocks = readMarkdown(text)
      const kept = drawn.findIndex(({ source }, i) => blocks[i]?.source !== source)
      const same = kept < 0 ? drawn.length : kept
      for (const { node } of drawn.slice(same)) into.removeChild(node)
      const fresh = blocks
        .slice(same)
        .map((block) => ({ source: block.source, node: into.appendChild(blockNode(block, drawers)) }))
      drawn = [...drawn.slice(0, same), ...fresh]
    }
  }
}

function blockNode (block: Block, drawers: Drawers): Node {
  switch (block.kind) {
    case 'paragraph':
      return paragraphNode(block.source, make('p', {}, ...inlineNodes(block.inside, drawers)), drawers)
    // A message is not a document: its headings rank below those of the page.
    case 'heading':
      return make(block.level < 3 ? 'h3' : 'h4', {}, ...inlineNodes(block.inside, drawers))
    case 'quote':
      return make('blockquote', {}, ...block.blocks.map((inner) => blockNode(inner, drawers)))
    case 'code':
      return make('pre', { tabindex: '0' }, make('code', { text: block.text }))
    case 'rule':
      return make('hr')
    case 'list':
      return make(
        block.ordered ? 'ol' : 'ul',
        block.start > 1 ? { start: String(block.start) } : {},
        ...block.items.map((item) => itemNode(item, drawers))
      )
  }
}

/** Lines that may be a table are text until it is drawn. */
function paragraphNode (source: string, text: HTMLElement, drawers: Drawers): Node {
  if (!TABLE.test(source)) return text
  const box = make('div', {}, text)
  drawers.table?.(box, source, (cell) => inlineNodes(readInline(cell), drawers))
  return box
}

function itemNode ({ inside, blocks }: Item, drawers: Drawers): Node {
  return make('li', {}, ...inlineNodes(inside, drawers), ...blocks.map((block) => blockNode(block, drawers)))
}

function inlineNodes (pieces: readonly Inline[], drawers: Drawers): Array<Node | string> {
  return pieces.flatMap((piece, i): Array<Node | string> => {
    // A source number follows its word closely; if it is not shown, no gap is left before a full stop.
    if (typeof piece === 'string') return [(pieces[i + 1] as { n?: number })?.n ? piece.trimEnd() : piece]
    if (piece.kind === 'code') return [make('code', { text: piece.text })]
    if (piece.kind === 'break') return [make('br')]
    if (piece.kind === 'cite') return [drawers.cite?.(piece.n) ?? '']
    const inside = inlineNodes(piece.inside, drawers)
    return [piece.kind === 'link' ? linkNode(piece.url, inside) : make(piece.kind, {}, ...inside)]
  })
}

/** A link that sends no referrer. */
export function linkNode (url: string, inside: Array<Node | string>): HTMLElement {
  const rel = 'noopener noreferrer nofollow ugc'
  return make('a', { href: url, target: '_blank', rel, dir: 'auto' }, ...inside)
}
