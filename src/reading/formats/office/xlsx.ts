import readSheets, { type CellValue } from 'read-excel-file/node'
import { charactersIn, type Document } from '../../document.ts'
import type { ArchiveParts } from '../archive.ts'
import { Draft } from '../../draft.ts'
import { hiddenIn } from './hidden.ts'
import { repacked, titleIn } from './package.ts'
import { formatsIn, shownIn } from './shown.ts'
import { TableRows } from '../rows.ts'
import { find, parseXml, relations } from '../xml.ts'

/**
 * A workbook, sheet by sheet, row by row; formulas by their last result, dates, percent and amounts as the sheet shows
 * them, without signs between thousands. What is hidden is left out. Throws `no_text`
 * or `damaged`.
 */
export async function readXlsx (parts: ArchiveParts): Promise<Document> {
  const draft = new Draft('xlsx')
  draft.title = titleIn(parts)
  const sheets = sheetsIn(parts)
  const formats = formatsIn(parts.get('xl/styles.xml'))
  const startsIn1904 = isFrom1904(parts)
  let counted = 0
  for (const [at, { sheet, data }] of (await readSheets(repacked(parts))).entries()) {
    const rows = new TableRows(draft, counted)
    const { isHidden = false, part } = sheets[at] ?? {}
    const hidden = hiddenIn(part)
    const formatted = shownIn(part, formats, startsIn1904)
    const isColumnHidden = (column: number) => hidden.columns.some(([first, last]) => column >= first && column <= last)
    if (!isHidden) draft.heading(1, sheet)
    for (const [number, values] of data.entries()) {
      const cells = values.map((value, column) => formatted.get(number)?.get(column) ?? shown(value))
      const seen = isHidden || hidden.rows.has(number) ? [] : cells.filter((_, column) => !isColumnHidden(column))
      draft.hide(lengthOf(cells) - lengthOf(seen))
      rows.add(seen)
    }
    counted = rows.count
  }
  draft.rows = counted
  return draft.finish()
}

/** The sheets as the reader numbers them: whether each is hidden, and where it is. */
function sheetsIn (parts: ArchiveParts): { isHidden: boolean, part: Uint8Array | undefined }[] {
  const main = 'xl/workbook.xml'
  const related = relations(parts, main)
  return [...find(parseXml(parts.get(main)), 'sheet')]
    .filter(({ attributes }) => attributes.name)
    .map(({ attributes: { state = '', id } }) => ({
      isHidden: /^(?:very)?hidden$/i.test(state),
      part: parts.get(related.find((relation) => relation.id === id)?.target ?? '')
    }))
}

/** Whether the workbook counts its days from 1904, as those of a Mac once did. */
function isFrom1904 (parts: ArchiveParts): boolean {
  const [settings] = find(parseXml(parts.get('xl/workbook.xml')), 'workbookPr')
  return /^(?:1|true)$/.test(settings?.attributes.date1904 ?? '')
}

function lengthOf (cells: string[]): number {
  return cells.reduce((sum, cell) => sum + charactersIn(cell.trim()), 0)
}

// The library's types name the class Date where they mean one of its values.
type Cell = Exclude<CellValue, typeof Date> | Date | null

function shown (value: unknown): string {
  const cell = value as Cell
  if (cell === null) return ''
  if (!(cell instanceof Date)) return String(cell)
  if (Number.isNaN(cell.getTime())) return ''
  // Half past nine is kept as a fraction a little below it.
  const [day, time] = new Date(Math.round(cell.getTime() / 1000) * 1000)
    .toISOString()
    .replace(/(?::00)?\.\d+Z$/, '')
    .split('T') as [string, string]
  // A time alone is kept as a fraction of the day before the calendar begins.
  if (day < '1900-01-01') return time
  return time === '00:00' ? day : `${day} ${time}`
}
