import Database from 'better-sqlite3'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { alternatives } from '../../../src/conversations/answering/quoting/extract.ts'
import { dataFile } from '../../../src/data-file.ts'
import { finish, statementsOn } from '../../../src/platform/storage/sqlite/database.ts'
import { secretsIn } from '../../../src/platform/storage/sqlite/secrets.ts'
import { showBest, sqliteSearch } from '../../../src/search/search.sqlite.ts'
import { compare, inOrder } from '../../../src/search/sense/asked.ts'
import type { Evidence, Taught } from '../../../src/search/sense/certainty.ts'
import { isRow, sentenceOfRow } from '../../../src/search/sense/sentences.ts'
import { atOnce } from '../collection.ts'
import { crossIn, openApp, rowsIn, taught, type Row } from './taught.ts'

/** A passage that was found for a question, as a search judged it. */
export interface Seen {
  score: number
  fit: number
  worth: number
  language: string | null
  evidence?: Evidence
  /** How sure its words alone are. */
  before: number
  text: string
  quotes: [start: number, end: number][]
}

/** A question to a place, with what was found for it; `expected`: null where nobody can know it. */
export interface Put {
  place: string
  question: string
  expected: string | null
  language: string | null
  weight: number
  found: Seen[]
}

/** What came of a question. */
export type Outcome =
  'right and sure' | 'right and offered' | 'missed' | 'wrong and offered' | 'wrong and sure' | 'honest' | 'not honest'

/** As many as an answer without a model is made of. */
const PASSAGES = 20

/**
 * Puts all questions to the places in some folders, each place once, by its name. Conversations, where a question goes
 * on from the one before, are left out.
 */
export async function putAll (directories: readonly string[]): Promise<Put[]> {
  const opened = await openApp()
  const db = new Database(dataFile(opened.directory))
  const tables = statementsOn(db)
  const search = sqliteSearch(tables, secretsIn(tables))
  const all: Put[] = []
  const put = (agent: number, place: string, rows: readonly Row[]) => {
    for (const [question, expected] of rows) {
      if (question === '@follow') continue
      const asked = atOnce(search.ask(agent, question))
      const hits = finish(showBest(search, asked, PASSAGES)) as (Omit<Seen, 'before'> & { confidence: number })[]
      const found = hits.map(({ score, fit, worth, language, evidence, confidence, text, quotes = [] }) =>
        ({ score, fit, worth, language, evidence, before: evidence?.words ?? confidence, text, quotes }) as Seen)
      const { question: { language }, weight } = asked.sense
      all.push({ place, question, expected: expected || null, language, weight, found })
    }
  }
  const places = new Map(directories.flatMap((one) =>
    readdirSync(one).map((name) => [name, path.join(one, name)] as const)))
  for (const [name, place] of places) {
    put(await taught(opened, place), name, [...rowsIn(place, 'questions.json'), ...rowsIn(place, 'other.json')])
    for (const [pages, rows] of crossIn(place)) {
      put(await taught(opened, place, { isTaught: (page) => pages.split('|').includes(page) }), name, rows)
    }
  }
  db.close()
  await opened.close()
  return all
}

/** What was found, as it is compared by some weights, best first. */
export function ordered ({ language, weight, found }: Put, by?: Taught) {
  const hits = found.map((one) => ({ ...one, confidence: one.before }))
  return inOrder({ question: { language }, weight }, compare({ weight }, hits, by))
    .map((hit) => ({ ...hit, source: 0, title: '', url: null, page: null, heading: null, start: 0 }))
}

/** What is offered beside the best passage. */
export const offeredBeside = ({ language }: Put, found: ReturnType<typeof ordered>): Pick<Seen, 'text' | 'quotes'>[] =>
  alternatives(found, language).map(({ passage: { text }, start, end }) => ({ text, quotes: [[start, end]] }))

/** Whether what is quoted of a passage is what was expected. */
export function isRight ({ expected }: Put, { text, quotes }: Pick<Seen, 'text' | 'quotes'>): boolean {
  const shown = quotes.map(([start, end]) => text.slice(start, end))
    .map((one) => isRow(one) ? sentenceOfRow(one) : one).join(' ')
  return expected !== null && new RegExp(expected, 'i').test(shown.replaceAll(/\s+/g, ' '))
}

/** What comes of a question, by some weights. `from`: how sure is sure, and offered. */
export function outcomeOf (put: Put, by: Taught, from: { sure: number, maybe: number }): Outcome {
  const found = ordered(put, by)
  const first = found.find(({ quotes }) => quotes.length > 0)
  const confidence = first?.confidence ?? 0
  const [isKnown, isSure] = [confidence >= from.maybe, confidence >= from.sure]
  if (!isKnown) return put.expected === null ? 'honest' : 'missed'
  if (put.expected === null) return isSure ? 'wrong and sure' : 'not honest'
  const others = isSure ? [] : offeredBeside(put, found)
  const isOne = [first!, ...others].some((one) => isRight(put, one))
  return `${isOne ? 'right' : 'wrong'} and ${isSure ? 'sure' : 'offered'}`
}
