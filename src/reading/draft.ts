import type { Block, Document } from './document.ts'
import type { Format } from './contract.ts'
import { ExtractError } from './error.ts'

/** Characters a document may hold in all: twice what the largest agent may know, so that the ceiling there decides. */
const MAX_TEXT = 64 * 2 ** 20
/** Blocks a document may hold: as many as a spreadsheet has rows. */
const MAX_BLOCKS = 2 ** 20
const MAX_HEADING = 200

/** A document being read: its reader adds headings and texts in order, and gets limits and clean text for it. */
export class Draft {
  readonly #format: Format
  readonly #blocks: Block[] = []
  readonly #headings: string[] = []
  /** The headings that hold again after what stands beside the text. */
  readonly #around: string[][] = []
  #heading: string | null = null
  #chars = 0
  #hidden = 0
  title: string | null = null
  pages: number | null = null
  rows: number | null = null
  /** The page or slide of what is added from now on. */
  page: number | null = null

  constructor (format: Format) {
    this.#format = format
  }

  /**
   * Adds a heading, 1 the outermost; it applies to everything added until the next one of its level, and its own line
   * belongs to what follows: a passage that is only a heading answers nothing.
   */
  heading (level: number, text: string) {
    const line = this.#seen(text).replace(/\s+/g, ' ').trim()
    if (!line) return
    this.leave(level)
    this.#headings[level - 1] = line.slice(0, MAX_HEADING).toWellFormed()
    this.#heading = this.#headings.filter(Boolean).join(' › ')
    this.add(line)
  }

  /** Drops the headings of this level and below: what follows is not under them. */
  leave (level: number) {
    this.#headings.length = Math.min(this.#headings.length, level - 1)
    this.#heading = this.#headings.filter(Boolean).join(' › ') || null
  }

  /**
   * What stands beside the text begins or ends: it is under none of the text's headings, and the text under none of
   * its.
   */
  beside (isBeginning: boolean) {
    if (isBeginning) {
      this.#around.push([...this.#headings])
      this.leave(1)
      return
    }
    this.#headings.splice(0, Infinity, ...this.#around.pop() ?? [])
    this.#heading = this.#headings.filter(Boolean).join(' › ') || null
  }

  /** Counts characters left out because they are invisible. */
  hide (characters: number) {
    this.#hidden += characters
  }

  /**
   * Adds a stretch of text; nothing when it is blank. Throws `too_large` when the document has grown past its limits.
   */
  add (text: string, row: number | null = null) {
    const body = this.#seen(text).trim()
    if (!body) return
    this.#chars += body.length
    if (this.#chars > MAX_TEXT || this.#blocks.length >= MAX_BLOCKS) throw new ExtractError('too_large')
    this.#blocks.push({ text: body, heading: this.#heading, page: this.page, row })
  }

  /** Sanitized text, without invisible letters, which are counted. */
  #seen (text: string): string {
    this.hide(tagsIn(text))
    return clean(text).replace(TAGS, '$1')
  }

  /** Adds another document's content, under the current headings and its own. */
  include ({ blocks, hidden }: Document) {
    this.hide(hidden)
    const above = this.#heading
    for (const { text, heading } of blocks) {
      this.#heading = [above, heading].filter(Boolean).join(' › ') || null
      this.add(text)
    }
    this.#heading = above
  }

  /** Adds a text that is a separate passage, under a heading that it already contains. */
  addAlone (text: string, heading: string, row: number) {
    const before = this.#heading
    this.#heading = clean(heading).slice(0, MAX_HEADING).toWellFormed()
    this.add(text, row)
    const last = this.#blocks.at(-1)
    if (last) last.isAlone = true
    this.#heading = before
  }

  /** The document read. Throws `no_text` if it is empty. */
  finish (whenEmpty?: string): Document {
    if (this.#blocks.length === 0) throw new ExtractError('no_text', whenEmpty)
    const title = this.title && clean(this.title).replace(/\s+/g, ' ').trim().slice(0, MAX_HEADING).toWellFormed()
    return {
      format: this.#format,
      title: title || null,
      pages: this.pages,
      rows: this.rows,
      hidden: this.#hidden,
      blocks: this.#blocks
    }
  }
}

// Control characters carry no text, and NUL cannot be stored everywhere; soft hyphens and byte order marks hide words
// from search.
// eslint-disable-next-line no-control-regex
const INVISIBLE = /[\0-\x08\x0B\x0E-\x1F\x7F\xAD\uFEFF\uFFFE\uFFFF]/g

/**
 * Letters that no program shows, made to mark the language of a text; in use only to write without being seen, and in
 * the flags of regions.
 */
const TAGS = /(\u{1F3F4}[\u{E0020}-\u{E007F}]+)|[\u{E0000}-\u{E007F}]+/gu

function tagsIn (text: string): number {
  return [...text.matchAll(TAGS)].reduce((sum, [tags, flag]) => flag ? sum : sum + tags.length / 2, 0)
}

/** Sanitized text: line ends `\n`, plain spaces, no control characters, no half of a surrogate pair. */
export function clean (text: string): string {
  return text
    .toWellFormed()
    .replace(INVISIBLE, '')
    .replace(/\r\n?|[\f\x85\u2028\u2029]/g, '\n')
    .replaceAll('\u00A0', ' ')
}
