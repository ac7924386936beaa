import { isLight, LIGHTNESS } from './coverage.ts'
import { factorAt } from './impact.ts'
import type { Language } from './words/languages.ts'
import { isThere, type QueryWord } from './words/query.ts'
import type { Spans } from './words/words.ts'

/**
 * The odds that a passage is about what was asked: ((share × (1 + much)) / EVEN) ^ STEEPNESS. That both have one power
 * was found by a logistic regression on collections that are not those we are measured by: 3.2 for either. It is less
 * steep here, as the shop's texts in the tests want it, whose questions off topic are about other things of that shop.
 */
const STEEPNESS = 2.5
const EVEN = 1.95
/** The minimum weight of a query, in words of the rarest kind: a short one of common words can be answered too. */
const SHORT = 1.5

/**
 * How sure it is that a passage is about what was asked, from 0 to 1, with the same meaning in every agent. Two things
 * count: the share of the query's weighted words that occur there, and how much they weigh together, in words of the
 * rarest kind. By the share alone nothing would answer a long query, as no passage has most of its words, and one word
 * of a short query would be enough. It finds topics, not truths.
 *
 * `telling`: what each word says, by its idf; `rarest`: the same of a word that no passage holds; `known`: the share by
 * the index, which also knows the title.
 */
export function confidenceOf (
  asked: QueryWord[],
  telling: Map<QueryWord, number>,
  { spans, words, language, known, rarest }: Spans & { language: Language | null, known: number, rarest: number }
): number {
  const times = new Map<string, number>()
  for (const { word } of spans) times.set(word, (times.get(word) ?? 0) + 1)
  let [all, gained] = [0, 0]
  for (const word of asked) {
    const forms = word.forms.get(language)
    // Parts of compounds are looked for in texts of their own language only; others lack nothing without them.
    if (forms === undefined) continue
    const lightness = forms.some((form) => isLight(form, language)) ? LIGHTNESS : 1
    const worth = (telling.get(word) ?? 0) * lightness
    const here = forms.reduce((sum, form) => sum + (times.get(form) ?? 0), 0) || alsoHere(word, language, times)
    all += worth
    gained += worth * factorAt(here, words)
  }
  if (all === 0) return 0
  const share = Math.max(gained / all, known)
  const much = share * Math.max(SHORT, all / rarest)
  const odds = (share * (1 + much) / EVEN) ** STEEPNESS
  return odds / (1 + odds)
}

/** How often another phrase of the agent's vocabulary occurs there; one that says less than the word counts half. */
function alsoHere ({ also = [] }: QueryWord, language: Language | null, times: Map<string, number>): number {
  return Math.max(0, ...also.map((one) =>
    isThere(one, language, (form) => times.has(form))
      ? Math.min(...one.forms.get(language)!.map((form) => times.get(form)!)) * (one.isLess ? 0.5 : 1)
      : 0))
}
