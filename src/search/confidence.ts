import { factorAt } from './scores.ts'
import type { Language } from './words/languages.ts'
import { formsIn, isPart, isThere, type QueryWord, queryWords } from './words/query.ts'
import { type Spans, words, wordsIn } from './words/words.ts'
import { PART } from './words/compounds.ts'

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
const LIGHTNESS = 0.2
const light = new Map<Language, Set<string>>()

/** Whether a word, as a language has it, says little about the subject of a question. */
function isLight (word: string, language: Language | null): boolean {
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
