/** Words a table holds at most. It takes some 4 MiB. */
const MOST = 131_072
/** Twice as many slots, so that most words are found where they are first looked for. */
const SLOTS = 2 * MOST
/** Slots looked at for one word; a text made to crowd them is only not remembered. */
const TRIES = 32
/** UTF-16 units of a word, and one for its length, at first; more are made room for as they come. */
const USUAL_LENGTH = 8

/**
 * A number for each of many words, asked for by where they stand among the UTF-16 units of a text: unlike in a Map, no string is made of a word that is
 * known. What is kept of one word lies together, in two places: with an object for each, counting the words of a long text took a fifth longer.
 */
export class WordTable {
  /** For each slot where its word begins in `#words`, 0 for none, and the word's number. */
  readonly #slots = new Int32Array(2 * SLOTS)
  /** The words in the order in which they came, each behind its length. */
  #words = new Uint16Array(MOST * USUAL_LENGTH)
  #end = 1
  #held = 0

  get isFull (): boolean {
    return this.#held >= MOST
  }

  /** The number of a word; -1 when it is not known. */
  get (text: Uint16Array, from: number, to: number): number {
    for (let slot = slotOf(text, from, to), tries = 0; tries < TRIES; slot = (slot + 1) & (SLOTS - 1), tries++) {
      const start = this.#slots[2 * slot]!
      if (start === 0) return -1
      if (this.#stands(start, text, from, to)) return this.#slots[2 * slot + 1]!
    }
    return -1
  }

  /** Remembers the number of a word that `get` did not find, if there is room for it. */
  add (text: Uint16Array, from: number, to: number, number: number): void {
    for (let slot = slotOf(text, from, to), tries = 0; tries < TRIES && !this.isFull; slot = (slot + 1) & (SLOTS - 1), tries++) {
      if (this.#slots[2 * slot] !== 0) continue
      const start = this.#end
      this.#end += 1 + to - from
      if (this.#end > this.#words.length) this.#grow()
      this.#words[start] = to - from
      this.#words.set(text.subarray(from, to), start + 1)
      this.#slots[2 * slot] = start
      this.#slots[2 * slot + 1] = number
      this.#held++
      return
    }
  }

  #stands (start: number, text: Uint16Array, from: number, to: number): boolean {
    const words = this.#words
    if (words[start] !== to - from) return false
    for (let at = start + 1, i = from; i < to; i++, at++) if (words[at] !== text[i]) return false
    return true
  }

  #grow () {
    const more = new Uint16Array(this.#words.length * 2)
    more.set(this.#words)
    this.#words = more
  }
}

/** Where a word is first looked for: FNV-1a over its UTF-16 units, the high bits mixed into the low ones. */
function slotOf (text: Uint16Array, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ text[i]!, 0x01000193)
  return (hash ^ hash >>> 15) & (SLOTS - 1)
}
