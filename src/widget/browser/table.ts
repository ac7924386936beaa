import type { DrawTable } from './draw.ts'
import { make } from './panel/dom.ts'

const DASHES = /^:?-+:?$/

/**
 * Draws a table as people write it in Markdown: cells between bars, and a line of dashes below the first of them.
 * Preceding lines go before it; if the lines form no table, the text stays.
 */
export const fillTable: DrawTable = (into, source, cell) => {
  const lines = source.split('\n')
  const at = lines.findIndex((line, i) => i > 0 && areDashes(cellsOf(line), cellsOf(lines[i - 1]!)))
  if (at < 0) return
  const sides = cellsOf(lines[at]!).map((dashes) => sideOf(dashes))
  const row = (kind: 'td' | 'th') => (line: string) =>
    make('tr', {}, ...cellsOf(line).map((text, i) => {
      const side = sides[i]
      return make(kind, side ? { class: side } : {}, ...cell(text))
    }))
  const table = make(
    'table',
    { dir: 'auto' },
    make('thead', {}, row('th')(lines[at - 1]!)),
    make('tbody', {}, ...lines.slice(at + 1).map(row('td')))
  )
  const before = at > 1 ? [make('p', {}, ...cell(lines.slice(0, at - 1).join('\n')))] : []
  into.replaceChildren(...before, make('div', { class: 'table', tabindex: '0' }, table))
}

function areDashes (cells: string[], above: string[]): boolean {
  return above.length === cells.length && cells.every((text) => DASHES.test(text))
}

/** The cells between the bars of a line: outer bars do not count, and an escaped one is a character. */
function cellsOf (line: string): string[] {
  const cells = line.trim().replace(/^\|/, '').split(/(?<!\\)\|/)
  if (cells.length > 1 && cells.at(-1)!.trim() === '') cells.pop()
  return cells.map((text) => text.trim().replaceAll('\\|', '|'))
}

function sideOf (dashes: string): string {
  if (!dashes.endsWith(':')) return ''
  return dashes.startsWith(':') ? 'middle' : 'end'
}
