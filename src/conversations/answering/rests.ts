import { coverage, saidIn } from '../../search/confidence.ts'
import { concepts, conceptsIn, tokensOf, tonguesOf } from '../../search/sense/lexicon.ts'
import { sentences } from '../../search/sense/sentences.ts'
import { guessLanguage } from '../../search/words/guess.ts'
import { words } from '../../search/words/words.ts'
import type { Candidate } from './quoting/extract.ts'

/** A sentence with fewer words of its own says too little to be judged. */
const TELLING = 3

/** What a number refers to: the last sentence before it on its line. */
export function sentenceBefore (line: string): string {
  return sentences(line.replaceAll(/\[\d{1,4}\]/g, (mark) => ' '.repeat(mark.length)), null).at(-1)?.text ?? ''
}

/**
 * Whether a sentence may rest on a passage: they share a significant word, a number, or a concept (send back, return).
 * If they are in different languages, or the sentence hardly says anything, sharing nothing proves nothing, so the
 * citation stays.
 */
export function mayRestOn (said: string, { title, heading, text }: Pick<Candidate, 'title' | 'heading' | 'text'>): boolean {
  const all = [title, heading, text].filter(Boolean).join('\n')
  const numbers = new Set(all.match(/\d+/g))
  if (said.match(/\d+/g)?.some((number) => numbers.has(number))) return true
  const language = guessLanguage(words(all, null))
  if (language !== guessLanguage(words(said, null))) return true
  const meant = saidIn(said, language)
  if (meant.weights.size < TELLING || coverage(meant, all) > 0) return true
  const means = meanings(all, language)
  return [...meanings(said, language)].some((concept) => means.has(concept))
}

/** The concepts in a text, whatever its words. */
function meanings (text: string, language: string | null): Set<string> {
  const found = conceptsIn(text, tokensOf(text), tonguesOf(language)).map(({ concept }) => concept)
  return new Set(found.filter((concept) => concepts().get(concept)?.is !== 'light'))
}

/** From which share of its words on an answer rests on what it says again. */
const SAID_AGAIN = 0.5

/** Whether an answer says again what was told: what the business has written of itself needs no source. */
export function repeats (answer: string, told: string): boolean {
  return coverage(saidIn(answer, guessLanguage(words(answer, null))), told) >= SAID_AGAIN
}
