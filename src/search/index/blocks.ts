import type { Sliced, Work } from '../../platform/storage/work.ts'

/*
 * Where words occur, as segments of blocks: a segment is what was trained at once, or several of these put together,
 * sorted by term. It is cut into blocks that are written once and never changed, so that readers may keep it. A term is
 * a word with one weight: the number of the word's key times 16, plus the weight.
 */

/** Weights that a word may have in a passage, see scores.ts. */
export const WEIGHTS = 16
/** Bytes of a block at which it is ended: two of them are kept on one page of the file. */
const BLOCK_BYTES = 1900
/** Space left at the end of a block for the start of one more entry. */
const ENTRY_BYTES = 40
/** Bytes of an id at the most, beside the one before it. */
const ID_BYTES = 8
/** Passages of one segment as it is trained: more would not fit into one number with a term. */
export const SLICE = 128
/** How a passage's words are written: a key of 8 characters, `_`, a weight and a blank, see scores.ts. */
const KEY_LENGTH = 8
const WORD_LENGTH = KEY_LENGTH + 3

/** A piece of a segment: the term and the passage that it begins with, and its entries up to those of the next one. */
export interface Block { term: number, first: number, data: Buffer }

/** What reads a segment's blocks, and the lowest id of a passage in it, from which the ids in them are counted. */
export interface Segment { low: number, next: () => Work<Block | undefined> }

/** The first term of a word, that of weight 0, by its key. */
export function termOf (key: string): number {
  return parseInt(key, 36) * WEIGHTS
}

/** The key of the word that a term is of. */
export function keyOf (term: number): string {
  return Math.floor(term / WEIGHTS).toString(36).padStart(KEY_LENGTH, '0')
}

/**
 * Writes entries, which come in order of their terms, into blocks. An entry is: the term less the one before it in the
 * block, how many passages hold it, the first id less the segment's lowest, each other id less the one before it; all
 * of them as numbers of 7 bits a byte, the lowest first.
 */
export class BlockWriter {
  readonly #low: number
  #blocks: Block[] = []
  #bytes = Buffer.alloc(BLOCK_BYTES * ID_BYTES)
  #length = 0
  #term = 0
  #begin: { term: number, first: number } | undefined

  /** For a segment without ids below `low`. */
  constructor (low: number) {
    this.#low = low
  }

