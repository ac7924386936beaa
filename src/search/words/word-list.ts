import { asset } from '../../platform/process/assets.ts'

/** Languages whose words are listed. */
export type Listed = 'de' | 'nl'

/** The packages of lists, made to judge passwords by. */
const PACKAGES: Record<Listed, string> = { de: 'language-de', nl: 'language-nl-be' }

/**
 * Their lists. Read as files: a bundle would carry them uncompressed. Lists of names of people are not needed, so they
 * are not carried either.
 */
const listsOf = (language: Listed) => ['wikipedia', 'commonWords'].map(
  (name) => `node_modules/@zxcvbn-ts/${PACKAGES[language]}/dist/${name}.json.js`
)

/** The files of all lists. */
export const WORD_LISTS = (['de', 'nl'] as const).flatMap(listsOf)

/**
 * The most frequent words of texts in a language, and of films: as spelt, but in lower case, the most frequent first.
 * They are read when the first word of that language is taken apart: 3 to 5 MB of memory that a server without such
 * texts does without.
 */
export function * wordsOf (language: Listed): Generator<string[]> {
  for (const file of listsOf(language)) yield between(asset(file).toString(), '"', '".split(').split(',')
}

function between (text: string, before: string, after: string): string {
  const from = text.indexOf(before)
  const to = text.indexOf(after)
  if (from === -1 || to === -1) throw new Error('a list of words has another form than its package had')
  return text.slice(from + before.length, to)
}
