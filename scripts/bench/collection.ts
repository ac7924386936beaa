import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { chunk } from '../../src/reading/chunk.ts'
import type { Passage } from '../../src/search/passage.ts'
import type { Hit } from '../../src/search/hits.ts'
import { finish } from '../../src/platform/storage/sqlite/database.ts'
import { step, type Sliced, type Work } from '../../src/platform/storage/work.ts'
import { showBest, type sqliteSearch } from '../../src/search/search.sqlite.ts'

/** A TREC-style test collection: documents, queries, and which documents answer which query how well (1 and more). */
export interface Collection {
  documents: { _id: string, title?: string, text: string }[]
  queries: { _id: string, text: string }[]
  grades: Map<string, Map<string, number>>
}

/**
 * Reads a collection: a directory in BEIR's form (`corpus.jsonl`, `queries.jsonl` and `qrels.tsv` or `qrels/test.tsv`:
 * query, document, grade; a header is skipped), or a file in SQuAD's form.
 */
export function readCollection (where: string): Collection {
  return statSync(where).isFile() ? readSquad(where) : readBeir(where)
}

function readBeir (directory: string): Collection {
  const lines = (file: string) =>
    readFileSync(join(directory, file), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
  const grades = new Map<string, Map<string, number>>()
  for (const line of lines(existsSync(join(directory, 'qrels.tsv')) ? 'qrels.tsv' : 'qrels/test.tsv')) {
    const columns = line.trim().split(/\s+/)
    // TREC's own files have a fourth column in second place, always 0.
    const [query, document, grade] =
      columns.length > 3 ? [columns[0]!, columns[2]!, columns[3]!] : (columns as [string, string, string])
    if (!(Number(grade) > 0)) continue
    grades.set(query, (grades.get(query) ?? new Map()).set(document, Number(grade)))
  }
  return {
    documents: lines('corpus.jsonl').map((line) => JSON.parse(line)),
    queries: lines('queries.jsonl').map((line) => JSON.parse(line)),
    grades
  }
}

interface Squad {
  data: { paragraphs: { context: string, qas: { id: string | number, question: string, answers: unknown[] }[] }[] }[]
}

/**
 * A file in SQuAD's form: each paragraph is a document, and the one document that answers its questions. Titles are
 * left out, since many paragraphs share one. Questions that their paragraph does not answer are not asked.
 */
function readSquad (file: string): Collection {
  const { data } = JSON.parse(readFileSync(file, 'utf8')) as Squad
  const found: Collection = { documents: [], queries: [], grades: new Map() }
  const known = new Map<string, string>()
  for (const { context, qas } of data.flatMap(({ paragraphs }) => paragraphs)) {
    const document = known.get(context) ?? String(known.size)
    if (!known.has(context)) found.documents.push({ _id: document, text: context })
    known.set(context, document)
    for (const { id, question, answers } of qas) {
      if (answers.length === 0) continue
      found.queries.push({ _id: String(id), text: question })
      found.grades.set(String(id), new Map([[document, 1]]))
    }
  }
  return found
}

/** The passages of a document of a collection; its title alone, when it has no text. */
export function passagesOf ({ text, title = '' }: { text: string, title?: string }): Passage[] {
  const blocks = (text.trim() === '' ? title : text)
    .split('\n\n')
    .map((text) => ({ text, heading: null, page: null, row: null }))
  return chunk(blocks)
}

/** The documents that the hits belong to, each once, ordered by its best passage. */
export function documentsOf (hits: Hit[]): number[] {
  return [...new Set(hits.map((hit) => hit.source))]
}

/**
 * How good a ranking is: nDCG@10 with graded gains, the share of the relevant documents among the first 10 and 100, and
 * whether the first 1, 5, 10 contain any.
 */
export interface Quality {
  ndcg: number, recall10: number, recall100: number, hit1: number, hit5: number, hit10: number
}

/** How good a ranking of documents is, by their grades. */
export function quality (ranked: string[], grades: Map<string, number>): Quality {
  const gain = (grade: number, place: number) => grade / Math.log2(place + 2)
  const sum = (gains: number[]) => gains.reduce((total, one) => total + one, 0)
  const ideal = sum([...grades.values()].sort((a, b) => b - a).slice(0, 10).map(gain))
  const recall = (depth: number) =>
    ranked.slice(0, depth).filter((document) => grades.has(document)).length / grades.size
  const hit = (depth: number) => Number(ranked.slice(0, depth).some((document) => grades.has(document)))
  const ndcg = sum(ranked.slice(0, 10).map((document, place) => gain(grades.get(document) ?? 0, place))) / ideal
  return { ndcg, recall10: recall(10), recall100: recall(100), hit1: hit(1), hit5: hit(5), hit10: hit(10) }
}

/** Runs sliced work to its end, as SQLite answers synchronously. */
export function atOnce<T> (sliced: Sliced<T>): T {
  for (;;) {
    const { done, value } = finish(step(sliced))
    if (done) return value
  }
}

/** A search by words, from the query to the hits shown. */
export function searchAtOnce (
  words: ReturnType<typeof sqliteSearch>
): (agent: number, query: string, limit: number) => Hit[] {
  return (agent, query, limit) => finish(showBest(words, atOnce(words.ask(agent, query)), limit))
}

/** An object whose methods are work, with SQLite's synchronous answers in its place. */
export type Answering<T> = {
  [Name in keyof T]: T[Name] extends (...given: infer Given) => Work<infer Answer>
    ? (...given: Given) => Answer
    : T[Name]
}

/** The same methods, run synchronously; those that work in steps stay as they are. */
export function answering<T extends object> (of: T, inSteps: readonly string[] = []): Answering<T> {
  return Object.fromEntries(Object.entries(of).map(([name, method]) => [
    name,
    typeof method === 'function' && !inSteps.includes(name)
      ? (...given: unknown[]) => answerOf(method(...given))
      : method
  ])) as Answering<T>
}

const answerOf = (given: unknown) =>
  typeof given === 'object' && given !== null && Symbol.iterator in given && !Array.isArray(given)
    ? finish(given as Work<unknown>)
    : given
