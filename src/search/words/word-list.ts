import { asset } from '../../platform/process/assets.ts'

/**
 * Lists of the package `@zxcvbn-ts/language-de`, made to judge passwords by. Read as files: a bundle would carry them
 * uncompressed. Its lists of names of people are not needed, so they are not carried either.
 */
export const GERMAN_LISTS = ['wikipedia', 'commonWords'].map(
  (name) => `node_modules/@zxcvbn-ts/language-de/dist/${name}.json.js`
)

/**
 * The most frequent words of German texts, and of films: as spelt, but in lower case, the most frequent first. They are
 * read when the first German word is taken apart: 5 MB of memory that a server without German texts does without.
 */
export function * germanWords (): Generator<string[]> {
  for (const file of GERMAN_LISTS) yield between(asset(file).toString(), '"', '".split(').split(',')
}

function between (text: string, before: string, after: string): string {
  const from = text.indexOf(before)
  const to = text.indexOf(after)
  if (from === -1 || to === -1) throw new Error('a list of German words has another form than its package had')
  return text.slice(from + before.length, to)
}
