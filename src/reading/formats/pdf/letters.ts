import { inReadingOrder, runsFromLeft, runsFromRight } from './direction.ts'
import { fromTheLeft, type Drawn, type Reach } from './marks.ts'
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
interface PageText { lines: Line[], hidden: number, unknown: number, known: number }

/** Letters less high than this, in points, cannot be read. */
const TINY = 0.5
/** PDFium's sign for a hyphen that cuts a word at a line's end. */
const CUT = 2
/** Points between a letter and what is put next to it: less than between any two letters. */
const CLOSE = 0.01
/** The least space between two words, as a part of their height. */
const GAP = 0.1
/** The sine of how much a line may slant for its spaces to be measured. */
const SLANT = 0.01
/** The box of a page that names none: from the left, the top, the right, the bottom. */
const EVERYWHERE = [-Infinity, Infinity, Infinity, -Infinity]
const MARK = /\p{M}/u

/** What the letters of one piece of text on the page have in common. */
interface Piece {
  y: number, height: number, turn: Turn, isSeen: boolean, isRepeated: boolean, mark: number | undefined
}
interface Turn { cos: number, sin: number }
/** `isFound`: PDFium found it between others, the file does not name it. */
interface Glyph { at: number, code: number, piece: number, isFound: boolean }

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
  readonly #handle: number
  readonly #box: number[]
  readonly #pieces = new Map<number, Piece>()
  /** The texts that were given for what is drawn, and the first piece that each replaces. */
  readonly #replacing = new Map<number, number | null>()
  readonly #page: PageText = { lines: [], hidden: 0, unknown: 0, known: 0 }
  #line: Glyph[] = []
  /** What is drawn for each of these texts, by its mark; found when it is needed first. */
  #reaches: Map<number, Reach> | undefined
  /** Whether the previous letter was left out because it was already given. */
  #hasLeftOut = false

  constructor (pdfium: Pdfium, text: number, page: number) {
    this.#pdfium = pdfium
    this.#text = text
    this.#handle = page
    this.#box = pdfium.floats(4, (left) => pdfium.call.FPDF_GetPageBoundingBox(page, left)) ?? EVERYWHERE
  }

  read (): PageText {
    const { call } = this.#pdfium
    const count = call.FPDFText_CountChars(this.#text)
    for (let at = 0; at < count; at++) {
      const code = call.FPDFText_GetUnicode(this.#text, at)
      const object = call.FPDFText_GetTextObject(this.#text, at)
      if (object !== 0) {
        this.#take({ at, code, piece: object, isFound: call.FPDFText_IsGenerated(this.#text, at) === 1 })
      } else if (code === 0x0A) this.#endLine()
      // A space that PDFium found behind what is left out follows from that alone.
      else if (!this.#hasLeftOut) this.#line.push({ at, code, piece: 0, isFound: true })
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
      ...this.#replacementOf(object)
    }
    this.#pieces.set(object, piece)
    return piece
  }

  #originOf (at: number): [number, number] {
    return this.#pdfium.pair((x, y) => this.#pdfium.call.FPDFText_GetCharOrigin(this.#text, at, x, y)) ?? [0, 0]
  }

  /** The mark of a text that is given for this piece and others, and whether it was told with another already. */
  #replacementOf (object: number): Pick<Piece, 'mark' | 'isRepeated'> {
    const { call } = this.#pdfium
    const found: Pick<Piece, 'mark' | 'isRepeated'> = { mark: undefined, isRepeated: false }
    for (let i = call.FPDFPageObj_CountMarks(object) - 1; i >= 0; i--) {
      const mark = call.FPDFPageObj_GetMark(object, i)
      let first = this.#replacing.get(mark)
      if (first === undefined) {
        const replaces = this.#pdfium.has((length) =>
          call.FPDFPageObjMark_GetParamStringValue(mark, 'ActualText', 0, 0, length)
        )
        this.#replacing.set(mark, first = replaces ? object : null)
      }
      if (first === null) continue
      found.mark = mark
      if (first !== object) found.isRepeated = true
    }
    return found
  }

  #endLine () {
    const line = this.#withoutGaps(this.#line)
    this.#line = []
    const pieces = line.map(({ piece }) => this.#pieces.get(piece)).filter((piece) => piece !== undefined)
    const text = textOf(line)
    if (pieces.length === 0 || !text.trim()) return
    const height = pieces.reduce((most, piece) => Math.max(most, piece.height), 0)
    const inOrder = this.#inOrder(line, text)
    const [x] = this.#originOf(line[0]?.at ?? 0)
    this.#page.lines.push({ text: inOrder.trim(), x, y: pieces[0]?.y ?? 0, height })
  }

  #inOrder (line: Glyph[], text: string): string {
    if (runsFromRight(text)) return inReadingOrder(this.#lettersOf(line))
    const isLevel = line.every(({ piece }) => Math.abs(this.#pieces.get(piece)?.turn.sin ?? 0) < SLANT)
    return MARK.test(text) && isLevel ? fromTheLeft(this.#drawnOf(line)) : text
  }

  /**
   * PDFium finds a space where a glyph for a letter and its marks ends further on than it thinks: left out where the
   * letters on both sides stand close together.
   */
  #withoutGaps (line: Glyph[]): Glyph[] {
    return line.filter((glyph, i) => {
      if (!glyph.isFound || glyph.code !== 0x20) return true
      const sides = line.slice(Math.max(i - 1, 0), i + 3)
      return !MARK.test(textOf(sides)) || !this.#isClose(line, i)
    })
  }

  /** Whether the word before this place nearly touches the letter behind it. */
  #isClose (line: Glyph[], at: number): boolean {
    const next = line[at + 1]
    const piece = next && this.#pieces.get(next.piece)
    if (!piece || Math.abs(piece.turn.sin) > SLANT) return false
    const [left, right] = this.#reachOf(next)
    for (let i = at - 1; i >= 0 && line[i]?.code !== 0x20; i--) {
      const [from, to] = this.#reachOf(line[i]!)
      if (Math.max(left - to, from - right) < piece.height * GAP) return true
    }
    return false
  }

  /** Where a letter begins and ends, or all that is drawn for the text to which it belongs. */
  #reachOf ({ at, piece }: Glyph): Reach {
    const mark = this.#pieces.get(piece)?.mark
    const drawn = mark !== undefined && (this.#reaches ??= this.#reachesOfMarks()).get(mark)
    if (drawn) return drawn
    const box = this.#pdfium.floats(4, (to) => this.#pdfium.call.FPDFText_GetLooseCharBox(this.#text, at, to))
    const [left = 0, , right = 0] = box ?? []
    return [left, right]
  }

  /** What is drawn for each text that the file gives, some of which PDFium has no letters for. */
  #reachesOfMarks (): Map<number, Reach> {
    const { call } = this.#pdfium
    const reaches = new Map<number, Reach>()
    for (let i = call.FPDFPage_CountObjects(this.#handle) - 1; i >= 0; i--) {
      const object = call.FPDFPage_GetObject(this.#handle, i)
      const [left = 0, , right = 0] =
        this.#pdfium.floats(4, (to) => call.FPDFPageObj_GetBounds(object, to, to + 4, to + 8, to + 12)) ?? []
      for (let k = call.FPDFPageObj_CountMarks(object) - 1; k >= 0; k--) {
        const mark = call.FPDFPageObj_GetMark(object, k)
        const [from = left, to = right] = reaches.get(mark) ?? []
        reaches.set(mark, [Math.min(from, left), Math.max(to, right)])
      }
    }
    return reaches
  }

  /** Where PDFium found a space between a letter and the next glyph of the file. */
  #besideOf (before: Drawn, next: Glyph | undefined): number {
    if (!runsFromLeft(before.text)) return before.at - CLOSE
    const piece = next && this.#pieces.get(next.piece)
    if (!piece || !runsFromRight(textOf([next]))) return before.at + CLOSE
    return Math.min(this.#alongOf(next, piece), before.at) + CLOSE
  }

  /** How far along its line a letter begins, in points. */
  #alongOf ({ at }: Glyph, { turn }: Piece): number {
    const [x, y] = this.#originOf(at)
    return x * turn.cos + y * turn.sin
  }

  /** The letters with what is drawn for each, for a line with marks that runs from left to right. */
  #drawnOf (line: Glyph[]): Drawn[] {
    const drawn: Drawn[] = []
    let last = ''
    for (const glyph of line) {
      const text = textOf([glyph])
      const [x, y] = this.#originOf(glyph.at)
      const place = `${glyph.piece} ${x} ${y}`
      const before = drawn.at(-1)
      if (before && place === last) before.text += text
      else drawn.push({ text, at: x, reach: this.#reachOf(glyph) })
      last = place
    }
    return drawn
  }

  /** The letters with their places, for a line that runs from right to left. */
  #lettersOf (line: Glyph[]): Drawn[] {
    const letters: Drawn[] = []
    let last = ''
    for (const [i, glyph] of line.entries()) {
      const text = textOf([glyph])
      const piece = this.#pieces.get(glyph.piece)
      const [x, y] = this.#originOf(glyph.at)
      const place = `${glyph.piece} ${x} ${y}`
      const before = letters.at(-1)
      const isThere = place === last
      // One glyph for several letters: told from the last to the first where they run from right to left.
      if (piece && before && isThere && text !== ' ') before.text = text + before.text
      else if (piece && !isThere) {
        letters.push({ text, at: this.#alongOf(glyph, piece), reach: this.#reachOf(glyph) })
      } else if (before) letters.push({ text, at: this.#besideOf(before, line[i + 1]), reach: before.reach })
      last = place
    }
    return letters
  }
}

function textOf (glyphs: Glyph[]): string {
  return glyphs.map(({ code }) => code === CUT ? '-' : String.fromCodePoint(code)).join('')
}
