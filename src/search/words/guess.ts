import { lazily } from '../../platform/lazily.ts'
import { isCommon, type Language, LANGUAGES } from './languages.ts'
import { fold } from './fold.ts'
import table from './tells.json' with { type: 'json' }

/** How many passages of an agent are in each language that its sources were found to be in. */
export type Prior = readonly (readonly [language: Language | null, passages: number])[]

/** Words looked at to guess; enough for any text, cheap for a long one. */
const SAMPLE = 2000
/**
 * A text at least this long whose best language shows less than this share of function words is in none that we know.
 */
const SURE = { words: 60, share: 0.08 }
/** Function words alone tell too little of a text this long or shorter. */
const SHORT = 80
/** The minimum evidence, in total and per word. */
const [TELLING, A_WORD] = [3, 0.2]
/**
 * How much one function word speaks for its language, as a logarithm of odds: it occurs some ten times as often in a
 * text of that language as in another.
 */
const PER_WORD = Math.log(10)
/** How many passages a language that an agent does not have counts as, and what no prior outweighs. */
const UNSEEN = 0.2
const MOST_ODDS = 5

/** Scripts by where their letters begin and end, and the languages written in them that we know; the rest is Latin. */
const SCRIPTS: { from: number, to: number, languages: Language[] }[] = [
  { from: 0x370, to: 0x3ff, languages: ['el'] },
  { from: 0x400, to: 0x52f, languages: ['ru', 'uk', 'bg'] },
  { from: 0x530, to: 0x58f, languages: ['hy'] },
  { from: 0x590, to: 0x5ff, languages: ['he'] },
  { from: 0x600, to: 0x77f, languages: ['ar', 'fa'] },
  { from: 0x900, to: 0x97f, languages: ['hi'] },
  { from: 0xb80, to: 0xbff, languages: ['ta'] }
]
/** The last Latin letter that an ordinary text has, once folded. */
const LAST_LATIN = 0x24f
const LATIN = lazily(() =>
  LANGUAGES.filter((language) => !SCRIPTS.some(({ languages }) => languages.includes(language)))
)

/**
 * Guesses the language of a text from its folded words: its script tells some; the function words among its words, and
 * what else the agent was taught (`prior`), the others. Texts too short to tell (`Refunds`) count as what the agent
 * speaks, or as English. Null: no language that we know.
 */
export function guessLanguage (words: readonly string[], prior: Prior = []): Language | null {
  const { candidates, sample } = inOneScript(words.slice(0, SAMPLE))
  const [best, hits] = likeliest(candidates, sample, prior)
  return sample.length >= SURE.words && hits < sample.length * SURE.share ? null : best
}

/**
 * The language by which a text's words are taken apart: the guessed one. Short texts, and those without function words,
 * such as price lists, are recognised by other signs. A text in Latin letters of which nothing can be guessed,
 * as a catalogue is, counts as what the agent mostly speaks, or as English: so `headphone` finds `headphones`, and
 * where it was wrong, words are still cut in the same way on both sides. `words`: those of the text, folded.
 */
export function trainingLanguage (text: string, words: readonly string[], prior: Prior = []): Language | null {
  const { candidates, sample } = inOneScript(words.slice(0, SAMPLE))
  const guessed = guessLanguage(words, prior)
  if (guessed !== null && (sample.length > SHORT || candidates.length < 2)) return guessed
  return told(text, sample, candidates, prior) ?? guessed ?? likeliest(candidates, [], prior)[0]
}

/** The language shown by everyday words, endings and letters, given what the agent speaks; null if unclear. */
function told (
  text: string, sample: readonly string[], candidates: readonly Language[], prior: Prior
): Language | null {
  const oddsOf = odds(candidates, prior)
  const distinct = [...new Set(sample)]
  const [best, evidence] = [...evidenceIn(text, distinct, candidates)]
    .map(([language, evidence]) => [language, evidence, evidence + oddsOf(language)] as const)
    .reduce<readonly [Language | null, number, number]>((a, b) => b[2] > a[2] ? b : a, [null, 0, -Infinity])
  return evidence >= Math.max(TELLING, distinct.length * A_WORD) ? best : null
}

/** The words of the script that most of them are in, and the languages written in it. */
function inOneScript (words: readonly string[]): { candidates: readonly Language[], sample: string[] } {
  const perScript = new Map<readonly Language[], string[]>()
  for (const word of words) {
    const languages = languagesIn(word)
    const known = perScript.get(languages)
    if (known) known.push(word)
    else perScript.set(languages, [word])
  }
  perScript.delete(NUMBERS)
  const [candidates, sample] = [...perScript].sort(([, a], [, b]) => b.length - a.length)[0] ?? [NONE, []]
  return { candidates, sample }
}

const NONE: readonly Language[] = []
const NUMBERS: readonly Language[] = []

/** The languages that a word's first letter is written in. */
export function languagesIn (word: string): readonly Language[] {
  const unit = word.charCodeAt(0)
  if (unit >= 48 && unit <= 57) return NUMBERS
  if (unit <= LAST_LATIN) return LATIN()
  return SCRIPTS.find(({ from, to }) => unit >= from && unit <= to)?.languages ?? NONE
}

/** How likely what the agent was taught makes each language, as a logarithm of odds; the likeliest has 0. */
function odds (candidates: readonly Language[], prior: Prior): (language: Language) => number {
  const passages = new Map(prior)
  const most = Math.max(UNSEEN, ...candidates.map((language) => passages.get(language) ?? 0))
  return (language) => Math.max(-MOST_ODDS, Math.log(((passages.get(language) ?? 0) + UNSEEN) / (most + UNSEEN)))
}

function likeliest (candidates: readonly Language[], sample: string[], prior: Prior): [Language | null, hits: number] {
  const oddsOf = odds(candidates, prior)
  let best: [Language | null, hits: number] = [null, 0]
  let highest = -Infinity
  for (const language of candidates) {
    const hits = sample.reduce((sum, word) => sum + (isCommon(word, language) ? 1 : 0), 0)
    const score = hits * PER_WORD + oddsOf(language)
    if (score > highest) [best, highest] = [[language, hits], score]
  }
  return best
}

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
