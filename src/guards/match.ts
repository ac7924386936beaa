import { lazily } from '../platform/lazily.ts'
import { atOnce } from '../platform/work/slices.ts'
import { OVERLAP, overlap, tellingWords } from '../search/sense/alike.ts'
import { isKnown, type Language } from '../search/words/languages.ts'
import { languageOfMessage, mostlySpoken, type KnownLanguage } from '../search/words/of-message.ts'
import { isUnspaced, words } from '../search/words/words.ts'
import { beginningOf, lowered, type Compiled } from './compile.ts'
import { PIECE, plainly, readingsOf, spelledIn, type Plain, type Reading } from './disguise.ts'
import { findingPhrases } from './phrases.ts'

/*
 * Which rules match a text, and where: pure functions, linear in the text, whatever the number of rules and whatever
 * they look for.
 */

/** Replaces words that nobody is to read: not a word, and no phrase extends across it. */
export const MASK = '•••'

/** Where a rule's words are in a text, in UTF-16 units. */
export interface TextSpan { start: number, end: number }

/** The matching rules, by index, and where their words are; no range: the whole text. */
export type Matches = Map<number, TextSpan[]>

/** Most languages in which words are stemmed, and most different words that are. */
const [MOST_LANGUAGES, MOST_FORMS] = [3, 300]
/** Of these, and of questions compared with a text, how many between two pauses. */
const [FORMS_AT_ONCE, QUESTIONS_AT_ONCE] = [50, 100]
/** Default if none is detected. */
const LIKELY: Language = 'en'
/** No more than this is compared with questions: nobody asks at such length. */
const LONGEST_QUESTION = 500
/** Languages whose words change at the beginning too. */
const CHANGES_BEGINNING: ReadonlySet<string> = new Set(['ar'])

/** Languages in which texts are compared with rules. */
function languagesOf (
  text: string, rules: Compiled, known: KnownLanguage
): { language: string | null, languages: Language[] } {
  const language = languageOfMessage(text, known)
  const told = [language, ...rules.languages, known.given ?? null, mostlySpoken(known.spoken ?? []), LIKELY]
  return { language, languages: [...new Set(told)].filter(isKnown).slice(0, MOST_LANGUAGES) }
}

/** Prepares what comparing needs; pauses between pieces of the work. */
export function * readyingFor (text: string, rules: Compiled, known: KnownLanguage = {}): Generator<void, void> {
  for (const language of [null, ...languagesOf(text, rules, known).languages]) {
    if (!rules.isReadyIn(language)) yield * rules.readying(language)
  }
}

/** Whether all that is ready. */
export const isReadyFor = (text: string, rules: Compiled, known: KnownLanguage = {}) =>
  [null, ...languagesOf(text, rules, known).languages].every(rules.isReadyIn)

/** Compares a text with rules in one go. `known`: what is known of its language. */
export function matchesOf (text: string, rules: Compiled, known: KnownLanguage = {}): Matches {
  return looked.of(text, rules, known) ?? atOnce(matching(text, rules, known))
}

/** The same, with pauses between pieces: a long text in signs that are words takes 30 ms. */
export function * matching (text: string, rules: Compiled, known: KnownLanguage = {}): Generator<void, Matches> {
  const found: Matches = new Map()
  if (rules.rules.length === 0 || text === '') return found
  const { language, languages } = languagesOf(text, rules, known)
  let made: Plain | undefined
  function * plain () {
    made ??= yield * plainly(text)
    return made
  }
  const isIdle = rules.rules.every(({ match: { by } }) => by !== 'words' && by !== 'questions')
  for (const reading of isIdle ? [] : [undefined, ...yield * readingsOf(text, plain)]) {
    const read = reading?.text ?? text
    yield * findingWords(read, rules, languages, adding(found, rules, reading))
    yield * findingQuestions(read, rules, languages, found)
  }
  if (!rules.spelled.isEmpty) {
    for (const run of yield * spelledIn(yield * plain())) {
      const add = adding(found, rules, run)
      yield * findingPhrases(rules.spelled, run.text.split(''), (rule, first, last) => add(rule, first, last + 1))
    }
  }
  for (const [at, { match: { by, of } }] of rules.rules.entries()) {
    if (language === null) break
    if ((by === 'language' && of.includes(language)) || (by === 'other_language' && !of.includes(language))) found.set(at, [])
  }
  return found
}

/** Compares a long text with rules ahead of `matchesOf`, which then has the result; pauses between pieces. */
export function * matchingAhead (text: string, rules: Compiled, known: KnownLanguage = {}): Generator<void, void> {
  if (!looked.of(text, rules, known)) looked.keep(text, rules, known, yield * matching(text, rules, known))
}

/** Whether `matchesOf` already has its result. */
export const isMatchedAhead = (text: string, rules: Compiled, known: KnownLanguage = {}) =>
  looked.of(text, rules, known) !== undefined

/** Results found ahead, for this many texts: each is needed a moment later. */
const MOST_AHEAD = 64
const looked = lookedAhead()

