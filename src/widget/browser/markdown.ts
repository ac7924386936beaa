/*
 * A small Markdown parser; its tree is rendered to nodes elsewhere. Nothing here needs a DOM, so it is tested without
 * one, and no input can become markup: the tree has a few kinds of pieces, and links to three kinds of addresses. Texts
 * come from models, visitors and third-party pages; of 30 hostile ones every library tried let at least one through.
 */

import { addressAt, matchAt, safeUrl } from '../../platform/links.ts'
import { withoutEnd } from '../../platform/text.ts'

/** A piece of a line: text, marked text, a link, a line break, or the number of a source. */
export type Inline =
  | string
  | { kind: 'strong' | 'em' | 'del', inside: Inline[] }
  | { kind: 'code', text: string }
  | { kind: 'link', url: string, inside: Inline[] }
  | { kind: 'cite', n: number }
  | { kind: 'break' }

/** A block of a text. `source`: the lines it was read from; the same lines always make the same block. */
export type Block = { source: string } & Content

type Content =
  | { kind: 'paragraph', inside: Inline[] }
  | { kind: 'heading', level: number, inside: Inline[] }
  | { kind: 'list', ordered: boolean, start: number, items: Item[] }
  | { kind: 'quote', blocks: Block[] }
  | { kind: 'code', text: string }
  | { kind: 'rule' }

/** An item of a list, and what is below it. */
export interface Item { inside: Inline[], blocks: Block[] }

/** Maximum nesting of quotes and lists. */
const DEEPEST = 4
const FENCE = /^ {0,3}(`{3,}|~{3,})[^`]*$/
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)/
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/
const QUOTE = /^ {0,3}> ?/
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])[ \t]+(?=\S)/

/** Parses a text. Every part that is not special stands for itself. */
export function readMarkdown (text: string, depth = 0): Block[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length;) {
    if (lines[at]!.trim() === '') {
      at++
      continue
    }
    const [block, next] = readBlock(lines, at, depth)
    blocks.push({ ...block, source: lines.slice(at, next).join('\n') })
    at = next
  }
  return blocks
}

/** The block that begins at a line, and the line after it. */
function readBlock (lines: string[], at: number, depth: number): [Content, number] {
  const line = lines[at]!
  const fence = FENCE.exec(line)?.[1]
  if (fence) return readFence(lines, at, fence)
  const heading = HEADING.exec(line)
  if (heading) return [{ kind: 'heading', level: heading[1]!.length, inside: readInline(withoutEnd(heading[2]!, ' \t#')) }, at + 1]
  if (RULE.test(line)) return [{ kind: 'rule' }, at + 1]
  if (depth < DEEPEST && QUOTE.test(line)) return readQuote(lines, at, depth)
  if (depth < DEEPEST && ITEM.test(line)) return readList(lines, at, depth)
  return readParagraph(lines, at, depth)
}

function readFence (lines: string[], at: number, fence: string): [Content, number] {
  let end = at + 1
  const isOpen = (line: string) => withoutEnd(line, fence) !== '' || line.length < fence.length
  while (end < lines.length && isOpen(lines[end]!.trim())) end++
  return [{ kind: 'code', text: lines.slice(at + 1, end).join('\n') }, end + 1]
}

function readQuote (lines: string[], at: number, depth: number): [Content, number] {
  let end = at
  while (end < lines.length && QUOTE.test(lines[end]!)) end++
  const inside = lines.slice(at, end).map((line) => line.replace(QUOTE, '')).join('\n')
  return [{ kind: 'quote', blocks: readMarkdown(inside, depth + 1) }, end]
}

function readList (lines: string[], at: number, depth: number): [Content, number] {
  const ordered = /\d/.test(ITEM.exec(lines[at]!)![2]!)
  const items: Item[] = []
  let end = at
  while (end < lines.length) {
    const found = ITEM.exec(lines[end]!)
    if (!found || /\d/.test(found[2]!) !== ordered || RULE.test(lines[end]!)) break
    const first = lines[end]!.slice(found[0].length)
    const below: string[] = []
    end++
    // Further indented lines belong to the item, even after an empty line.
    while (
      end < lines.length &&
      /^(?: {2,}|\t)\S/.test((lines[end]!.trim() === '' ? lines[end + 1] : lines[end]) ?? '')
    ) { below.push(lines[end++]!.replace(/^(?: {2,4}|\t)/, '')) }
    items.push({ inside: readInline(first), blocks: below.length > 0 ? readMarkdown(below.join('\n'), depth + 1) : [] })
    if (lines[end]?.trim() === '' && ITEM.test(lines[end + 1] ?? '')) end++
  }
  return [{ kind: 'list', ordered, start: ordered ? parseInt(lines[at]!) : 1, items }, end]
}

function readParagraph (lines: string[], at: number, depth: number): [Content, number] {
  let end = at + 1
  while (end < lines.length && lines[end]!.trim() !== '' && !beginsBlock(lines[end]!, depth)) end++
  const inside = lines.slice(at, end).map((line) => line.trim()).join('\n')
  return [{ kind: 'paragraph', inside: readInline(inside) }, end]
}

function beginsBlock (line: string, depth: number): boolean {
  return (
    FENCE.test(line) ||
    HEADING.test(line) ||
    RULE.test(line) ||
    (depth < DEEPEST && (QUOTE.test(line) || ITEM.test(line)))
  )
}

