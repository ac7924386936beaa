import { charactersIn, type Document } from '../../document.ts'
import { Draft } from '../../draft.ts'
import { ExtractError } from '../../error.ts'
import { labelled, sideBySide } from '../rows.ts'
import { BESIDE, characterSetLabel, KEPT_PARTS, NAMED, pageLabel } from './letters.ts'
import { ownProperty } from '../../../platform/objects.ts'

/** What holds within one group `{…}` of the file. */
interface Group {
  /** What the group is for: the text, or a part beside it. */
  part: string
  isHidden: boolean
  /** Whether `\*` says that programs that do not know the group's word skip it. */
  mayBePassedOver: boolean
  /** Letters that follow an `\u` for programs which do not know it. */
  fallback: number
  font: number
  style: number
}

const TOKEN = /\\([a-z]+)(-?\d+)? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+/giy
/** Groups inside each other; more are an attack. */
const MOST_GROUPS = 10_000

/**
 * An RTF document: headings, paragraphs, lists with their marks, table rows. Hidden and deleted text, remarks, headers
 * and footers are left out. Throws `no_text`, `too_large` or `damaged`.
 */
export function readRtf (bytes: Uint8Array): Document {
  const draft = new Draft('rtf')
  new Reader(draft).read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'))
  return draft.finish('The document holds no text, only pictures or drawings.')
}

class Reader {
  readonly #draft: Draft
  readonly #groups: Group[] = []
  #group: Group = { part: '', isHidden: false, mayBePassedOver: false, fallback: 1, font: -1, style: 0 }
  #page = 'windows-1252'
  #defaultFont = -1
  readonly #fonts = new Map<number, string>()
  /** The levels of the styles that are headings. */
  readonly #headings = new Map<number, number>()
  /** Bytes of letters that are not decoded yet: one letter may take two. */
  #bytes: number[] = []
  /** Letters still to be passed over after an `\u`. */
  #skip = 0
  #text = ''
  /** Text of a part besides the document that is looked at: a title, the name of a style. */
  #beside = ''
  /** The text of the paragraph that a footnote is in, and all footnotes, which follow at the end. */
  #aroundNote = ''
  readonly #notes: string[] = []
  #level = 0
  #cells: string[] = []
  #header: string[] | undefined
  #isInTable = false
  #isHeader = false

  constructor (draft: Draft) {
    this.#draft = draft
  }

  read (rtf: string) {
    const token = new RegExp(TOKEN)
    for (let match = token.exec(rtf); match; match = token.exec(rtf)) {
      const [, word, number, hex, symbol, brace, text] = match
      if (hex === undefined && text === undefined) this.#decode()
      if (word !== undefined) {
        this.#word(word.toLowerCase(), number === undefined ? undefined : Number(number))
        // Raw bytes, which may look like anything.
        if (word === 'bin') token.lastIndex += Math.max(Number(number ?? 0), 0)
      } else if (hex !== undefined) this.#letter(parseInt(hex, 16))
      else if (symbol !== undefined) this.#symbol(symbol)
      else if (brace === '{') this.#open()
      else if (brace === '}') this.#close()
      else if (text !== undefined) for (const letter of text) this.#letter(letter.charCodeAt(0))
    }
    this.#decode()
    this.#paragraph()
    this.#draft.leave(1)
    for (const note of this.#notes) this.#draft.add(note)
  }

  #open () {
    if (this.#groups.length >= MOST_GROUPS) throw new ExtractError('too_large')
    this.#groups.push(this.#group)
    this.#group = { ...this.#group, mayBePassedOver: false }
  }

  #close () {
    const { part, font, style } = this.#group
    const above = this.#groups.pop()
    if (part === 'stylesheet') this.#nameStyle(style)
    if (part === 'title' && above?.part !== 'title') this.#draft.title = this.#beside.trim() || null
    if (part === 'footnote' && above?.part !== 'footnote') this.#endNote()
    if (part === 'fonttbl' || part === 'stylesheet' || part === 'title') this.#beside = ''
    // A font is named by its group; the text goes on in the one it had.
    this.#group = above ?? { ...this.#group, font }
    this.#skip = 0
  }

