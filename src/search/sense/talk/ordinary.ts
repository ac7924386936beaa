import { lazily } from '../../../platform/lazily.ts'
import { asset } from '../../../platform/process/assets.ts'
import { fold } from '../../words/fold.ts'
import { withMeant } from '../lexicon.ts'

/** Where the table lies in the source tree. */
export const ORDINARY = 'src/search/sense/talk/ordinary.json'

/**
 * How people talk in a language, whatever their business is (`ordinary.json`, which people maintain).
 * - `everyday`: words that name nothing a page would be about, with spaces between;
 * - `shorthand`: what is typed and what is meant, as in `tmrw tomorrow`, with commas between, as in all that follows;
 * - `greetings`, `closings`: what stands before and behind a letter, names beside them; `wishes`: what is polite
 *   anywhere. `..` lets up to four words between.
 */
type Talk = Record<'everyday' | 'shorthand' | 'greetings' | 'closings' | 'wishes', string>

/** The table, as it is written. */
export const ordinary = lazily(() => JSON.parse(asset(ORDINARY).toString()) as Record<string, Talk>)

const everyday = new Map<string, ReadonlySet<string>>()
const shorthand = new Map<string, ReadonlyMap<string, string>>()

/** What is made of the table of a language when it is first asked for. */
function madeOf<T> (known: Map<string, T>, language: string, make: (talk: Talk) => T): T | undefined {
  const talk = Object.hasOwn(ordinary(), language) ? ordinary()[language] : undefined
  if (talk === undefined) return undefined
  const made = known.get(language) ?? make(talk)
  known.set(language, made)
  return made
}

/** Endings of adjectives that a list has without them, and how long what is left is at least. */
const INFLECTED = new Map([['de', /(?<=.{5})e[mnrs]?$/u], ['nl', /(?<=.{5})e$/u]])
const uninflected = (word: string, language: string) => word.replace(INFLECTED.get(language) ?? '', '')

/** Whether a folded word is of ordinary talk in one of these languages, and names nothing. */
export function isEveryday (word: string, languages: Iterable<string>): boolean {
  for (const language of languages) {
    const known = madeOf(everyday, language, (talk) => new Set(fold(talk.everyday).split(' ')))
    if (known?.has(word) || known?.has(uninflected(word, language))) return true
  }
  return false
}

/** A question with its shorthand written out, as its language has it. */
export function spelledOut (query: string, language: string | null): string {
  const meant = language === null
    ? undefined
    : madeOf(shorthand, language, (talk) =>
      new Map(talk.shorthand.split(', ').map((pair) => {
        const end = pair.indexOf(' ')
        return [fold(pair.slice(0, end)), pair.slice(end + 1)]
      })))
  return meant === undefined ? query : withMeant(query, meant)
}
