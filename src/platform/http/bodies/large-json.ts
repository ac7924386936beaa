import { randomUUID } from 'node:crypto'
import { nextTurn } from '../../work/turns.ts'

/** Bytes searched in one turn of the event loop: about a millisecond. */
const SLICE = 512 * 1024
/** Quotes and backslashes searched for in one turn: about a millisecond too. */
const STEPS = 8 * 1024
/** A text at least this long is read separately; a name that long is refused at once. */
const [LONG, LONG_NAME] = [512, 4 * 1024]
/**
 * Bytes that are read at once: everything but the long texts. None of our documents has so many values and blanks, or
 * numbers so long, and 60 MiB of blanks alone took 0.3 s.
 */
const MOST_BESIDE = 8 * 2 ** 20
/**
 * Bytes of memory for one text: it is put together at a stretch, and the system takes half a millisecond to provide a
 * MiB. More than an agent may learn has room too: the refusal says how much it is.
 */
export const MOST_TEXT = 64 * 2 ** 20

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
/** With one of these each character of a text takes two bytes of memory. */
const WIDE = /[^\0-\xff]/
/** `\u0000` is the longest kind of escape. */
const LONGEST_ESCAPE = 6

/** How a document is refused: a name of it is too long, a text, or what is beside texts; or there are too many. */
export interface LargeRefusals { longName (): Error, longText (): Error, muchBeside (): Error, manyValues (): Error }

/** A JSON text without its long texts, and how to put these back into the parsed value. */
interface Shortened {
  json: string
  /** Replaces the placeholders with the long texts. */
  complete (value: unknown): unknown
}

/**
 * Takes the long texts out of a JSON document, reading both a slice at a time, so that 60 MiB of text block nobody:
 * what is left is short, or refused. Throws TypeError where the document is not UTF-8, SyntaxError where a long text is
 * no JSON. `mostValues`: how many values it may have.
 */
export async function shorten (bytes: Buffer, mostValues: number, refusals: LargeRefusals): Promise<Shortened> {
  // Nobody can guess it, so nobody can send a placeholder of their own.
  const token = randomUUID()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const texts: string[] = []
  let json = ''
  let from = 0
  let beside = 0
  const keep = (to: number) => {
    beside += to - from
    if (beside > MOST_BESIDE) throw refusals.muchBeside()
    json += decoder.decode(bytes.subarray(from, to))
  }
  for await (const cuts of longTexts(bytes, refusals.longName)) {
    const start = cuts[0]!
    if (texts.length === mostValues) throw refusals.manyValues()
    keep(start)
    json += `${token} ${texts.length}`
    texts.push(await read(cuts, decoder, bytes, refusals.longText))
    from = cuts.at(-1)!
  }
  keep(bytes.length)
  return {
    json,
    complete: (value) =>
      completed(value, (text) => (text.startsWith(token) ? texts[Number(text.slice(token.length))]! : text))
  }
}

async function read (cuts: number[], decoder: TextDecoder, bytes: Buffer, longText: () => Error): Promise<string> {
  const pieces: string[] = []
  let units = 0
  let isWide = false
  for (const [i, to] of cuts.entries()) {
    if (i === 0) continue
    if (i > 1) await nextTurn()
    const piece: string = JSON.parse(`"${decoder.decode(bytes.subarray(cuts[i - 1], to))}"`)
    units += piece.length
    isWide ||= WIDE.test(piece)
    if (units * (isWide ? 2 : 1) > MOST_TEXT) throw longText()
    pieces.push(piece)
  }
  if (pieces.length === 1) return pieces[0]!
  await nextTurn()
  const text = pieces.join('')
  await nextTurn()
  return text
}

function completed (value: unknown, textOf: (text: string) => string): unknown {
  if (typeof value === 'string') return textOf(value)
  if (Array.isArray(value)) return value.map((item) => completed(item, textOf))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, completed(item, textOf)]))
}

/** The position of each long text that is a value, between its quotes: start, places where it may be cut, end. */
async function * longTexts (bytes: Buffer, longName: () => Error): AsyncGenerator<number[]> {
  let cuts: number[] = []
  let inText = false
  let escape = 0
  let at = 0
  let steps = 0
  for (let from = 0; from < bytes.length; from += SLICE) {
    if (from > 0) await nextTurn()
    const next = finder(bytes, from)
    if (inText) addCut(cuts, bytes, Math.max(at, from), escape)
    while (at < from + SLICE) {
      if (++steps % STEPS === 0) await nextTurn()
      const quote = next.quote(at)
      // Where escapes follow each other, searching costs more than checking the next byte.
      let backslash = Infinity
      if (inText) backslash = bytes[at] === BACKSLASH ? at : next.backslash(at)
      at = Math.min(quote, backslash) + 1
      if (backslash < quote) {
        escape = backslash
        at++
      } else if (quote !== Infinity && inText) {
        inText = false
        if (quote - cuts[0]! < LONG) continue
        if (!isKey(bytes, at)) yield [...cuts, quote]
        else if (quote - cuts[0]! >= LONG_NAME) throw longName()
      } else if (quote !== Infinity) {
        inText = true
        cuts = [at]
      }
    }
    // Nothing more in this slice. Otherwise it is past it already: an escape may hide the first byte of the next one.
    if (at === Infinity) at = from + SLICE
  }
}

/** Finds quotes and backslashes in the slice starting there, visiting each byte once; Infinity: none left. */
function finder (bytes: Buffer, from: number) {
  const slice = bytes.subarray(from, from + SLICE)
  const search = (code: number) => {
    let found = -1
    return (at: number) => {
      if (found >= at) return found
      const next = slice.indexOf(code, Math.max(0, at - from))
      found = next === -1 ? Infinity : from + next
      return found
    }
  }
  return { quote: search(QUOTE), backslash: search(BACKSLASH) }
}

/**
 * Adds the first place from here on where a text may be cut: never within an escape or a multi-byte character. It is
 * near, or the text is not UTF-8.
 */
function addCut (cuts: number[], bytes: Buffer, from: number, escape: number) {
  for (let at = from; at < from + 2 * LONGEST_ESCAPE && bytes[at] !== QUOTE; at++) {
    const code = bytes[at] ?? 0
    if (code === BACKSLASH || (at - escape >= LONGEST_ESCAPE && (code & 0xc0) !== 0x80)) {
      if (at > cuts[0]!) cuts.push(at)
      return
    }
  }
}

/** Whether a colon follows. */
function isKey (bytes: Buffer, at: number): boolean {
  while (bytes[at]! <= 0x20) at++
  return bytes[at] === COLON
}
