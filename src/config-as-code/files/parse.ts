import { parse as parseCsv } from 'csv-parse/sync'
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit, type Document } from 'yaml'
import { isOfPairs, textOfPairs } from '../../reading/pairs.ts'

/*
 * Files of a configuration as values. Only ever called in the sandbox.
 */

/** Maximum aliases per file: as many as a person writes. More are an attempt to exhaust memory. */
const MOST_ALIASES = 100
/** Maximum values in a file, with what its aliases repeat: many times those of any configuration. */
const MOST_VALUES = 250_000
/** Maximum faults reported per file. */
const MOST_FAULTS = 20

/** What a file holds. */
export interface ParsedFile {
  path: string
  /** What is in a YAML or JSON file, without what it unsets; the text of questions and answers in a table. */
  value: unknown
  /** Fields that get their defaults, as paths. */
  unset: Array<Array<string | number>>
  /** The position of a field, as `line:column` by its path with `/` between steps. */
  places: Map<string, string>
  /** What is wrong with it, in sentences. */
  faults: string[]
}

/** A file, read by its ending. */
export function parsed (path: string, text: string): ParsedFile {
  try {
    return /\.csv$/i.test(path) ? table(path, text) : yaml(path, text)
  } catch (error) {
    // What is nested too deep, or refers to itself too often.
    const why = whyUnreadable(error)
    return { path, value: null, unset: [], places: new Map(), faults: [`${path}:1:1: ${why}.`] }
  }
}

function whyUnreadable (error: unknown): string {
  if (error instanceof TooMany) return `a file may hold ${MOST_VALUES} values, with what its aliases repeat`
  return error instanceof ReferenceError ? `a file may have ${MOST_ALIASES} aliases` : 'it cannot be read; is it nested too deep?'
}

class TooMany extends Error {}

function table (path: string, text: string): ParsedFile {
  const file = { path, value: '', unset: [], places: new Map() }
  let rows: string[][]
  try {
    rows = parseCsv(text, { bom: true, skip_empty_lines: true })
  } catch (error) {
    return { ...file, faults: [`${path}:${(error as { lines?: number }).lines ?? 1}:1: ${(error as Error).message}.`] }
  }
  const begin = rows[0] && isOfPairs(rows[0]) ? 1 : 0
  const pairs = rows.slice(begin)
  const wrong = pairs.findIndex((row) => row.length !== 2 || row.some((cell) => cell.trim() === ''))
  if (wrong >= 0 || pairs.length === 0) {
    return { ...file, faults: [`${path}:${Math.max(wrong, 0) + begin + 1}:1: each line has a question and its answer.`] }
  }
  return { ...file, value: textOfPairs(pairs.map(([question = '', answer = '']) => ({ question, answer }))), faults: [] }
}

/** YAML 1.2 in its core schema; JSON is a part of it. */
function yaml (path: string, text: string): ParsedFile {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    customTags: [{ tag: '!unset', resolve: () => UNSET }],
    lineCounter: lines,
    logLevel: 'silent',
    prettyErrors: false
  })
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${line || 1}:${col || 1}`
  }
  const places: ParsedFile['places'] = new Map()
  const unset: ParsedFile['unset'] = []
  const faults = [
    ...document.errors.map(({ pos, message }) => `${path}:${place(pos[0])}: ${message.split('\n')[0]!.replace(/[^.?]$/, '$&.')}`),
    ...oddities(document).map(([offset, message]) => `${path}:${place(offset)}: ${message}`)
  ].slice(0, MOST_FAULTS)
  if (faults.length > 0) return { path, value: null, unset, places, faults }
  notePlaces(document.contents, [], (steps, offset) => places.set(steps.join('/'), place(offset)))
  const whole: unknown = document.toJS({ maxAliasCount: MOST_ALIASES })
  refuseTooMany(whole)
  const value = withoutUnset(whole, [], unset, (steps) => {
    faults.push(`${path}:${places.get(steps.join('/')) ?? '1:1'}: !unset gives a field of an object its default; it cannot be in a list.`)
  })
  return { path, value, unset, places, faults }
}

function refuseTooMany (value: unknown) {
  let values = 0
  const waiting = [value]
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (++values > MOST_VALUES) throw new TooMany()
    if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) waiting.push(inner)
  }
}

/** The placeholder of `!unset` until it is removed. */
const UNSET = Object.freeze({})

/** Tags, and more aliases than a person writes. */
function oddities (document: Document): Array<[offset: number, message: string]> {
  const found: Array<[number, string]> = []
  let aliases = 0
  visit(document, {
    Node (_key, node) {
      const offset = node.range?.[0] ?? 0
      if (isAlias(node)) {
        if (++aliases === MOST_ALIASES + 1) found.push([offset, `a file may have ${MOST_ALIASES} aliases.`])
      } else if (node.tag !== undefined && node.tag !== '!unset') {
        found.push([offset, `the only tag is !unset; ${node.tag} is not supported.`])
      }
    }
  })
  return found
}

type Path = Array<string | number>

/** Records where each field begins: in an object its name, in a list its item. */
function notePlaces (node: unknown, path: Path, note: (path: Path, offset: number) => void) {
  if (path.length === 0 && isNode(node)) note(path, node.range?.[0] ?? 0)
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue
      const own = [...path, String(key.value)]
      note(own, key.range?.[0] ?? 0)
      notePlaces(value, own, note)
    }
  } else if (isSeq(node)) {
    for (const [i, item] of node.items.entries()) {
      note([...path, i], isNode(item) ? item.range?.[0] ?? 0 : 0)
      notePlaces(item, [...path, i], note)
    }
  }
}

function withoutUnset (value: unknown, path: Path, unset: Path[], refuse: (path: Path) => void): unknown {
  if (value === UNSET) return refuse(path)
  if (Array.isArray(value)) return value.map((one, i) => withoutUnset(one, [...path, i], unset, refuse))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).flatMap(([name, one]) => {
    const own = [...path, name]
    if (one !== UNSET) return [[name, withoutUnset(one, own, unset, refuse)]]
    unset.push(own)
    return []
  }))
}
