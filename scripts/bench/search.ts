import { secretsIn } from '../../src/platform/storage/sqlite/secrets.ts'
import { knownMigrations, runMigration } from '../../src/platform/storage/sqlite/migrate.ts'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import { entries } from '../../src/search/scores.ts'
import { sqlitePassages } from '../../src/search/passages.sqlite.ts'
import { inTurn, sqliteSearch } from '../../src/search/search.sqlite.ts'
import { languageOf } from '../../src/search/words/words.ts'
import {
  answering, atOnce, documentsOf, passagesOf, quality, readCollection, searchAtOnce, type Collection, type Quality
} from './collection.ts'
import { exactBm25 } from './exact.ts'
import { letters, meaningless, nearestTo, type Meaning } from './hybrid.ts'
import { rankBothWays } from '../../src/search/vectors/fuse.ts'
import { mistyped, polite, random } from './perturb.ts'
import { auroc } from './quality/squad.ts'
import type { Language } from '../../src/search/words/languages.ts'
import { finish, statementsOn } from '../../src/platform/storage/sqlite/database.ts'

/** What the first part shows: `--only` selects some of them. */
const PARTS = ['asked', 'exact', 'hybrid', 'politely', 'typos', 'confidence', 'times']

const USAGE = `npm run bench:search -- COLLECTION [--foreign OTHER] [--others 50] [--mib 30] [--only asked,confidence]

  COLLECTION  a directory in BEIR's form (corpus.jsonl, queries.jsonl, qrels.tsv or qrels/test.tsv), or a file in SQuAD's
  --foreign   a second one, whose questions this one does not answer: how well confidence tells them apart
  --others    agents beside the measured one for the second part, each as full; 0 leaves the second part out
  --mib       how full an agent is
  --only      of the first part: ${PARTS.join(', ')}

${published()}`

/**
 * Published results for plain BM25, for comparison: nDCG@10 in BEIR, and of Anserini with one field and with several.
 */
function published (): string {
  return [
    'Published nDCG@10 of BM25 (BEIR; Anserini flat and multi-field):',
    ...Object.entries({
      SciFact: '0.665-0.679',
      NFCorpus: '0.322-0.325',
      FiQA: '0.236',
      ArguAna: '0.397-0.414',
      'TREC-COVID': '0.595-0.656',
      SCIDOCS: '0.149-0.158'
    }).map(([name, figures]) => `  ${name.padEnd(12)}${figures}`)
  ].join('\n')
}

/** Passages written in one transaction. */
const SLICE = 64

