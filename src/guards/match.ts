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
 * Which rules a text meets, and where: pure functions, linear in the text, however many rules there are and
 * whatever they look for.
 */

/** What stands for words that nobody is to read: no word, and no phrase goes on behind it. */
export const MASK = '•••'

/** Where in a text a rule's words stand, in UTF-16 units. */
export interface Place { start: number, end: number }

/** The rules that match, by their places among the rules, and where their words stand; nowhere: it is the whole. */
export type Matches = Map<number, Place[]>

/** Languages in whose forms words are compared, and different words that are put into these, at most. */
const [MOST_LANGUAGES, MOST_FORMS] = [3, 300]
/** Of these, and of questions that a text is compared with, so many between two stops. */
const [FORMS_AT_ONCE, QUESTIONS_AT_ONCE] = [50, 100]
/** The language of what tells none. */
const LIKELY: Language = 'en'
/** Of a text that is compared with questions no more is looked at: nobody asks at such length. */
const LONGEST_QUESTION = 500
/** Languages in which words change where they begin too. */
const CHANGES_BEGINNING: ReadonlySet<string> = new Set(['ar'])

/** The languages that a text is compared with rules in. */
function languagesOf (
  text: string, rules: Compiled, known: KnownLanguage
): { language: string | null, languages: Language[] } {
  const language = languageOfMessage(text, known)
  const told = [language, ...rules.languages, known.given ?? null, mostlySpoken(known.spoken ?? []), LIKELY]
  return { language, languages: [...new Set(told)].filter(isKnown).slice(0, MOST_LANGUAGES) }
}

/** Makes what comparing a text with rules needs; stops between pieces of the work. */
export function * readyingFor (text: string, rules: Compiled, known: KnownLanguage = {}): Generator<void, void> {
  for (const language of [null, ...languagesOf(text, rules, known).languages]) {
    if (!rules.isReadyIn(language)) yield * rules.readying(language)
  }
}

/** Whether all of that is made. */
export const isReadyFor = (text: string, rules: Compiled, known: KnownLanguage = {}) =>
  [null, ...languagesOf(text, rules, known).languages].every(rules.isReadyIn)

/** Compares a text with rules at one stretch. `known`: what is known of its language. */
export function matchesOf (text: string, rules: Compiled, known: KnownLanguage = {}): Matches {
  return looked.of(text, rules, known) ?? atOnce(matching(text, rules, known))
}

/** The same, which stops between pieces of the work: a long text in signs that are words takes 30 ms. */
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

/** Compares a long text with rules ahead of `matchesOf`, which knows then what was found; stops between the pieces. */
export function * matchingAhead (text: string, rules: Compiled, known: KnownLanguage = {}): Generator<void, void> {
  if (!looked.of(text, rules, known)) looked.keep(text, rules, known, yield * matching(text, rules, known))
}

/** Whether `matchesOf` knows already what it will find. */
export const isMatchedAhead = (text: string, rules: Compiled, known: KnownLanguage = {}) =>
  looked.of(text, rules, known) !== undefined

/** What was found ahead, of so many texts: each is asked for a moment later. */
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

/** Notes that the words of a rule stand at a place. */
type Add = (rule: number, start: number, end: number) => void

/** Notes places by where they stand in the text that was written. Of rules that mask nothing no place is of use. */
function adding (found: Matches, { rules }: Compiled, reading: Reading | undefined): Add {
  return (rule, start, end) => {
    const places = found.get(rule) ?? []
    found.set(rule, places)
    if (rules[rule]!.do !== 'mask') return
    let [from, to] = reading ? [reading.from[start]!, reading.to[end - 1]!] : [start, end]
    // What goes over into another is one with it, so that there are no more places than words.
    for (let last = places.at(-1); last && from < last.end && last.start < to; last = places.at(-1)) {
      places.pop()
      from = Math.min(from, last.start)
      to = Math.max(to, last.end)
    }
    places.push({ start: from, end: to })
  }
}

/** A word, as each language has it, where it stands; of what is masked there is none. */
interface Token extends Place { plain: string, segment: string }

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

/** Letters, digits and their marks in a row, or what stands for what is masked. */
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

/** The words of a segment; no phrase of signs that are words is looked for here, and taking them apart is dear. */
function tokensOf (segment: string, start: number): Token[] {
  const end = start + segment.length
  if (segment === MASK) return [{ plain: MASK, segment: '', start, end: start }]
  const plains = isUnspaced(segment) ? [MASK] : words(segment, null)
  return plains.map((plain) => ({ plain, segment, start, end }))
}

/** A run where words with spaces around them and others meet, such as `iPhone手机`: each of its parts. */
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

/** Tokens as a language has them; undefined where one cannot be meant. */
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
    const own = new Set(tellingWords(asked, language))
    for (const [nth, { rule, wordsIn }] of questions.entries()) {
      if (nth % QUESTIONS_AT_ONCE === QUESTIONS_AT_ONCE - 1) yield
      if (!found.has(rule) && overlap(own, wordsIn(language)) >= OVERLAP) found.set(rule, [])
    }
  }
}
