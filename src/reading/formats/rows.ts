import type { Draft } from '../draft.ts'
import { isOfPairs, textOfPairs } from '../pairs.ts'

/**
 * Adds table rows so that each can be understood on its own: below a header row every cell as `Header: value` on its
 * own line, otherwise the cells side by side. Of two columns that are called questions and answers each row is a pair,
 * found by its question. Rows are fed in order; blank ones are dropped and not counted.
 */
export class TableRows {
  readonly #draft: Draft
  #header: string[] | null = null
  #count: number

  /** Counting goes on from `counted`, for documents of several tables. */
  constructor (draft: Draft, counted = 0) {
    this.#draft = draft
    this.#count = counted
  }

  /** The rows so far, without headers. */
  get count () { return this.#count }

  add (cells: string[]) {
    const filled = cells.filter((cell) => cell.trim()).length
    if (filled === 0) return
    if (!this.#header) return this.#first(cells, filled)
    this.#count++
    // What is cut behind the answer, by a mark within it, is of the answer.
    const [question = '', ...said] = cells
    if (!isOfPairs(this.#header) || filled < 2) return this.#draft.add(labelled(this.#header, cells), this.#count)
    this.#draft.addAlone(textOfPairs([{ question, answer: said.map((cell) => cell.trim()).filter(Boolean).join('; ') }]), question.trim(), this.#count)
  }

  /** Titles and remarks above the table are alone in their row; the header is the first row with several cells. */
  #first (cells: string[], filled: number) {
    if (filled === 1 && cells.length > 1) return this.#draft.add(cells.join(' '))
    this.#header = cells
    if (!isOfPairs(cells)) this.#draft.add(sideBySide(cells))
  }
}

/** The filled cells of one row, each under its column's name. */
export function labelled (header: string[], cells: string[]): string {
  return cells.map((cell, i) => {
    const name = header[i]?.trim().replace(/\s+/g, ' ')
    return cell.trim() && (name ? `${name}: ${cell.trim()}` : cell.trim())
  }).filter(Boolean).join('\n')
}

/** The filled cells of one row as one line. */
export function sideBySide (cells: string[]): string {
  return cells.map((cell) => cell.trim()).filter(Boolean).join(' | ')
}
