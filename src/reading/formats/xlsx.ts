import readSheets, { type CellValue } from 'read-excel-file/node'
import type { Document } from '../document.ts'
import type { Parts } from './archive.ts'
import { Draft } from '../draft.ts'
import { repacked, titleIn } from './office.ts'
import { Rows } from './rows.ts'

/** A workbook, sheet by sheet, row by row; formulas by their last result. Throws `no_text` or `damaged`. */
export async function readXlsx (parts: Parts): Promise<Document> {
  const draft = new Draft('xlsx')
  draft.title = titleIn(parts)
  let counted = 0
  for (const { sheet, data } of await readSheets(repacked(parts))) {
    const rows = new Rows(draft, counted)
    draft.heading(1, sheet)
    for (const row of data) rows.add(row.map(shown))
    counted = rows.count
  }
  draft.rows = counted
  return draft.finish()
}

// The library's types name the class Date where they mean one of its values.
type Cell = Exclude<CellValue, typeof Date> | Date | null

function shown (value: unknown): string {
  const cell = value as Cell
  if (cell === null) return ''
  if (!(cell instanceof Date)) return String(cell)
  if (Number.isNaN(cell.getTime())) return ''
  // Half past nine is kept as a fraction a little below it.
  const [day, time] = new Date(Math.round(cell.getTime() / 1000) * 1000).toISOString().replace(/(?::00)?\.\d+Z$/, '').split('T') as [string, string]
  // A time alone is kept as a fraction of the day before the calendar begins.
  if (day < '1900-01-01') return time
  return time === '00:00' ? day : `${day} ${time}`
}
