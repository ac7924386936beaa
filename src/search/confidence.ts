import { isLight, LIGHTNESS } from './coverage.ts'
import { factorAt } from './impact.ts'
import type { Language } from './words/languages.ts'
import type { QueryWord } from './words/query.ts'
import type { Spans } from './words/words.ts'

/**
 * What a logistic regression found on collections that are not those we are measured by: how much speaks for a passage
 * that it has many of the words that were asked for, and that these are the telling ones and stand there often. Where
 * it begins is set by the shop's texts in the tests, whose questions off topic are about other things of the same shop.
 */
const NOTHING = -9
const PER_FOUND = 2.11
const PER_SHARE = 8.85

/**
 * How sure it is that a passage is about what was asked, from 0 to 1, with the same meaning in every agent: by the
 * share of the query's words that stand there, and by the share of the score that a passage with all of them again and
 * again would have. It finds topics, not truths. `telling`: what each word says, by its idf; `known`: that share by the
 * index, which also knows the title.
 */
export function confidenceOf (
  asked: QueryWord[],
  telling: Map<QueryWord, number>,
  { spans, words, language, known }: Spans & { language: Language | null, known: number }
): number {
  const times = new Map<string, number>()
  for (const { word } of spans) times.set(word, (times.get(word) ?? 0) + 1)
  let [all, gained, count, found] = [0, 0, 0, 0]
  for (const word of asked) {
    const forms = word.forms.get(language) ?? []
    const lightness = forms.some((form) => isLight(form, language)) ? LIGHTNESS : 1
    const worth = (telling.get(word) ?? 0) * lightness
    const here = forms.reduce((sum, form) => sum + (times.get(form) ?? 0), 0)
    all += worth
    gained += worth * factorAt(here, words)
    count += word.weight * lightness
    if (here > 0) found += word.weight * lightness
  }
  if (all === 0) return 0
  const share = Math.max(gained / all, known)
  return share === 0 ? 0 : 1 / (1 + Math.exp(-(NOTHING + (PER_FOUND * found) / count + PER_SHARE * Math.sqrt(share))))
}
