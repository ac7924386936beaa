import type { QueryWord } from '../words/query.ts'
import { nearSpellings, spellingOf, type Spellings } from '../words/spelling.ts'
import { isAsking } from './talk/asking.ts'
import { isEveryday } from './talk/ordinary.ts'
import { isInTable, withMeant } from './lexicon.ts'

/** Languages that write what is made of two words as one. */
const COMPOUNDING = new Set(['de', 'nl', 'sv', 'da', 'no', 'fi'])
/** Minimum length of a compound and of each of its parts; what may join these. */
const [COMPOUND, PART] = [8, 4]
const JOINTS = ['', 's', 'n', 'en', 'e', 'es', 'er']
/** Longer words are not looked at. */
const LONGEST_RESTATED = 24
/** Minimum letters of a word that is taken for another, and for one with another vowel. */
const [LONG, LONGER] = [5, 7]
/** Letters that sound alike at the beginning of a word: there they are mistyped too. */
const ALIKE = new Set(['bv', 'ck', 'cs', 'sz', 'fv', 'iy', 'kq', 'gj'])

/** How known words are recognised: the languages of the question, and the spellings of the agent's own words. */
interface Known { languages: readonly string[], spellings: Spellings }

/**
 * A question with its unknown words replaced by what they may mean: a word of the agent's, of the table or of asking
 * that is one letter away, and for compounds the words that they are made of. `strange`: its words that are in no
 * passage and no concept. Takes a step for each, in proportion to its letters.
 */
export function * restated (query: string, strange: readonly QueryWord[], known: Known): Generator<undefined, string> {
  const meant = new Map<string, string>()
  for (const { plain } of strange) {
    const isWord = isAsking(plain, known.languages) || isEveryday(plain, known.languages) ||
      isInTable(plain, known.languages)
    if (plain.length > LONGEST_RESTATED || isWord) continue
    const near = [...nearSpellings(plain)].map((word) => ({ word, isSlip: isSlip(plain, word) }))
    const other = correction(plain, near, known) ?? apart(plain, known) ?? lookalike(near, known)
    if (other !== undefined) meant.set(plain, other)
    yield
  }
  return withMeant(query, meant)
}

/** What is one letter away from a word, and whether one is easily typed for the other. */
type Near = readonly { word: string, isSlip: boolean }[]

const isOfAgent = (word: string, { spellings }: Known) => spellings.has(spellingOf(word))

/** A word that both the agent and the table have: what only the agent has is found by how it is spelt. */
function correction (typed: string, near: Near, known: Known): string | undefined {
  return near.find(({ word, isSlip }) =>
    (isSlip || typed.length > LONGER) && isOfAgent(word, known) && isInTable(word, known.languages))?.word
}

/** A word of the table, or of asking, where the agent has none that is spelt nearly like it. */
function lookalike (near: Near, known: Known): string | undefined {
  if (near.some(({ word }) => isOfAgent(word, known))) return undefined
  const likely = near.filter(({ isSlip }) => isSlip).map(({ word }) => word)
  return likely.find((word) => isAsking(word, known.languages)) ??
    likely.find((word) => isInTable(word, known.languages))
}

/**
 * Whether one word is easily typed for another: two letters swapped, one left out or doubled, a vowel for a vowel, or
 * what sounds alike at its beginning. Another letter in its place is mostly another word: `shakes` are no `shades`.
 */
function isSlip (typed: string, meant: string): boolean {
  if (isSwapped(typed, meant) || isSoundAlike(typed, meant)) return true
  if (Math.min(typed.length, meant.length) < LONG || typed[0] !== meant[0]) return false
  if (typed.length < meant.length) return typed !== meant.slice(0, -1)
  const at = firstOther(typed, meant)
  if (typed.length === meant.length) return typed.length >= LONGER && isVowel(typed[at]) && isVowel(meant[at])
  return typed[at] === typed[at - 1]
}

const isVowel = (letter = '') => 'aeiouy'.includes(letter)

/** Whether two words differ by two neighbours that are swapped. */
function isSwapped (one: string, other: string): boolean {
  const at = firstOther(one, other)
  return one.length === other.length && one[at] === other[at + 1] && one[at + 1] === other[at] &&
    one.slice(at + 2) === other.slice(at + 2)
}

/** The first place at which two words have another letter. */
function firstOther (one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

/** Whether two words begin with letters that sound alike and go on in the same way. */
const isSoundAlike = (one: string, other: string) =>
  one.slice(1) === other.slice(1) && ALIKE.has(one[0]! < other[0]! ? one[0]! + other[0]! : other[0]! + one[0]!)

/** The two words that a compound is made of, where the agent or the table has either. */
function apart (word: string, known: Known): string | undefined {
  const tongues = known.languages.filter((one) => COMPOUNDING.has(one))
  if (tongues.length === 0 || word.length < COMPOUND) return undefined
  const isWord = (part: string) => part.length >= PART && !isAsking(part, tongues) &&
    (isOfAgent(part, known) || isInTable(part, tongues))
  for (let at = word.length - PART; at >= PART; at--) {
    const [first, last] = [word.slice(0, at), word.slice(at)]
    if (!isWord(last)) continue
    const joint = JOINTS.find((one) => first.endsWith(one) && isWord(first.slice(0, first.length - one.length)))
    if (joint !== undefined) return `${first.slice(0, first.length - joint.length)} ${last}`
  }
  return undefined
}
