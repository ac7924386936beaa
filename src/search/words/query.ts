import { guessLanguage, type Prior } from './guess.ts'
import { isCommon, type Language } from './languages.ts'
import { sentencesByWeight } from './question.ts'
import { words } from './words.ts'

/** One word that was asked for. */
export interface QueryWord {
  /** As it was typed, folded. */
  plain: string
  /** As each language of what is searched has it. */
  forms: Map<Language | null, string>
  /** How much it was asked for: how often, less where it only stands beside a question. */
  weight: number
}

/**
 * A language that fewer of an agent's passages than this are in has no say in which words are too common to look for: a
 * Spanish text must not keep English questions from finding `sin` and `son`.
 */
const SPOKEN = 0.1

/**
 * The words to look for, stemmed for each language of what is searched, since that of a query cannot be told for sure.
 * Words that are common in a language that the agent or the query speaks are left out, unless there is nothing else.
 */
export function queryWords (query: string, spoken: Prior): QueryWord[] {
  const languages = [...new Set(spoken.map(([language]) => language))]
  const sentences = sentencesByWeight(query).map(({ text, weight }) => ({ weight, plain: words(text, null), stemmed: languages.map((language) => words(text, language)) }))
  const isTelling = telling(sentences.flatMap(({ plain }) => plain), spoken)
  const all = !sentences.some(({ plain }) => plain.some(isTelling))
  const asked = new Map<string, QueryWord>()
  for (const { weight, plain, stemmed } of sentences) {
    for (const [at, word] of plain.entries()) {
      if (!all && !isTelling(word)) continue
      const forms = stemmed.map((forms) => forms[at]!)
      const known = asked.get(forms.join())
      if (known) known.weight += weight
      else asked.set(forms.join(), { plain: word, forms: new Map(languages.map((language, i) => [language, forms[i]!])), weight })
    }
  }
  return [...asked.values()]
}

/** The same words as one language has them, each with how much it was asked for. */
export function formsIn (asked: QueryWord[], language: Language | null): Map<string, number> {
  const found = new Map<string, number>()
  for (const { forms, weight } of asked) {
    const form = forms.get(language)
    if (form !== undefined) found.set(form, (found.get(form) ?? 0) + weight)
  }
  return found
}

/** Whether a word says something about the subject. */
function telling (plain: string[], spoken: Prior): (word: string) => boolean {
  const all = spoken.reduce((sum, [, passages]) => sum + passages, 0)
  const common = new Set(spoken.flatMap(([language, passages]) => language !== null && passages >= all * SPOKEN ? [language] : []))
  const own = guessLanguage(plain, spoken)
  if (own !== null && spoken.some(([language]) => language === own)) common.add(own)
  return (word) => ![...common].some((language) => isCommon(word, language))
}
