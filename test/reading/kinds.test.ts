import t from 'tap'
import { readFileSync } from 'node:fs'
import { textOf } from '../../src/reading/document.ts'
import { EXTRACT_ERRORS } from '../../src/reading/error.ts'
import { extract, type Source } from '../../src/reading/extract.ts'
import { FORMATS } from '../../src/reading/formats.ts'
import { zip } from './hostile.ts'

const read = (content: string | Buffer, source: Source = {}) => extract(Buffer.from(content), source)
const text = async (content: string | Buffer, source: Source = {}) => textOf(await read(content, source))

/** An OpenDocument file with this in its body, next to automatic styles. */
function openDocument (
  kind: 'text' | 'spreadsheet' | 'presentation', body: string, styles = '', more: Record<string, string> = {}
): Buffer {
  return zip([
    { name: 'mimetype', content: `application/vnd.oasis.opendocument.${kind}`, method: 0 },
    {
      name: 'content.xml',
      content: `<office:document-content xmlns:office="o"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`
    },
    ...Object.entries(more).map(([name, content]) => ({ name, content }))
  ])
}

t.test('a text document keeps its lists, tables and notes, and loses what is not shown', async (t) => {
  // Was wrong: "an archive, which cannot be read".
  const styles =
    '<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>' +
    '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="a" style:num-suffix=")"/><text:list-level-style-bullet text:level="2"/></text:list-style>'
  const item = (inner: string, more = '') => `<text:list-item${more}>${inner}</text:list-item>`
  const p = (inner: string) => `<text:p>${inner}</text:p>`
  const body =
    `<text:tracked-changes>${p('Deleted.')}</text:tracked-changes><text:h text:outline-level="1">Top</text:h>` +
    p(
      'One<text:s text:c="2"/>two<text:tab/>three<text:line-break/>four<office:annotation>A remark</office:annotation><text:span text:style-name="H">Hidden</text:span>.<text:note><text:note-citation>1</text:note-citation><text:note-body>' +
        p('A note.') +
        '</text:note-body></text:note>'
    ) +
    `<text:list text:style-name="L"><text:list-header>${p('Steps')}</text:list-header>${item(p('first') + `<text:list>${item(p('inner'))}</text:list>`)}${item(p('second'))}${item(p('fifth'), ' text:start-value="5"')}</text:list>` +
    `<table:table><table:table-header-rows><table:table-row><table:table-cell>${p('A')}</table:table-cell><table:table-cell>${p('B')}</table:table-cell></table:table-row></table:table-header-rows><table:table-row><table:table-cell>${p('1')}</table:table-cell><table:table-cell>${p('2')}</table:table-cell></table:table-row></table:table>` +
    `<text:section><draw:frame><draw:text-box>${p('In a box.')}</draw:text-box><svg:desc>Description</svg:desc></draw:frame></text:section>`
  const document = await read(
    openDocument('text', body, styles, {
      'meta.xml': '<m><dc:title>The title</dc:title><meta:document-statistic meta:page-count="3"/></m>',
      'styles.xml': '<s/>'
    })
  )
  t.match(document, { format: 'odt', title: 'The title', pages: 3, hidden: 6 })
  t.match(
    document.blocks.map(({ text, heading }) => [text, heading]),
    [
      ['Top', 'Top'],
      ['One  two\tthree\nfour.[1]', 'Top'],
      ['Steps\na) first\n- inner\nb) second\ne) fifth', 'Top'],
      ['A | B', 'Top'],
      ['A: 1\nB: 2', 'Top'],
      ['In a box.', 'Top'],
      ['[1] A note.', null]
    ]
  )
})

