import { analyse } from 'chardet'
import { ExtractError } from './error.ts'

const BOMS: [number[], string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be']
]

/** Bytes looked at to tell an encoding, from a little before the first that is no ASCII. */
const SAMPLE = 65_536
/** Minimum confidence of the detector, out of 100, unless nothing else comes near. */
const SURE = 35
const CLEAR_LEAD = 1.5

/**
 * Bytes as text: by byte order mark, else as UTF-8 when they are, else in the named charset, else in the encoding that
 * they most likely have. Throws `unknown_encoding` where none makes text of them, or several do and none is clearly
 * likelier.
 */
export function decode (bytes: Uint8Array, charset?: string): string {
  const marked = BOMS.find(([mark]) => mark.every((byte, i) => bytes[i] === byte))
  if (marked) return new TextDecoder(marked[1]).decode(bytes)
  const utf16 = unmarkedUtf16(bytes)
  if (utf16) return new TextDecoder(utf16).decode(bytes)
  // Seven bits a byte, so that it would pass for ASCII.
  if (Buffer.from(bytes.subarray(0, SAMPLE)).includes('\x1b$')) return new TextDecoder('iso-2022-jp').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return mostlyUtf8(bytes) ?? new TextDecoder(encodingOf(bytes, charset)).decode(bytes)
  }
}

/** A few wrong bytes among many right letters are an accident in a UTF-8 file, not another encoding. */
function mostlyUtf8 (bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes)
  const wrong = text.match(/\uFFFD/g)?.length ?? 0
  const right = text.match(/[^\0-\x7F\uFFFD]/g)?.length ?? 0
  return right > 10 * wrong ? text : undefined
}

/** The `charset` of a content type or of a page's `<meta>`, or the `encoding` of XML, when it names one. */
export function charsetIn (text: string | undefined): string | undefined {
  const [, charset, encoding] =
    /charset\s*=\s*(?:["']\s*)?([\w:.-]+)|<\?xml\s[^<>]*\bencoding\s*=\s*["']([\w:.-]+)/i.exec(text ?? '') ?? []
  return charset ?? encoding
}

/** Bytes in which a page says its charset: within the first of them, as it should, or in a `<meta>` that comes late. */
const HEAD = 1024
const LATE = 65_536

/** The charset that bytes themselves name. */
export function charsetOf (bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, LATE)).toString('latin1')
  return charsetIn(head.slice(0, HEAD)) ?? charsetIn(/<meta\s[^<>]*charset[^<>]*/i.exec(head)?.[0])
}

/** The label of the encoding of bytes that are no UTF-8. */
function encodingOf (bytes: Uint8Array, charset?: string): string {
  const from = Math.max(bytes.findIndex((byte) => byte > 0x7F) - 256, 0)
  const sample = bytes.subarray(from, from + SAMPLE)
  // Binary data is detected later, by its control characters.
  if (sample.includes(0)) return 'windows-1252'
  if (charset !== undefined && readAs(sample, charset) !== undefined) return charset
  const found = [...analyse(sample), { name: 'windows-1252', confidence: 9 }]
    .map(({ name, confidence }) => ({ name, confidence, text: readAs(sample, name) }))
    .filter(({ text }) => text !== undefined)
    .sort((a, b) => b.confidence - a.confidence)
  const [best] = found
  const other = found.find(({ text }) => text !== best?.text)
  if (!best || (best.confidence < SURE && other && best.confidence < other.confidence * CLEAR_LEAD)) {
    throw new ExtractError('unknown_encoding')
  }
  return best.name
}

/** Bytes read in an encoding, where that makes text of them. */
function readAs (sample: Uint8Array, label: string): string | undefined {
  try {
    // The sample may end within a letter.
    const text = new TextDecoder(label, { fatal: true }).decode(sample, { stream: true })
    return isPlausible(text) ? text : undefined
  } catch {
    return undefined
  }
}

/**
 * Signs that occur within words of no language, letters of several scripts in one word, and capitals within words: a
 * wrong guess is full of them.
 */
const ODD =
  // eslint-disable-next-line no-control-regex
  /[\u0080-\u009F\uE000-\uF8FF\u2500-\u259F\uFF61-\uFF9F]|(?<=\p{L})[^\p{L}\p{M}\p{N}\p{P}\p{Z}\s\x00-\x7F](?=\p{L})|(?<=\p{L})[¡¿¹²³¼½¾§¶](?=\p{L})|(?<=\p{sc=Latin})[\p{sc=Han}\p{sc=Hangul}\p{sc=Cyrillic}\p{sc=Greek}](?=\p{sc=Latin})|(?<=[\p{sc=Cyrillic}\p{sc=Greek}])\p{sc=Latin}(?=[\p{sc=Cyrillic}\p{sc=Greek}])|(?<=(?![a-z])\p{Ll})(?![A-Z])\p{Lu}/gu
const MOST_ODD = 0.03

function isPlausible (text: string): boolean {
  const beyondAscii = text.match(/[^\0-\x7F]/gu)?.length ?? 0
  return (text.match(ODD)?.length ?? 0) <= beyondAscii * MOST_ODD
}

/** Characters of UTF-16 that are text, out of 1. */
const MOSTLY = 0.97

/** Text in UTF-16 has NULs, which no other has; read the right way round it is letters, the wrong way it is not. */
function unmarkedUtf16 (bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, 4096)
  const nuls = sample.filter((byte) => byte === 0).length
  if (sample.length < 4 || sample.length % 2 || nuls === 0) return undefined
  // Two or three characters prove nothing, unless every other byte is NUL.
  if (sample.length < 16 && nuls * 2 < sample.length) return undefined
  // What is UTF-8 too has few control characters there; in UTF-16 every other byte is one.
  const controls = sample.filter((byte) => byte < 9).length
  if (readAs(sample, 'utf-8') !== undefined && controls * 4 < sample.length) return undefined
  const shares = ['utf-16le', 'utf-16be']
    .map((label) => ({ label, share: shareOfText(sample, label) }))
    .sort((a, b) => b.share - a.share)
  return shares[0] && shares[0].share >= MOSTLY && shares[0].share > (shares[1]?.share ?? 0)
    ? shares[0].label
    : undefined
}

function shareOfText (sample: Uint8Array, label: string): number {
  const text = readAs(sample, label) ?? ''
  // Letters of rare scripts and of few programs are what the wrong way round makes of text.
  const usual =
    text.match(
      /[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Devanagari}\p{sc=Thai}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u4E00-\u9FFF\p{M}\x20-\x7E\s\p{P}\p{N}\p{Sc}\uFF01-\uFF5E]/gu
    )?.length ?? 0
  return [...text].some((letter) => letter < '\t') ? 0 : usual / Math.max([...text].length, 1)
}
