import type { Language } from './words/languages.ts'
import { queryWords, words } from './words/words.ts'

/** The words of a question as one language has them, and what each is worth. */
export interface Asked { language: Language | null, weights: Map<string, number>, total: number }

/** A question's words in this language, weighed. `weigh` gives each word's idf. */
export function asked (question: string, language: Language | null, weigh: (words: Iterable<string>) => Map<string, number>): Asked {
  const weights = weigh(queryWords(question, [language]).keys())
  return { language, weights, total: [...weights.values()].reduce((sum, weight) => sum + weight, 0) }
}

/** The idf share of the question's words that stand in a text, from 0 to 1. It finds topics, not truths. */
export function coverage ({ language, weights, total }: Asked, text: string): number {
  if (total === 0) return 0
  const there = new Set(words(text, language))
  let found = 0
  for (const [word, weight] of weights) if (there.has(word)) found += weight
  return found / total
}
