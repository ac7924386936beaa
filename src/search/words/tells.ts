import { lazily } from '../../platform/lazily.ts'
import { fold } from './fold.ts'
import { isCommon, LANGUAGES, type Language } from './languages.ts'
import table from './tells.json' with { type: 'json' }

/**
 * What tells the language of a short text: everyday words, endings of words, and letters, as they are written or typed
 * without their marks. A person maintains them in `tells.json`.
 */
interface Tells { words: string, ends: string, letters: string }

/** What a word, an ending and letters in the text are worth. */
const [WORD, END, LETTERS] = [1, 0.3, 0.35]
/** Letters that only one of the languages has. */
const OWN_LETTERS = 0.8
/** Words that are looked at, and letters: nobody needs more to tell. */
const [MOST_WORDS, MOST_LETTERS] = [40, 400]
/** Maximum letters of an ending. */
const LONGEST_END = 6

/** What may occur in a text, with the languages that it indicates. */
type Signs = Map<string, Language[]>

const signs = lazily(() => {
  const [words, ends, letters]: [Signs, Signs, Signs] = [new Map(), new Map(), new Map()]
  const put = (signs: Signs, list: string, language: Language) => {
    for (const sign of new Set(list.split(' ').filter(Boolean))) signs.set(sign, [...(signs.get(sign) ?? []), language])
  }
  for (const [language, tells] of Object.entries(table as Partial<Record<Language, Tells>>)) {
    put(words, fold(tells.words), language as Language)
    put(ends, fold(tells.ends), language as Language)
    put(letters, tells.letters.normalize('NFC'), language as Language)
  }
  return { words, ends, letters }
})

/**
 * How much a short text speaks for each of these languages, as a logarithm of odds, 0 where nothing does. `text`: as it
 * was written; `words`: the same, folded.
 */
export function evidenceIn (
  text: string, words: readonly string[], languages: readonly Language[]
): Map<Language, number> {
  const found = new Map<Language, number>(languages.map((language) => [language, 0]))
  /** What few of them have tells most. */
  const add = (those: readonly Language[], worth: number) => {
    const fitting = those.filter((language) => found.has(language))
    if (fitting.length === 0) return
    const weight = worth * Math.log(1 + languages.length / fitting.length)
    for (const language of fitting) found.set(language, found.get(language)! + weight)
  }
  for (const word of words.slice(0, MOST_WORDS)) {
    const known = languages.filter((language) => isCommon(word, language) || isTelling(word, language))
    if (known.length > 0) add(known, WORD)
    const ending = endingOf(word)
    if (ending) add(ending, END)
  }
  const lower = text.slice(0, MOST_LETTERS).toLowerCase().normalize('NFC')
  for (const [letters, those] of signs().letters) {
    const times = Math.min(3, lower.split(letters).length - 1)
    if (times > 0) {
      const isUnique = those.filter((language) => found.has(language)).length === 1
      add(those, (isUnique ? OWN_LETTERS : LETTERS) * Math.sqrt(times))
    }
  }
  return found
}

const isTelling = (word: string, language: Language) => signs().words.get(word)?.includes(language) ?? false

/** The languages of the longest ending that a word has, with a letter before it at least. */
function endingOf (word: string): readonly Language[] | undefined {
  for (let length = Math.min(LONGEST_END, word.length - 2); length >= 2; length--) {
    const known = signs().ends.get(word.slice(-length))
    if (known) return known
  }
  return undefined
}

/** The languages with known features by which to detect them. */
export const TOLD = lazily(() => LANGUAGES.filter((language) => language in table))
