import { textWithin, type Node } from './dom.ts'
import type { Draft } from '../../draft.ts'
import { labelled, sideBySide } from '../rows.ts'

/** More columns or rows than this cannot be one cell: a stranger's `colspan` must not fill the memory. */
const MAX_SPAN = 100

/**
 * Adds a table row by row. Below a row of header cells each cell is named by its column; a merged cell counts for all
 * its rows.
 */
export function addTable (draft: Draft, table: Node) {
  for (const caption of table.getElementsByTagName('caption')) draft.add(textWithin(caption))
  let header: string[] | null = null
  for (const { cells, isHeader } of grid(table)) {
    if (isHeader && !header) header = cells
    draft.add(isHeader || !header ? sideBySide(unrepeated(cells)) : labelled(header, cells))
  }
}

/** The rows with every cell in its column. */
function * grid (table: Node): Generator<{ cells: string[], isHeader: boolean }> {
  const hanging: { text: string, rows: number }[] = []
  for (const row of table.getElementsByTagName('tr')) {
    const cells: string[] = []
    const elements = [...row.children].filter(({ localName }) => localName === 'td' || localName === 'th')
    const isHeader = elements.length > 1 && elements.every(({ localName }) => localName === 'th')
    const hang = () => {
      for (let above = hanging[cells.length]; above && above.rows > 0; above = hanging[cells.length]) {
        above.rows--
        cells.push(above.text)
      }
    }
    for (const cell of elements) {
      hang()
      const text = textWithin(cell)
      const rows = span(cell, 'rowspan') - 1
      for (let i = 0; i < span(cell, 'colspan'); i++) {
        // A header is repeated for all its columns, a value is said once.
        const shown = i === 0 || isHeader ? text : ''
        hanging[cells.length] = { text: shown, rows }
        cells.push(shown)
      }
    }
    hang()
    yield { cells, isHeader }
  }
}

function span (cell: Node, direction: 'colspan' | 'rowspan'): number {
  return Math.min(Math.max(parseInt(cell.getAttribute(direction) ?? '', 10) || 1, 1), MAX_SPAN)
}

function unrepeated (cells: string[]): string[] {
  return cells.filter((cell, i) => cell !== cells[i - 1])
}
