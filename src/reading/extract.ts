import type { Document } from './document.ts'
import { detect, type Hints, type Recognised } from './detect.ts'
import { ExtractError } from './error.ts'

/** What the caller knows about a file. */
export interface Source extends Hints {
  /** Fetched from an address: its main content is wanted, not its menus and footers. */
  isPage?: boolean
  /** Questions and answers, a passage each. */
  isPairs?: boolean
  /** Reads the letters in a picture of a page; pages that are pictures are left out without it. */
  recognise?: (picture: Buffer) => Promise<string>
}

/** Messages inside messages that are opened. */
const MOST_INSIDE = 5

/**
 * Reads a stranger's file, whatever it is. Only ever called in the sandbox (`apart.ts` is the way there): a file made
 * to hurt can still take the process's time and memory. Throws ExtractError, also for what a reader trips over.
 */
export async function extract (bytes: Uint8Array, source: Source = {}, inside = 0): Promise<Document> {
  try {
    const file = detect(bytes, source)
    return source.isPairs ? (await import('./formats/pairs.ts')).pairsIn(file) : await read(file, source, inside)
  } catch (error) {
    throw error instanceof ExtractError ? error : new ExtractError('damaged', undefined, { cause: error })
  }
}

// Readers are loaded when they are needed: each file gets a process of its own, which should start fast.
async function read (file: Recognised, { isPage, recognise }: Source, inside: number): Promise<Document> {
  const readOther = (bytes: Uint8Array, hints: Hints) => {
    if (inside === MOST_INSIDE) {
      throw new ExtractError(
        'too_large',
        `The message holds messages in messages more than ${MOST_INSIDE} deep. Save them and upload them by themselves.`
      )
    }
    return extract(bytes, { ...hints, ...(recognise && { recognise }) }, inside + 1)
  }
  switch (file.format) {
    case 'pdf': return (await import('./formats/pdf/pdf.ts')).readPdf(file.bytes, recognise)
    case 'docx': return (await import('./formats/office/docx.ts')).readDocx(file.parts)
    case 'xlsx': return (await import('./formats/office/xlsx.ts')).readXlsx(file.parts)
    case 'pptx': return (await import('./formats/office/pptx.ts')).readPptx(file.parts)
    case 'odt': return (await import('./formats/opendocument/text.ts')).readOdt(file.parts)
    case 'ods': return (await import('./formats/opendocument/sheet.ts')).readOds(file.parts)
    case 'odp': return (await import('./formats/opendocument/slides.ts')).readOdp(file.parts)
    case 'rtf': return (await import('./formats/rtf/rtf.ts')).readRtf(file.bytes)
    case 'eml': return await (await import('./formats/mail/eml.ts')).readEml(file.bytes, readOther)
    case 'msg': return await (await import('./formats/mail/msg.ts')).readMsg(file.bytes, readOther)
    case 'epub': return (await import('./formats/epub.ts')).readEpub(file.parts)
    case 'html': return (await import('./formats/markup/html.ts')).readHtml(file.text, isPage)
    case 'xml': return (await import('./formats/xml-document.ts')).readXml(file.text)
    case 'srt':
    case 'vtt': return (await import('./formats/subtitles.ts')).readSubtitles(file.text, file.format)
    case 'markdown': return (await import('./formats/markup/markdown.ts')).readMarkdown(file.text)
    case 'json': return (await import('./formats/json.ts')).readJson(file.value)
    case 'csv':
    case 'tsv': return (await import('./formats/csv.ts')).readCsv(file.text, file.delimiter)
    case 'text': return (await import('./formats/text.ts')).readText(file.text)
  }
}
