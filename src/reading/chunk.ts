import type { Passage } from '../search/passage.ts'
import type { Block } from './document.ts'

/** How long passages are, in UTF-16 units. */
const SIZE = 800
/** A block up to this length stays whole, and neighbours are put together up to it. */
const LONGEST_PASSAGE = 1000
/** Table rows are put together only while they are short, so that a row is found by its own words. */
const LONGEST_OF_ROWS = 400
/** How much of a long block's piece its next piece repeats, so that text across the boundary is found too. */
const OVERLAP = 100
/** The separator between two blocks of the text. */
const GAP = 2

const SENTENCE_END = /[.!?…]["'”’»)\]]*\s+|[。！？]["'」』”’）]*|\n+/g
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * Cuts a document into passages of about 800 characters, in order. Blocks stay whole where they are not too long; short
 * neighbours under one heading, on one page and of one kind are put together. A long block is cut between sentences, a
 * long sentence between words, a long word between graphemes; its pieces overlap a little. Every character of the text
 * that is not blank is in some passage.
 */
export function chunk (blocks: Block[]): Passage[] {
  const passages: Passage[] = []
  let open: Passage | null = null
  let start = 0
  for (const block of blocks) {
    const { text } = block
    if (open !== null && !block.isAlone && joins(open, block)) extend(open, block)
    else if (text.trim() === '') open = null
    else {
      for (const [from, to] of pieces(text)) {
        open = passage(block, text.slice(from, to), start + from)
        passages.push(open)
      }
      if (text.length > LONGEST_PASSAGE || block.isAlone) open = null
    }
    start += text.length + GAP
  }
  return passages
}

function passage ({ heading, page, row }: Block, text: string, start: number): Passage {
  return { text, start, end: start + text.length, heading, page, row, lastRow: row }
}

function joins (open: Passage, block: Block): boolean {
  const isUnder = open.heading === block.heading || (isHeadings(open) && block.heading?.startsWith(open.heading + ' › '))
  if (!isUnder || open.page !== block.page || (open.row === null) !== (block.row === null)) {
    return false
  }
  const length = open.text.length + GAP + block.text.length
  // Which row a passage is about is counted by the gaps in it, so a row with a gap of its own stays alone.
  if (
    block.row !== null &&
    (open.lastRow! + 1 !== block.row || hasGap(block.text) || rowsIn(open) !== gapsIn(open) + 1)
  ) { return false }
  return length <= (block.row === null ? LONGEST_PASSAGE : LONGEST_OF_ROWS)
}

function extend (open: Passage, { text, heading, row }: Block): void {
  open.text += '\n\n' + text
  open.end = open.start + open.text.length
  open.lastRow = row
  open.heading = heading
}

/** Whether a passage holds headings alone, with nothing below them yet. */
function isHeadings ({ heading, text }: Passage): boolean {
  return heading !== null && heading.endsWith(text.replaceAll('\n\n', ' › '))
}

const hasGap = (text: string) => text.includes('\n\n')
const gapsIn = (passage: Passage) => passage.text.split('\n\n').length - 1
const rowsIn = (passage: Passage) => passage.lastRow! - passage.row! + 1

/**
 * Where to cut a text: pairs of from and to, the whole of it when it is short enough; each piece an even share of what
 * is left.
 */
function * pieces (text: string): Generator<[number, number]> {
  for (let from = 0; from < text.length;) {
    const rest = text.length - from
    const to = rest <= LONGEST_PASSAGE ? text.length : edge(text, from, from + Math.ceil(rest / Math.ceil(rest / SIZE)))
    yield [from, to]
    from = to === text.length ? to : repeatFrom(text, from, to)
  }
}

/**
 * The best place to cut at or before `to`: after a sentence, else after a word, else after a grapheme; always past
 * `from`.
 */
function edge (text: string, from: number, to: number): number {
  const tail = text.slice(from + (to - from) / 2, to)
  const base = to - tail.length
  const sentence = Math.max(...ends(tail, SENTENCE_END))
  if (sentence > 0) return whole(text, from, base + sentence)
  const space = tail.search(/\s\S*$/)
  return whole(text, from, space >= 0 ? base + space + 1 : to)
}

/**
 * Where the next piece begins: at the first sentence, else word, within the last hundred characters; where the last
 * ended if there is none.
 */
function repeatFrom (text: string, from: number, to: number): number {
  const low = Math.max(to - OVERLAP, from + 1)
  const window = text.slice(low, to)
  const sentence = ends(window, SENTENCE_END).find((end) => end > 0 && end < window.length)
  const word = window.search(/\s\S/)
  if (sentence === undefined && word < 0) return to
  return Math.max(whole(text, from, low + (sentence ?? word + 1)), from + 1)
}

/** Ends of what the pattern matches; 0 means none. */
function ends (text: string, pattern: RegExp): number[] {
  return [0, ...Array.from(text.matchAll(pattern), (match) => match.index + match[0].length)]
}

/** Moves a cut back to the edge of a grapheme; one longer than a passage is cut, yet not within a surrogate pair. */
function whole (text: string, from: number, at: number): number {
  if (text.charCodeAt(at) < 0x300 && text.charCodeAt(at) !== 10) return at
  const start = from + graphemes.segment(text.slice(from, at + 64)).containing(at - from)!.index
  if (start > from) return start
  return /[\udc00-\udfff]/.test(text[at]!) && /[\ud800-\udbff]/.test(text[at - 1]!) ? at + 1 : at
}