t.test('a workbook of LibreOffice is read as its sheets show it', async (t) => {
  const styles = '<style:style style:name="gone"><style:table-properties table:display="false"/></style:style>'
  const cell = (inner: string, more = '') =>
    `<table:table-cell${more}>${inner && `<text:p>${inner}</text:p>`}</table:table-cell>`
  const row = (inner: string, more = '') => `<table:table-row${more}>${inner}</table:table-row>`
  const sheet =
    '<table:table table:name="Plan"><table:table-column/><table:table-column table:visibility="collapse"/><table:table-column/>' +
    row(cell('Day') + cell('Secret') + cell('Hours')) +
    row(
      cell('24.12.2025', ' office:date-value="2025-12-24"') +
        cell('x') +
        cell('9:00', ' table:number-columns-repeated="2"')
    ) +
    row(cell('25.12.') + cell('', ' table:number-columns-repeated="99999"'), ' table:number-rows-repeated="2"') +
    row(cell('unseen'), ' table:visibility="filter"') +
    row(cell(''), ' table:number-rows-repeated="1048576"') +
    '</table:table>' +
    `<table:table table:name="Hidden" table:style-name="gone">${row(cell('never'))}</table:table>`
  const document = await read(openDocument('spreadsheet', sheet, styles))
  t.match(document, { format: 'ods', rows: 3, hidden: 6 + 1 + 6 + 5 })
  t.equal(textOf(document), 'Plan\n\nDay | Hours\n\nDay: 24.12.2025\nHours: 9:00\n9:00\n\nDay: 25.12.\n\nDay: 25.12.')
})

t.test('a presentation of LibreOffice is read slide by slide', async (t) => {
  const frame = (kind: string, inner: string) =>
    `<draw:frame presentation:class="${kind}"><draw:text-box><text:p>${inner}</text:p></draw:text-box></draw:frame>`
  const styles =
    '<style:style style:name="off"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
  const slides =
    `<draw:page>${frame('title', 'First')}${frame('outline', 'Words')}${frame('page-number', '1')}<presentation:notes>${frame('page', '')}${frame('notes', 'Say this.')}</presentation:notes></draw:page>` +
    `<draw:page draw:style-name="off">${frame('title', 'Unseen')}</draw:page><draw:page>${frame('title', 'Last')}<draw:custom-shape><text:p>In a shape</text:p></draw:custom-shape></draw:page>`
  const document = await read(openDocument('presentation', slides, styles))
  t.match(document, { format: 'odp', pages: 3, hidden: 6 })
  t.match(
    document.blocks.map(({ text, heading, page }) => [text, heading, page]),
    [
      ['First', 'First', 1],
      ['Words', 'First', 1],
      ['Say this.', 'First', 1],
      ['Last', 'Last', 3],
      ['In a shape', 'Last', 3]
    ]
  )
})

t.test('an OpenDocument file under a password says so, and a broken one that it is broken', async (t) => {
  const locked = {
    'META-INF/manifest.xml':
      '<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>'
  }
  await t.rejects(read(openDocument('text', '', '', locked)), { code: 'encrypted' })
  await t.rejects(read(openDocument('text', '')), { code: 'no_text' })
  await t.rejects(read(zip([{ name: 'mimetype', content: 'application/vnd.oasis.opendocument.text', method: 0 }])), {
    code: 'damaged'
  })
  await t.rejects(
    read(
      zip([
        { name: 'mimetype', content: 'application/vnd.oasis.opendocument.text', method: 0 },
        { name: 'content.xml', content: '<a/>' }
      ])
    ),
    { code: 'damaged' }
  )
  await t.rejects(
    read(zip([{ name: 'mimetype', content: 'application/vnd.oasis.opendocument.graphics', method: 0 }])),
    { code: 'unsupported_format' }
  )
})

