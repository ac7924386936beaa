import type { Question } from '../sense/question.ts'
import { newUnit } from '../sense/question.ts'
import { tongues as told, tokensOf } from '../sense/lexicon.ts'
import type { Prior } from '../words/guess.ts'
import { LANGUAGES, type Language } from '../words/languages.ts'
import type { QueryWord } from '../words/query.ts'
import { isUnspaced, words as wordsOf } from '../words/words.ts'
import { isOrdinary, type OwnPhrases, type Phrase } from './phrases.ts'

/** Maximum terms that one question names, and other phrases searched for besides its words. */
const [TERMS, MOST_OTHER_PHRASES] = [20, 64]
/** The weight of a concept that a term names, relative to its own words. */
const NAMED = 0.95

/**
 * Lets a question mean also what the agent's vocabulary says: each of its words that names a term knows what else is
 * said for it. Takes steps where the vocabulary is not ready for a language yet.
 */
export function * explain (
  own: OwnPhrases, question: Question, words: QueryWord[], query: string, spoken: Prior
): Generator<undefined, void> {
  const taught = spoken.map(([language]) => language)
  const asked = LANGUAGES.find((language) => language === question.language)
  const languages = [...new Set([...taught, ...(asked ? [asked] : []), null])]
  const tongues = told().filter((tongue) => tongue === 'en' || (languages as (string | null)[]).includes(tongue))
  yield * own.prepare(languages, tongues)
  let left = MOST_OTHER_PHRASES
  const tell = (all: readonly QueryWord[], phrases: readonly Phrase[], isLess: boolean) => {
    for (const phrase of phrases) {
      // What is a common word too is in every text.
      if (isOrdinary(phrase, languages) || left-- <= 0) continue
      const forms = new Map(taught.map((language) => [language, wordsOf(phrase.text, language)]))
      for (const word of all) word.also = [...(word.also ?? []), { forms, isLess }]
    }
  }
  const byConcept = question.units.flatMap(({ primary, words }) =>
    primary === null ? [] : own.termsOf(primary, tongues).map((term) => ({ term, words })))
  const tokens = tokensOf(query)
  const known = new Set<number>()
  for (const { phrase, at } of own.in(query, tokens, languages).slice(0, TERMS)) {
    known.add(phrase.term)
    const named = at.map((one) => tokens[one]!.word)
      .flatMap((word) => wordsAt(word, words) ?? added(word, question, words, taught))
    const phrases = own.phrases(phrase.term)
    tell(named, phrases.filter((one) => one !== phrase), phrase === phrases[0])
    const concepts = own.conceptsOf(phrase.term, tongues)
    for (const unit of question.units) {
      if (concepts.length === 0 || !unit.words.some((word) => named.includes(word))) continue
      unit.primary ??= concepts[0]!
      for (const concept of concepts) unit.concepts.set(concept, Math.max(NAMED, unit.concepts.get(concept) ?? 0))
    }
    question.isOwn = true
  }
  for (const { term, words } of byConcept) {
    if (known.has(term)) continue
    tell(words, own.phrases(term), false)
    question.isOwn = true
  }
}

/** The words that are looked for by a token; undefined where it is too common for that. */
function wordsAt (word: string, words: readonly QueryWord[]): QueryWord[] | undefined {
  const found = words.filter(({ plain }) => plain === word || (plain !== '' && isUnspaced(word) && word.includes(plain)))
  return found.length > 0 ? found : undefined
}

/** A common word that denotes a term of the agent: it is searched for nevertheless. */
function added (
  plain: string, question: Question, words: QueryWord[], taught: readonly (Language | null)[]
): QueryWord[] {
  const word: QueryWord = {
    plain, forms: new Map(taught.map((language) => [language, wordsOf(plain, language)])), places: [], weight: 1
  }
  words.push(word)
  newUnit(question, null, [word])
  return [word]
}
