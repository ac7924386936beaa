import { labelled, sideBySide } from '../rows.ts'

/** A longer line is no row of a table. */
const LONGEST_ROW = 4000
/** A line of a table in Markdown, dashes between pipes, and what parts two cells. */
const [RULE, PARTS] = [/^\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)+\|?$/, /(?<!\\)\|/]

/**
 * A paragraph of plain text by its blocks: a table in it that is drawn with pipes, as Markdown has them, row by row,
 * each cell under the name of its column.
 */
export function blocksOf (paragraph: string): string[] {
  const lines = paragraph.split('\n')
  const blocks: string[] = []
  let from = 0
  for (let at = 1; at < lines.length; at++) {
    const names = namesAbove(lines[at]!, lines[at - 1]!)
    if (!names) continue
    blocks.push(lines.slice(from, at - 1).join('\n'), sideBySide(names))
    for (at++; at < lines.length && isOfTable(lines[at]!); at++) blocks.push(labelled(names, cellsOf(lines[at]!)))
    from = at
  }
  return [...blocks, lines.slice(from).join('\n')].filter((block) => block.trim() !== '')
}

/** The names of the columns, where a line is the rule below them. */
function namesAbove (line: string, above: string): string[] | undefined {
  if (!isOfTable(line) || !isOfTable(above) || !RULE.test(line.trim())) return undefined
  const names = cellsOf(above)
  return names.length === cellsOf(line).length ? names : undefined
}

const isOfTable = (line: string) => line.length <= LONGEST_ROW && line.includes('|')

function cellsOf (line: string): string[] {
  const cells = line.trim().split(PARTS).map((cell) => cell.replaceAll('\\|', '|').trim())
  return cells.slice(cells[0] === '' ? 1 : 0, cells.at(-1) === '' ? -1 : undefined)
}
