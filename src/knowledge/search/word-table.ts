/** Words a table holds at most. It takes some 2 MiB, and what it keeps of them. */
const MOST = 131_072
/** Twice as many slots, so that most words are found where they are first looked for. */
const SLOTS = 2 * MOST
/** Slots looked at for one word; a text made to crowd them is only not remembered. */
const TRIES = 32
/** UTF-16 units of a word at first; more are made room for as they come. */
const USUAL_LENGTH = 8

/**
 * What is known of words, asked for by where they stand among the UTF-16 units of a text: unlike in a Map, no string is made of a word that is known,
 * which is most of what counting the words of a long text takes.
 */
export class WordTable<T> {
  /** Number of the word in each slot, from 1. */
  readonly #slots = new Int32Array(SLOTS)
  /** Where each word begins in `#units`, and where the last one ends. */
  readonly #starts: number[] = [0]
  readonly #values: T[] = []
  #units = new Uint16Array(MOST * USUAL_LENGTH)

  get isFull (): boolean {
    return this.#values.length >= MOST
  }

  get (text: Uint16Array, from: number, to: number): T | undefined {
    for (let slot = slotOf(text, from, to), tries = 0; tries < TRIES; slot = (slot + 1) & (SLOTS - 1), tries++) {
      const number = this.#slots[slot]!
      if (number === 0) return undefined
      if (this.#stands(number - 1, text, from, to)) return this.#values[number - 1]
    }
    return undefined
  }

  /** Remembers what is known of a word that `get` did not find, if there is room for it. */
  add (text: Uint16Array, from: number, to: number, value: T): void {
    for (let slot = slotOf(text, from, to), tries = 0; tries < TRIES && !this.isFull; slot = (slot + 1) & (SLOTS - 1), tries++) {
      if (this.#slots[slot] !== 0) continue
      const start = this.#starts.at(-1)!
      const end = start + to - from
      if (end > this.#units.length) this.#grow()
      this.#units.set(text.subarray(from, to), start)
      this.#starts.push(end)
      this.#slots[slot] = this.#values.push(value)
      return
    }
  }

  #stands (word: number, text: Uint16Array, from: number, to: number): boolean {
    let at = this.#starts[word]!
    if (this.#starts[word + 1]! - at !== to - from) return false
    for (let i = from; i < to; i++, at++) if (this.#units[at] !== text[i]) return false
    return true
  }

  #grow () {
    const more = new Uint16Array(this.#units.length * 2)
    more.set(this.#units)
    this.#units = more
  }
}

/** Where a word is first looked for: FNV-1a over its UTF-16 units, the high bits mixed into the low ones. */
function slotOf (text: Uint16Array, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ text[i]!, 0x01000193)
  return (hash ^ hash >>> 15) & (SLOTS - 1)
}
