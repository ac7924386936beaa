import { formsIn, queryWords } from '../words/query.ts'
import type { Language } from '../words/languages.ts'

/*
 * Whether two questions ask the same, by their words: as pure functions.
 */

/** From which share of their words on two questions are the same. */
export const OVERLAP = 0.6
/** Words that questions are compared by. */
const MOST_WORDS = 60

/** Share of the words of either that occur in both, from 0 to 1. */
export function overlap (a: ReadonlySet<string>, b: readonly string[]): number {
  const both = b.filter((word) => a.has(word)).length
  return both === 0 ? 0 : both / (a.size + b.length - both)
}

/** The words that distinguish a question from others, in a language. */
export function tellingWords (question: string, language: Language | null): string[] {
  return [...formsIn(queryWords(question, [[language, 1]]), language).keys()].slice(0, MOST_WORDS)
}
