import { clean, Draft } from '../../draft.ts'
import type { Document } from '../../document.ts'
import { ExtractError } from '../../error.ts'
import { withDropCaps } from './drop-caps.ts'
import { fieldsOf } from './fields.ts'
import { textOfPage, type Line } from './letters.ts'
import { Pdfium } from './pdfium.ts'
import { pictureOf } from './picture.ts'

const MAX_PAGES = 10_000
/** Lines further apart than this many times their height begin a new paragraph. */
const PARAGRAPH_GAP = 1.8
/** Where more letters than this share have no meaning, what is left is no text. */
const MOST_UNKNOWN = 0.3

/** Pages that are read from their pictures; each takes seconds. */
const MOST_PICTURES = 500

/** Reads the letters in a picture of a page. */
type Recognise = (picture: Buffer) => Promise<string>

/**
 * A PDF, page by page, paragraph by paragraph, with what was filled in and written on it. Pages without letters that
 * mean something are read from their pictures where `recognise` is given. Throws `encrypted`, `needs_recognition` when
 * its pages are pictures and that is not given, `no_text`, `unknown_letters`, `too_large` or `damaged`.
 */
export async function readPdf (bytes: Uint8Array, recognise?: Recognise): Promise<Document> {
  const draft = new Draft('pdf')
  const pdfium = await Pdfium.start()
  const { call } = pdfium
  const document = pdfium.open(bytes)
  draft.pages = call.FPDF_GetPageCount(document)
  if (draft.pages > MAX_PAGES) {
    throw new ExtractError('too_large', `The PDF has more than ${MAX_PAGES} pages. Split it and upload the parts.`)
  }
  draft.title = pdfium.text((to, room) => call.FPDF_GetMetaText(document, 'Title', to, room)).trim() || null
  const form = call.PDFiumExt_InitFormFillEnvironment(document, call.PDFiumExt_OpenFormFillInfo())
  const reader = new Pages(draft, pdfium, recognise)
  for (let number = 1; number <= draft.pages; number++) {
    draft.page = number
    const page = call.FPDF_LoadPage(document, number - 1)
    if (!page) throw new ExtractError('damaged')
    call.FORM_OnAfterLoadPage(page, form)
    await reader.read(page)
    for (const field of fieldsOf(pdfium, page, form)) draft.add(field)
    call.FORM_OnBeforeClosePage(page, form)
    call.FPDF_ClosePage(page)
  }
  return reader.finish()
}

/** Reads pages one after the other, and knows what kept them from being read. */
class Pages {
  readonly #draft: Draft
  readonly #pdfium: Pdfium
  readonly #recognise: Recognise | undefined
  #known = 0
  #unknown = 0
  #pictures = 0

  constructor (draft: Draft, pdfium: Pdfium, recognise?: Recognise) {
    this.#draft = draft
    this.#pdfium = pdfium
    this.#recognise = recognise
  }

  async read (page: number) {
    const { lines, hidden, known, unknown } = textOfPage(this.#pdfium, page)
    this.#draft.hide(hidden)
    const isUnknown = unknown > (unknown + known) * MOST_UNKNOWN
    const isPicture = lines.length === 0 && this.#pdfium.call.FPDFPage_CountObjects(page) > 0
    if (this.#recognise && (isUnknown || isPicture)) return await this.#fromPicture(page, this.#recognise)
    if (isPicture) this.#pictures++
    this.#known += known
    this.#unknown += unknown
    for (const paragraph of paragraphs(withDropCaps(lines))) this.#draft.add(paragraph)
  }

  async #fromPicture (page: number, recognise: Recognise) {
    if (++this.#pictures > MOST_PICTURES) {
      throw new ExtractError(
        'too_large', `More than ${MOST_PICTURES} pages of the PDF are pictures. Split it and upload the parts.`
      )
    }
    const picture = pictureOf(this.#pdfium, page)
    if (!picture) return
    for (const paragraph of clean(await recognise(picture)).split(/\n(?:[ \t]*\n)+/)) {
      this.#draft.add(joined(paragraph.split('\n')))
    }
  }

  finish (): Document {
    if (this.#unknown > (this.#unknown + this.#known) * MOST_UNKNOWN) throw new ExtractError('unknown_letters')
    try {
      return this.#draft.finish('The PDF holds no text.')
    } catch (error) {
      throw this.#pictures > 0 && !this.#recognise ? new ExtractError('needs_recognition') : error
    }
  }
}

/** Lines that follow closely belong together: a PDF knows no paragraphs. */
function * paragraphs (all: Line[]): Generator<string> {
  let lines: string[] = []
  let last: Line | undefined
  for (const line of all) {
    const gap = last ? last.y - line.y : 0
    const height = Math.max(last?.height ?? 0, line.height)
    if (
      lines.length &&
      height &&
      (gap > height * PARAGRAPH_GAP || gap < -height || Math.abs(line.height - (last?.height ?? 0)) > height * 0.15)
    ) {
      yield joined(lines)
      lines = []
    }
    lines.push(line.text)
    last = line
  }
  yield joined(lines)
}

/**
 * Words cut at a line's end are put together; languages without spaces get none. Thai writers name the vowel am twice,
 * whole and by its half.
 */
function joined (lines: string[]): string {
  return lines
    .join('\n')
    .replace(/(?<=\p{Ll})-\n(?=\p{Ll})/gu, '')
    .replace(/\u0E33\s?\u0E32/g, '\u0E33')
    .replace(
      /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script_Extensions=Katakana}\p{Script=Thai}、。，])\n(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script_Extensions=Katakana}\p{Script=Thai}])/gu,
      ''
    )
}
