import type { Format } from './contract.ts'

/** A block of text that the document itself keeps together: a paragraph, a table row, a slide. */
export interface Block {
  text: string
  /** The headings above it, outermost first: `Returns › Deadlines`; null above the first heading. */
  heading: string | null
  /** Page or slide, from 1; null where the format has none. */
  page: number | null
  /** Row of a table file, from 1 without the header row; null elsewhere. */
  row: number | null
  /** Whether it is a separate passage, never merged with its neighbours. */
  isAlone?: boolean
}

/** What reading a file or a page yields: its text in order, cut where the document cuts itself. */
export interface Document {
  format: Format
  title: string | null
  pages: number | null
  rows: number | null
  /** Characters left out because they are invisible. */
  hidden: number
  blocks: Block[]
}

/** Characters of a text as a reader counts them: a surrogate pair is one. */
export function charactersIn (text: string): number {
  let pairs = 0
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xFC00) === 0xDC00) pairs++
  return text.length - pairs
}

/** The text of a document as a person reads it and as training counts it: its blocks, an empty line between them. */
export function textOf (document: Document): string {
  return document.blocks.map((block) => block.text).join('\n\n')
}
