import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'

/** Bytes looked at in one turn of the event loop: about a millisecond. */
const SLICE = 512 * 1024
/** A text at least this long is read apart from the rest. */
const LONG = 4 * 1024

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
/** `\u0000` is the longest escape. */
const LONGEST_ESCAPE = 6

/** A JSON text without its long texts, and how to put these back into what it means. */
export interface Shortened {
  json: string
  /** Puts the long texts in the places that were kept for them. */
  complete (value: unknown): unknown
}

/**
 * Takes the long texts out of a JSON document, reading both a slice at a time, so that 60 MiB of text hold nobody up:
 * what is left is short, unless it is no document of ours. Throws what `longName` makes where a long text is a name,
 * TypeError where it is not UTF-8, SyntaxError where a long text is not JSON.
 */
export async function shorten (bytes: Buffer, longName: () => Error): Promise<Shortened> {
  // Nobody can guess it, so nobody can send a place of their own.
  const token = randomUUID()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const texts: string[] = []
  let json = ''
  let from = 0
  for await (const cuts of longTexts(bytes, longName)) {
    const start = cuts[0]!
    const end = cuts.at(-1)!
    json += `${decoder.decode(bytes.subarray(from, start))}${token} ${texts.length}`
    texts.push(await read(cuts, decoder, bytes))
    from = end
  }
  json += decoder.decode(bytes.subarray(from))
  return {
    json,
    complete: (value) =>
      completed(value, (text) => (text.startsWith(token) ? texts[Number(text.slice(token.length))]! : text))
  }
}

async function read (cuts: number[], decoder: TextDecoder, bytes: Buffer): Promise<string> {
  const pieces: string[] = []
  for (const [i, to] of cuts.entries()) {
    if (i === 0) continue
    pieces.push(JSON.parse(`"${decoder.decode(bytes.subarray(cuts[i - 1], to))}"`))
    await turn()
  }
  return pieces.join('')
}

function completed (value: unknown, textOf: (text: string) => string): unknown {
  if (typeof value === 'string') return textOf(value)
  if (Array.isArray(value)) return value.map((item) => completed(item, textOf))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, completed(item, textOf)]))
}

/** Where each long text that is a value stands between its quotes: its start, places where it may be cut, its end. */
async function * longTexts (bytes: Buffer, longName: () => Error): AsyncGenerator<number[]> {
  let cuts: number[] = []
  let inText = false
  let start = 0
  let cutFrom = 0
  let escape = 0
  for (let i = 0, pause = SLICE; i < bytes.length; i++) {
    if (i >= pause) {
      pause = i + SLICE
      await turn()
    }
    const code = bytes[i]!
    if (!inText) {
      if (code !== QUOTE) continue
      inText = true
      start = cutFrom = i + 1
      escape = 0
      cuts = [start]
    } else if (code === QUOTE) {
      inText = false
      if (i - start < LONG) continue
      if (isKey(bytes, i + 1)) throw longName()
      yield [...cuts, i]
    } else {
      // Never within an escape or a character of several bytes.
      if (i - cutFrom >= SLICE && (code === BACKSLASH || (i - escape >= LONGEST_ESCAPE && (code & 0xc0) !== 0x80))) {
        cuts.push((cutFrom = i))
      }
      if (code === BACKSLASH) escape = i++
    }
  }
}

/** Whether a colon follows. */
function isKey (bytes: Buffer, at: number): boolean {
  while (bytes[at]! <= 0x20) at++
  return bytes[at] === COLON
}
