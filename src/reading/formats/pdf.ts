import { getDocumentProxy } from 'unpdf'
import { charactersIn, type Document } from '../document.ts'
import { Draft } from '../draft.ts'
import { ExtractError } from '../error.ts'

const MAX_PAGES = 10_000
/** Lines further apart than this many times their height begin a new paragraph. */
const PARAGRAPH_GAP = 1.8
/** Letters less high than this, in points, cannot be read. */
const TINY = 0.5

/**
 * A PDF, page by page, paragraph by paragraph. Throws `encrypted`, `no_text` when its pages are pictures, `too_large`
 * or `damaged`.
 */
export async function readPdf (bytes: Uint8Array): Promise<Document> {
  const draft = new Draft('pdf')
  const pdf = await open(bytes)
  if (pdf.numPages > MAX_PAGES) throw new ExtractError('too_large', `The PDF has more than ${MAX_PAGES} pages. Split it and upload the parts.`)
  draft.pages = pdf.numPages
  draft.title = await titleOf(pdf)
  for (let number = 1; number <= pdf.numPages; number++) {
    draft.page = number
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    const texts = items.filter((item) => 'str' in item)
    const seen = texts.filter(isSeen)
    draft.hide(charactersOf(texts) - charactersOf(seen))
    for (const paragraph of paragraphs(seen)) draft.add(paragraph)
    page.cleanup()
  }
  return draft.finish('The PDF holds no text, only pictures: it was probably scanned. Run text recognition (OCR) on it and upload the result.')
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

async function open (bytes: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), { disableFontFace: true, useSystemFonts: false, verbosity: 0 })
  } catch (error) {
    throw new ExtractError((error as Error).name === 'PasswordException' ? 'encrypted' : 'damaged', undefined, { cause: error })
  }
}

async function titleOf (pdf: Pdf): Promise<string | null> {
  const { info } = await pdf.getMetadata()
  const { Title: title } = info as { Title?: unknown }
  return typeof title === 'string' && title.trim() ? title : null
}

interface Item { str: string, hasEOL: boolean, height: number, transform: number[] }

/**
 * What stands beside the page the library leaves out itself; what is not painted it does not tell, and scans that were
 * recognised consist of it.
 */
function isSeen ({ str, height }: Item): boolean {
  return !str.trim() || height >= TINY
}

function charactersOf (items: Item[]): number {
  return items.reduce((sum, { str }) => sum + charactersIn(str.trim()), 0)
}

/** Lines that follow closely belong together: a PDF knows no paragraphs. */
function * paragraphs (items: Item[]): Generator<string> {
  let lines: string[] = []
  let last: { y: number, height: number } | undefined
  for (const line of linesOf(items)) {
    const gap = last ? last.y - line.y : 0
    const height = Math.max(last?.height ?? 0, line.height)
    if (lines.length && height && (gap > height * PARAGRAPH_GAP || gap < -height || Math.abs(line.height - last!.height) > height * 0.15)) {
      yield joined(lines)
      lines = []
    }
    lines.push(line.text)
    last = line
  }
  yield joined(lines)
}

function * linesOf (items: Item[]): Generator<{ text: string, y: number, height: number }> {
  let text = ''
  let height = 0
  let y = 0
  for (const { str, hasEOL, height: size, transform } of items) {
    if (str.trim()) {
      if (!text.trim()) y = transform[5] ?? 0
      height = Math.max(height, size)
    }
    text += str
    if (!hasEOL) continue
    if (text.trim()) yield { text: text.trim(), y, height }
    text = ''
    height = 0
  }
  if (text.trim()) yield { text: text.trim(), y, height }
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