function lookedAhead () {
  const kept: Array<{ text: string, rules: Compiled, known: string, found: Matches }> = []
  const nameOf = ({ given = null, spoken = [] }: KnownLanguage) => JSON.stringify([given, spoken])
  return {
    of (text: string, rules: Compiled, known: KnownLanguage): Matches | undefined {
      return kept.find((one) => one.rules === rules && one.text === text && one.known === nameOf(known))?.found
    },
    keep (text: string, rules: Compiled, known: KnownLanguage, found: Matches) {
      kept.push({ text, rules, known: nameOf(known), found })
      if (kept.length > MOST_AHEAD) kept.shift()
    }
  }
}

/** Records a position of a rule's words. */
type Add = (rule: number, start: number, end: number) => void

/** Records positions in the original text. For rules that mask nothing, positions are not needed. */
function adding (found: Matches, { rules }: Compiled, reading: Reading | undefined): Add {
  return (rule, start, end) => {
    const places = found.get(rule) ?? []
    found.set(rule, places)
    if (rules[rule]!.do !== 'mask') return
    let [from, to] = reading ? [reading.from[start]!, reading.to[end - 1]!] : [start, end]
    // Overlapping ranges are merged, so there are no more ranges than words.
    for (let last = places.at(-1); last && from < last.end && last.start < to; last = places.at(-1)) {
      places.pop()
      from = Math.min(from, last.start)
      to = Math.max(to, last.end)
    }
    places.push({ start: from, end: to })
  }
}

/** A word, as each language has it, and where it is; masked text has none. */
interface Token extends TextSpan { plain: string, segment: string }

function * findingWords (
  text: string, rules: Compiled, languages: readonly Language[], add: Add
): Generator<void, void> {
  if (!rules.unspaced.isEmpty) {
    const tell: Add = (rule, first, last) => add(rule, first, last + 1)
    yield * findingPhrases(rules.unspaced, lowered(text).split(''), tell)
  }
  if (rules.beginnings.size === 0) return
  const tokens = yield * tokensIn(text)
  const tell: Add = (rule, first, last) => add(rule, tokens[first]!.start, tokens[last]!.end)
  yield * findingPhrases(rules.phrasesIn(null), tokens.map(({ plain }) => plain), tell)
  for (const language of languages) {
    yield * findingPhrases(rules.phrasesIn(language), yield * formsOf(tokens, language, rules), tell)
  }
}

/** A run of letters, digits and their marks, or the mask placeholder. */
const RUN = lazily(() => /[\p{L}\p{N}\p{M}]+|•••/gu)
const MARK = lazily(() => /\p{M}/u)

function * tokensIn (text: string): Generator<void, Token[]> {
  const found: Token[] = []
  let nth = 0
  for (const { 0: run, index } of text.matchAll(RUN())) {
    if (run === MASK || !isUnspaced(run)) found.push(...tokensOf(run, index))
    else {
      for (const part of apart(run)) {
        found.push(...tokensOf(part.segment, index + part.start))
        if (++nth % PIECE === 0) yield
      }
    }
    if (++nth % PIECE === 0) yield
  }
  return found
}

/** The words of a segment; no phrase of signs that are words is looked for, and splitting them is expensive. */
function tokensOf (segment: string, start: number): Token[] {
  const end = start + segment.length
  if (segment === MASK) return [{ plain: MASK, segment: '', start, end: start }]
  const plains = isUnspaced(segment) ? [MASK] : words(segment, null)
  return plains.map((plain) => ({ plain, segment, start, end }))
}

/** A run mixing words with spaces around them and others, such as `iPhone手机`: each of its parts. */
function * apart (run: string): Generator<{ segment: string, start: number }> {
  let start = 0
  let end = 0
  let isOther: boolean | undefined
  for (const sign of run) {
    const next = end > 0 && MARK().test(sign) ? isOther : isUnspaced(sign)
    if (end > 0 && next !== isOther) {
      yield { segment: run.slice(start, end), start }
      start = end
    }
    isOther = next
    end += sign.length
  }
  yield { segment: run.slice(start), start }
}

/** Tokens stemmed in a language; undefined if no phrase can match. */
function * formsOf (
  tokens: readonly Token[], language: Language, { beginnings }: Compiled
): Generator<void, Array<string | undefined>> {
  const known = new Map<string, string[]>()
  const all: Array<string | undefined> = []
  let nth = 0
  for (const [at, { plain, segment }] of tokens.entries()) {
    nth = at > 0 && tokens[at - 1]!.end === tokens[at]!.end ? nth + 1 : 0
    const isMeant = CHANGES_BEGINNING.has(language) || beginnings.has(beginningOf(plain))
    if (isMeant && !known.has(segment)) {
      known.set(segment, known.size < MOST_FORMS ? words(segment, language) : [])
      if (known.size % FORMS_AT_ONCE === 0) yield
    }
    all.push(isMeant ? known.get(segment)![nth] : undefined)
    if (at % PIECE === PIECE - 1) yield
  }
  return all
}

function * findingQuestions (
  text: string, { questions }: Compiled, languages: readonly Language[], found: Matches
): Generator<void, void> {
  if (questions.length === 0) return
  const asked = text.slice(0, LONGEST_QUESTION)
  for (const language of [null, ...languages]) {
    yield
    const askedWords = new Set(tellingWords(asked, language))
    for (const [nth, { rule, wordsIn }] of questions.entries()) {
      if (nth % QUESTIONS_AT_ONCE === QUESTIONS_AT_ONCE - 1) yield
      if (!found.has(rule) && overlap(askedWords, wordsIn(language)) >= OVERLAP) found.set(rule, [])
    }
  }
}
