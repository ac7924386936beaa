import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'

export const FIXTURES = join(import.meta.dirname, '../fixtures')

/** A fixture by its path below `test/fixtures`. */
export function fixture (path: string): Buffer {
  return readFileSync(join(FIXTURES, path))
}

/**
 * An entry of an archive, honest by default: `declared` is the size its headers claim, `at` where its data is said to
 * begin.
 */
export interface Entry {
  name: string
  content?: Buffer | string
  packed?: Buffer
  method?: number
  crc?: number
  size?: number
  declared?: number
  flags?: number
  at?: number
}

/** A handwritten zip archive, because no program writes what is needed here. */
export function zip (entries: Entry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const { name, packed, method, crc, size, flags = 0 } = finished(entry)
    const fields = Buffer.alloc(22)
    fields.writeUInt16LE(flags, 0)
    fields.writeUInt16LE(method, 2)
    fields.writeUInt32LE(crc, 8)
    fields.writeUInt32LE(packed.length, 12)
    fields.writeUInt32LE(entry.declared ?? size, 16)
    fields.writeUInt16LE(Buffer.byteLength(name), 20)
    const local = Buffer.concat([Buffer.from('PK\x03\x04\x14\0', 'latin1'), fields, Buffer.alloc(2), Buffer.from(name)])
    directory.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02\x14\0\x14\0', 'latin1'),
        fields,
        Buffer.alloc(12),
        uint32(entry.at ?? offset),
        Buffer.from(name)
      ])
    )
    if (entry.at !== undefined) continue
    parts.push(local, packed)
    offset += local.length + packed.length
  }
  const central = Buffer.concat(directory)
  const counts = Buffer.alloc(4)
  counts.writeUInt16LE(entries.length, 0)
  counts.writeUInt16LE(entries.length, 2)
  return Buffer.concat([
    ...parts,
    central,
    Buffer.from('PK\x05\x06\0\0\0\0', 'latin1'),
    counts,
    uint32(central.length),
    uint32(offset),
    Buffer.alloc(2)
  ])
}

