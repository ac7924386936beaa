import type { Format, Recognised, RecognisedAs } from './contract.ts'
import type { Document } from './document.ts'
import type { ArchiveParts } from './formats/archive.ts'
import { isMail } from './formats/mail/recognise.ts'
import type { ReadOther } from './formats/mail/mail.ts'
import { lazily } from '../platform/lazily.ts'

const OFFICE = 'application/vnd.openxmlformats-officedocument'
const OPEN = 'application/vnd.oasis.opendocument'

/** How a file is read, beside its bytes. */
interface Reading {
  /** Reads the letters in a picture of a page. */
  recognise: ((picture: Buffer) => Promise<string>) | undefined
  /** Reads a nested file. */
  readOther: ReadOther
}

/**
 * What is known of a kind of document. What a document is, is decided from its bytes; `types` are what servers call it,
 * the usual one first, and `endings` how names end, for the crawler, feeds and Google Drive, which have to tell before
 * there are bytes, and for plain text. A reader is loaded when it is needed: each file gets a separate process, which
 * should start fast.
 */
interface Kind<Content> {
  types: [usual: string, ...string[]]
  endings: string[]
  /** Whether an archive is one. Formats that are no archive and have no `isBegun` are recognised in `detect.ts`. */
  isArchive?: (parts: ArchiveParts) => boolean
  /** Whether a file is one, by its first 1024 bytes. `isSaid`: somebody says that it is plain text. */
  isBegun?: (head: string, isSaid: boolean) => boolean
  read (file: Content, reading: Reading): Document | Promise<Document>
}

/** The kinds of document that can be read, as shown in `metadata.format`: the one list of them. */
export const FORMATS: { [Name in Format]: Kind<RecognisedAs<Name>> } = {
  pdf: {
    types: ['application/pdf', 'application/x-pdf'],
    endings: ['pdf'],
    isBegun: (head) => head.includes('%PDF-'),
    read: async ({ bytes }, { recognise }) => (await import('./formats/pdf/pdf.ts')).readPdf(bytes, recognise)
  },
  docx: {
    types: [`${OFFICE}.wordprocessingml.document`, `${OFFICE}.wordprocessingml.template`, ...macros('word', ['document'])],
    endings: ['docx', 'docm', 'dotx', 'dotm'],
    isArchive: (parts) => isOffice(parts, /(?:wordprocessingml\.(?:document|template)|ms-word\.(?:document|template)\.macroEnabled(?:Template)?)\.main\+xml/i),
    read: async ({ parts }) => (await import('./formats/office/docx.ts')).readDocx(parts)
  },
  pptx: {
    types: [
      `${OFFICE}.presentationml.presentation`,
      `${OFFICE}.presentationml.slideshow`,
      `${OFFICE}.presentationml.template`,
      ...macros('powerpoint', ['presentation', 'slideshow'])
    ],
    endings: ['pptx', 'pptm', 'ppsx', 'ppsm', 'potx', 'potm'],
    isArchive: (parts) => isOffice(parts, /(?:presentationml\.(?:presentation|slideshow|template)|ms-powerpoint\.(?:presentation|slideshow|template)\.macroEnabled)\.main\+xml/i),
    read: async ({ parts }) => (await import('./formats/office/pptx.ts')).readPptx(parts)
  },
  xlsx: {
    types: [`${OFFICE}.spreadsheetml.sheet`, `${OFFICE}.spreadsheetml.template`, ...macros('excel', ['sheet'])],
    endings: ['xlsx', 'xlsm', 'xltx', 'xltm'],
    isArchive: (parts) => isOffice(parts, /(?:spreadsheetml\.(?:sheet|template)|ms-excel\.(?:sheet|template)\.macroEnabled)\.main\+xml/i),
    read: async ({ parts }) => (await import('./formats/office/xlsx.ts')).readXlsx(parts)
  },
  odt: {
    types: [`${OPEN}.text`, `${OPEN}.text-template`],
    endings: ['odt', 'ott'],
    isArchive: (parts) => isOpenDocument(parts, 'text'),
    read: async ({ parts }) => (await import('./formats/opendocument/text.ts')).readOdt(parts)
  },
  odp: {
    types: [`${OPEN}.presentation`, `${OPEN}.presentation-template`],
    endings: ['odp', 'otp'],
    isArchive: (parts) => isOpenDocument(parts, 'presentation'),
    read: async ({ parts }) => (await import('./formats/opendocument/slides.ts')).readOdp(parts)
  },
  ods: {
    types: [`${OPEN}.spreadsheet`, `${OPEN}.spreadsheet-template`],
    endings: ['ods', 'ots'],
    isArchive: (parts) => isOpenDocument(parts, 'spreadsheet'),
    read: async ({ parts }) => (await import('./formats/opendocument/sheet.ts')).readOds(parts)
  },
  rtf: {
    types: ['application/rtf', 'text/rtf', 'application/x-rtf', 'text/richtext'],
    endings: ['rtf'],
    isBegun: (head) => head.startsWith('{\\rtf'),
    read: async ({ bytes }) => (await import('./formats/rtf/rtf.ts')).readRtf(bytes)
  },
  csv: {
    types: ['text/csv', 'application/csv'],
    endings: ['csv'],
    read: async ({ text, delimiter }) => (await import('./formats/csv.ts')).readCsv(text, delimiter)
  },
  tsv: {
    types: ['text/tab-separated-values'],
    endings: ['tsv', 'tab'],
    read: async ({ text, delimiter }) => (await import('./formats/csv.ts')).readCsv(text, delimiter)
  },
  html: {
    types: ['text/html', 'application/xhtml+xml'],
    endings: ['html', 'htm', 'xhtml'],
    read: async ({ text }) => (await import('./formats/markup/html.ts')).readHtml(text)
  },
  xml: {
    types: ['application/xml', 'text/xml'],
    endings: ['xml'],
    read: async ({ text }) => (await import('./formats/xml-document.ts')).readXml(text)
  },
  markdown: {
    types: ['text/markdown', 'text/x-markdown'],
    endings: ['md', 'markdown', 'mdown', 'mkd'],
    read: async ({ text }) => (await import('./formats/markup/markdown.ts')).readMarkdown(text)
  },
  text: {
    types: ['text/plain'],
    endings: ['txt', 'text', 'log'],
    read: async ({ text }) => (await import('./formats/text.ts')).readText(text)
  },
  json: {
    types: ['application/json'],
    endings: ['json'],
    read: async ({ value }) => (await import('./formats/json.ts')).readJson(value)
  },
  epub: {
    types: ['application/epub+zip'],
    endings: ['epub'],
    isArchive: (parts) => parts.has('META-INF/container.xml') && [...parts.keys()].some((name) => /\.opf$/i.test(name)),
    read: async ({ parts }) => (await import('./formats/epub.ts')).readEpub(parts)
  },
  eml: {
    types: ['message/rfc822'],
    endings: ['eml'],
    isBegun: (head, isSaid) => isMail(head) && !isSaid,
    read: async ({ bytes }, { readOther }) => await (await import('./formats/mail/eml.ts')).readEml(bytes, readOther)
  },
  msg: {
    types: ['application/vnd.ms-outlook'],
    endings: ['msg'],
    read: async ({ bytes }, { readOther }) => await (await import('./formats/mail/msg.ts')).readMsg(bytes, readOther)
  },
  srt: {
    types: ['application/x-subrip', 'text/srt', 'text/x-srt'],
    endings: ['srt'],
    read: async ({ text, format }) => (await import('./formats/subtitles.ts')).readSubtitles(text, format)
  },
  vtt: {
    types: ['text/vtt'],
    endings: ['vtt'],
    read: async ({ text, format }) => (await import('./formats/subtitles.ts')).readSubtitles(text, format)
  }
}

