import snowball from 'snowball-stemmers'
import { lazily } from '../../platform/lazily.ts'
import { guessLanguage, isCommon, stemmerOf } from './languages.ts'
import type { Language } from './languages.ts'

/** A word where it stands in a text, in UTF-16 units. */
export interface Span { word: string, start: number, end: number }

/** Letters, digits and their marks in a row: a word, or in scripts without spaces a whole clause. Made when first needed, as all that Unicode's tables go into: 10 ms. */
const RUN = lazily(() => /[\p{L}\p{N}\p{M}]+/gu)
const WITHOUT_SPACES = lazily(() => /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u)
const HANGUL = lazily(() => /^\p{sc=Hangul}+$/u)
/** Marks that people leave out when they type. Elsewhere they are vowels (Thai, Hindi) or letters (й, が) and stay. */
const DIACRITICS = lazily(() => /([\p{sc=Latin}\p{sc=Greek}\p{sc=Arabic}\p{sc=Hebrew}])\p{M}+/gu)
const LETTERS: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ı: 'i', ё: 'е', ς: 'σ' }
/** A word longer than this is cut: nobody asks for more of it, and a stemmer takes its time over it. */
const LONGEST = 40
/** Words remembered per language with what became of them; about 5 MB at most. */
const REMEMBERED = 60_000

const segmenter = lazily(() => new Intl.Segmenter('und', { granularity: 'word' }))
const cutters = new Map<Language | null, Cutter>()
const tallies = new Map<Language | null, Tally>()

/** Folds compatibility forms, case and the diacritics people leave out: `Ｃafé` → `cafe`, `Straße` → `strasse`. */
export function fold (text: string): string {
  const lower = text.normalize('NFKC').toLowerCase()
  // eslint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(lower)) return lower
  return lower.normalize('NFD').replace(DIACRITICS(), '$1').normalize('NFC').replace(/[ßæœøđðþłıёς]/g, (letter) => LETTERS[letter]!)
}

/**
 * The words of a text as they are indexed and asked for, in order, repeated ones too: folded, stemmed for the language when it is known,
 * Chinese, Japanese and Thai cut by dictionary, Korean into pairs of syllables, since its particles stick to the word.
 */
export function words (text: string, language: Language | null): string[] {
  const found: string[] = []
  const cut = cutterOf(language)
  const spaced = !WITHOUT_SPACES().test(text)
  for (const run of text.match(RUN()) ?? []) {
    if (spaced) found.push(...cut(run))
    else for (const { segment } of segmentsOf(run)) found.push(...cut(segment))
  }
  return found
}

/** A word and how often it stands in a text. */
export interface Count { word: string, times: number }

/** The different words of a text, in the order in which they first stand there: what `words` gives, counted, in a third of its time. */
export function counted (text: string, language: Language | null): Count[] {
  const tally = tallies.get(language) ?? tallyOf(language)
  tallies.set(language, tally)
  const spaced = !WITHOUT_SPACES().test(text)
  const met: Count[] = []
  const count = (one: Count) => { if (one.times++ === 0) met.push(one) }
  for (const run of text.match(RUN()) ?? []) {
    if (spaced) tally(run).forEach(count)
    else for (const { segment } of segmentsOf(run)) tally(segment).forEach(count)
  }
  return met.map((one) => {
    const { word, times } = one
    one.times = 0
    return { word, times }
  })
}

/** The same words with their places in the text, for highlights. Every word that `words` gives is here, once for each place. */
export function spans (text: string, language: Language | null): Span[] {
  const cut = cutterOf(language)
  const found: Span[] = []
  for (const run of text.matchAll(RUN())) {
    for (const { segment, index } of segmentsOf(run[0])) {
      const start = run.index + index
      for (const word of cut(segment)) found.push({ word, start, end: start + segment.length })
    }
  }
  return found
}

/** The language of a text, by its first words; null when it is none whose words can be stemmed. */
export function languageOf (text: string): Language | null {
  return guessLanguage(words(text.slice(0, 20_000), null))
}

/**
 * The words to look for, each with how often it was asked: stemmed for each language of what is searched, since that of a query
 * cannot be told. Function words are left out unless there is nothing else.
 */
export function queryWords (query: string, languages: (Language | null)[]): Map<string, number> {
  const plain = words(query, null)
  const stemmed = languages.map((language) => words(query, language))
  const telling = plain.map((word) => !languages.some((language) => language !== null && isCommon(word, language)))
  const all = !telling.includes(true)
  const asked = new Map<string, number>()
  for (const at of plain.keys()) {
    if (!all && !telling[at]) continue
    for (const form of new Set(stemmed.map((forms) => forms[at]!))) asked.set(form, (asked.get(form) ?? 0) + 1)
  }
  return asked
}

/** Cuts a segment into words, mostly one. Gives as many in every language. */
type Cutter = (segment: string) => string[]

function cutterOf (language: Language | null): Cutter {
  const known = cutters.get(language) ?? remembering(cutter(language))
  cutters.set(language, known)
  return known
}

function cutter (language: Language | null): Cutter {
  const stemmer = language === null ? null : snowball.newStemmer(stemmerOf(language))
  const stem = (word: string) => stemmer === null || /\p{N}/u.test(word) ? word : stemmer.stem(word) || word
  return (segment) => pieces(segment).map(stem)
}

/** The folded words of a segment: usually one. Folding may yield more (`½`), Korean is taken in pairs. */
function pieces (segment: string): string[] {
  return (fold(segment.slice(0, LONGEST * 4)).match(RUN()) ?? []).flatMap((word) => HANGUL().test(word) ? pairs(word) : [shorten(word)])
}

function pairs (word: string): string[] {
  const syllables = [...word]
  return syllables.length < 3 ? [word] : syllables.slice(1).map((syllable, at) => syllables[at]! + syllable)
}

function shorten (word: string): string {
  return word.length <= LONGEST ? word : word.slice(0, LONGEST).toWellFormed().replace(/\ufffd$/, '')
}

function segmentsOf (run: string): { segment: string, index: number }[] {
  if (!WITHOUT_SPACES().test(run)) return [{ segment: run, index: 0 }]
  return [...segmenter().segment(run)].filter((part) => part.isWordLike)
}

/** Gives the words of a segment as counters, one for each word whatever it is written like; all are at 0 between texts. */
type Tally = (segment: string) => Count[]

function tallyOf (language: Language | null): Tally {
  const cut = cutter(language)
  const counters = new Map<string, Count>()
  const ofSegments = new Map<string, Count[]>()

  function counter (word: string): Count {
    const one = counters.get(word) ?? { word, times: 0 }
    counters.set(word, one)
    return one
  }

  return (segment) => {
    const known = ofSegments.get(segment)
    if (known !== undefined) return known
    // A counter forgotten in the middle of a text would be there twice; so it is the next text that begins anew.
    if (counters.size + ofSegments.size >= REMEMBERED) tallies.delete(language)
    const found = cut(segment).map(counter)
    if (segment.length <= LONGEST) ofSegments.set(segment, found)
    return found
  }
}

/** Stemming takes some 10 µs a word, and a text repeats its words: what was cut is kept, and all forgotten when it grows too much. */
function remembering (cut: Cutter): Cutter {
  const known = new Map<string, string[]>()
  return (segment) => {
    const before = known.get(segment)
    if (before !== undefined) return before
    const found = cut(segment)
    if (known.size >= REMEMBERED) known.clear()
    if (segment.length <= LONGEST) known.set(segment, found)
    return found
  }
}