function uint32 (value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function finished (entry: Entry) {
  const content = Buffer.from(entry.content ?? '')
  return {
    method: 8,
    crc: crc32(content),
    size: content.length,
    packed: entry.method === 0 ? content : deflateRawSync(content),
    ...entry
  }
}

const TYPES = {
  docx: ['word/document.xml', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'],
  xlsx: ['xl/workbook.xml', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'],
  pptx: ['ppt/presentation.xml', 'application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml']
} as const

/** What makes an archive an Office file: its content types and the path of its main part. */
export function office (format: keyof typeof TYPES): Entry[] {
  const [part, type] = TYPES[format]
  return [
    {
      name: '[Content_Types].xml',
      content: `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${part}" ContentType="${type}"/></Types>`
    },
    {
      name: '_rels/.rels',
      content: `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="${part}"/></Relationships>`
    }
  ]
}

/** The main part of a Word document with this inside its body. */
export function wordPart (body: string, prolog = ''): Entry {
  return {
    name: 'word/document.xml',
    content: `<?xml version="1.0"?>${prolog}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><w:body>${body}</w:body></w:document>`
  }
}

export const PARAGRAPH = '<w:p><w:r><w:t>The visible sentence.</w:t></w:r></w:p>'

/** 150 MiB of spaces, which is more than an archive may contain, in 150 KB. */
const FLOOD = Buffer.alloc(150 * 2 ** 20, ' ')
const PACKED_FLOOD = deflateRawSync(FLOOD)
const flood = (name: string): Entry => ({ name, packed: PACKED_FLOOD, size: FLOOD.length, crc: crc32(FLOOD) })

/** Twelve archives that are small to send and large to open, and the code each must end with. */
export function bombs (): { name: string, bytes: Buffer, code: string }[] {
  const tenth = Buffer.alloc(10 * 2 ** 20, ' ')
  const part = { packed: deflateRawSync(tenth), size: tenth.length, crc: crc32(tenth) }
  const inner = zip([flood('inner.xml')])
  const self = zip([{ name: 'self.zip', method: 0, packed: Buffer.alloc(0), size: 1000, crc: 0 }])
  return [
    { name: 'docx.docx', bytes: zip([...office('docx'), flood('word/document.xml')]), code: 'too_large' },
    { name: 'xlsx.xlsx', bytes: zip([...office('xlsx'), flood('xl/worksheets/sheet1.xml')]), code: 'too_large' },
    { name: 'pptx.pptx', bytes: zip([...office('pptx'), flood('ppt/slides/slide1.xml')]), code: 'too_large' },
    {
      name: 'book.epub',
      bytes: zip([{ name: 'mimetype', content: 'application/epub+zip', method: 0 }, flood('OEBPS/chapter.xhtml')]),
      code: 'too_large'
    },
    {
      name: 'picture-in.docx',
      bytes: zip([...office('docx'), wordPart(PARAGRAPH), flood('word/media/image1.png')]),
      code: 'too_large'
    },
    {
      name: 'says-it-is-small.docx',
      bytes: zip([...office('docx'), { ...flood('word/document.xml'), declared: 1000 }]),
      code: 'too_large'
    },
    {
      name: 'says-it-is-huge.docx',
      bytes: zip([...office('docx'), { ...wordPart(PARAGRAPH), declared: 0xfffffff0 }]),
      code: 'too_large'
    },
    {
      name: 'many-parts.docx',
      bytes: zip(Array.from({ length: 11 }, (_, i) => ({ name: `word/part${i}.xml`, ...part }))),
      code: 'too_large'
    },
    {
      name: 'many-entries.docx',
      bytes: zip(Array.from({ length: 20_000 }, (_, i) => ({ name: `${i}`, content: '', method: 0 }))),
      code: 'too_large'
    },
    {
      name: 'overlapping.docx',
      bytes: zip([
        ...office('docx'),
        { name: 'a.xml', ...part },
        ...Array.from({ length: 3000 }, (_, i) => ({
          name: `${i}.xml`, ...part, at: zip(office('docx')).indexOf('PK\x01\x02', 0, 'latin1')
        }))
      ]),
      code: 'too_large'
    },
    {
      name: 'nested.zip',
      bytes: zip(Array.from({ length: 50 }, (_, i) => ({ name: `${i}.zip`, content: inner, method: 0 }))),
      code: 'unsupported_format'
    },
    { name: 'contains-itself.zip', bytes: self, code: 'damaged' }
  ]
}

const LAUGHS =
  '<!DOCTYPE x [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">]>'

/** Five files that declare entities, to grow or to read other files. */
export function entityBombs (): Record<string, Buffer> {
  const spreadsheet = (prolog: string) =>
    `<?xml version="1.0"?>${prolog}<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>&d;</t></si></sst>`
  return {
    'laughs.docx': zip([...office('docx'), wordPart('<w:p><w:r><w:t>&d;</w:t></w:r></w:p>', LAUGHS)]),
    'file.docx': zip([
      ...office('docx'),
      wordPart('<w:p><w:r><w:t>&f;</w:t></w:r></w:p>', '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>')
    ]),
    'laughs.xlsx': zip([...office('xlsx'), { name: 'xl/sharedStrings.xml', content: spreadsheet(LAUGHS) }]),
    'wide-letters.xlsx': zip([
      ...office('xlsx'),
      { name: 'xl/sharedStrings.xml', content: Buffer.from('\uFEFF' + spreadsheet(LAUGHS), 'utf16le') }
    ]),
    'big-endian.epub': zip([
      { name: 'META-INF/container.xml', content: Buffer.from('\uFEFF' + LAUGHS, 'utf16le').swap16() }
    ])
  }
}

/**
 * A sheet with a cell in the first corner and one in the last: more than any memory for code that fills in what is
 * between.
 */
export function farCorner (): { name: string, bytes: Buffer } {
  const relationship =
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>'
  return {
    name: 'far-corner.xlsx',
    bytes: zip([
      ...office('xlsx'),
      {
        name: 'xl/workbook.xml',
        content:
          '<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>'
      },
      {
        name: 'xl/_rels/workbook.xml.rels',
        content: `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relationship}</Relationships>`
      },
      {
        name: 'xl/worksheets/sheet1.xml',
        content:
          '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>'
      }
    ])
  }
}

/** A Word document whose pictures are files of the machine that reads it. */
export function linkedDocx (...targets: string[]): Buffer {
  const drawing = (id: string) =>
    `<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:blipFill><a:blip r:link="${id}"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
  return zip([
    ...office('docx'),
    wordPart(PARAGRAPH + targets.map((_, i) => drawing(`link${i}`)).join('')),
    {
      name: 'word/_rels/document.xml.rels',
      content: `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.map((target, i) => `<Relationship Id="link${i}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="${target}" TargetMode="External"/>`).join('')}</Relationships>`
    }
  ])
}

/** Numbers from 0 to 1, the same ones every time. */
function random (seed: number): () => number {
  return () => {
    seed = seed + 0x6D2B79F5 | 0
    let t = Math.imul(seed ^ seed >>> 15, 1 | seed)
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t
    return ((t ^ t >>> 14) >>> 0) / 2 ** 32
  }
}

/** Fifty PDFs that are truncated, scrambled, or circular. */
export function brokenPdfs (): { name: string, bytes: Buffer }[] {
  const whole = ['01', '02', '05', '09', '10'].map((number) => fixture(`documents/pdf/${number}.pdf`))
  const next = random(7)
  const cut = whole.flatMap((bytes, i) =>
    [0.1, 0.5, 0.9].map((share) => ({ name: `cut-${i}-${share}.pdf`, bytes: bytes.subarray(0, bytes.length * share) }))
  )
  const flipped = whole.flatMap((bytes, i) => [3, 30, 300, 3000].map((flips) => {
    const copy = Buffer.from(bytes)
    for (let n = 0; n < flips; n++) copy[10 + Math.floor(next() * (copy.length - 10))]! ^= 1 << Math.floor(next() * 8)
    return { name: `flipped-${i}-${flips}.pdf`, bytes: copy }
  }))
  return [...cut, ...flipped, ...circles()].map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes) }))
}

/**
 * Files of the other kinds that are truncated, scrambled, or made to take time and memory: their readers end all the
 * same.
 */
export function brokenOthers (): { name: string, bytes: Buffer }[] {
  const next = random(11)
  const mail = Buffer.from(
    'From: a@a.test\r\nDate: Mon, 3 Nov 2025 10:00:00 +0000\r\nSubject: Bow\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n' +
      `--x\r\nContent-Type: text/plain\r\n\r\nReady.\r\n--x\r\nContent-Type: text/csv; name=a.csv\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from('a,b\n1,2\n').toString('base64')}\r\n--x--\r\n`
  )
  const whole = {
    odt: fixture('documents/odt/02.odt'),
    ods: fixture('documents/ods/01.ods'),
    odp: fixture('documents/odp/01.odp'),
    rtf: fixture('documents/rtf/02.rtf'),
    eml: mail
  }
  const broken = Object.entries(whole).flatMap(([kind, bytes]) =>
    [0.1, 0.5, 0.9]
      .map((share) => ({ name: `cut-${share}.${kind}`, bytes: bytes.subarray(0, bytes.length * share) }))
      .concat(
        [3, 300].map((flips) => {
          const copy = Buffer.from(bytes)
          for (let n = 0; n < flips; n++) {
            copy[10 + Math.floor(next() * (copy.length - 10))]! ^= 1 << Math.floor(next() * 8)
          }
          return { name: `flipped-${flips}.${kind}`, bytes: copy }
        })
      )
  )
  return [...broken, ...greedy()]
}

/** Small files that require more than there is. */
function greedy (): { name: string, bytes: Buffer }[] {
  const open = (kind: string, body: string) =>
    zip([
      { name: 'mimetype', content: `application/vnd.oasis.opendocument.${kind}`, method: 0 },
      { name: 'content.xml', content: `<d><office:body><office:${kind}>${body}</office:${kind}></office:body></d>` }
    ])
  const cell = '<table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>'
  const parts = (depth: number) =>
    Array.from({ length: depth }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join('')
  const all: Record<string, Buffer | string> = {
    'rows-without-end.ods': open(
      'spreadsheet',
      `<table:table>${`<table:table-row table:number-rows-repeated="1048576">${cell}</table:table-row>`.repeat(100)}</table:table>`
    ),
    'spaces-without-end.odt': open('text', `<text:p>${'<text:s text:c="999999999"/>'.repeat(1000)}x</text:p>`),
    'lists-in-lists.odt': open('text', '<text:list><text:list-item>'.repeat(20_000)),
    'groups-in-groups.rtf': '{\\rtf1' + '{'.repeat(1_000_000),
    'bytes-without-end.rtf': '{\\rtf1 a\\bin999999999999 b',
    'words-without-end.rtf': '{\\rtf1 ' + '\\'.repeat(500_000) + 'a'.repeat(500_000),
    'parts-in-parts.eml': `From: a@a.test\r\nDate: x\r\nSubject: y\r\nMIME-Version: 1.0\r\n${parts(5000)}`,
    'headers-without-end.eml': `From: a@a.test\r\nDate: x\r\nSubject: y\r\n${'X-Header: z\r\n'.repeat(300_000)}\r\nText.`,
    'quotes-without-end.eml': `From: a@a.test\r\nDate: x\r\nSubject: y\r\n\r\n${'From: b\r\n> c wrote:\r\n'.repeat(20_000)}d`,
    'elements-in-elements.xml': '<?xml version="1.0"?>' + '<x>'.repeat(200_000),
    'attributes-without-end.xml': `<?xml version="1.0"?><a ${'b="c" '.repeat(200_000)}>d</a>`,
    'cues-without-end.srt': '1\n00:00:01,000 --> 00:00:02,000\n<i\n\n'.repeat(50_000)
  }
  return Object.entries(all).map(([name, content]) => ({ name, bytes: Buffer.from(content) }))
}

/** An Outlook message whose container has a circular sector table: read endlessly, into all memory. */
export function outlookCircle (): { name: string, bytes: Buffer } {
  const bytes = Buffer.alloc(512 * 4)
  Buffer.from('D0CF11E0A1B11AE1', 'hex').copy(bytes)
  bytes.writeUInt16LE(0x3E, 24)
  bytes.writeUInt16LE(3, 26)
  bytes.writeUInt16LE(0xFFFE, 28)
  bytes.writeUInt16LE(9, 30)
  bytes.writeUInt16LE(6, 32)
  bytes.writeUInt32LE(1, 44)
  bytes.writeUInt32LE(1, 48)
  bytes.writeUInt32LE(4096, 56)
  bytes.writeUInt32LE(1, 60)
  bytes.writeUInt32LE(1, 64)
  for (let i = 0; i < 128; i++) bytes.writeUInt32LE(1, 512 + i * 4)
  Buffer.from('__properties_version1.0\0', 'utf16le').copy(bytes, 1024)
  return { name: 'circle.msg', bytes }
}

function circles (): { name: string, bytes: Buffer }[] {
  const catalog = '<</Type/Catalog/Pages 2 0 R>>'
  const page = (more: string) => `<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]${more}>>`
  const pages = (kids: string, count: number | string = 1) => `<</Type/Pages/Kids[${kids}]/Count ${count}>>`
  const stream = (dictionary: string, content: string) =>
    `<<${dictionary}/Length ${content.length}>>stream\n${content}\nendstream`
  const all: Record<string, Buffer> = {
    'pages-are-their-own-child': pdf([catalog, pages('2 0 R')]),
    'pages-in-a-circle': pdf([catalog, pages('3 0 R'), pages('2 0 R')]),
    'a-billion-pages': pdf([catalog, pages('3 0 R', 1e9), page('')]),
    'minus-one-page': pdf([catalog, pages('3 0 R', -1), page('')]),
    'count-is-a-name': pdf([catalog, pages('3 0 R', '/Many'), page('')]),
    'xref-points-at-itself': pdf([catalog, pages('3 0 R'), page('')], '/Prev XREF'),
    'xref-points-nowhere': pdf([catalog, pages('3 0 R'), page('')], '/Prev 99999999'),
    'contents-are-the-page': pdf([catalog, pages('3 0 R'), page('/Contents 3 0 R')]),
    'contents-in-a-circle': pdf([catalog, pages('3 0 R'), page('/Contents[4 0 R]'), '[4 0 R 4 0 R]']),
    'length-is-the-stream': pdf([
      catalog, pages('3 0 R'), page('/Contents 4 0 R'), '<</Length 4 0 R>>stream\nBT ET\nendstream'
    ]),
    'form-draws-itself': pdf([
      catalog,
      pages('3 0 R'),
      page('/Resources<</XObject<</F 4 0 R>>>>/Contents 5 0 R'),
      stream('/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F 4 0 R>>>>', '/F Do /F Do'),
      stream('', '/F Do')
    ]),
    'font-is-its-own-descendant': pdf([
      catalog,
      pages('3 0 R'),
      page('/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R'),
      '<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[4 0 R]>>',
      stream('', 'BT /F 9 Tf (x) Tj ET')
    ]),
    'brackets-without-end': pdf([catalog, pages('3 0 R'), page('/Contents 4 0 R'), stream('', '['.repeat(200_000))]),
    'dictionaries-without-end': pdf(['<</A'.repeat(50_000), pages('3 0 R')]),
    'only-a-header': Buffer.from('%PDF-1.7\n')
  }
  return Object.entries(all).map(([name, bytes]) => ({ name: `${name}.pdf`, bytes }))
}

/** A PDF of these objects, the first of which is its catalogue. */
export function pdf (objects: string[], trailer = ''): Buffer {
  let text = '%PDF-1.7\n'
  const offsets = objects.map((object, i) => {
    const at = text.length
    text += `${i + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const xref = text.length
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')}`
  return Buffer.from(
    `${text}trailer\n<</Size ${objects.length + 1}/Root 1 0 R${trailer.replace('XREF', String(xref))}>>\nstartxref\n${xref}\n%%EOF\n`,
    'latin1'
  )
}
