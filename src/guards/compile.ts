import type { GuardRule } from '../../schema/guards.ts'
import { lazily, onceEach } from '../platform/lazily.ts'
import { atOnce } from '../platform/work/slices.ts'
import { tellingWords } from '../search/sense/alike.ts'
import { isKnown, type Language } from '../search/words/languages.ts'
import { languageOfMessage } from '../search/words/of-message.ts'
import { isUnspaced, words } from '../search/words/words.ts'
import { asSpelled, FEWEST, FEWEST_SIGNS } from './disguise.ts'
import { phrasesOf, type Phrase, type Phrases } from './phrases.ts'

/*
 * Rules compiled for comparison with texts, once for each list of rules. No operator's text becomes a regular
 * expression.
 */

/** A question: its significant words by language. */
interface Asked { rule: number, wordsIn: (language: Language | null) => string[] }

/** Compiled rules, to compare with texts. */
export interface Compiled {
  rules: readonly GuardRule[]
  /** Languages that the rules are written in, as far as detectable. */
  languages: readonly Language[]
  /** The phrases of all rules, as words of a language; null: as typed, folded. */
  phrasesIn: (language: Language | null) => Phrases
  /** How the words of phrases begin: no other word is stemmed. */
  beginnings: ReadonlySet<string>
  /** Phrases in scripts without spaces, `lowered`: found anywhere, as word boundaries are uncertain there. */
  unspaced: Phrases
  /** The letters of phrases, for texts that write them one by one. */
  spelled: Phrases
  questions: readonly Asked[]
  /** Prepares a language if needed; pauses between pieces of the work. */
  readying: (language: Language | null) => Generator<void, void>
  isReadyIn: (language: Language | null) => boolean
}

/** Letters by which a form of a word is taken for one that may be meant. */
const BEGINNING = 3
/** Compiled rules that are cached, in characters they look for, and lists of them. */
const [MOST_READY, MOST_LISTS] = [300_000, 100]
/** Rules no longer than this are compiled on the spot. */
export const SMALL = 2000

/** How a word begins. */
export const beginningOf = (word: string) => word.slice(0, BEGINNING)

/** A text in small letters, each where it was; as it is where it would be longer or shorter. */
export function lowered (text: string): string {
  const small = text.toLowerCase()
  return small.length === text.length ? small : text
}

/** Characters that rules look for. */
export const weightOf = (rules: readonly GuardRule[]) =>
  rules.reduce((sum, { match: { of } }) => of.reduce((all, value) => all + value.length, sum), 0)

/** Compiles rules, all in one go. */
export const compiled = (rules: readonly GuardRule[]): Compiled => atOnce(compiling(rules))

/** Compiles rules; pauses between pieces of the work. */
export function * compiling (rules: readonly GuardRule[]): Generator<void, Compiled> {
  const phrases = rules.flatMap(({ match: { by, of } }, rule) => by === 'words' ? of.map((phrase) => ({ phrase, rule })) : [])
  const [unspaced, spaced] = [phrases.filter(isOfUnspaced), phrases.filter((one) => !isOfUnspaced(one))]
  const questions = rules.flatMap(({ match: { by, of } }, rule) => by === 'questions' ? of.map((question) => ({ question, rule })) : [])
  const languages = new Set<string | null>()
  for (const rule of rules) {
    languages.add(languageOf(rule))
    yield
  }
  const beginnings = new Set<string>()
  for (const { phrase } of spaced) {
    for (const word of words(phrase, null)) beginnings.add(beginningOf(word))
    yield
  }
  const trees = new Map<Language | null, Phrases>()
  const asked = questions.map(({ question, rule }): Asked => ({
    rule, wordsIn: onceEach((language: Language | null) => tellingWords(question, language))
  }))
  const isMade = new Set<Language | null>()
  function * treeIn (language: Language | null) {
    const tree = trees.get(language) ?? (yield * phrasesOf(inWords(spaced, language)))
    trees.set(language, tree)
    return tree
  }
  function * readying (language: Language | null) {
    yield * treeIn(language)
    for (const { wordsIn } of asked) {
      wordsIn(language)
      yield
    }
    isMade.add(language)
  }
  return {
    rules,
    languages: [...languages].filter(isKnown),
    phrasesIn: (language) => atOnce(treeIn(language)),
    beginnings,
    unspaced: yield * phrasesOf(inUnits(unspaced)),
    spelled: yield * phrasesOf(inLetters(phrases)),
    questions: asked,
    readying,
    isReadyIn: (language) => isMade.has(language)
  }
}

interface Given { phrase: string, rule: number }

const isOfUnspaced = ({ phrase }: Given) => isUnspaced(phrase)

function * inWords (phrases: readonly Given[], language: Language | null): Generator<Phrase> {
  for (const { phrase, rule } of phrases) yield { symbols: words(phrase, language), rule }
}

function * inUnits (phrases: readonly Given[]): Generator<Phrase> {
  for (const { phrase, rule } of phrases) {
    yield { symbols: lowered(phrase).split(''), rule }
    yield { symbols: lowered(phrase.normalize('NFKC')).split(''), rule }
  }
}

/** A letter or two occur in many words: such short phrases are left out. */
function * inLetters (phrases: readonly Given[]): Generator<Phrase> {
  for (const { phrase, rule } of phrases) {
    const letters = HAS_DIGITS().test(phrase) ? [] : asSpelled(phrase).match(LETTERS()) ?? []
    const isEnough = letters.length >= (isUnspaced(phrase) ? FEWEST_SIGNS : FEWEST)
    if (isEnough) yield { symbols: letters, rule }
  }
}

const [LETTERS, HAS_DIGITS] = [lazily(() => /\p{L}/gu), lazily(() => /\p{N}/u)]

/** The language that a rule is written in. */
export function languageOf ({ match: { by, of }, tests }: GuardRule): string | null {
  if (by === 'language' || by === 'other_language') return null
  return languageOfMessage([...of, ...tests.match].join('. '))
}

const ready = new Map<string, Compiled>()
let weight = 0

/** Identifies rules, as far as compiling them is concerned. */
const nameOf = (rules: readonly GuardRule[]) =>
  JSON.stringify(rules.map(({ do: does, match, tests }) => [does, match, tests.match]))

/** The same, cached for rules that are used again and again. */
export function readied (rules: readonly GuardRule[]): Compiled {
  const name = nameOf(rules)
  const known = ready.get(name)
  return known ? kept(name, known) : kept(name, compiled(rules))
}

/** The same if they are cached already. */
export const readyAlready = (rules: readonly GuardRule[]): Compiled | undefined => ready.get(nameOf(rules))

/** Compiles rules as `readied` does; pauses between pieces of the work. */
export function * readyingAll (rules: readonly GuardRule[]): Generator<void, Compiled> {
  const name = nameOf(rules)
  return kept(name, ready.get(name) ?? (yield * compiling(rules)))
}

/** Caches them, and drops the least recently used. */
function kept (name: string, made: Compiled): Compiled {
  if (ready.delete(name)) weight -= weightOf(made.rules)
  ready.set(name, made)
  weight += weightOf(made.rules)
  for (const [oldest, { rules }] of ready) {
    if (oldest === name || (ready.size <= MOST_LISTS && weight <= MOST_READY)) break
    ready.delete(oldest)
    weight -= weightOf(rules)
  }
  return made
}
