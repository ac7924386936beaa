import { lazily, ofLatest } from '../../platform/lazily.ts'
import { PART, partsOf } from './compounds.ts'
import { fold } from './fold.ts'
import { FORM, wordKeyOf } from './key.ts'
import { trainingLanguage, type Prior } from './guess.ts'
import { rewritten } from './endings.ts'
import { stemmerBefore, stemmerOf, withAccent } from './languages.ts'
import type { Language } from './languages.ts'
import { Recognition } from './recognition.ts'
import { spellingOf } from './spelling.ts'
import { newStemmer } from './stemmers.cjs'

/** A word with its position in a text, in UTF-16 units; `place`: how many words precede it. */
export interface Span { word: string, start: number, end: number, place: number }

/** The positions of words in a text, and how many words it has in all. */
export interface Spans { spans: Span[], words: number }

/**
 * Letters, digits and their marks in a row: a word, or in scripts without spaces a whole clause. Made when first
 * needed, as all that Unicode's tables go into: 10 ms.
 */
const RUN = lazily(() => /[\p{L}\p{N}\p{M}]+/gu)
const WITHOUT_SPACES = lazily(
  () => /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
)
/**
 * What is not told by a single UTF-16 unit: words without spaces between them, and letters beyond the first 65,536
 * characters.
 */
const NOT_BY_UNIT = lazily(
  () => new RegExp(`${WITHOUT_SPACES().source}|(?=[\\u{10000}-\\u{10ffff}])${RUN().source}`, 'u')
)
/** For each UTF-16 unit whether it is part of a word. */
const IN_WORD = lazily(() => {
  const table = new Uint8Array(65_536)
  const all = String.fromCharCode(...table.keys())
  for (const { 0: run, index } of all.matchAll(RUN())) table.fill(1, index, index + run.length)
  return table
})
/** A run of these is one segment: asking the segmenter took more than half the time of all else done with Korean. */
const SYLLABLES = /^[가-힣]+$/
/** A letter alone is a word, without asking the dictionary. */
const LETTER = /^\p{L}$/u
const IN_PAIRS = lazily(() => /^(?:\p{sc=Hangul}+|\p{sc=Han}+)$/u)
/** A word longer than this is cut: nobody asks for more of it, and a stemmer takes its time over it. */
const WORD_CUT = 40
/** Words remembered per language with what became of them, twice that at most: then about 5 MB. */
const REMEMBERED = 10_000
/** Nearly all words have no parts. */
const WHOLE: string[] = []
/** Words that are counted before all are forgotten: as many as a text of 30 MiB may have, about 20 MB. */
const COUNTED = 120_000

const segmenter = lazily(() => new Intl.Segmenter('und', { granularity: 'word' }))
const cutters = new Map<Language | null, Cutter>()
const recognitions = new Map<Language | null, Recognition>()
const tallies = new Map<Language | null, Tally>()

/**
 * The words of a text as they are indexed and asked for, in order, repeated ones too: folded, stemmed for the language
 * when it is known, Chinese, Japanese and Thai cut by dictionary, Korean into pairs of syllables, since its particles
 * stick to the word.
 */
export function words (text: string, language: Language | null): string[] {
  return wordsInEach(text, [language])[0]!
}

/** The words of a text as each of these languages has them; it is cut once for all, which by dictionary is dear. */
export function wordsInEach (text: string, languages: ReadonlyArray<Language | null>): string[][] {
  const all = languages.map((language) => ({ cut: cutterOf(language), found: [] as string[] }))
  const spaced = !WITHOUT_SPACES().test(text)
  for (const run of text.match(RUN()) ?? []) {
    if (spaced) for (const { cut, found } of all) found.push(...cut(run).words)
    else {
      for (const { segment } of segmentsOf(run)) for (const { cut, found } of all) found.push(...cut(segment).words)
    }
  }
  return all.map(({ found }) => found)
}

/** The different words of a text and the parts of compounds among them. */
export function wordsIn (text: string, language: Language | null): Set<string> {
  const cut = cutterOf(language)
  const found = new Set<string>()
  forEachSegment(text, (start, end) => {
    const { words, parts } = cut(text.slice(start, end))
    for (const word of words) found.add(word)
    for (const part of parts) found.add(part)
  })
  return found
}

/**
 * What of a text goes into the index: its different words, counted, how many there are in all, and how they are spelt.
 */
export interface Counted { counts: Count[], words: number, spellings: number[] }

/** A word, its key in the index, and how often it is in a text; as a part of another `PART` times. */
export interface Count { word: string, key: string, times: number }

/**
 * The different words of a text, in the order of their first occurrence: what `words` gives, counted, without
 * making a string of each, and the parts of compounds among them.
 */