  /** Adds an entry: the passages that hold a term, in order. One that does not fit goes on in the next block. */
  add (term: number, ids: readonly number[]): void {
    for (let from = 0; from < ids.length;) {
      if (!this.#begin) {
        this.#begin = { term, first: ids[from]! }
        this.#term = term
      }
      const count = Math.max(1, Math.min(ids.length - from, (BLOCK_BYTES - this.#length) >> 1))
      this.#write(term - this.#term)
      this.#write(count)
      this.#term = term
      let before = this.#low
      for (let i = from; i < from + count; i++) {
        this.#write(ids[i]! - before)
        before = ids[i]!
      }
      from += count
      if (this.#length > BLOCK_BYTES - ENTRY_BYTES) this.#end()
    }
  }

  /** The blocks that are full by now; each is handed out once. */
  full (): Block[] {
    const blocks = this.#blocks
    this.#blocks = []
    return blocks
  }

  /** The same with the last one. */
  rest (): Block[] {
    this.#end()
    return this.full()
  }

  #end (): void {
    if (this.#begin) this.#blocks.push({ ...this.#begin, data: Buffer.from(this.#bytes.subarray(0, this.#length)) })
    this.#begin = undefined
    this.#length = 0
  }

  #write (number: number): void {
    let left = number
    for (; left >= 2 ** 31; left = Math.floor(left / 128)) this.#bytes[this.#length++] = left % 128 + 128
    for (; left > 127; left >>>= 7) this.#bytes[this.#length++] = (left & 127) | 128
    this.#bytes[this.#length++] = left
  }
}

/** Reads a block entry by entry: after each `next`, the ids are to be read or to be skipped. */
export class BlockReader {
  /** The term of this entry, and how many passages hold it. */
  term: number
  count = 0
  readonly #data: Buffer
  readonly #low: number
  #at = 0

  constructor ({ term, data }: Pick<Block, 'term' | 'data'>, low: number) {
    this.term = term
    this.#data = data
    this.#low = low
  }

  /** Goes to the next entry; false after the last one. */
  next (): boolean {
    if (this.#at >= this.#data.length) return false
    this.term += this.#read()
    this.count = this.#read()
    return true
  }

  skip (): void {
    // A damaged block may say that there are more than it holds.
    for (let left = this.count; left > 0 && this.#at < this.#data.length; this.#at++) {
      if (this.#data[this.#at]! < 128) left--
    }
  }

  /** Adds the ids of this entry to those of others. */
  ids (into: number[]): void {
    let id = this.#low
    for (let left = this.count; left > 0 && this.#at < this.#data.length; left--) into.push(id += this.#read())
  }

  /** Skips the ids of this entry; what is returned reads them later. */
  later (): (into: number[]) => void {
    const [at, count] = [this.#at, this.count]
    this.skip()
    return (into) => {
      const reader = new BlockReader({ term: this.term, data: this.#data }, this.#low)
      reader.#at = at
      reader.count = count
      reader.ids(into)
    }
  }

  #read (): number {
    const data = this.#data
    let byte = data[this.#at++]!
    if (byte < 128) return byte
    let number = byte & 127
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = data[this.#at++]!
      number += (byte & 127) * scale
    }
    return number
  }
}

/**
 * The index entries of passages' words, as `entries` in scores.ts wrote them: `SLICE` at most, numbered from `first`.
 */
export function blocksOf (first: number, passages: readonly string[]): Block[] {
  const pairs: number[] = []
  for (const [at, words] of passages.entries()) {
    for (let from = 0; from < words.length; from += WORD_LENGTH) {
      const weight = parseInt(words[from + KEY_LENGTH + 1]!, WEIGHTS)
      pairs.push((termOf(words.slice(from, from + KEY_LENGTH)) + weight) * SLICE + at)
    }
  }
  const sorted = Float64Array.from(pairs).sort()
  const writer = new BlockWriter(first)
  let ids: number[] = []
  for (const [at, pair] of sorted.entries()) {
    const next = sorted[at + 1]
    // Two words may have one key.
    if (next === pair) continue
    ids.push(first + pair % SLICE)
    const term = Math.floor(pair / SLICE)
    if (next !== undefined && Math.floor(next / SLICE) === term) continue
    writer.add(term, ids)
    ids = []
  }
  return writer.rest()
}

/** Puts segments together, some thousand ids at a step; `writer` gets the entries. */
export function * merging (segments: readonly Segment[], writer: BlockWriter): Sliced<void> {
  const heads = segments.map((segment) => new Head(segment))
  for (const head of heads) yield * head.read()
  let done = 0
  for (;;) {
    let term = Infinity
    for (const head of heads) if (head.term < term) term = head.term
    if (term === Infinity) return
    const ids: number[] = []
    for (const head of heads) while (head.term === term) if (!head.take(ids)) yield * head.read()
    writer.add(term, inOrder(ids))
    done += ids.length + 1
    if (done < MERGED_AT_ONCE) continue
    done = 0
    yield
  }
}
const MERGED_AT_ONCE = 2000

/** The reading position in a segment. */
class Head {
  term = Infinity
  readonly #segment: Segment
  #reader: BlockReader | undefined

  constructor (segment: Segment) {
    this.#segment = segment
  }

  /** Takes the ids of an entry and goes to the next one; false where the next block is to be read for that. */
  take (into: number[]): boolean {
    this.#reader!.ids(into)
    return this.#advance()
  }

  /** Reads the next block. */
  * read (): Work<void> {
    do {
      const block = yield * this.#segment.next()
      if (!block) {
        this.term = Infinity
        return
      }
      this.#reader = new BlockReader(block, this.#segment.low)
    } while (!this.#advance())
  }

  #advance (): boolean {
    if (!this.#reader!.next()) return false
    this.term = this.#reader!.term
    return true
  }
}

/** Ids in order: mostly they are, since segments are of passages that were trained one after another. */
export function inOrder (ids: number[]): number[] {
  for (let at = 1; at < ids.length; at++) if (ids[at]! < ids[at - 1]!) return ids.sort((a, b) => a - b)
  return ids
}

/** A block without removed passages; undefined if it holds none of them. */
export function without (block: Block, low: number, isGone: (id: number) => boolean): Block[] | undefined {
  const reader = new BlockReader(block, low)
  const writer = new BlockWriter(low)
  let isTouched = false
  while (reader.next()) {
    const ids: number[] = []
    reader.ids(ids)
    const left = ids.filter((id) => !isGone(id))
    isTouched ||= left.length < ids.length
    writer.add(reader.term, left)
  }
  return isTouched ? writer.rest() : undefined
}

/** The terms of a word in the index, one for each weight that it has in some passage, and how many hold it. */
export type Terms = [term: number, passages: number][]

/** How many passages hold these terms. */
export function holdersOf (terms: Terms): number {
  return terms.reduce((sum, [, passages]) => sum + passages, 0)
}

/** The postings of words in an agent's passages, hidden ones included. Valid for one question. */
export interface Postings {
  /** The terms of a word, given by its key. */
  terms (key: string): Work<Terms>
  /** The passages that hold a term, in order, `most` at most. */
  holders (term: number, most: number): Work<number[]>
}
