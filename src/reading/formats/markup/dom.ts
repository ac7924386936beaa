import { numeral } from '../numerals.ts'

/** What is read of the DOM; the compiler does not know browsers here. */
export interface Node {
  nodeType: number
  localName: string | null
  data: string
  textContent: string
  parentNode: Node
  firstChild: Node | null
  nextSibling: Node | null
  previousSibling: Node | null
  children: Iterable<Node>
  getAttribute (name: string): string | null
  getAttributeNames (): string[]
  setAttribute (name: string, value: string): void
  removeAttribute (name: string): void
  getElementsByTagName (name: string): Node[]
  querySelectorAll (selector: string): Iterable<Node>
  remove (): void
}

/**
 * A run of text between two block borders, `level` 1 to 6 when it is a heading, else 0; a table of data as it is; where
 * a footer begins, which is under no heading; or where something beside the text begins or ends, which has headings of
 * its own.
 */
type Piece = { level: number, text: string } | { table: Node } | { isFooter: true } | { isBeside: boolean }

const SKIPPED = new Set([
  'head', 'title', 'script', 'style', 'template', 'noscript', 'iframe', 'object', 'embed', 'audio', 'video', 'canvas',
  'svg', 'select', 'textarea', 'datalist'
])
const BOILERPLATE = new Set(['nav', 'footer'])
const BOILERPLATE_ROLES = new Set(['navigation', 'search', 'banner', 'contentinfo'])
/** The role that marks what stands beside a page's text. */
export const BESIDE = 'beside'
const BLOCKS = new Set(
  (
    'address article aside blockquote body button caption center dd details dialog div dl dt fieldset figcaption figure footer form ' +
    'header hr html legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul'
  ).split(' ')
)
const LISTS = new Set(['ul', 'ol', 'menu'])
const VOID = new Set([
  'area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr'
])
const HEADING = /^h[1-6]$/
const ELEMENT_NODE = 1
const TEXT_NODE = 3

/**
 * What a browser would show below `root`, in order; a whole list is one piece. `isBody`: without menus and footers.
 */
export function * pieces (root: Node, isBody = false): Generator<Piece> {
  let buffer = ''
  let level = 0
  const lists: List[] = []
  let verbatim = 0
  /** The length of the buffer after an item's marker. */
  let marked = -1
  let isList = false
  const taken = () => {
    const text = tidy(buffer, isList)
    buffer = ''
    marked = -1
    isList = false
    return text ? [{ level, text }] : []
  }
  for (const { text, table, open, close, node, closed } of steps(root, isBody)) {
    const name = open ?? close ?? ''
    if (text !== undefined) {
      buffer += verbatim ? text : text.replace(/\s+/g, ' ').slice(/\s$/.test(buffer) && /^\s/.test(text) ? 1 : 0)
    }
    // A paragraph in an item begins after the item's marker.
    const isBehindMark = open !== undefined && buffer.length === marked
    if (open === 'br' || (lists.length && BLOCKS.has(name) && !isBehindMark)) buffer += '\n'
    else if ((BLOCKS.has(name) && !isBehindMark) || HEADING.test(name) || table) yield * taken()
    if (table) yield { table }
    if (open === 'footer' || node?.getAttribute('role') === 'contentinfo') yield { isFooter: true }
    if ((node ?? closed)?.getAttribute('role') === BESIDE) yield { isBeside: node !== undefined }
    if (HEADING.test(name)) level = open ? Number(name[1]) : 0
    if (name === 'pre') verbatim += open ? 1 : -1
    if (LISTS.has(name)) node ? lists.push(listOf(node)) : lists.pop()
    if (open !== 'li') continue
    marked = (buffer += marker(lists.at(-1), node)).length
    isList = true
  }
  yield * taken()
}

/** The text of one element or document on its own, every piece on a separate line. */
export function textWithin (root: Node): string {
  return [...pieces(root)].flatMap((piece) => {
    if ('text' in piece) return piece.text
    return 'table' in piece ? textWithin(piece.table) : []
  }).join('\n')
}

/** Whether an element of this name holds nothing and needs no end. */
export const isVoid = (name: string): boolean => VOID.has(name)

/** Events of the walk: text, a table, an element that opens (`node`) or closes (`closed`). */
interface Step { text?: string, table?: Node, open?: string, close?: string, node?: Node, closed?: Node }

/** A list that is open: the number of its next item, NaN where items have none, and how they are counted. */
interface List { number: number, counting: string }

/** Walks the tree without recursion: a page may nest deeper than the stack is high. */
export function * steps (root: Node, isBody: boolean): Generator<Step> {
  let node = root
  for (;;) {
    const name = node.localName ?? ''
    if (node.nodeType === TEXT_NODE) yield { text: node.data }
    else if (node !== root && name === 'table' && isDataTable(node)) yield { table: node }
    else if (node === root || !isPassedOver(node, isBody)) {
      yield { open: name, node }
      if (node.firstChild) {
        node = node.firstChild
        continue
      }
      yield { close: name, closed: node }
    }
    while (node !== root && !node.nextSibling) {
      node = node.parentNode
      yield { close: node.localName ?? '', closed: node }
    }
    if (node === root) return
    node = node.nextSibling!
  }
}

/** Whether nothing below an element is text of its page: code, and where only its body counts, menus and footers. */
export function isPassedOver (node: Node, isBody: boolean): boolean {
  const name = node.localName
  if (node.nodeType !== ELEMENT_NODE || name === null || SKIPPED.has(name)) return true
  return isBody && (BOILERPLATE.has(name) || BOILERPLATE_ROLES.has(node.getAttribute('role') ?? ''))
}

/** A table inside a table, or headings in its cells, say that it only places things on the page. */
function isDataTable (table: Node): boolean {
  return ['table', 'h1', 'h2', 'h3', 'h4'].every((name) => table.getElementsByTagName(name).length === 0)
}

function listOf (list: Node): List {
  if (list.localName !== 'ol') return { number: NaN, counting: '' }
  return { number: numberIn(list, 'start') ?? 1, counting: list.getAttribute('type') ?? '1' }
}

function numberIn (element: Node, attribute: string): number | undefined {
  const number = Number.parseInt(element.getAttribute(attribute) ?? '', 10)
  return Number.isSafeInteger(number) ? number : undefined
}

/** The marker before an item, as its list shows it. */
function marker (list: List | undefined, item: Node | undefined): string {
  if (!list) return ''
  if (Number.isNaN(list.number)) return '- '
  list.number = (item && numberIn(item, 'value')) ?? list.number
  return `${numeral(list.number++, item?.getAttribute('type') ?? list.counting)}. `
}

/** A number, letter or bullet that is written behind the marker of its list, which shows the same. */
const TWICE = /^(?:(\p{L}{1,8}|\d{1,4})\.[ \t]{1,4}\1[.)]|-[ \t]{1,4}[•‣◦·▪–—*-])[ \t]{1,4}(?=\S)/gmu

function tidy (text: string, isList: boolean): string {
  return (isList ? text.replace(TWICE, (_, number) => number === undefined ? '- ' : `${number}. `) : text)
    .replace(/(?<![ \t])[ \t]*\n\s*\n/g, '\n')
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/^((?:-|\d+\.))\s*\n\s*/gm, '$1 ')
    .trim()
}