const LINK =
  /(!?)\[((?:[^[\]\\\n]|\\.){0,500})\]\( ?<?([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?: (?:"[^"\n]*"|'[^'\n]*'))? ?\)/y
const CITE = /\[(\d{1,2})\]/y
const MARKS = ['**', '__', '~~', '*', '_']
const SPECIAL = /[\\`*_~[!h\nH]/g

/** Parses the content of a line. */
export function readInline (text: string, depth = 0): Inline[] {
  const found: Inline[] = []
  // Marks that are not closed after some position: they are not searched for again.
  const open = new Map<string, number>()
  const add = (piece: Inline) => {
    if (typeof piece === 'string' && typeof found.at(-1) === 'string') found[found.length - 1] += piece
    else if (piece !== '') found.push(piece)
  }
  for (let at = 0; at < text.length;) {
    SPECIAL.lastIndex = at
    const next = SPECIAL.exec(text)?.index ?? text.length
    add(text.slice(at, next))
    at = next
    if (at === text.length) break
    const [piece, end] = readPiece(text, at, depth, open) ?? [text[at]!, at + 1]
    add(piece)
    at = end
  }
  return found
}

function readPiece (text: string, at: number, depth: number, open: Map<string, number>): [Inline, number] | undefined {
  const sign = text[at]!
  if (sign === '\n') return [{ kind: 'break' }, at + 1]
  if (sign === '\\') return /[!-/:-@[-`{-~]/.test(text[at + 1] ?? '') ? [text[at + 1]!, at + 2] : undefined
  if (sign === '`') return readCode(text, at, open)
  if (sign === '[' || sign === '!') return readLink(text, at, depth) ?? readCite(text, at)
  if (sign === 'h' || sign === 'H') return readBare(text, at)
  return readMarked(text, at, depth, open)
}

function readCode (text: string, at: number, open: Map<string, number>): [Inline, number] | undefined {
  const mark = /^`+/.exec(text.slice(at, at + 10))![0]
  const end = closing(text, mark, at + mark.length, open)
  return end < 0
    ? undefined
    : [{ kind: 'code', text: text.slice(at + mark.length, end).trim().replaceAll('\n', ' ') }, end + mark.length]
}

function readLink (text: string, at: number, depth: number): [Inline, number] | undefined {
  const found = matchAt(LINK, text, at)
  if (!found) return undefined
  const [all, isImage, label = '', target = ''] = found
  const inside = depth < DEEPEST && !isImage ? readInline(label, depth + 1) : [label.replace(/\\(.)/g, '$1')]
  const url = safeUrl(target)
  const shown = inside.join('') === '' ? [target] : inside
  return [url === undefined ? { kind: 'em', inside: shown } : { kind: 'link', url, inside: shown }, at + all.length]
}

function readCite (text: string, at: number): [Inline, number] | undefined {
  const found = matchAt(CITE, text, at)
  return found ? [{ kind: 'cite', n: Number(found[1]) }, at + found[0].length] : undefined
}

function readBare (text: string, at: number): [Inline, number] | undefined {
  if (/\w/.test(text[at - 1] ?? '')) return undefined
  const found = addressAt(text, at)
  // An address that must not be linked is skipped as a whole: its content is not parsed again.
  return found ? [safeUrl(found) ? { kind: 'link', url: found, inside: [found] } : found, at + found.length] : undefined
}

function readMarked (text: string, at: number, depth: number, open: Map<string, number>): [Inline, number] | undefined {
  for (const mark of depth < DEEPEST ? MARKS : []) {
    if (!text.startsWith(mark, at)) continue
    const start = at + mark.length
    // A mark before a space, or within a word_like_this, stands for itself.
    if (/\s|^$/.test(text[start] ?? '') || (mark[0] === '_' && /\w/.test(text[at - 1] ?? ''))) return undefined
    const end = closing(text, mark, start + 1, open)
    if (end < 0 || /\s/.test(text[end - 1]!) || (mark[0] === '_' && /\w/.test(text[end + mark.length] ?? ''))) {
      return mark.length === 2 ? [mark, start] : undefined
    }
    const kind = mark === '~~' ? 'del' : mark[1] ? 'strong' : 'em'
    return [{ kind, inside: readInline(text.slice(start, end), depth + 1) }, end + mark.length]
  }
  return undefined
}

/** The next position of a mark; -1 if there is none. */
function closing (text: string, mark: string, from: number, open: Map<string, number>): number {
  if ((open.get(mark) ?? Infinity) <= from) return -1
  let end = text.indexOf(mark, from)
  // **bold *and* more**: a single mark is not half of a double one.
  while (end >= 0 && (text[end + 1] === mark || text[end - 1] === mark)) {
    end = text.indexOf(mark, end + (text[end + 1] === mark ? 2 : 1))
  }
  if (end < 0) open.set(mark, Math.min(from, open.get(mark) ?? Infinity))
  return end
}

/** Plain text for screen readers. */
export function plainText (blocks: readonly Block[]): string {
  return blocks.map((block) => {
    if (block.kind === 'code') return block.text
    if (block.kind === 'rule') return ''
    if (block.kind === 'quote') return plainText(block.blocks)
    if (block.kind === 'list') {
      return block.items
        .map(({ inside, blocks: below }) => [plainInline(inside), plainText(below)].filter(Boolean).join('\n'))
        .join('\n')
    }
    // The bars and dashes of a table are not words.
    return plainInline(block.inside).replace(/^[ |:-]+$|\|/gm, ' ')
  }).filter(Boolean).join('\n')
}

function plainInline (pieces: readonly Inline[]): string {
  return pieces.map((piece, at) => {
    // A number that is left out leaves no space before the full stop.
    if (typeof piece === 'string') return (pieces[at + 1] as { kind?: string })?.kind === 'cite' ? piece.trimEnd() : piece
    if (piece.kind === 'code') return piece.text
    if (piece.kind === 'cite') return ''
    return piece.kind === 'break' ? '\n' : plainInline(piece.inside)
  }).join('')
}
