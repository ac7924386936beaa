import { lazily } from '../../platform/lazily.ts'
import { COMPOUNDING, PART } from './compounds.ts'
import { guessLanguage, type Prior } from './guess.ts'
import { FORM, type Dialect } from './key.ts'
import { isCommon, type Language } from './languages.ts'
import { nearSpellings, spellingOf, type Spellings } from './spelling.ts'
import { partsIn, wordBefore, words, wordsInEach } from './words.ts'

/** One word of a query. */
export interface QueryWord {
  /** As it was typed, folded; empty for the part of a compound, which nobody typed. */
  plain: string
  /** As each language of what is searched has it; several where it was mistyped and nobody can tell which was meant. */
  forms: Map<Language | null, string[]>
  /** Its positions in the query, in words, function words counted too. */
  places: number[]
  /** How much it was asked for: how often, and less if it is only next to a question. */
  weight: number
  /** Its synonyms in the agent's business. */
  also?: readonly Also[]
}

/**
 * A phrase that means the same in the agent's business: its words as each language of what is searched has them, all of
 * which are to be there. `isLess`: it says less, as `kettle` does for one of several.
 */
export interface Also { forms: Map<Language | null, string[]>, isLess: boolean }

/** Whether all words of another phrase are there, in a text of this language. */
export function isThere ({ forms }: Also, language: Language | null, has: (form: string) => boolean): boolean {
  const wanted = forms.get(language)
  return wanted !== undefined && wanted.length > 0 && wanted.every(has)
}

/**
 * A language that fewer of an agent's passages than this are in has no say in which words are too common to look for: a
 * Spanish text must not keep English questions from finding `sin` and `son`.
 */
const SPOKEN = 0.1

/** The weight of a guess at a mistyped word relative to a word. */
const GUESSED = 0.8
/** How far apart the words of two clauses are at least. */
const CLAUSE = 10
/** Where a clause ends: at its mark, unless it is a full stop behind a short word, as in `Dr.`. */
const CLAUSE_END = lazily(
  () => /(?<=[,;:!?)،؛؟]|\p{L}{3}\.)\s+|(?<!\s)\s+(?=\()|(?<=[、，。；：！？])/u
)

/**
 * The words to look for, stemmed for each language of what is searched, since that of a query cannot be told for sure.
 * Words that are common in a language that the agent or the query speaks are left out, unless there is nothing else.
 * Behind them come the parts of compounds.
 */
export function queryWords (query: string, spoken: Prior): QueryWord[] {
  const languages = [...new Set(spoken.map(([language]) => language))]
  const clauses = sentencesByWeight(query).flatMap(({ text, weight }) =>
    text.split(CLAUSE_END()).map((clause) => {
      const [plain, ...stemmed] = wordsInEach(clause, [null, ...languages])
      return { weight, plain: plain!, stemmed }
    })
  )
  const isTelling = telling(clauses.flatMap(({ plain }) => plain), spoken)
  const all = !clauses.some(({ plain }) => plain.some(isTelling))
  const asked = new Map<string, QueryWord>()
  let before = 0
  for (const { weight, plain, stemmed } of clauses) {
    for (const [at, word] of plain.entries()) {
      if (!all && !isTelling(word)) continue
      const forms = stemmed.map((forms) => forms[at]!)
      const known = asked.get(forms.join()) ?? {
        plain: word, forms: new Map(languages.map((language, i) => [language, [forms[i]!]])), places: [], weight: 0
      }
      known.weight += weight
      known.places.push(before + at)
      asked.set(forms.join(), known)
    }
    // Words of two clauses are no neighbours: what is listed need not be adjacent.
    before += plain.length + CLAUSE
  }
  const found = [...asked.values()]
  const question = clauses.filter(({ weight }) => weight === 1).flatMap(({ plain }) => plain)
  // Unless it shows more words of another language.
  const apart = COMPOUNDING.filter((one) => languages.includes(one) && guessLanguage(question, [[one, 1]]) === one)
  return [...found, ...apart.flatMap((language) => partsOf(found, language))]
}

/** Whether it is the part of a compound. */
export const isPart = ({ plain }: QueryWord): boolean => plain === ''

/** The parts of the compounds among words, as far as they were not asked for by themselves. */
function partsOf (asked: QueryWord[], language: Language): QueryWord[] {
  const known = new Set(asked.flatMap(({ forms }) => forms.get(language)!))
  return asked.flatMap(({ plain, weight }) =>
    partsIn(plain, language).flatMap((part) => {
      if (known.has(part)) return []
      known.add(part)
      return [{ plain: '', forms: new Map([[language, [part]]]), places: [], weight: weight * PART }]
    })
  )
}