export function counted (text: string, language: Language | null): Counted {
  const tally = tallies.get(language) ?? tallyOf(language)
  tallies.set(language, tally)
  forEachSegment(text, (start, end) => tally.count(text.slice(start, end)))
  // A word evicted in the middle of a text would be counted twice, so the reset waits for the next text.
  if (tally.isFull()) tallies.delete(language)
  return tally.end()
}

/**
 * The positions of the `wanted` words in a text, as `words` gives them. Parts of compounds have the position of the
 * compound.
 */
export function spansOf (wanted: ReadonlySet<string>, text: string, language: Language | null): Spans {
  const cut = cutterOf(language)
  const isOther = recognitionOf(language).others(wanted)
  const spans: Span[] = []
  let words = 0
  forEachSegment(text, (start, end) => {
    if (isOther(text, start, end)) {
      words++
      return
    }
    const found = cut(text.slice(start, end))
    for (const word of found.words) {
      if (wanted.has(word)) spans.push({ word, start, end, place: words })
      words++
    }
    for (const word of found.parts) if (wanted.has(word)) spans.push({ word, start, end, place: words - 1 })
  })
  return { spans, words }
}

/** The segments of a text, with their positions; see forEachSegment. */
export function segmentsIn (text: string): { segment: string, start: number, end: number }[] {
  const found: { segment: string, start: number, end: number }[] = []
  forEachSegment(text, (start, end) => found.push({ segment: text.slice(start, end), start, end }))
  return found
}

/** Whether words of this script have no spaces between them, or endings that stick to them. */
export const isUnspaced = (text: string) => WITHOUT_SPACES().test(text)

/**
 * Finds the segments of a text: what has spaces around it, or in scripts without spaces what the dictionary
 * takes for a word.
 */
function forEachSegment (text: string, visit: (start: number, end: number) => void): void {
  if (NOT_BY_UNIT().test(text)) {
    for (const run of text.matchAll(RUN())) {
      for (const { segment, index } of segmentsOf(run[0])) visit(run.index + index, run.index + index + segment.length)
    }
    return
  }
  const inWord = IN_WORD()
  for (let at = 0; at < text.length; at++) {
    if (inWord[text.charCodeAt(at)] === 0) continue
    const start = at
    while (++at < text.length && inWord[text.charCodeAt(at)] === 1);
    visit(start, at)
  }
}

/** What stands before a colon at the beginning of a line, as the name of its column does in each row of a table. */
const HEAD = /^[^:\n]{1,60}: /

/** A text in which each head of a column stands once: repeated in every row, `Per` made a table Catalan. */
function withHeadsOnce (text: string): string {
  const seen = new Set([''])
  return text.split('\n').map((line) => {
    const [head] = HEAD.exec(line) ?? ['']
    if (seen.has(head)) return line.slice(head.length)
    seen.add(head)
    return line
  }).join('\n')
}

/**
 * The language to take a text's words apart by, from its first words and from what else its agent was taught; null when
 * it is none that we know.
 */
export function languageOf (text: string, prior: Prior = []): Language | null {
  const begin = withHeadsOnce(text.slice(0, 20_000))
  return trainingLanguage(begin, words(begin, null), prior)
}

/** The words of a segment, mostly one and as many in every language, and the parts of those that are compounds. */
interface Cut { words: string[], parts: string[] }
type Cutter = (segment: string) => Cut

/** The parts of a folded word that is a compound, as they are indexed in this language. */
export function partsIn (word: string, language: Language | null): string[] {
  return cutterOf(language)(word).parts
}

const asItIs = (word: string) => word

/** Takes the endings off folded words of a language; `prepare`: what is rewritten before. */
function stemming (
  language: Language, algorithm: string | null, prepare: (word: string, language: Language) => string
): (word: string) => string {
  if (algorithm === null) return asItIs
  const stemmer = newStemmer(algorithm)
  return (word) =>
    /\p{N}/u.test(word) ? word : fold(stemmer.stem(withAccent(prepare(word, language), language))) || word
}

/** How words of languages were cut up to form 1; undefined: as they are now. */
const before = new Map<Language, ((word: string) => string) | undefined>()

/** A folded word as texts of this language had it in the index up to form 1; undefined: as they have it now. */
export function wordBefore (word: string, language: Language): string | undefined {
  if (!before.has(language)) {
    const algorithm = stemmerBefore(language)
    before.set(language, algorithm === undefined ? undefined : stemming(language, algorithm, asItIs))
  }
  return before.get(language)?.(word)
}

function cutterOf (language: Language | null): Cutter {
  const known = cutters.get(language) ?? remembering(cutter(language))
  cutters.set(language, known)
  return known
}

/** Loads ahead, one in a step, what takes the endings off words of these languages. */
export function * prepareStems (languages: readonly (Language | null)[]): Generator<undefined, void> {
  for (const language of languages) {
    cutterOf(language)
    yield undefined
  }
}

