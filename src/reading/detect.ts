import type { Format, Hints, Recognised } from './contract.ts'
import { unpack, type ArchiveParts } from './formats/archive.ts'
import { delimiterOf } from './formats/csv.ts'
import { charsetIn, charsetOf, decode } from './decode.ts'
import { EXTRACT_ERRORS, ExtractError } from './error.ts'
import { formatOfName, formatOfType, kinds } from './formats.ts'
import { subtitlesIn } from './formats/subtitles.ts'
import { parseJson } from './formats/json.ts'

const OLE = 'D0CF11E0A1B11AE1'
/**
 * Magic bytes, in hex, of common uploads that cannot be read; other unreadable files are detected by control
 * characters.
 */
const OTHERS: [string, string][] = [
  ['89504E47', 'a picture'],
  ['FFD8FF', 'a picture'],
  ['47494638', 'a picture'],
  ['49492A00', 'a picture'],
  ['4D4D002A', 'a picture'],
  ['52494646', 'a sound, film or picture'],
  ['494433', 'a sound'],
  ['1F8B', 'an archive'],
  ['377ABCAF271C', 'an archive'],
  ['526172211A07', 'an archive'],
  ['25215053', 'a PostScript document'],
  ['7F454C46', 'a program'],
  ['4D5A', 'a program']
]

/**
 * Recognises a file by its content; its name and declared type only decide between kinds of plain text.
 * Throws `unsupported_format`, or what opening the archive around an Office file throws.
 */
export function detect (bytes: Uint8Array, hints: Hints = {}): Recognised {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  const hex = Buffer.from(bytes.subarray(0, 8)).toString('hex').toUpperCase()
  if (head.startsWith('PK\x03\x04') || head.startsWith('PK\x05\x06')) return inArchive(unpack(bytes))
  if (hex === OLE) return inOle(bytes)
  const other = OTHERS.find(([magic]) => hex.startsWith(magic))
  if (other) throw unsupported(`The file is ${other[1]}`)
  const begun = kinds().find(([, { isBegun }]) => isBegun?.(head, saidOf(hints) !== undefined))
  if (begun) return { format: begun[0], bytes } as Recognised
  return inText(decode(bytes, charsetIn(hints.contentType) ?? charsetOf(bytes)), hints)
}

function inArchive (parts: ArchiveParts): Recognised {
  const found = kinds().find(([, { isArchive }]) => isArchive?.(parts))
  if (found) return { format: found[0], parts } as Recognised
  throw unsupported('The file is an archive')
}

/** Programs that stored their files in the pre-2007 Office container, by its content, and what to do with them. */
const OLD_OFFICE: [part: string, what: string, today: string][] = [
  ['WordDocument', 'a Word document', '.docx'],
  ['PowerPoint Document', 'a presentation', '.pptx'],
  ['Workbook', 'a workbook', '.xlsx'],
  ['Book', 'a workbook', '.xlsx']
]

/** The container of Office files before 2007, of Outlook messages, and of newer password-protected files. */
function inOle (bytes: Uint8Array): Recognised {
  const container = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // Searched as bytes: as UTF-16, Node searches a container at an odd address forever.
  const has = (part: string) => container.includes(Buffer.from(part + '\0', 'utf16le'))
  if (has('__properties_version1.0')) return { format: 'msg', bytes }
  if (has('EncryptedPackage')) throw new ExtractError('encrypted')
  const [, what, today] = OLD_OFFICE.find(([part]) => has(part)) ?? ['', 'an old document', '.docx, .xlsx or .pptx']
  throw new ExtractError(
    'unsupported_format',
    `The file is ${what} in the format of Office before 2007. Open it in Office or LibreOffice, save it as ${today} and upload that.`
  )
}

type PlainText = 'markdown' | 'text' | 'csv' | 'tsv'
const isPlainText = (format: Format | undefined): format is PlainText =>
  format === 'markdown' || format === 'text' || format === 'csv' || format === 'tsv'

/** The kind of plain text that a file is said to be. What servers call text/plain may be any of them. */
function saidOf ({ name = '', contentType = '' }: Hints): PlainText | undefined {
  const [byName, byType] = [formatOfName(name), formatOfType(contentType)]
  if (isPlainText(byName)) return byName
  return isPlainText(byType) && byType !== 'text' ? byType : undefined
}

function inText (text: string, hints: Hints): Recognised {
  if (looksBinary(text)) throw unsupported('The file is in no known format')
  const said = saidOf(hints)
  const subtitles = said ? undefined : subtitlesIn(text)
  if (subtitles) return { format: subtitles, text }
  const value = parseJson(text)
  if (value !== undefined) return { format: 'json', value }
  if (isHtml(text, said)) return { format: 'html', text }
  if (isXml(text, hints)) return { format: 'xml', text: withoutEntities(text) }
  const delimiter = said === 'markdown' || said === 'text' ? undefined : delimiterOf(text, said)
  if (delimiter) return { format: delimiter === '\t' ? 'tsv' : 'csv', text, delimiter }
  return { format: said === 'markdown' || (!said && isMarkdown(text)) ? 'markdown' : 'text', text }
}

/** Text holds hardly any control characters: one in two hundred is already a program or a picture. */
function looksBinary (text: string): boolean {
  const sample = text.slice(0, 65_536)
  // eslint-disable-next-line no-control-regex
  const controls = sample.match(/[\0-\x07\x0E-\x1A\x1C-\x1F\x7F-\x84\x86-\x9F]/g)?.length ?? 0
  return controls * 200 > sample.length
}

/** Markdown may open with a tag; only a whole page makes a `.md` or `.txt` file HTML. */
function isHtml (text: string, said: string | undefined): boolean {
  const start = text.slice(0, 4096).replace(/^(?:\s|\uFEFF|<\?xml[^>]*\?>|<!--[\s\S]*?-->)+/, '')
  if (/^<(?:!doctype\s+html|html|head|body)[\s>]/i.test(start)) return true
  return (
    !said &&
    /^<(?:meta|title|link|style|script|article|main|section|div|p|table|h[1-6]|ul|ol|span|a|center|font)[\s>]/i.test(
      start
    )
  )
}

function isXml (text: string, { name = '', contentType = '' }: Hints): boolean {
  const isSaid = /\.xml$/i.test(name) || /[/+]xml\b/i.test(contentType)
  if (!/^\s*<(?:\?xml|!DOCTYPE)/i.test(text) && !(isSaid && /^\s*<[a-z_]/i.test(text))) return false
  if (/^(?:\s*<(?:\?|!)[^>]*>)*\s*<svg[\s>]/i.test(text)) throw unsupported('The file is a picture')
  return true
}

function withoutEntities (xml: string): string {
  if (xml.includes('<!ENTITY')) throw new ExtractError('unsafe')
  return xml
}

function isMarkdown (text: string): boolean {
  const sample = text.slice(0, 65_536)
  return (
    /^#{1,6} \S/m.test(sample) ||
    (/^[-*+] \S/m.test(sample) && /\[[^[\]\n]+\]\([^()\n]+\)|\*\*\S[^*\n]*\*\*|^```/m.test(sample))
  )
}

function unsupported (what: string): ExtractError {
  return new ExtractError(
    'unsupported_format',
    `${what}, which cannot be read. ${EXTRACT_ERRORS.unsupported_format.replace(/^[^.]*\. /, '')}`
  )
}
