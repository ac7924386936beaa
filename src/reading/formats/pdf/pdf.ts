import { Draft } from '../../draft.ts'
import type { Document } from '../../document.ts'
import { ExtractError } from '../../error.ts'
import { fieldsOf } from './fields.ts'
import { textOfPage, type Line } from './letters.ts'
import { Pdfium } from './pdfium.ts'

const MAX_PAGES = 10_000
/** Lines further apart than this many times their height begin a new paragraph. */
const PARAGRAPH_GAP = 1.8
/** Where more letters than this share have no meaning, what is left is no text. */
const MOST_UNKNOWN = 0.3

/**
 * A PDF, page by page, paragraph by paragraph, with what was filled in and written on it. Throws `encrypted`, `no_text`
 * when its pages are pictures, `unknown_letters`, `too_large` or `damaged`.
 */
export async function readPdf (bytes: Uint8Array): Promise<Document> {
  const draft = new Draft('pdf')
  const pdfium = await Pdfium.start()
  const { call } = pdfium
  const document = pdfium.open(bytes)
  draft.pages = call.FPDF_GetPageCount(document)
  if (draft.pages > MAX_PAGES) throw new ExtractError('too_large', `The PDF has more than ${MAX_PAGES} pages. Split it and upload the parts.`)
  draft.title = pdfium.text((to, room) => call.FPDF_GetMetaText(document, 'Title', to, room)).trim() || null
  const form = call.PDFiumExt_InitFormFillEnvironment(document, call.PDFiumExt_OpenFormFillInfo())
  let unknown = 0
  let known = 0
  for (let number = 1; number <= draft.pages; number++) {
    draft.page = number
    const page = call.FPDF_LoadPage(document, number - 1)
    if (!page) throw new ExtractError('damaged')
    call.FORM_OnAfterLoadPage(page, form)
    const text = textOfPage(pdfium, page)
    draft.hide(text.hidden)
    unknown += text.unknown
    known += text.known
    for (const paragraph of paragraphs(text.lines)) draft.add(paragraph)
    for (const field of fieldsOf(pdfium, page, form)) draft.add(field)
    call.FORM_OnBeforeClosePage(page, form)
    call.FPDF_ClosePage(page)
  }
  if (unknown > (unknown + known) * MOST_UNKNOWN) throw new ExtractError('unknown_letters')
  return draft.finish('The PDF holds no text, only pictures: it was probably scanned. Run text recognition (OCR) on it and upload the result.')
}

/** Lines that follow closely belong together: a PDF knows no paragraphs. */
function * paragraphs (all: Line[]): Generator<string> {
  let lines: string[] = []
  let last: Line | undefined
  for (const line of all) {
    const gap = last ? last.y - line.y : 0
    const height = Math.max(last?.height ?? 0, line.height)
    if (lines.length && height && (gap > height * PARAGRAPH_GAP || gap < -height || Math.abs(line.height - (last?.height ?? 0)) > height * 0.15)) {
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
  return lines.join('\n')
    .replace(/(?<=\p{Ll})-\n(?=\p{Ll})/gu, '')
    .replace(/\u0E33\s?\u0E32/g, '\u0E33')
    .replace(/(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script_Extensions=Katakana}\p{Script=Thai}、。，])\n(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script_Extensions=Katakana}\p{Script=Thai}])/gu, '')
}