  #endNote () {
    const note = this.#taken()
    if (note) this.#notes.push(note)
    this.#text = this.#aroundNote
  }

  #nameStyle (style: number) {
    const level = Number(/^\s*heading (\d)/i.exec(this.#beside)?.[1])
    if (level) this.#headings.set(style, level)
  }

  #word (word: string, number?: number) {
    const group = this.#group
    if (group.mayBePassedOver) {
      group.mayBePassedOver = false
      if (!KEPT_PARTS.has(word)) group.part ||= 'beside'
    }
    if (BESIDE.has(word) && group.part === '') group.part = word
    else if (word === 'title' && group.part === 'info') group.part = word
    else if (word === 'footnote' && group.part === '') {
      group.part = word
      this.#aroundNote = this.#text
      this.#text = ''
    } else if (word === 'ansicpg') this.#page = pageLabel(number ?? 0)
    else if (word === 'nofpages') this.#draft.pages = number && number > 0 ? number : null
    else if (word === 'mac') this.#page = pageLabel(10000)
    else if (word === 'deff') this.#defaultFont = number ?? -1
    else if (word === 'f') group.font = number ?? -1
    else if (word === 'fcharset' && group.part === 'fonttbl') this.#nameFont(group.font, number ?? 0)
    else if (word === 'uc') group.fallback = number ?? 1
    else if (word === 'u') this.#unicode(number ?? 0)
    else if (word === 'v' || word === 'deleted') group.isHidden = number !== 0
    else if (word === 'plain') group.isHidden = false
    else if (word === 's') this.#styled(number ?? 0)
    else this.#layout(word, number)
  }

  #nameFont (font: number, set: number) {
    const label = characterSetLabel(set)
    if (label) this.#fonts.set(font, label)
  }

  #styled (style: number) {
    this.#group.style = style
    if (this.#isText) this.#level = this.#headings.get(style) ?? 0
  }

  /** Control words that say where text is: paragraphs, tables, and letters with names. */
  #layout (word: string, number?: number) {
    if (!this.#isText) return
    if (word === 'par' || word === 'sect' || word === 'page') { this.#isInTable || this.#group.part === 'footnote' ? (this.#text += '\n') : this.#paragraph() } else if (word === 'pard') {
      this.#isInTable = false
      this.#level = 0
    } else if (word === 'intbl') this.#isInTable = true
    else if (word === 'outlinelevel') this.#level = (number ?? 0) + 1
    else if (word === 'trowd') this.#isHeader = false
    else if (word === 'trhdr') this.#isHeader = true
    else if (word === 'cell' || word === 'nestcell') this.#cell()
    else if (word === 'row') this.#row()
    else if (word === 'chftn') { this.#add(this.#group.part === 'footnote' ? `[${this.#notes.length + 1}] ` : `[${this.#notes.length + 1}]`) } else {
      this.#add(ownProperty(NAMED, word) ?? '')
    }
  }

  #symbol (symbol: string) {
    if (symbol === '*') this.#group.mayBePassedOver = true
    else if (symbol === '~') this.#add('\u00A0')
    else if (symbol === '_') this.#add('-')
    else if (symbol === '\n' || symbol === '\r') this.#layout('par')
    else if (/[\\{}]/.test(symbol)) this.#letter(symbol.charCodeAt(0))
  }

  #unicode (number: number) {
    this.#add(String.fromCharCode(number & 0xFFFF))
    this.#skip = this.#group.fallback
  }

  #letter (byte: number) {
    if (this.#skip > 0) this.#skip--
    else this.#bytes.push(byte)
  }

  #decode () {
    if (this.#bytes.length === 0) return
    const { font } = this.#group
    const label = this.#fonts.get(font === -1 ? this.#defaultFont : font) ?? this.#page
    const text = new TextDecoder(label).decode(Uint8Array.from(this.#bytes))
    this.#bytes = []
    this.#add(text)
  }

  /** Whether what comes belongs to the text of the document. */
  get #isText (): boolean {
    return this.#group.part === '' || this.#group.part === 'footnote'
  }

  #add (text: string) {
    if (!this.#isText) this.#beside += this.#group.part === 'beside' ? '' : text.slice(0, 500)
    else if (this.#group.isHidden) this.#draft.hide(charactersIn(text))
    else this.#text += text
  }

  #taken (): string {
    const text = this.#text.replace(/[ \t]+/g, ' ').trim()
    this.#text = ''
    return text
  }

  #paragraph () {
    const text = this.#taken()
    if (!text) return
    this.#header = undefined
    if (this.#level > 0 && this.#level < 7) this.#draft.heading(this.#level, text)
    else this.#draft.add(text)
  }

  #cell () {
    this.#cells.push(this.#taken())
  }

  /** Below a row of headers each cell is named by its column. */
  #row () {
    const cells = this.#cells
    this.#cells = []
    if (this.#isHeader && !this.#header) {
      this.#header = cells
      this.#draft.add(sideBySide(cells))
    } else this.#draft.add(this.#header ? labelled(this.#header, cells) : sideBySide(cells))
  }
}
