import { charactersIn, type Document } from '../../document.ts'
import { Draft } from '../../draft.ts'
import type { ArchiveParts } from '../archive.ts'
import { TableRows } from '../rows.ts'
import { find, type XmlElement } from '../xml.ts'
import { isLeftOut, openDocument, shownText } from './package.ts'

/** Columns that are read, and cells and rows that one may represent: a stranger's count must not fill the memory. */
const MOST_COLUMNS = 16_384
const MOST_CELLS = 256
const MOST_ROWS = 10_000

/**
 * A workbook of LibreOffice and others, sheet by sheet, row by row, as the sheets show it. What is hidden is left out.
 * Throws `encrypted`, `no_text`, `too_large` or `damaged`.
 */
export function readOds (parts: ArchiveParts): Document {
  const draft = new Draft('ods')
  const { body, hidingStyles, title } = openDocument(parts, 'spreadsheet')
  draft.title = title
  let counted = 0
  for (const sheet of find(body, 'table')) {
    if (isLeftOut(sheet, hidingStyles, draft)) continue
    draft.heading(1, sheet.attributes.name ?? '')
    const rows = new TableRows(draft, counted)
    const hiddenColumns = columnsHidden(sheet)
    for (const row of find(sheet, 'table-row')) {
      const cells = cellsOf(row, hidingStyles, draft)
      const seen = isHidden(row) ? [] : cells.filter((_, column) => !hiddenColumns.has(column))
      draft.hide(lengthOf(cells) - lengthOf(seen))
      const times = Math.min(Number(row.attributes['number-rows-repeated'] ?? 1) || 1, MOST_ROWS)
      if (seen.some((cell) => cell.trim())) for (let i = 0; i < times; i++) rows.add(seen)
    }
    counted = rows.count
  }
  draft.rows = counted
  return draft.finish()
}

function cellsOf (row: XmlElement, hidingStyles: Set<string>, draft: Draft): string[] {
  const cells: string[] = []
  for (const cell of find(row, 'table-cell', 'covered-table-cell')) {
    const text = [...find(cell, 'p')].map((line) => shownText(line, hidingStyles, draft)).join('\n')
    const times = Math.min(
      Number(cell.attributes['number-columns-repeated'] ?? 1) || 1, text ? MOST_CELLS : MOST_COLUMNS - cells.length
    )
    for (let i = 0; i < times; i++) cells.push(text)
  }
  while (cells.length && !cells.at(-1)?.trim()) cells.pop()
  return cells
}

function columnsHidden (sheet: XmlElement): Set<number> {
  const hidden = new Set<number>()
  let at = 0
  for (const column of find(sheet, 'table-column')) {
    const times = Math.min(Number(column.attributes['number-columns-repeated'] ?? 1) || 1, MOST_COLUMNS - at)
    for (let i = 0; i < times; i++, at++) if (isHidden(column)) hidden.add(at)
  }
  return hidden
}

function isHidden ({ attributes }: XmlElement): boolean {
  return attributes.visibility === 'collapse' || attributes.visibility === 'filter'
}

function lengthOf (cells: string[]): number {
  return cells.reduce((sum, cell) => sum + charactersIn(cell.trim()), 0)
}
