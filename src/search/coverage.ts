import type { Language } from './words/languages.ts'
import { PART } from './words/compounds.ts'
import { formsIn, isPart, queryWords, type QueryWord } from './words/query.ts'
import { words, wordsIn } from './words/words.ts'

/** The words of a question as one language has them, and what each is worth. */
export interface Asked { language: Language | null, weights: Map<string, number>, total: number }

/**
 * Words of questions that say little about their subject, folded: how *long*, do you have *something*, I would *like*
 * to *know*. They are not so common that a search should leave them out, but where a text lacks them, it may answer all
 * the same; in a small collection their rarity tells nothing.
 */
const LIGHT: Partial<Record<Language, string>> = {
  en: 'long many much something anything someone anyone somebody anybody thing things want need get got give know tell say please help able possible let really actually exactly lot wonder wondering kindly often',
  de: 'lange viel viele etwas jemand will mochte brauche bekomme bekommen geben gibt wissen weiss sagen bitte helfen moglich eigentlich genau gerne oft',
  fr: 'longtemps combien temps quelque chose quelqu veux voudrais besoin donner savoir dire aider possible plait svp faut',
  es: 'cuanto cuanta cuantos cuantas tiempo algo alguien quiero quisiera necesito tener saber decir ayuda ayudar posible favor hay',
  it: 'quanto quanta quanti tempo qualcosa qualcuno voglio vorrei bisogno avere sapere dire aiuto possibile favore',
  pt: 'quanto quanta quantos tempo algo alguem quero queria preciso ter saber dizer ajuda ajudar possivel favor',
  nl: 'lang veel iets iemand wil graag nodig krijgen weten zeggen helpen mogelijk alstublieft'
}

/** The weight of such a word relative to any other. */
export const LIGHTNESS = 0.2
const light = new Map<Language, Set<string>>()

/** Whether a word, as a language has it, says little about the subject of a question. */
export function isLight (word: string, language: Language | null): boolean {
  const listed = language === null ? undefined : LIGHT[language]
  if (language === null || listed === undefined) return false
  const known = light.get(language) ?? new Set(words(listed, language))
  light.set(language, known)
  return known.has(word)
}

/**
 * A question's words in this language, weighed. `weigh` gives each word's idf; of a very long question it may leave out
 * the last ones, parts of compounds before all.
 */
export async function asked (
  question: string, language: Language | null, weigh: (words: Iterable<string>) => Promise<Map<string, number>>
): Promise<Asked> {
  const words = queryWords(question, [[language, 1]])
  return weighed(words, language, await weigh(formsIn(words, language).keys()))
}

/** The same if no word is more telling than another. */
export function saidIn (text: string, language: Language | null): Asked {
  const words = queryWords(text, [[language, 1]])
  return weighed(words, language, new Map([...formsIn(words, language).keys()].map((form) => [form, 1])))
}

function weighed (words: QueryWord[], language: Language | null, weights: Map<string, number>): Asked {
  for (const part of formsIn(words.filter(isPart), language).keys()) {
    const weight = weights.get(part)
    if (weight !== undefined) weights.set(part, PART * weight)
  }
  for (const [word, weight] of weights) if (isLight(word, language)) weights.set(word, weight * LIGHTNESS)
  return { language, weights, total: [...weights.values()].reduce((sum, weight) => sum + weight, 0) }
}

/** The idf share of the question's words that occur in a text, from 0 to 1. It finds topics, not truths. */
export function coverage (asked: Asked, text: string): number {
  return coverageBy(asked, wordsIn(text, asked.language))
}

/** The same of a text whose words, in the question's language, are known. */
export function coverageBy ({ weights, total }: Asked, there: ReadonlySet<string>): number {
  if (total === 0) return 0
  let found = 0
  for (const [word, weight] of weights) if (there.has(word)) found += weight
  return found / total
}
