import { isCommon, type Language } from './languages.ts'
import { sentencesByWeight } from './question.ts'
import { words } from './words.ts'

/**
 * The words to look for, each with how much it was asked for: how often, less where it only stands beside a question.
 * Stemmed for each language of what is searched, since that of a query cannot be told. Function words are left out
 * unless there is nothing else.
 */
export function queryWords (query: string, languages: (Language | null)[]): Map<string, number> {
  const sentences = sentencesByWeight(query).map(({ text, weight }) => ({ weight, plain: words(text, null), stemmed: languages.map((language) => words(text, language)) }))
  const isTelling = (word: string) => !languages.some((language) => language !== null && isCommon(word, language))
  const all = !sentences.some(({ plain }) => plain.some(isTelling))
  const asked = new Map<string, number>()
  for (const { weight, plain, stemmed } of sentences) {
    for (const [at, word] of plain.entries()) {
      if (!all && !isTelling(word)) continue
      for (const form of new Set(stemmed.map((forms) => forms[at]!))) asked.set(form, (asked.get(form) ?? 0) + weight)
    }
  }
  return asked
}
