import { inReadingOrder, runsFromLeft, runsFromRight, type Letter } from './direction.ts'
import type { Pdfium } from './pdfium.ts'

/** A line of a page, as PDFium finds them. */
export interface Line {
  text: string
  /** How far right on the page it begins and how far up it stands, and how high its letters are, in points. */
  x: number
  y: number
  height: number
}

/** What a page holds: its lines, and letters that were left out or that the file gives no meaning. */
export interface PageText { lines: Line[], hidden: number, unknown: number, known: number }

/** Letters less high than this, in points, cannot be read. */
const TINY = 0.5
/** PDFium's sign for a hyphen that cuts a word at a line's end. */
const CUT = 2
/** Points between a letter and what is put beside it: less than between any two letters. */
const CLOSE = 0.01

/** What the letters of one piece of text on the page have in common. */
interface Piece { y: number, height: number, turn: Turn, isSeen: boolean, isRepeated: boolean }
interface Turn { cos: number, sin: number }
interface Glyph { at: number, code: number, piece: number }

/** The text of a page that can be seen, line by line. */
export function textOfPage (pdfium: Pdfium, page: number): PageText {
  const { call } = pdfium
  const text = call.FPDFText_LoadPage(page)
  try {
    return new Reader(pdfium, text, page).read()
  } finally {
    call.FPDFText_ClosePage(text)
  }
}

class Reader {
  readonly #pdfium: Pdfium
  readonly #text: number
  readonly #box: number[]
  readonly #pieces = new Map<number, Piece>()
  /** The texts that were given for what is drawn, and the first piece that each stands for. */
  readonly #replacing = new Map<number, number | null>()
  readonly #page: PageText = { lines: [], hidden: 0, unknown: 0, known: 0 }
  #line: Glyph[] = []
  /** Whether the letter before was left out because it was told already. */
  #hasLeftOut = false

  constructor (pdfium: Pdfium, text: number, page: number) {
    this.#pdfium = pdfium
    this.#text = text
    this.#box = pdfium.floats(4, (left) => pdfium.call.FPDF_GetPageBoundingBox(page, left)) ?? [
      -Infinity, Infinity, Infinity, -Infinity
    ]
  }

  read (): PageText {
    const { call } = this.#pdfium
    const count = call.FPDFText_CountChars(this.#text)
    for (let at = 0; at < count; at++) {
      const code = call.FPDFText_GetUnicode(this.#text, at)
      const object = call.FPDFText_GetTextObject(this.#text, at)
      if (object !== 0) this.#take({ at, code, piece: object })
      else if (code === 0x0A) this.#endLine()
      // A space that PDFium found behind what is left out follows from that alone.
      else if (!this.#hasLeftOut) this.#line.push({ at, code, piece: 0 })
    }
    this.#endLine()
    return this.#page
  }

  #take (glyph: Glyph) {
    const piece = this.#pieceOf(glyph)
    this.#hasLeftOut = piece.isRepeated
    if (piece.isRepeated) return
    const isSpace = glyph.code === 0x20 || glyph.code === 0xA0
    if (!piece.isSeen) {
      if (!isSpace) this.#page.hidden++
      return
    }
    const isUnknown = this.#isUnknown(glyph)
    if (isUnknown) this.#page.unknown++
    else if (!isSpace) this.#page.known++
    this.#line.push(isUnknown ? { ...glyph, code: 0xFFFD } : glyph)
    if (glyph.code === CUT) this.#endLine()
  }

  /** Whether the file does not say which letter this is. */
  #isUnknown ({ at, code }: Glyph): boolean {
    return (
      code === 0 ||
      code === 0xfffd ||
      (code >= 0xe000 && code <= 0xf8ff) ||
      this.#pdfium.call.FPDFText_HasUnicodeMapError(this.#text, at) === 1
    )
  }

  #pieceOf ({ at, piece: object }: Glyph): Piece {
    const known = this.#pieces.get(object)
    if (known) return known
    const { call } = this.#pdfium
    const [, , c = 0, d = 1] = this.#pdfium.floats(6, (matrix) => call.FPDFText_GetMatrix(this.#text, at, matrix)) ?? []
    const height = call.FPDFText_GetFontSize(this.#text, at) * Math.hypot(c, d)
    const angle = call.FPDFText_GetCharAngle(this.#text, at)
    const turn = { cos: Math.cos(angle), sin: Math.sin(angle) }
    const [x, y] = this.#originOf(at)
    const [left = 0, top = 0, right = 0, bottom = 0] = this.#box
    const isWithin = x >= left && x <= right && y >= bottom && y <= top
    const piece = {
      y: y * turn.cos - x * turn.sin,
      height,
      turn,
      isSeen: height >= TINY && isWithin,
      isRepeated: this.#isRepeated(object)
    }
    this.#pieces.set(object, piece)
    return piece
  }

  #originOf (at: number): [number, number] {
    return this.#pdfium.pair((x, y) => this.#pdfium.call.FPDFText_GetCharOrigin(this.#text, at, x, y)) ?? [0, 0]
  }

  /** Whether a text that is given for several pieces was told with another of them already. */
  #isRepeated (object: number): boolean {
    const { call } = this.#pdfium
    let isRepeated = false
    for (let i = call.FPDFPageObj_CountMarks(object) - 1; i >= 0; i--) {
      const mark = call.FPDFPageObj_GetMark(object, i)
      let first = this.#replacing.get(mark)
      if (first === undefined) {
        const replaces = this.#pdfium.has((length) =>
          call.FPDFPageObjMark_GetParamStringValue(mark, 'ActualText', 0, 0, length)
        )
        this.#replacing.set(mark, first = replaces ? object : null)
      }
      if (first !== null && first !== object) isRepeated = true
    }
    return isRepeated
  }

  #endLine () {
    const line = this.#line
    this.#line = []
    const pieces = line.map(({ piece }) => this.#pieces.get(piece)).filter((piece) => piece !== undefined)
    const text = textOf(line)
    if (pieces.length === 0 || !text.trim()) return
    const height = pieces.reduce((most, piece) => Math.max(most, piece.height), 0)
    const inOrder = runsFromRight(text) ? inReadingOrder(this.#lettersOf(line)) : text
    const [x] = this.#originOf(line[0]?.at ?? 0)
    this.#page.lines.push({ text: inOrder.trim(), x, y: pieces[0]?.y ?? 0, height })
  }

  /** The letters with their places, for a line that runs from right to left. */
  #lettersOf (line: Glyph[]): Letter[] {
    const letters: Letter[] = []
    let last = ''
    for (const glyph of line) {
      const text = textOf([glyph])
      const piece = this.#pieces.get(glyph.piece)
      const [x, y] = this.#originOf(glyph.at)
      const place = `${glyph.piece} ${x} ${y}`
      const before = letters.at(-1)
      const isThere = place === last
      // One glyph for several letters: told from the last to the first where they run from right to left.
      if (piece && before && isThere && text !== ' ') before.text = text + before.text
      else if (piece && !isThere) letters.push({ text, at: x * piece.turn.cos + y * piece.turn.sin })
      // A space that PDFium found follows the letter before it.
      else if (before) letters.push({ text, at: before.at + (runsFromLeft(before.text) ? CLOSE : -CLOSE) })
      last = place
    }
    return letters
  }
}

function textOf (glyphs: Glyph[]): string {
  return glyphs.map(({ code }) => code === CUT ? '-' : String.fromCodePoint(code)).join('')
}
