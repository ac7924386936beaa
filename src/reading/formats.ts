const OFFICE = 'application/vnd.openxmlformats-officedocument'
const OPEN = 'application/vnd.oasis.opendocument'

/**
 * The kinds of document that can be read, as shown in `metadata.format`: the one list of them. What a document is, is
 * decided from its bytes; `types` are what servers call it, the usual one first, and `endings` how its names end, for
 * who has to tell before there are bytes, and for plain text.
 */
export const FORMATS = {
  pdf: { types: ['application/pdf', 'application/x-pdf'], endings: ['pdf'] },
  docx: {
    types: [`${OFFICE}.wordprocessingml.document`, `${OFFICE}.wordprocessingml.template`, ...macros('word', ['document'])],
    endings: ['docx', 'docm', 'dotx', 'dotm']
  },
  pptx: {
    types: [
      `${OFFICE}.presentationml.presentation`,
      `${OFFICE}.presentationml.slideshow`,
      `${OFFICE}.presentationml.template`,
      ...macros('powerpoint', ['presentation', 'slideshow'])
    ],
    endings: ['pptx', 'pptm', 'ppsx', 'ppsm', 'potx', 'potm']
  },
  xlsx: {
    types: [`${OFFICE}.spreadsheetml.sheet`, `${OFFICE}.spreadsheetml.template`, ...macros('excel', ['sheet'])],
    endings: ['xlsx', 'xlsm', 'xltx', 'xltm']
  },
  odt: { types: [`${OPEN}.text`, `${OPEN}.text-template`], endings: ['odt', 'ott'] },
  odp: { types: [`${OPEN}.presentation`, `${OPEN}.presentation-template`], endings: ['odp', 'otp'] },
  ods: { types: [`${OPEN}.spreadsheet`, `${OPEN}.spreadsheet-template`], endings: ['ods', 'ots'] },
  rtf: { types: ['application/rtf', 'text/rtf', 'application/x-rtf', 'text/richtext'], endings: ['rtf'] },
  csv: { types: ['text/csv', 'application/csv'], endings: ['csv'] },
  tsv: { types: ['text/tab-separated-values'], endings: ['tsv', 'tab'] },
  html: { types: ['text/html', 'application/xhtml+xml'], endings: ['html', 'htm', 'xhtml'] },
  xml: { types: ['application/xml', 'text/xml'], endings: ['xml'] },
  markdown: { types: ['text/markdown', 'text/x-markdown'], endings: ['md', 'markdown', 'mdown', 'mkd'] },
  text: { types: ['text/plain'], endings: ['txt', 'text', 'log'] },
  json: { types: ['application/json'], endings: ['json'] },
  epub: { types: ['application/epub+zip'], endings: ['epub'] },
  eml: { types: ['message/rfc822'], endings: ['eml'] },
  msg: { types: ['application/vnd.ms-outlook'], endings: ['msg'] },
  srt: { types: ['application/x-subrip', 'text/srt', 'text/x-srt'], endings: ['srt'] },
  vtt: { types: ['text/vtt'], endings: ['vtt'] }
} satisfies Record<string, Kind>

interface Kind { types: [usual: string, ...string[]], endings: string[] }

const BY_ENDING = byEach('endings')
const BY_TYPE = byEach('types')

/** One of FORMATS. */
export type Format = keyof typeof FORMATS

/** The kind of a file by how its name ends; undefined where that says none. */
export function formatOfName (name: string): Format | undefined {
  const end = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase()
  return end === undefined ? undefined : BY_ENDING.get(end)
}

/** The kind of a file by its content-type header, parameters and all; undefined where that says none. */
export function formatOfType (contentType: string): Format | undefined {
  return BY_TYPE.get(contentType.split(';')[0]!.trim().toLowerCase())
}

/** Office files with macros in them, which are never read. */
function macros (program: string, kinds: string[]): string[] {
  return [...kinds, 'template'].map((kind) => `application/vnd.ms-${program}.${kind}.macroenabled.12`)
}

function byEach (what: keyof Kind): ReadonlyMap<string, Format> {
  return new Map(Object.entries(FORMATS).flatMap(([format, kind]) =>
    (kind as Kind)[what].map((one) => [one, format as Format] as const)))
}