t.test('RTF is read in the letters of its fonts, without what is beside the text', async (t) => {
  // Was wrong: "an RTF document, which cannot be read".
  const rtf = (body: string) =>
    `{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset204 Arial;}{\\f2\\fcharset128 Gothic;}}{\\stylesheet{\\s0 Normal;}{\\s1 heading 1;}}{\\info{\\title The title}{\\author Ada}\\nofpages2}{\\*\\generator Writer;}${body}}`
  const document = await read(
    rtf(
      "{\\header A header\\par}\\pard\\s1 Top\\par\\pard Gr\\'fc\\'dfe \\u8364?\\u-10179?\\u-8704? {\\f1\\'cf\\'f0\\'e8\\'e2\\'e5\\'f2} {\\f2\\'93\\'fa\\'96\\'7b}{\\v hidden}{\\deleted gone}\\~\\_ \\{x\\}\\emdash{\\pict\\bin4 }}}}89504E47}{\\super\\chftn}{\\footnote\\chftn A note.}\\line next{\\*\\unknown nothing}{\\*\\shpinst{\\sp{\\sn a}}{\\shptxt in a box}}\\par{\\listtext a)\\tab}first\\par"
    )
  )
  t.match(document, { format: 'rtf', title: 'The title', pages: 2, hidden: 10 })
  t.match(
    document.blocks.map(({ text, heading }) => [text, heading]),
    [
      ['Top', 'Top'],
      ['Grüße €😀 Привет 日本 - {x}—[1]\nnextin a box', 'Top'],
      ['a) first', 'Top'],
      ['[1] A note.', null]
    ]
  )
  const cells = (...texts: string[]) => texts.map((one) => `\\pard\\intbl ${one}\\cell`).join('')
  t.equal(
    await text(
      rtf(
        `\\trowd\\trhdr ${cells('A', 'B')}\\row\\trowd ${cells('1', '2\\par 3')}\\row\\pard After.\\par\\trowd ${cells('x', 'y')}\\row`
      )
    ),
    'A | B\n\nA: 1\nB: 2\n3\n\nAfter.\n\nx | y'
  )
  t.equal(await text('{\\rtf1\\mac Caf\\\'8e\\par\\outlinelevel0 Kept}'), 'Café\n\nKept')
  t.equal(await text('{\\rtf1 one\\\ntwo\\plain\\uc2\\u233xx!{\\f9 z}'), 'one\n\ntwoé!z', 'cut off')
  await t.rejects(read('{\\rtf1 }'), { code: 'no_text' })
  await t.rejects(read('{\\rtf1' + '{'.repeat(20_000)), { code: 'too_large' })
})

t.test('subtitles are read as what is said', async (t) => {
  // Was wrong: every timestamp was in the text.
  const srt =
    '1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Welcome</i> to\r\n\r\n2\r\n00:00:02,600 --> 00:00:04,000\r\n{\\an8}the shop.\r\n\r\n3\r\n00:00:04,000 --> 00:00:05,000\r\nthe shop.\r\n\r\n4\r\n00:00:30,000 --> 00:00:31,000\r\nFish &amp; chips\r\n'
  t.match(await read(srt, { name: 'a.srt' }), {
    format: 'srt', blocks: [{ text: 'Welcome to the shop.' }, { text: 'Fish & chips' }]
  })
  const vtt = `WEBVTT - Title\n\nSTYLE\n::cue { color: red }\n\nNOTE a remark\n\nintro\n00:01.000 --> 00:02.000 align:start\n<v Ada>Good <c.loud>morning</c>!\n\n${Array.from({ length: 40 }, (_, i) => `00:${String(i + 2).padStart(2, '0')}.000 --> 00:${String(i + 3).padStart(2, '0')}.000\nSentence number ${i}, of some length.\n`).join('\n')}`
  const spoken = await read(vtt)
  t.match(spoken, { format: 'vtt', blocks: [{ text: /^Ada: Good morning! Sentence number 0/ }, {}, {}] })
  t.notMatch(textOf(spoken), /-->|remark|color/)
  await t.rejects(read('WEBVTT\n\n'), { code: 'no_text' })
  t.equal((await read(srt, { name: 'a.txt' })).format, 'text')
})

