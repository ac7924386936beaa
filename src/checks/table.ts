import { Value } from '@sinclair/typebox/value'
import { Arguments } from '../../schema/actions.ts'
import {
  MOST_EXPECTED, MOST_QUESTIONS, QuestionDraft, QuestionRecord, type Expectation, type RecordedAnswer
} from '../../schema/checks.ts'
import { readCsv } from '../platform/csv.ts'
import { invalid, type FieldError } from '../platform/errors.ts'
import { faultsBy } from '../platform/http/validation.ts'
import { isOneOf } from '../../schema/typed.ts'

/*
 * Questions as a table (CSV), as pure functions: an export can be re-imported unchanged.
 */

const COLUMNS = [
  'text', 'language', 'sources', 'says', 'never', 'unknown', 'hands_off', 'action', 'arguments', 'actions', 'enabled',
  'blocking'
] as const
type Column = typeof COLUMNS[number]

type Written = Pick<QuestionRecord, 'text' | 'language' | 'expect' | 'enabled' | 'blocking' | 'turns' | 'actions'>

/** The questions as a table. Earlier messages have no column: questions that have any are left out. */
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

/** What a spreadsheet takes for a formula, and its escaped form. */
const FORMULA = /^'*[=+\-@\t\r]/

const joined = (values: ReadonlyArray<string | number>) =>
  values.map((value) => String(value).replaceAll(/[\\|]/g, String.raw`\$&`)).join('|')

function cell (value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value)
  // A spreadsheet takes text with such a beginning for a formula, and runs it.
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Maximum characters of a line: many times those of any question. */
const LONGEST_LINE = 200_000
const [QUOTE, LF, CR, BAR, ESCAPE] = ['"', '\n', '\r', '|', '\\'].map((mark) => mark.charCodeAt(0))

/**
 * The rows of a table as drafts. Refuses with VALIDATION_ERROR an invalid table, by line. Can be stopped between pieces
 * of the work.
 */
export function * draftsIn (csv: string): Generator<void, QuestionDraft[]> {
  const [head = [], ...rows] = yield * rowsIn(csv)
  const columns = head.map((name) => name.trim().toLowerCase())
  const strange = columns.find((name) => !isOneOf(COLUMNS, name))
  if (!columns.includes('text') || strange !== undefined) {
    throw invalid({
      field: 'csv', message: `The first line must name the columns: text, and any of ${COLUMNS.slice(1).join(', ')}.`
    })
  }
  const wrong: FieldError[] = []
  const drafts: QuestionDraft[] = []
  for (const [at, row] of rows.entries()) {
    const cells = Object.fromEntries(columns.map((name, i) => [name, plain(row[i] ?? '')])) as Partial<Record<Column, string>>
    const before = wrong.length
    const draft = draftOf(cells, (column, message) =>
      wrong.push({ field: `csv[${at + 2}].${column}`, message: `Line ${at + 2}: ${column} ${message}` }))
    if (wrong.length === before) {
      wrong.push(...faultsOf(draft).map(({ field, message }) => ({
        field: `csv[${at + 2}].${field}`, message: `Line ${at + 2}: ${message}`
      })))
    }
    drafts.push(draft)
    if (wrong.length >= MOST_WRONG) break
    yield
  }
  if (wrong.length > 0) throw invalid(...wrong.slice(0, MOST_WRONG))
  return drafts
}

/** Maximum lines reported in one refusal. */
const MOST_WRONG = 20

function * rowsIn (csv: string): Generator<void, string[][]> {
  refuseLongLines(csv)
  const rows: string[][] = []
  try {
    yield * readCsv(csv, (cells) => {
      rows.push(cells)
      if (rows.length > MOST_QUESTIONS + 1) {
        throw invalid({ field: 'csv', message: `A table may hold ${MOST_QUESTIONS} questions at most.` })
      }
    })
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw invalid({ field: 'csv', message: 'csv must be a table: values separated by commas, in quotes where they hold one.' })
  }
  return rows
}

/** Refuses a line that is too long, using quotes to find where lines end. */
function refuseLongLines (csv: string) {
  let [line, isQuoted] = [0, false]
  // Character by character: a match for each of a million quotes would be a million objects.
  for (let at = 0; at < csv.length && at - line <= LONGEST_LINE; at++) {
    const mark = csv.charCodeAt(at)
    if (mark === QUOTE) isQuoted = !isQuoted
    else if (!isQuoted && (mark === LF || mark === CR)) line = at + 1
  }
  if (csv.length - line > LONGEST_LINE) {
    throw invalid({ field: 'csv', message: `A line of the table may have ${LONGEST_LINE} characters at most.` })
  }
}

/** A cell without the escape that keeps a spreadsheet from running it. */
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
    jsonIn(cells[column], column === 'arguments' ? isArguments : areRecorded, () => refuse(column, 'must be valid JSON.')))
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

/** Reports what is too long, too many or invalid for a question. */
const faultsOf = faultsBy(QuestionDraft)

const isArguments = (value: unknown) => Value.Check(Arguments, value)
const areRecorded = (value: unknown) => Value.Check(QuestionRecord.properties.actions, value)

/** A cell's JSON value; undefined if it is empty, or invalid, which is refused. */
function jsonIn (text: string | undefined, fits: (value: unknown) => boolean, refuse: () => void): unknown {
  if (!text?.trim()) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (fits(value)) return value
  } catch { /* It is none. */ }
  refuse()
  return undefined
}

/** The distinct values of a cell; one more than the maximum if there are too many. */
function parted (text = ''): string[] {
  const found = new Set<string>()
  for (let from = 0, at = 0; from <= text.length && found.size <= MOST_EXPECTED; at++) {
    const mark = text.charCodeAt(at)
    if (mark === ESCAPE) at++
    else if (mark === BAR || at >= text.length) {
      const value = unescaped(text.slice(from, at)).trim()
      if (value !== '') found.add(value)
      from = at + 1
    }
  }
  return [...found]
}

/** Most have none: replacing what is not there costs more than everything else of a cell with thousands of values. */
const unescaped = (text: string) => text.includes('\\') ? text.replaceAll(/\\([\\|])/g, '$1') : text
