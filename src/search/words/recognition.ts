import { randomInt } from 'node:crypto'

/** Places for segments, at 5 bytes each, and segments that are remembered before all are forgotten. */
const SLOTS = 2 ** 17
const MOST_SEGMENTS = 60_000
/** The mark of a segment that is no single word; words have a number from 2 to 255, empty places 0. */
const SEVERAL = 1

/**
 * Remembers by numbers alone which word a segment of a text is once it is cut. Most words of a passage are none of
 * those that were asked for: making a string of each, and looking it up, to find that out was a quarter of a search.
 */
export class Recognition {
  readonly #cut: (segment: string) => string[]
  readonly #most: number
  /** 32 bits of how a segment is written: two in billions are taken for one another. */
  readonly #written = new Uint32Array(SLOTS)
  readonly #words = new Uint8Array(SLOTS)
  /** All agents' texts meet here: nobody can make up words that are taken for another, or that share a place. */
  readonly #seeds = [randomInt(2 ** 32), randomInt(2 ** 32)] as const
  #size = 0

  /** `cut` takes a segment apart into words; `most` segments are remembered. */
  constructor (cut: (segment: string) => string[], most = MOST_SEGMENTS) {
    this.#cut = cut
    this.#most = most
  }

  /**
   * Tells of a segment of a text that it is one word, and none of those that are wanted. Of a few others it cannot tell
   * it.
   */
  others (wanted: Iterable<string>): (text: string, start: number, end: number) => boolean {
    const isWanted = new Uint8Array(256)
    isWanted[SEVERAL] = 1
    for (const word of wanted) isWanted[numberOf(word)] = 1
    return (text, start, end) => isWanted[this.#wordAt(text, start, end)] === 0
  }

  #wordAt (text: string, start: number, end: number): number {
    let [place, written] = this.#seeds
    for (let at = start; at < end; at++) {
      const unit = text.charCodeAt(at)
      place = Math.imul(place ^ unit, 0x01000193)
      written = Math.imul(written ^ unit, 0x5bd1e995)
      written ^= written >>> 15
    }
    written >>>= 0
    let slot = (place ^ place >>> 16) & (SLOTS - 1)
    for (; this.#words[slot] !== 0; slot = slot + 1 & (SLOTS - 1)) {
      if (this.#written[slot] === written) return this.#words[slot]!
    }
    const words = this.#cut(text.slice(start, end))
    const number = words.length === 1 ? numberOf(words[0]!) : SEVERAL
    this.#written[slot] = written
    this.#words[slot] = number
    if (++this.#size >= this.#most) this.#forget()
    return number
  }

  #forget (): void {
    this.#words.fill(0)
    this.#size = 0
  }
}

function numberOf (word: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  return 2 + (hash >>> 8) % 254
}
