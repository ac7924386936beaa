import { parse, type Options } from 'csv-parse/sync'
import type { Document } from '../document.ts'
import { Draft } from '../draft.ts'
import { ExtractError } from '../error.ts'
import { TableRows } from './rows.ts'

const DELIMITERS = [',', ';', '\t', '|']
const LENIENT: Options = { bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true }
const SAMPLE = 65_536

/**
 * The character between the cells, when the text is a table: its rows agree on their number of cells. Somebody saying
 * so (`csv`, `tsv`) makes two rows enough and one column possible; otherwise three rows of two columns are asked for.
 */
export function delimiterOf (text: string, said?: 'csv' | 'tsv'): string | undefined {
  const candidates = said === 'tsv' ? ['\t'] : DELIMITERS
  const found = candidates.map((delimiter) => ({ delimiter, columns: columns(text, delimiter, said ? 1 : 3) }))
    .sort((a, b) => b.columns - a.columns)[0]!
  if (found.columns > 1) return found.delimiter
  return said && (said === 'tsv' ? '\t' : inHead(text))
}

/** What parts the names of the columns, where the rows agree on nothing: a comma within a cell has none beside it. */
function inHead (text: string): string {
  const [head = ''] = text.split('\n', 1)
  const cells = (delimiter: string) => records(head.slice(0, SAMPLE), { delimiter, to: 1 })?.[0]?.length ?? 0
  return DELIMITERS.reduce((most, one) => (cells(one) > cells(most) ? one : most))
}

/** How many cells nearly every row of the sample has; 0 when the rows do not agree. */
function columns (text: string, delimiter: string, atLeast: number): number {
  const whole = text.length <= SAMPLE
  const lines = text.lastIndexOf('\n', SAMPLE)
  // A first line that is longer than the sample is looked at as far as the sample goes, however long it is.
  const rows = records(whole ? text : text.slice(0, lines === -1 ? SAMPLE : lines), { delimiter, to: 100 })
  if (!rows || rows.length < atLeast) return 0
  const counts = Map.groupBy(rows, (row) => row.length)
  const [usual, agreeing] = [...counts].sort((a, b) => b[1].length - a[1].length)[0]!
  return agreeing.length >= rows.length * 0.9 ? usual : 0
}

function records (text: string, options: Options): string[][] | undefined {
  try {
    return parse(text, { ...LENIENT, ...options }) as string[][]
  } catch {
    return undefined
  }
}

/** A table file; the first row names the columns. Throws `no_text`, or `damaged` when its quotes never close. */
export function readCsv (text: string, delimiter: string): Document {
  const draft = new Draft(delimiter === '\t' ? 'tsv' : 'csv')
  const rows = new TableRows(draft)
  // Row by row, because a list of all rows would take many times the file's size.
  const options: Options = {
    delimiter,
    on_record: (record: string[]) => {
      rows.add(record)
      return null
    }
  }
  try {
    parse(text, { ...LENIENT, ...options })
  } catch (error) {
    if (error instanceof ExtractError) throw error
    throw new ExtractError(
      'damaged',
      'The table is damaged: a quoted cell is not closed. Save it again as CSV and upload the new file.',
      { cause: error }
    )
  }
  draft.rows = rows.count
  return draft.finish()
}
