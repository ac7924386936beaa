import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { asked, type Asked } from '../../../src/search/confidence.ts'
import { confidenceIn } from '../../../src/conversations/answering/look-up.ts'
import { extract, type Scored } from '../../../src/conversations/answering/quoting/extract.ts'
import { sqlitePassages } from '../../../src/search/passages.sqlite.ts'
import { sqliteSearch } from '../../../src/search/search.sqlite.ts'
import { sqliteWeights } from '../../../src/search/weights.sqlite.ts'
import type { Language } from '../../../src/search/words/languages.ts'
import { languageOf } from '../../../src/search/words/words.ts'
import { knownMigrations, runMigration } from '../../../src/platform/storage/sqlite/migrate.ts'
import { secretsIn } from '../../../src/platform/storage/sqlite/secrets.ts'
import { answering, passagesOf, searchAtOnce } from '../collection.ts'
import { finish, statementsOn } from '../../../src/platform/storage/sqlite/database.ts'

/**
 * A question about a paragraph. `answers`: where it is answered, in UTF-16 units; empty: the paragraph does not say.
 */
interface Question { text: string, answers: Array<{ start: number, end: number }> }

/** A paragraph of an article, as a source of an agent. */
export interface Paragraph { article: number, title: string, text: string, questions: Question[] }

interface Squad {
  data: Array<{
    title?: string
    paragraphs: Array<{
      context: string
      qas: Array<{ question: string, is_impossible?: boolean, answers: Array<{ text: string, answer_start: number }> }>
    }>
  }>
}

/** Reads a collection in the form of SQuAD 1.1 or 2.0. Its offsets count characters, not UTF-16 units. */
export function readSquad (file: string): Paragraph[] {
  const { data } = JSON.parse(readFileSync(file, 'utf8')) as Squad
  return data.flatMap(({ title = '', paragraphs }, article) => paragraphs.map(({ context, qas }) => ({
    article,
    title: title.replaceAll('_', ' '),
    text: context,
    questions: qas.map(({ question, answers, is_impossible: isImpossible = false }) => ({
      text: question,
      answers: isImpossible
        ? []
        : answers.map(({ text, answer_start: at }) => {
          const start = context.startsWith(text, at) ? at : [...context].slice(0, at).join('').length
          return { start, end: start + text.length }
        })
    }))
  })))
}

/** The result of one question: whether its answer is in the words quoted first, and how sure the search was. */
interface Told { isAnswered: boolean, confidence: number }

/** Each question put to an agent that knows all paragraphs, all but its own, and no paragraph of its article. */
export interface Asking {
  known: Told[]
  /** On topic: other paragraphs of the article are there, or this one is there and does not say it. */
  absent: number[]
  impossible: number[]
  /** Off topic. */
  foreign: number[]
}

const FOUND = 60
const PASSAGES = 20

/** Asks all questions, answered from the sources alone, like a turn without a model. */
export async function askAll (paragraphs: readonly Paragraph[]): Promise<Asking> {
  const db = new Database(':memory:')
  for (const { sql } of knownMigrations()) runMigration(db, sql)
  const tables = statementsOn(db)
  const secrets = secretsIn(tables)
  const index = answering(sqlitePassages(tables, secrets), ['upkeep'])
  const search = searchAtOnce(sqliteSearch(tables, secrets))
  const weigh = sqliteWeights(tables)
  db.transaction(() => {
    for (const [source, { title, text }] of paragraphs.entries()) {
      index.replace({ agent: 1, source, language: languageOf(`${title}\n${text}`) }, title, passagesOf({ title, text }))
    }
  })()
  const asking: Asking = { known: [], absent: [], impossible: [], foreign: [] }
  for (const [own, { article, questions }] of paragraphs.entries()) {
    for (const { text, answers } of questions) {
      const hits = search(1, text, FOUND).map((hit) => ({ ...hit, title: paragraphs[hit.source]!.title, url: null }))
      const ask = async (isThere: (source: number) => boolean) =>
        await quoted(text, hits.filter(({ source }) => isThere(source)).slice(0, PASSAGES), weigh)
      const { confidence, quotations } = await ask(() => true)
      if (answers.length === 0) {
        asking.impossible.push(confidence)
        continue
      }
      asking.known.push({
        confidence,
        isAnswered: quotations.some(({ source, start, end }) =>
          source === own && answers.some((answer) => answer.start >= start && answer.end <= end)
        )
      })
      asking.absent.push((await ask((source) => source !== own)).confidence)
      asking.foreign.push((await ask((source) => paragraphs[source]!.article !== article)).confidence)
    }
  }
  db.close()
  return asking
}

async function quoted (
  question: string,
  found: Array<Scored & { language: Language | null, confidence: number }>,
  weigh: ReturnType<typeof sqliteWeights>
) {
  const ofLanguage = new Map<Language | null, Asked>()
  for (const { language } of found) {
    ofLanguage.set(language, await asked(question, language, async (words) => finish(weigh(1, language, words))))
  }
  const quotations = extract(found, ({ language }) => ofLanguage.get(language)!)
  return {
    confidence: confidenceIn(found),
    quotations: quotations.map(({ passage, start, end }) => ({
      source: passage.source, start: passage.start + start, end: passage.start + end
    }))
  }
}

/**
 * How well a number separates the first from the second (AUC): the chance that one of the first is greater than one of
 * the second.
 */
export function auroc (first: readonly number[], second: readonly number[]): number {
  const sorted = second.toSorted((a, b) => a - b)
  const below = (value: number, isStrict: boolean) => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sorted[middle]! < value || (!isStrict && sorted[middle] === value)) low = middle + 1
      else high = middle
    }
    return low
  }
  return (
    first.reduce((sum, value) => sum + (below(value, true) + below(value, false)) / 2, 0) /
    (first.length * sorted.length)
  )
}

/** The share of numbers that are at least this large. */
export function shareFrom (least: number, numbers: readonly number[]): number {
  return numbers.filter((one) => one >= least).length / numbers.length
}