/** A word as texts of a dialect have it in the index. */
export function formsFor ({ plain, forms }: Pick<QueryWord, 'plain' | 'forms'>, { language, form }: Dialect): string[] {
  const known = forms.get(language) ?? []
  const before = form < FORM && language !== null && plain !== '' && known.length > 0 && wordBefore(plain, language)
  return before ? [before] : known
}

/** The same words as one language has them, each with how much it was asked for. */
export function formsIn (asked: QueryWord[], language: Language | null): Map<string, number> {
  const found = new Map<string, number>()
  for (const { forms, weight, also = [] } of asked) {
    for (const one of [forms, ...also.map(({ forms }) => forms)]) {
      for (const form of one.get(language) ?? []) found.set(form, (found.get(form) ?? 0) + weight)
    }
  }
  return found
}

/**
 * What a word that no passage holds may mean, taken for mistyped: what is spelt nearly like it, else itself. What was
 * guessed counts less than what was typed.
 */
export function meantBy (word: QueryWord, spellings: Spellings): QueryWord {
  const meant = [...nearSpellings(word.plain)].filter((near) => spellings.has(spellingOf(near)))
  if (meant.length === 0) return word
  const forms = [...word.forms.keys()].map(
    (language) => [language, meant.flatMap((near) => words(near, language))] as const
  )
  return { ...word, forms: new Map(forms), weight: word.weight * GUESSED }
}

/** Whether a word says something about the subject. */
function telling (plain: string[], spoken: Prior): (word: string) => boolean {
  const all = spoken.reduce((sum, [, passages]) => sum + passages, 0)
  const common = new Set(
    spoken.flatMap(([language, passages]) => (language !== null && passages >= all * SPOKEN ? [language] : []))
  )
  const guessed = guessLanguage(plain, spoken)
  if (guessed !== null && spoken.some(([language]) => language === guessed)) common.add(guessed)
  return (word) => ![...common].some((language) => isCommon(word, language))
}

/** The weight of the sentences around a question relative to it. */
const AROUND = 0.3

/**
 * Marks that end a question, whatever closes behind them. The Greek one looks like a semicolon, and mostly is typed as
 * one.
 */
const ENDS_QUESTION = /(?:[?？؟\u037e⸮፧՞]|[\p{sc=Greek}];)["'”’»)\]\s]*$/u
/** Words that begin a question where nobody typed its mark. Those that begin as many other sentences are left out. */
const BEGINS_QUESTION = new RegExp(`^(?:${[
  'how|what|when|where|who|whom|whose|why|which',
  'wie|was|wann|wo|wohin|wer|wem|wen|warum|wieso|welche[rsmn]?|wieviele?',
  'comment|quand|où|pourquoi|combien|quels?|quelles?', 'cómo|cuándo|dónde|quién|quiénes|cuánt[oa]s?|cuál|cuáles',
  'quando|dove|chi|perché|quant[oiae]|quale|quali', 'onde|quem|quais|qual|hoe|wanneer|waar|waarom|welke'
].join('|')})(?![\\p{L}\\p{M}'’])`, 'iu')

/** As much of a message is looked for, in UTF-16 units. */
const LOOKED_FOR = 1000

const sentencesOf = new Intl.Segmenter('und', { granularity: 'sentence' })

/**
 * The sentences of what somebody asked, each with its weight, from 0 to 1: among questions and other sentences,
 * the others are mostly politeness, and must not outrank them.
 */
export function sentencesByWeight (query: string): { text: string, weight: number }[] {
  const sentences = [...sentencesOf.segment(query)]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence !== '')
  const isQuestion = sentences.map((sentence) => ENDS_QUESTION.test(sentence) || BEGINS_QUESTION.test(sentence))
  if (!isQuestion.includes(true) || !isQuestion.includes(false)) return [{ text: query, weight: 1 }]
  return sentences.map((text, at) => ({ text, weight: isQuestion[at] ? 1 : AROUND }))
}

/**
 * What of a message is looked for, 1,000 characters at most: of a longer one its questions, else what it begins with.
 * A message is long where somebody tells a story, and each of its words would take time from everybody.
 */
export function lookedForIn (message: string): string {
  if (message.length <= LOOKED_FOR) return message
  const questions = sentencesByWeight(message).filter(({ weight }) => weight === 1).map(({ text }) => text).join(' ')
  return questions.slice(0, LOOKED_FOR).toWellFormed()
}
