import type { Term } from '../../../schema/agents.ts'
import { conceptsIn, tokensOf, type Token } from '../sense/lexicon.ts'
import { isCommon, type Language } from '../words/languages.ts'
import { isUnspaced, words, wordsInEach } from '../words/words.ts'

/** A phrase of a vocabulary. All phrases of one term mean the same. */
export interface Phrase {
  text: string
  /** The number of its term. */
  term: number
  /** Its words, folded. */
  words: string[]
}

/** Where a question names a term, by the numbers of its tokens. */
export interface Named { phrase: Phrase, at: number[] }

/** Phrases taken in before others are let in, and those looked at for one question. */
const PHRASES_AT_ONCE = 10
const LOOKED_AT = 20_000
/** Letters by which phrases without spaces between words are found. */
const FIRST = 2

/** What words mean in one agent's business. */
export class OwnPhrases {
  readonly #terms: Phrase[][] = []
  /** Phrases by their first word as each language has it; those of scripts without spaces by their first letters. */
  readonly #byWord = new Map<Language | null, Map<string, Phrase[]>>()
  readonly #unspaced = new Map<string, Phrase[]>()
  /** Terms by the concepts that their phrases name, in each language of the table. */
  readonly #byConcept = new Map<string, Map<string, number[]>>()

  /** Takes the terms in, step by step. */
  static * of (terms: readonly Term[]): Generator<undefined, OwnPhrases> {
    const own = new OwnPhrases()
    for (const [term, { term: name, means }] of terms.entries()) {
      if (term % PHRASES_AT_ONCE === PHRASES_AT_ONCE - 1) yield
      own.#terms.push([name, ...means].map((text) => ({ text, term, words: words(text, null) })))
      for (const phrase of own.#terms.at(-1)!) {
        if (isUnspaced(phrase.text)) add(own.#unspaced, phrase.text.toLowerCase().slice(0, FIRST), phrase)
      }
    }
    return own
  }

  /** How many phrases it keeps, as each language has them. */
  get size (): number {
    return this.#terms.reduce((sum, { length }) => sum + length, 0) * (1 + this.#byWord.size + this.#byConcept.size)
  }

  /** The phrases of a term. */
  phrases (term: number): readonly Phrase[] {
    return this.#terms[term]!
  }

  /** Makes ready what finding terms in these languages needs, step by step. */
  * prepare (languages: ReadonlyArray<Language | null>, tongues: readonly string[]): Generator<undefined, void> {
    for (const language of languages) {
      if (this.#byWord.has(language)) continue
      const byWord = new Map<string, Phrase[]>()
      for (const [term, phrases] of this.#terms.entries()) {
        if (term % PHRASES_AT_ONCE === PHRASES_AT_ONCE - 1) yield
        for (const phrase of phrases) {
          const [first] = words(phrase.words.slice(0, 1).join(), language)
          if (first !== undefined && !isUnspaced(phrase.text)) add(byWord, first, phrase)
        }
      }
      this.#byWord.set(language, byWord)
    }
    for (const tongue of tongues) {
      if (this.#byConcept.has(tongue)) continue
      const byConcept = new Map<string, number[]>()
      for (const [term, phrases] of this.#terms.entries()) {
        if (term % PHRASES_AT_ONCE === PHRASES_AT_ONCE - 1) yield
        const named = new Set(phrases.flatMap(({ text }) => namedBy(text, [tongue])))
        for (const concept of named) add(byConcept, concept, term)
      }
      this.#byConcept.set(tongue, byConcept)
    }
  }

  /** The terms whose phrases name a concept. */
  termsOf (concept: string, tongues: readonly string[]): number[] {
    return [...new Set(tongues.flatMap((tongue) => this.#byConcept.get(tongue)?.get(concept) ?? []))]
  }

  /** The concepts that phrases of a term name. */
  conceptsOf (term: number, tongues: readonly string[]): string[] {
    return [...new Set(this.phrases(term).flatMap(({ text }) => namedBy(text, tongues)))]
  }

  /** The terms that a question names, in these languages; of those that overlap the longest ones. */
  in (query: string, tokens: readonly Token[], languages: ReadonlyArray<Language | null>): Named[] {
    const inEach = wordsOfTokens(tokens, languages)
    const found: Named[] = this.#unspacedIn(query, tokens)
    let left = LOOKED_AT
    for (const [i, language] of languages.entries()) {
      const stems = inEach[i]!
      for (const [from, stem] of stems.entries()) {
        for (const phrase of this.#byWord.get(language)?.get(stem) ?? []) {
          if (left-- <= 0) break
          const wanted = words(phrase.words.join(' '), language)
          if (!wanted.every((word, at) => stems[from + at] === word)) continue
          const at = wanted.map((_, at) => from + at)
          const last = tokens[at.at(-1)!]!
          // What is also a common word, as IT is, means the term only where it is written as the term is.
          const asWritten = query.slice(tokens[from]!.start, last.end)
          if (isOrdinary(phrase, languages) && asWritten !== phrase.text) continue
          found.push({ phrase, at })
        }
      }
    }
    return longest(found)
  }

  #unspacedIn (query: string, tokens: readonly Token[]): Named[] {
    if (this.#unspaced.size === 0) return []
    const low = query.toLowerCase()
    const found: Named[] = []
    for (let start = 0; start < low.length; start++) {
      const beginnings = [low.slice(start, start + FIRST), low[start]!]
      for (const phrase of beginnings.flatMap((begins) => this.#unspaced.get(begins) ?? [])) {
        if (!low.startsWith(phrase.text.toLowerCase(), start)) continue
        const end = start + phrase.text.length
        const at = tokens.flatMap((token, i) => token.start < end && token.end > start ? [i] : [])
        if (at.length > 0) found.push({ phrase, at })
      }
    }
    return found
  }
}

function add<Key, One> (map: Map<Key, One[]>, key: Key, one: One): void {
  const known = map.get(key)
  if (known) known.push(one)
  else map.set(key, [one])
}

/** Each token as each language has it; one that is several words is none of a phrase. */
function wordsOfTokens (tokens: readonly Token[], languages: ReadonlyArray<Language | null>): string[][] {
  const all = tokens.map(({ word }) => wordsInEach(word, languages))
  return languages.map((_, i) => all.map((each) => each[i]!.length === 1 ? each[i]![0]! : ''))
}

/** Whether a phrase has nothing but common words. */
export function isOrdinary ({ words }: Phrase, languages: ReadonlyArray<Language | null>): boolean {
  return words.every((word) => languages.some((language) => language !== null && isCommon(word, language)))
}

/** The concepts that a text names as a whole. */
function namedBy (text: string, tongues: readonly string[]): string[] {
  const tokens = tokensOf(text)
  return conceptsIn(text, tokens, tongues, true)
    .filter(({ at }) => at.length === tokens.length).map(({ concept }) => concept)
}

/** Of what overlaps, what has more words; one phrase may belong to several terms. */
function longest (found: readonly Named[]): Named[] {
  const taken = new Map<number, string>()
  const kept: Named[] = []
  for (const one of found.toSorted((a, b) => b.at.length - a.at.length || a.at[0]! - b.at[0]!)) {
    const where = one.at.join()
    if (one.at.some((at) => (taken.get(at) ?? where) !== where)) continue
    for (const at of one.at) taken.set(at, where)
    if (!kept.some(({ phrase, at }) => phrase.term === one.phrase.term && at.join() === where)) kept.push(one)
  }
  return kept
}
