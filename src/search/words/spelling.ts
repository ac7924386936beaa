import { lazily } from '../../platform/lazily.ts'

/** Shorter words are too near to too many others. */
const SHORTEST = 4
const LONGEST_MISSPELT = 40

/**
 * What is written with spaces between words and is no number: scripts by where their letters, once folded, begin and
 * end.
 */
const ALPHABETS: readonly (readonly [from: number, to: number])[] = [
  [0x61, 0x7a],
  [0x3b1, 0x3c9],
  [0x430, 0x44f],
  [0x561, 0x586],
  [0x5d0, 0x5ea],
  [0x621, 0x64a],
  [0x905, 0x94d],
  [0xb85, 0xbcd]
]
const lettersOf = ALPHABETS.map(([from, to]) =>
  lazily(() => Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at)))
)

/**
 * The spelling of a folded word as a number of 32 bits, never 0, by which typos are corrected. 0 for a word that
 * is not corrected: too short, a number or a name of a model, or in a script without an alphabet that we know.
 */
export function spellingOf (word: string): number {
  if (word.length < SHORTEST || word.length > LONGEST_MISSPELT) return 0
  const alphabet = alphabetOf(word)
  if (alphabet < 0) return 0
  const [from, to] = ALPHABETS[alphabet]!
  let hash = 0x811c9dc5
  for (let i = 0; i < word.length; i++) {
    const unit = word.charCodeAt(i)
    if (unit < from || unit > to) return 0
    hash = Math.imul(hash ^ unit, 0x01000193)
    hash ^= hash >>> 15
  }
  return hash >>> 0 || 1
}

/**
 * All that is one letter away from a word: one left out, two swapped, one replaced, one added. Empty for words that are
 * not corrected.
 */
export function nearSpellings (word: string): Set<string> {
  const near = new Set<string>()
  if (spellingOf(word) === 0) return near
  const letters = lettersOf[alphabetOf(word)]!()
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    const rest = after.slice(1)
    if (after !== '') near.add(before + rest)
    if (rest !== '') near.add(before + rest[0] + after[0] + rest.slice(1))
    for (const letter of letters) {
      near.add(before + letter + after)
      if (after !== '') near.add(before + letter + rest)
    }
  }
  near.delete(word)
  return near
}

/**
 * Finds among words that are known beforehand those that are one letter away, as `nearSpellings` has it. Made in steps.
 */
export function * nearAmong (words: Iterable<string>): Generator<void, (word: string) => string[]> {
  const known = new Set(words)
  /** Words by what is left of them without one of their letters. */
  const shortened = new Map<string, string[]>()
  let read = 0
  for (const word of known) {
    for (const less of withoutOne(word)) {
      const others = shortened.get(less)
      if (others) others.push(word)
      else shortened.set(less, [word])
    }
    if (++read % A_STEP === 0) yield
  }
  return (word) => {
    if (spellingOf(word) === 0) return []
    const near = new Set(shortened.get(word))
    for (const less of withoutOne(word)) {
      if (known.has(less)) near.add(less)
      for (const other of shortened.get(less) ?? []) if (isOneAway(word, other)) near.add(other)
    }
    near.delete(word)
    return [...near]
  }
}

/** Words that are looked at in a step: a millisecond or two. */
const A_STEP = 200

/** A word without each of its letters. */
function withoutOne (word: string): Set<string> {
  return new Set(Array.from({ length: word.length }, (_, at) => word.slice(0, at) + word.slice(at + 1)))
}

/** Whether of two words of one length one has another letter than the other, or two of them are swapped. */
function isOneAway (a: string, b: string): boolean {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return a.slice(at + 1) === b.slice(at + 1) ||
    (a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2))
}

function alphabetOf (word: string): number {
  const unit = word.charCodeAt(0)
  return ALPHABETS.findIndex(([from, to]) => unit >= from && unit <= to)
}

/** A compact set of non-zero 32-bit numbers. */
export class Spellings {
  #slots = new Uint32Array(1024)
  #size = 0

  get size (): number {
    return this.#size
  }

  add (spelling: number): void {
    if (this.#size * 2 >= this.#slots.length) this.#grow()
    const slot = slotOf(this.#slots, spelling)
    if (this.#slots[slot] === spelling) return
    this.#slots[slot] = spelling
    this.#size++
  }

  has (spelling: number): boolean {
    return spelling !== 0 && this.#slots[slotOf(this.#slots, spelling)] === spelling
  }

  #grow (): void {
    const grown = new Uint32Array(this.#slots.length * 2)
    for (const spelling of this.#slots) if (spelling !== 0) grown[slotOf(grown, spelling)] = spelling
    this.#slots = grown
  }
}

/** Where a number is, or would be. There are as many slots as a power of two, half of them empty. */
function slotOf (slots: Uint32Array, spelling: number): number {
  const last = slots.length - 1
  let slot = Math.imul(spelling, 0x9e3779b1) >>> 7 & last
  while (slots[slot] !== 0 && slots[slot] !== spelling) slot = slot + 1 & last
  return slot
}