t.test('XML is read by its values and its texts', async (t) => {
  // Was wrong: "an XML document, which cannot be read".
  const xml =
    '<?xml version="1.0" encoding="windows-1251"?><!-- x --><shop xmlns="s" name="Цех"><title>Цены</title><item id="7"><name>Смычок</name><price currency="EUR">85</price><empty/></item><item id="8"><name>Канифоль</name></item><p>Все <b>цены</b> с налогом.</p></shop>'
  const bytes = Buffer.from(
    [...xml].map((letter) => (/[А-я]/.test(letter) ? letter.charCodeAt(0) - 0x410 + 0xc0 : letter.charCodeAt(0)))
  )
  const document = await read(bytes)
  t.match(document, { format: 'xml', title: 'Цены' })
  t.same(
    document.blocks.map(({ text }) => text),
    [
      'name: Цех\ntitle: Цены', 'id: 7\nname: Смычок\nprice: 85, currency: EUR', 'id: 8\nname: Канифоль',
      'Все цены с налогом.'
    ]
  )
  t.equal(
    await text('<rss><item><description><![CDATA[<p>One</p><p>two</p>]]></description><link href="a"/></item></rss>', {
      name: 'a.xml'
    }),
    'description: One\ntwo\nlink: href: a'
  )
  await t.rejects(read('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'), { code: 'unsafe' })
  await t.rejects(read('<?xml version="1.0"?><svg><path d="M0 0"/></svg>'), {
    code: 'unsupported_format', message: /a picture/
  })
  await t.rejects(read('<?xml version="1.0"?><a/>'), { code: 'no_text' })
})

t.test('files of Office before 2007 are told what they are, and what to do', async (t) => {
  // Was wrong: one sentence for all of them.
  const old = (...parts: string[]) =>
    Buffer.concat([
      Buffer.from('D0CF11E0A1B11AE1', 'hex'),
      Buffer.alloc(504),
      Buffer.from(parts.map((part) => part + '\0').join(''), 'utf16le')
    ])
  const message = (bytes: Buffer) => read(bytes).catch(({ code, message }) => `${code}: ${message}`)
  t.match(await message(old('WordDocument')), /^unsupported_format: .*a Word document.*save it as \.docx/)
  t.match(await message(old('Workbook')), /a workbook.*\.xlsx/)
  t.match(await message(old('PowerPoint Document')), /a presentation.*\.pptx/)
  t.match(await message(old('Contents')), /\.docx, \.xlsx or \.pptx/)
  t.match(await message(old('EncryptedPackage')), /^encrypted/)
})

t.test('where it is written what can be read, every kind is named', async (t) => {
  // Planted: a format that is only in the list.
  const spoken: Record<string, string> = {
    docx: 'Word', pptx: 'PowerPoint', xlsx: 'Excel', odt: 'OpenDocument', odp: 'OpenDocument', ods: 'OpenDocument'
  }
  const [, row = ''] = /^\| Kinds of files \| (.*?), known by/m.exec(readFileSync('docs/api.md', 'utf8')) ?? []
  const upload = /"File: ([^"]*)"/.exec(readFileSync('openapi.json', 'utf8'))![1]!
  for (const format of Object.keys(FORMATS)) {
    t.match(row, new RegExp(`\\b${format}\\b`, 'i'), `docs/api.md: ${format}`)
    for (const text of [upload, EXTRACT_ERRORS.unsupported_format]) {
      t.match(text, new RegExp(`\\b${spoken[format] ?? format}\\b`, 'i'), format)
    }
  }
})

t.test('each row of a table of questions and answers is a passage of its own', async (t) => {
  const { blocks } = await read('question,answer\nHow long?,30 days.\nHow dear?,\nHow far?,Everywhere.\n', { name: 'faq.csv' })
  t.match(blocks, [
    { text: /How long\?\n30 days\./, row: 1, isAlone: true },
    { text: /How dear\?/, row: 2 },
    { text: /How far\?\nEverywhere\./, row: 3, isAlone: true }
  ])
})
