import type { Document } from '../../document.ts'
import { Draft } from '../../draft.ts'
import type { ArchiveParts } from '../archive.ts'
import { numeral } from '../numerals.ts'
import { labelled, sideBySide } from '../rows.ts'
import { find, type XmlElement } from '../xml.ts'
import { isLeftOut, nameOf, openDocument, shownText, type Note, type OpenDocument } from './package.ts'

/**
 * A text document of LibreOffice and others: headings, paragraphs, whole lists, table rows. What was deleted, remarks
 * and hidden text are left out. Throws `encrypted`, `no_text` or `damaged`.
 */
export function readOdt (parts: ArchiveParts): Document {
  const draft = new Draft('odt')
  const document = openDocument(parts, 'text')
  draft.title = document.title
  draft.pages = document.pages
  const writer = new Writer(draft, document)
  writer.add(document.body)
  writer.addNotes()
  return draft.finish('The document holds no text, only pictures or drawings.')
}

/** Adds what an element of OpenDocument holds to a draft. */
export class Writer {
  readonly #draft: Draft
  readonly #hidingStyles: Set<string>
  /** Of each list style the levels, outermost first. */
  readonly #lists: Map<string, XmlElement[]>
  readonly #notes: Note[] = []

  constructor (draft: Draft, { hidingStyles, styles }: OpenDocument) {
    this.#draft = draft
    this.#hidingStyles = hidingStyles
    this.#lists = new Map(
      styles
        .filter(({ name }) => name === 'list-style')
        .map((style) => [
          nameOf(style),
          [...find(style, 'list-level-style-number', 'list-level-style-bullet', 'list-level-style-image')]
        ])
    )
  }

  add (element: XmlElement) {
    for (const child of element.children) {
      if (typeof child === 'string' || isLeftOut(child, this.#hidingStyles, this.#draft)) continue
      if (child.name === 'h') this.#draft.heading(Number(child.attributes['outline-level']) || 1, this.#text(child))
      else if (child.name === 'p') this.#draft.add(this.#text(child))
      // Headings with numbers are items of a list that is none.
      else if (child.name === 'list' && find(child, 'h').next().done) this.#draft.add(this.#listed(child))
      else if (child.name === 'table') this.#addTable(child)
      else this.add(child)
    }
  }

  /** Footnotes and endnotes of what was added, which belong to no heading. */
  addNotes () {
    this.#draft.leave(1)
    for (const { mark, body } of this.#notes) this.#draft.add(`[${mark}] ${this.#text(body)}`)
  }

  /** The items of a list, each on its own line, with their numbers as the list shows them. */
  #listed (list: XmlElement, styleAbove = '', depth = 0): string {
    const style = list.attributes['style-name'] ?? styleAbove
    const level = this.#lists.get(style)?.find(({ attributes }) => Number(attributes.level) === depth + 1)
    const counting = level?.name === 'list-level-style-number' ? level.attributes['num-format'] : undefined
    let number = Number(level?.attributes['start-value'] ?? 1)
    return list.children.flatMap((item) => {
      if (typeof item === 'string' || isLeftOut(item, this.#hidingStyles, this.#draft)) return []
      const isItem = item.name === 'list-item'
      if (item.attributes['start-value']) number = Number(item.attributes['start-value'])
      const mark = counting
        ? `${level?.attributes['num-prefix'] ?? ''}${numeral(number, counting)}${level?.attributes['num-suffix'] ?? ''} `
        : '- '
      if (isItem) number++
      const [first = '', ...rest] = item.children.flatMap((child) => {
        if (typeof child === 'string' || isLeftOut(child, this.#hidingStyles, this.#draft)) return []
        return child.name === 'list' ? this.#listed(child, style, depth + 1) : this.#text(child)
      })
      return [(isItem ? mark : '') + first, ...rest]
    }).filter((line) => line.trim()).join('\n')
  }

  /** Below a row of headers each cell is named by its column. */
  #addTable (table: XmlElement) {
    const headers = [...find(table, 'table-header-rows')].flatMap((rows) => [...find(rows, 'table-row')])
    let header: string[] | undefined
    for (const row of find(table, 'table-row')) {
      const cells = [...find(row, 'table-cell', 'covered-table-cell')].map((cell) => this.#text(cell))
      if (header) this.#draft.add(labelled(header, cells))
      else this.#draft.add(sideBySide(cells))
      if (headers.includes(row)) header ??= cells
    }
  }

  #text (element: XmlElement): string {
    return shownText(element, this.#hidingStyles, this.#draft, this.#notes).replace(/\n\s*\n/g, '\n').trim()
  }
}
