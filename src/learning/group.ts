import type { Id } from '../../schema/common.ts'
import { OVERLAP, overlap, tellingWords } from '../search/sense/alike.ts'
import { isKnown } from '../search/words/languages.ts'
import { languageOfMessage } from '../search/words/of-message.ts'
import { beginning } from './mask.ts'

/*
 * Grouping of questions that mean the same, as pure functions.
 */

/** What is stored of a candidate, masked; `words`: the words that distinguish its question from others. */
export interface Noted { language: string | null, question: string, answer: string | null, words: string[] }

/** Maximum characters stored of a question and of an answer. */
const LONGEST_STORED = { question: 500, answer: 4000 }

/** The most similar question, if it is the same; one in another language never is. */
export function sameAs<T extends Pick<Noted, 'language' | 'words'>> (
  { language, words }: Pick<Noted, 'language' | 'words'>, known: readonly T[]
): T | undefined {
  const asked = new Set(words)
  const shares = known.map((one) => one.language === language ? overlap(asked, one.words) : 0)
  const best = Math.max(...shares)
  return best >= OVERLAP ? known[shares.indexOf(best)] : undefined
}

/** A question and its answer as stored, without the visitor's name. */
export function noted (question: string, answer: string | null, name: string | null): Noted {
  const shown = beginning(question, name, LONGEST_STORED.question)
  const language = languageOfMessage(shown)
  const known = isKnown(language) ? language : null
  return {
    language,
    question: shown,
    answer: answer && beginning(answer, name, LONGEST_STORED.answer),
    words: tellingWords(shown, known)
  }
}

/** A question, and how often it was asked. */
export interface Times extends Noted { id: Id, times: number }

/** The same questions of several agents are merged; most often asked first. */
export function together (questions: readonly Times[]): Times[] {
  const all: Times[] = []
  for (const one of questions) {
    const same = sameAs(one, all)
    if (same) same.times += one.times
    else all.push({ ...one })
  }
  return all.sort((a, b) => b.times - a.times)
}