function recognitionOf (language: Language | null): Recognition {
  const cut = cutter(language)
  const known = recognitions.get(language) ?? new Recognition((segment) => {
    const { words, parts } = cut(segment)
    return [...words, ...parts]
  })
  recognitions.set(language, known)
  return known
}

function cutter (language: Language | null): Cutter {
  const stem = language === null ? asItIs : stemming(language, stemmerOf(language), rewritten)
  return (segment) => {
    const found = pieces(segment)
    const parts = found.flatMap((word) => partsOf(word, language)).map(stem)
    return { words: found.map(stem), parts: parts.length === 0 ? WHOLE : parts }
  }
}

/**
 * The folded words of a segment: usually one. Folding may yield more (`½`); Korean, and what Chinese puts together
 * (`北京市`), is taken in pairs. Only this much of it is looked at before and after folding: a letter may become 4
 * words (`ﷺ`), and of 160 of these each look took 20 ms.
 */
function pieces (segment: string): string[] {
  return (fold(segment.slice(0, WORD_CUT * 4)).slice(0, WORD_CUT * 4).match(RUN()) ?? []).flatMap((word) =>
    IN_PAIRS().test(word) ? pairs(word) : [shorten(word)]
  )
}

function pairs (word: string): string[] {
  const syllables = [...word]
  return syllables.length < 3 ? [word] : syllables.slice(1).map((syllable, at) => syllables[at]! + syllable)
}

function shorten (word: string): string {
  return word.length <= WORD_CUT ? word : word.slice(0, WORD_CUT).toWellFormed().replace(/\ufffd$/, '')
}

function segmentsOf (run: string): { segment: string, index: number }[] {
  if (SYLLABLES.test(run) || LETTER.test(run) || !WITHOUT_SPACES().test(run)) return [{ segment: run, index: 0 }]
  return [...segmenter().segment(run)].filter((part) => part.isWordLike)
}

/** Counts the words of one text after another. */
interface Tally {
  /** Counts the words of a segment. */
  count (segment: string): void
  /** What was counted; the next text begins at 0. */
  end (): Counted
  /** Whether it remembers as much as it may. */
  isFull (): boolean
}

/**
 * The numbers of the words that a segment holds, nearly always one, and of parts, mostly none; how it is spelt, and the
 * text in which it was met last.
 */
interface Segment { held: number | number[], parts: number[] | undefined, spelling: number, metIn: number }

function tallyOf (language: Language | null): Tally {
  const cut = cutter(language)
  const dialect = { language, form: FORM }
  /** Words by number, the key of each in the index, and how often each is in this text. */
  const words: string[] = []
  const keys: string[] = []
  const times: number[] = []
  const numbers = new Map<string, number>()
  /** What is known of segments. */
  const ofSegments = new Map<string, Segment>()
  let met: number[] = []
  let all = 0
  let spellings: number[] = []
  let text = 0

  function numberOf (word: string): number {
    const known = numbers.get(word)
    if (known !== undefined) return known
    numbers.set(word, words.length)
    times.push(0)
    keys.push(wordKeyOf(word, dialect))
    return words.push(word) - 1
  }

  function learn (segment: string): Segment {
    const { words, parts } = cut(segment)
    const found = words.map(numberOf)
    const learnt = {
      held: found.length === 1 ? found[0]! : found,
      parts: parts.length === 0 ? undefined : parts.map(numberOf),
      spelling: found.length === 1 ? spellingOf(fold(segment)) : 0,
      metIn: -1
    }
    if (segment.length <= WORD_CUT) ofSegments.set(segment, learnt)
    return learnt
  }

  function meet (word: number) {
    all++
    add(word, 1)
  }

  function add (word: number, much: number) {
    if (times[word] === 0) met.push(word)
    times[word]! += much
  }

  return {
    count (segment) {
      const known = ofSegments.get(segment) ?? learn(segment)
      if (typeof known.held === 'number') meet(known.held)
      else known.held.forEach(meet)
      known.parts?.forEach((part) => add(part, PART))
      if (known.metIn === text) return
      known.metIn = text
      if (known.spelling !== 0) spellings.push(known.spelling)
    },
    end () {
      const counts = met.map((word) => ({ word: words[word]!, key: keys[word]!, times: times[word]! }))
      for (const word of met) times[word] = 0
      const found = { counts, words: all, spellings }
      met = []
      all = 0
      spellings = []
      text++
      return found
    },
    isFull: () => ofSegments.size >= COUNTED || words.length >= COUNTED
  }
}

/** Stemming takes some 10 µs a word, and a text repeats its words. */
function remembering (cut: Cutter): Cutter {
  const known = ofLatest(REMEMBERED, cut)
  return (segment) => segment.length <= WORD_CUT ? known(segment) : cut(segment)
}
