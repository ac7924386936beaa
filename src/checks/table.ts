import { parse } from 'csv-parse/sync'
import { Value } from '@sinclair/typebox/value'
import { Arguments } from '../../schema/actions.ts'
import {
  MOST_QUESTIONS, QuestionRecord, type Expectation, type QuestionDraft, type RecordedAnswer
} from '../../schema/checks.ts'
import { invalid, type FieldError } from '../platform/errors.ts'

/*
 * Questions as a table (CSV), as pure functions: what is written is read as the same.
 */

const COLUMNS = [
  'text', 'language', 'sources', 'says', 'never', 'unknown', 'hands_off', 'action', 'arguments', 'actions', 'enabled',
  'blocking'
] as const
type Column = typeof COLUMNS[number]

type Written = Pick<QuestionRecord, 'text' | 'language' | 'expect' | 'enabled' | 'blocking' | 'turns' | 'actions'>

/** The questions as a table. What was said before a question has no column: such questions are left out. */
export function tableOf (questions: readonly Written[]): string {
  const asked = questions.filter(({ turns }) => turns.length === 0)
  const rows = asked.map(({ text, language, expect, actions, enabled, blocking }) => {
    const { sources, says, never, unknown, hands_off: hands, action, arguments: given } = expect
    const recorded = actions.length > 0 ? JSON.stringify(actions) : ''
    return [
      text, language, joined(sources), joined(says), joined(never), unknown, hands, action,
      given && JSON.stringify(given), recorded, enabled, blocking
    ]
  })
  return [COLUMNS, ...rows].map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n'
}

/** What a spreadsheet takes for a formula, and what has been marked as none. */
const FORMULA = /^'*[=+\-@\t\r]/

const joined = (values: ReadonlyArray<string | number>) =>
  values.map((value) => String(value).replaceAll(/[\\|]/g, String.raw`\$&`)).join('|')

function cell (value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value)
  // A spreadsheet takes what begins so for a formula, and runs it.
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** What stands in a table, as drafts. Refuses with VALIDATION_ERROR what is no such table, by line. */
export function draftsIn (csv: string): QuestionDraft[] {
  const [head = [], ...rows] = rowsIn(csv)
  const columns = head.map((name) => name.trim().toLowerCase())
  const strange = columns.find((name) => !(COLUMNS as readonly string[]).includes(name))
  if (!columns.includes('text') || strange !== undefined) {
    throw invalid({
      field: 'csv', message: `The first line must name the columns: text, and any of ${COLUMNS.slice(1).join(', ')}.`
    })
  }
  if (rows.length > MOST_QUESTIONS) {
    throw invalid({ field: 'csv', message: `A table may hold ${MOST_QUESTIONS} questions at most.` })
  }
  const wrong: FieldError[] = []
  const drafts = rows.map((row, at) => {
    const cells = Object.fromEntries(columns.map((name, i) => [name, plain(row[i] ?? '')])) as Partial<Record<Column, string>>
    return draftOf(cells, (column, message) =>
      wrong.push({ field: `csv[${at + 2}].${column}`, message: `Line ${at + 2}: ${column} ${message}` }))
  })
  if (wrong.length > 0) throw invalid(...wrong.slice(0, 20))
  return drafts
}

function rowsIn (csv: string): string[][] {
  try {
    return parse(csv, { bom: true, relax_column_count: true, skip_empty_lines: true }) as string[][]
  } catch {
    throw invalid({ field: 'csv', message: 'csv must be a table: values separated by commas, in quotes where they hold one.' })
  }
}

/** A cell without the mark that keeps a spreadsheet from running it. */
const plain = (text: string) => text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text

function draftOf (
  cells: Partial<Record<Column, string>>, refuse: (column: Column, message: string) => void
): QuestionDraft {
  const truth = (column: Column): boolean | undefined => {
    const said = cells[column]?.trim().toLowerCase() ?? ''
    if (said === '') return undefined
    if (said !== 'true' && said !== 'false') refuse(column, 'must be true or false, or empty.')
    return said === 'true'
  }
  const [text = '', language = '', hands = '', action = ''] =
    (['text', 'language', 'hands_off', 'action'] as const).map((column) => cells[column]?.trim() ?? '')
  const sources = parted(cells.sources).map(Number)
  if (text === '') refuse('text', 'must not be empty.')
  if (sources.some((id) => !Number.isSafeInteger(id) || id < 1)) refuse('sources', 'must be ids, separated by |.')
  const [given, actions] = (['arguments', 'actions'] as const).map((column) =>
    jsonIn(cells[column], column === 'arguments' ? isArguments : areRecorded, () => refuse(column, 'must be as JSON has it.')))
  const [unknown, enabled, blocking] = [truth('unknown'), truth('enabled'), truth('blocking')]
  return {
    text,
    language: language === '' ? null : language,
    expect: {
      sources,
      says: parted(cells.says),
      never: parted(cells.never),
      unknown: unknown ?? null,
      hands_off: hands === '' ? null : hands as Expectation['hands_off'],
      action: action === '' ? null : action,
      arguments: (given ?? null) as Arguments | null
    },
    ...(actions !== undefined && { actions: actions as RecordedAnswer[] }),
    ...(enabled !== undefined && { enabled }),
    ...(blocking !== undefined && { blocking })
  }
}

const isArguments = (value: unknown) => Value.Check(Arguments, value)
const areRecorded = (value: unknown) => Value.Check(QuestionRecord.properties.actions, value)

/** What a cell holds as JSON; undefined where it holds nothing, or what does not fit, which is refused. */
function jsonIn (text: string | undefined, fits: (value: unknown) => boolean, refuse: () => void): unknown {
  if (!text?.trim()) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (fits(value)) return value
  } catch { /* It is none. */ }
  refuse()
  return undefined
}

/** The values of a cell. */
function parted (text = ''): string[] {
  return [...text.matchAll(/(?:[^\\|]|\\[^])+/g)].map(([one]) => one.replaceAll(/\\([\\|])/g, '$1').trim()).filter(Boolean)
}
