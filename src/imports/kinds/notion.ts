import { parse } from 'csv-parse/sync'
import { isOfPairs, textOfPairs } from '../../reading/pairs.ts'
import type { ImportFile, Kind, PlannedSource } from '../contract.ts'
import { fileSource, folderOf, stem } from '../documents.ts'
import { agentFrom } from '../fields.ts'
import type { Ledger } from '../ledger.ts'

/** The suffix that Notion adds to each name. */
const ID_ALONE = / ([0-9a-f]{32})\.[a-z]{2,4}$/i
const ID = / [0-9a-f]{32}(?=(?:_all)?(?:\.[a-z]{2,4})?(?:\/|$))/gi

/** Exports of a workspace or a page of Notion: pages as Markdown or HTML, tables as CSV. */
export const notion: Kind = {
  name: 'notion',
  title: 'Notion',
  detect: (files) => files.some(({ name }) => isPage(name) && plainName(name) !== name),
  read (files, ledger) {
    const root = rootOf(files)
    const agent = agentFrom({
      key: ID_ALONE.exec(root ?? '')?.[1] ?? 'notion',
      name: ledger.open('notion', { name: root && stem(plainName(root)) }).get('name')
    })
    const names = new Set(files.map(({ name }) => name))
    const sources = files.flatMap((file) => (isPage(file.name) ? sourcesOf(file, names, ledger) : []))
    ledger.note({ at: 'comments', outcome: 'not_carried', why: 'The export holds no comments. Write into the pages what matters.' })
    ledger.note({
      at: 'permissions',
      outcome: 'not_carried',
      why: 'The export does not say who may read a page. Remove the sources that customers may not see.'
    })
    return [{ ...agent, sources }]
  }
}

/** The file of the one root page; undefined if there are several. */
function rootOf (files: ImportFile[]): string | undefined {
  const pages = files.map(({ name }) => name).filter((name) => isPage(name) && !/\.csv$|index\.html$/i.test(name))
  const depth = (name: string) => name.split('/').length
  const top = pages.reduce((least, name) => Math.min(least, depth(name)), Infinity)
  const roots = pages.filter((name) => depth(name) === top)
  return roots.length === 1 ? roots[0] : undefined
}

const isPage = (name: string) => /\.(?:md|csv|html?)$/i.test(name)
const plainName = (name: string) => name.replace(ID, '')

function sourcesOf (file: ImportFile, names: Set<string>, ledger: Ledger): PlannedSource[] {
  const { name, bytes } = file
  const ending = /\.[a-z]{2,4}$/i.exec(name)![0].toLowerCase()
  const plain = plainName(name)
  if (names.has(name.replace(/\.csv$/i, '_all.csv')) && ending === '.csv') {
    ledger.note({ at: name, outcome: 'ignored', why: 'The whole table is in the file that ends with _all.csv.' })
    return []
  }
  if (/(?:^|\/)index\.html$/i.test(plain)) {
    ledger.note({ at: name, outcome: 'ignored', why: 'It lists only the pages of the export.' })
    return []
  }
  if (!bytes.toString().trim()) {
    ledger.note({ at: name, outcome: 'not_carried', why: 'The page is empty.' })
    return []
  }
  const title = ending === '.csv' ? stem(plain).replace(/_all$/, '') : stem(plain)
  const folder = plain.split('/').slice(0, -1)
  const pairs = ending === '.csv' ? pairsOf(bytes) : undefined
  if (pairs === undefined) {
    ledger.note({ at: name, outcome: 'carried', to: 'sources' })
    return [fileSource(keyOf(name), title, ending, bytes, folder)]
  }
  const value = bytes.toString()
  ledger.note({ at: name, outcome: 'changed', to: 'sources', why: 'The table became questions and answers.', value })
  const { text, asks } = pairs
  return [{ key: keyOf(name), type: 'faq', title: title.slice(0, 500) || 'Questions and answers', text, asks, ...folderOf(folder) }]
}

/** Notion's id of a page, whatever its title and place; otherwise its file. */
const keyOf = (name: string) => / ([0-9a-f]{32})(?:_all)?\.[a-z]{2,4}$/i.exec(name)?.[1] ?? name

/** A table of questions and answers as a text, and its questions; undefined for other tables. */
function pairsOf (bytes: Buffer): { text: string, asks: string[] } | undefined {
  try {
    const options = { bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true }
    const [head = [], ...rows] = parse(bytes, options) as string[][]
    // A table's first column is called Name by default.
    const isOfThem = isOfPairs(head) || (head.length === 2 && /^name$/i.test(head[0]!.trim()) && isOfPairs(['question', head[1]!]))
    const whole = rows.filter(([question, answer]) => question?.trim() && answer?.trim())
    if (!isOfThem || whole.length === 0) return undefined
    const pairs = whole.map(([question, answer]) => ({ question: question!, answer: answer! }))
    return { text: textOfPairs(pairs), asks: pairs.map(({ question }) => question.trim()) }
  } catch {
    return undefined
  }
}