const BY_ENDING = lazily(() => byEach('endings'))
const BY_TYPE = lazily(() => byEach('types'))

type AnyKind = Kind<Recognised>
/** Each kind by its name, in the order in which a file is asked whether it is one. */
export const kinds = () => Object.entries(FORMATS) as Array<[Format, AnyKind]>

/** The reader of a recognised file. */
export const readerOf = ({ format }: Recognised): AnyKind['read'] => (FORMATS[format] as AnyKind).read

/** The kind of a file by how its name ends; undefined where that says none. */
export function formatOfName (name: string): Format | undefined {
  const end = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase()
  return end === undefined ? undefined : BY_ENDING().get(end)
}

/** The kind of a file by its content-type header, parameters and all; undefined where that says none. */
export function formatOfType (contentType: string): Format | undefined {
  return BY_TYPE().get(contentType.split(';')[0]!.trim().toLowerCase())
}

/** Office files with macros in them, which are never read. */
function macros (program: string, kinds: string[]): string[] {
  return [...kinds, 'template'].map((kind) => `application/vnd.ms-${program}.${kind}.macroenabled.12`)
}

function byEach (what: 'types' | 'endings'): ReadonlyMap<string, Format> {
  return new Map(kinds().flatMap(([format, kind]) => kind[what].map((one) => [one, format] as const)))
}

/** Whether the main part of an Office file is called so by `[Content_Types].xml`. */
function isOffice (parts: ArchiveParts, main: RegExp): boolean {
  return main.test(Buffer.from(parts.get('[Content_Types].xml') ?? []).toString('utf8'))
}

/** Whether an OpenDocument file says it is one, or a template of one. */
function isOpenDocument (parts: ArchiveParts, what: string): boolean {
  const [, kind] =
    /^application\/vnd\.oasis\.opendocument\.([a-z]+)/.exec(Buffer.from(parts.get('mimetype') ?? []).toString('latin1')) ?? []
  return kind === what
}