const {
  positionals: [directory], values
} = parseArgs({
  allowPositionals: true,
  options: {
    foreign: { type: 'string' },
    others: { type: 'string', default: '50' },
    mib: { type: 'string', default: '30' },
    only: { type: 'string', default: PARTS.join(',') }
  }
})
const wanted = (part: string) => values.only.split(',').includes(part)
if (directory === undefined || values.only.split(',').some((part) => !PARTS.includes(part))) {
  console.log(USAGE)
} else {
  const scratch = mkdtempSync(join(tmpdir(), 'agenthall-bench-'))
  try {
    const collection = readCollection(directory)
    effectiveness(
      collection,
      values.foreign === undefined ? undefined : readCollection(values.foreign),
      join(scratch, 'quality.db')
    )
    if (values.others !== '0') {
      flatness(collection, join(scratch, 'others.db'), Number(values.others), Number(values.mib))
    }
    console.log(`\n${published()}`)
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

function open (file: string) {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('secure_delete = ON')
  for (const { sql } of knownMigrations()) runMigration(db, sql)
  const tables = statementsOn(db)
  const secrets = secretsIn(tables)
  const words = sqliteSearch(tables, secrets)
  return { db, index: answering(sqlitePassages(tables, secrets), ['upkeep']), words, search: searchAtOnce(words) }
}

/** Trains one source in slices, as the server does. */
function train (
  { db, index }: ReturnType<typeof open>, agent: number, source: number, title: string, text: string
): void {
  const language = languageOf(`${title}\n${text}`)
  const passages = passagesOf({ title, text })
  const id = db.transaction(() => index.begin({ agent, source, language }, passages.length)).immediate()
  for (let at = 0; at < passages.length; at += SLICE) {
    const ready = entries(passages.slice(at, at + SLICE), title, language)
    db.transaction(() => index.add(id, ready, at)).immediate()
  }
  db.transaction(() => index.publish(id)).immediate()
}

/** How good the ranking is, and how fast. */
function effectiveness (
  { documents, queries, grades }: Collection, foreign: Collection | undefined, file: string
): void {
  const hall = open(file)
  const started = performance.now()
  // One transaction for all: a collection has many tiny documents, and their commits are not what is measured.
  const languages: (Language | null)[] = []
  hall.db
    .transaction(() => {
      for (const [source, { title = '', text }] of documents.entries()) {
        const language = languageOf(`${title}\n${text}`, hall.index.spoken(1))
        languages.push(language)
        hall.index.replace({ agent: 1, source, language }, title, passagesOf({ title, text }))
      }
    })
    .immediate()
  report(
    'trained', documents.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0), started, hall.db, file
  )
  const judged = queries.filter(({ _id }) => grades.has(_id))
  say('collection', `${judged.length} queries, ${documents.length} documents`)
  const exact = exactBm25(
    documents.map((document, at) => ({
      title: document.title ?? '', language: languages[at]!, passages: passagesOf(document)
    }))
  )
  const ours = (text: string) => documentsOf(hall.search(1, text, 200))
  const rate = (what: string, rank: (text: string) => number[], change = (text: string) => text) => {
    const scores = judged.map(({ _id, text }) =>
      quality(
        rank(change(text)).map((source) => documents[source]!._id), grades.get(_id)!
      )
    )
    const mean = (of: (score: Quality) => number) =>
      (scores.reduce((sum, score) => sum + of(score), 0) / scores.length).toFixed(3)
    say(
      what,
      [
        `nDCG@10 ${mean(({ ndcg }) => ndcg)}`,
        `recall@10 ${mean(({ recall10 }) => recall10)}`,
        `@100 ${mean(({ recall100 }) => recall100)}`,
        `hit@1 ${mean(({ hit1 }) => hit1)}`,
        `@5 ${mean(({ hit5 }) => hit5)}`,
        `@10 ${mean(({ hit10 }) => hit10)}`
      ].join(' · ')
    )
  }
  if (wanted('asked')) rate('as asked', ours)
  if (wanted('exact')) rate('exact BM25', (text) => exact(text, 200))
  if (wanted('hybrid')) {
    rate('with letters', hybrid(hall, letters))
    rate('with noise', hybrid(hall, meaningless()))
  }
  if (wanted('politely')) rate('politely', ours, polite)
  if (wanted('typos')) {
    for (const typos of [1, 2, 3]) {
      const draw = random(typos)
      rate(`${typos} typos`, ours, (text) => mistyped(text, typos, draw))
    }
  }
  if (foreign && wanted('confidence')) {
    const sure = ({ text }: { text: string }) =>
      Math.max(0, ...hall.search(1, text, 10).map(({ confidence }) => confidence))
    say(
      'confidence',
      `AUC ${auroc(judged.map(sure), foreign.queries.slice(0, 2000).map(sure)).toFixed(3)} against the other's questions`
    )
  }
  if (wanted('times')) {
    latencies(
      'search, first 10', judged.map(({ text }) => text), (query) => hall.search(1, query, 10)
    )
  }
  hall.db.close()
}

/** Search by words and by vectors of a weak model: how much they hurt. */
function hybrid ({ db, words }: ReturnType<typeof open>, meaning: Meaning): (text: string) => number[] {
  const texts = new Map<number, string>()
  const sources = new Map<number, number>()
  const rows = db
    .prepare<[], { source: number, first: number, passages: number }>('SELECT source, first, passages FROM trainings')
    .all()
  for (const { source, first, passages } of rows) {
    for (let id = first; id < first + passages; id++) sources.set(id, source)
  }
  const asked = atOnce(words.ask(1, ''))
  const all = inTurn([...sources.keys()].map((id) => [id, 0]))
  for (const hit of finish(words.show(asked, all, Infinity))) texts.set(hit.id, hit.text)
  const near = nearestTo(texts, meaning, 100)
  return (text) => {
    const asked = atOnce(words.ask(1, text))
    return [...new Set(finish(rankBothWays(words, asked, near(text))).map(([id]) => sources.get(id)!))]
  }
}

/**
 * Whether one full agent is searched as fast beside many as alone. Its text is sentences of the collection, drawn at
 * random for each agent.
 */
function flatness ({ documents, queries }: Collection, file: string, others: number, mib: number): void {
  const sentences = documents
    .flatMap(({ text }) => text.split(/(?<=[.!?])\s+/))
    .filter((sentence) => sentence.length > 20)
  const hall = open(file)
  const asked = Array.from({ length: 500 }, (_, at) => queries[at % queries.length]!.text)
  for (let agent = 1; agent <= others + 1; agent++) {
    const draw = random(agent)
    const started = performance.now()
    for (let part = 0; part < mib; part++) {
      train(hall, agent, agent * 1000 + part, `Part ${part}`, textOf(sentences, draw, 2 ** 20))
    }
    if (agent === 1) report(`an agent of ${mib} MiB`, mib * 2 ** 20, started, hall.db, file)
    if (agent === 1 || agent === others + 1) {
      latencies(`beside ${agent - 1} others`, asked, (query) => hall.search(1, query, 10))
    }
  }
  const started = performance.now()
  hall.db.transaction(() => hall.index.remove(1000)).immediate()
  const hidden = performance.now() - started
  const slices = [performance.now()]
  const steps = hall.index.upkeep()
  for (let isDone = false; !isDone;) {
    const until = performance.now() + 3
    hall.db.transaction(() => { while (!isDone && performance.now() < until) isDone = steps.next().done! }).immediate()
    slices.push(performance.now())
  }
  say(
    '1 MiB removed',
    `hidden in ${hidden.toFixed(1)} ms, wiped in ${(slices.at(-1)! - slices[0]!).toFixed(0)} ms of slices`
  )
  say('  a slice', percentiles(slices.slice(1).map((at, before) => at - slices[before]!)))
  hall.db.close()
}

function textOf (sentences: string[], draw: () => number, size: number): string {
  const parts: string[] = []
  for (let length = 0; length < size;) {
    const paragraph = Array.from({ length: 6 }, () => sentences[Math.floor(draw() * sentences.length)]!).join(' ')
    parts.push(paragraph)
    length += paragraph.length + 2
  }
  return parts.join('\n\n')
}

function report (what: string, bytes: number, started: number, db: Database.Database, file: string): void {
  const seconds = (performance.now() - started) / 1000
  db.pragma('wal_checkpoint(TRUNCATE)')
  const mib = bytes / 2 ** 20
  say(
    what,
    `${mib.toFixed(1)} MiB at ${(mib / seconds).toFixed(1)} MiB/s; the file is ${(statSync(file).size / bytes).toFixed(1)} times as large`
  )
}

function latencies (what: string, queries: string[], search: (query: string) => unknown): void {
  for (const query of queries.slice(0, 50)) search(query)
  say(what, percentiles(queries.map((query) => {
    const started = performance.now()
    search(query)
    return performance.now() - started
  })))
}

function percentiles (times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => sorted[Math.floor((sorted.length - 1) * share)]!.toFixed(2))
  return `p50 ${p50} ms · p95 ${p95} ms · p99 ${p99} ms`
}

/** One figure per line, aligned. */
function say (what: string, figures: string): void {
  console.log(`${what.padEnd(24)}${figures}`)
}
