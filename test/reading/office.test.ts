import t from 'tap'
import { extract } from '../../src/reading/extract.ts'
import { textOf } from '../../src/reading/document.ts'
import { fixture, office, wordPart, zip, type Entry } from './hostile.ts'

const text = async (bytes: Buffer) => textOf(await extract(bytes))
const paragraph = (text: string, properties = '') =>
  `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
const dropCap = (text: string) => paragraph(text, '<w:framePr w:dropCap="drop" w:lines="3"/><w:spacing w:line="827"/>')
const item = (text: string, list: number, level = 0) =>
  paragraph(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`)

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

function word (body: string, numbering = '', styles = ''): Buffer {
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml'
  const parts = [['numbering', numbering], ['styles', styles]] as const
  return zip([
    ...office('docx').map((entry) => ({
      ...entry,
      content: String(entry.content).replace('</Types>', parts.map(([name]) =>
        `<Override PartName="/word/${name}.xml" ContentType="${type}.${name}+xml"/>`).join('') + '</Types>')
    })),
    wordPart(body),
    {
      name: 'word/_rels/document.xml.rels',
      content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${parts.map(([name]) =>
        `<Relationship Id="${name}" Type="${OFFICE}/${name}" Target="${name}.xml"/>`).join('')}</Relationships>`
    },
    ...parts.filter(([, content]) => content).map(([name, content]): Entry => ({
      name: `word/${name}.xml`, content: `<?xml version="1.0"?><w:${name} ${W}>${content}</w:${name}>`
    }))
  ])
}

t.test('a first letter that hangs beside its paragraph stands before the word that it begins', async (t) => {
  // Was wrong: `W` was on its own, and no search for `Whoever` found the paragraph.
  t.equal(
    await text(word(
      paragraph('Returns') + dropCap('W') + paragraph('hoever returns goods', '<w:jc w:val="both"/>') +
      dropCap('Ü') + '<w:bookmarkEnd w:id="1"/>' + paragraph('ber uns')
    )),
    'Returns\n\nWhoever returns goods\n\nÜber uns'
  )
  t.equal(
    await text(word(dropCap('A') + `<w:tbl><w:tr><w:tc>${paragraph('cell')}</w:tc></w:tr></w:tbl>` + dropCap('Z') + '<w:p/>')),
    'A\n\ncell\n\nZ', 'one with no paragraph behind it stays where it is'
  )
  t.match(await text(fixture('pdf/drop-cap.pdf')), /^Returns\s+Whoever sends goods/, 'in a PDF too, by its size')
})

t.test('items of a Word list are counted as the list shows them, and go on behind what stands between them', async (t) => {
  // Was wrong: nobody found `Appendix b)`, since every list was numbered from 1.
  const level = (at: number, format: string, start = 1) =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/></w:lvl>`
  const list = (number: number, inside: string) =>
    `<w:abstractNum w:abstractNumId="${number}">${inside}</w:abstractNum>`
  const use = (number: number, of: number, inside = '') =>
    `<w:num w:numId="${number}"><w:abstractNumId w:val="${of}"/>${inside}</w:num>`
  const anew = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="3"/></w:lvlOverride>'
  const numbering =
    list(0, level(0, 'lowerLetter') + level(1, 'upperRoman') + level(12, 'decimal')) + list(1, level(0, 'decimal', 4)) +
    list(2, level(0, 'bullet')) +
    use(1, 0) + use(2, 1) + use(3, 2) + use(4, 0, anew + '<w:lvlOverride w:ilvl="7"><w:startOverride w:val="3"/></w:lvlOverride>') +
    use(5, 99)
  const body =
    item('Receipt', 1) + item('Parcel', 1) + item('label', 1, 1) + item('box', 1, 1) + paragraph('Between.') +
    item('Signature', 1) + item('inside', 1, 1) + paragraph('Then.') + item('Fourth', 2) + item('Fifth', 2) +
    paragraph('Also.') + item('Dot', 3) + paragraph('Anew.') + item('Third', 4) +
    paragraph('By style.') + paragraph('Styled', '<w:pStyle w:val="Step"/>') + paragraph('No list.') + item('Lost', 5)
  const styles =
    '<w:style w:type="paragraph" w:styleId="Step"><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>' +
    '<w:style w:type="paragraph" w:styleId="Plain"/>'
  t.equal(
    await text(word(body, numbering, styles)),
    [
      'a. Receipt\nb. Parcel\nI. label\nII. box', 'Between.', 'c. Signature\nI. inside', 'Then.', '4. Fourth\n5. Fifth',
      'Also.', '- Dot', 'Anew.', 'c. Third', 'By style.', 'Styled', 'No list.', 'Lost'
    ].join('\n\n')
  )
})

function sheet (formats: string[], cells: string, settings = ''): Buffer {
  return zip([
    ...office('xlsx'),
    {
      name: 'xl/workbook.xml',
      content: `<workbook xmlns:r="r">${settings}<sheets><sheet name="S" sheetId="1" r:id="a"/></sheets></workbook>`
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `<Relationships><Relationship Id="a" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="b" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`
    },
    {
      name: 'xl/styles.xml',
      content: `<styleSheet><numFmts>${formats.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code}"/>`).join('')}</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="10"/><xf numFmtId="14"/>${formats.map((_, at) => `<xf numFmtId="${164 + at}"/>`).join('')}</cellXfs></styleSheet>`
    },
    { name: 'xl/worksheets/sheet1.xml', content: `<worksheet><sheetData>${cells}</sheetData></worksheet>` }
  ])
}

t.test('dates, percent and amounts in a sheet read as the sheet shows them', async (t) => {
  // Was wrong: 9 December 2025 was read as 2025-12-09 whatever the sheet showed, 19.5 % as 0.195, and amounts had no
  // currency.
  const formats = ['dd.mm.yyyy', '[$-407]d. mmmm yyyy', '#,##0.00&quot; €&quot;', '#,##0', 'h:mm AM/PM', 'yyyy[[']
  const cell = (address: string, style: number, value: number | string) =>
    `<c r="${address}" s="${style}"><v>${value}</v></c>`
  t.equal(
    (await text(sheet(formats, `<row r="1">${[
      cell('A1', 3, 46000), cell('B1', 4, 46000), cell('C1', 1, 0.195), cell('D1', 5, 1234.5), cell('E1', 6, 1234567),
      cell('F1', 7, 0.75), cell('AB1', 2, 46000)
    ].join('')}</row>`))).split('\n').at(-1),
    '09.12.2025 | 9. Dezember 2025 | 19.50% | 1234.50 € | 1234567 | 6:00 PM | 2025-12-09'
  )
  t.equal(
    (await text(sheet(formats, `<row r="1">${cell('A1', 3, 44538)}${cell('B1', 3, 9999999)}${
      '<c r="C1" s="3" t="str"><v>a text</v></c>'}</row>`, '<workbookPr date1904="1"/>'))).split('\n').at(-1),
    '09.12.2025 | a text', 'in a workbook that counts from 1904; there is no such day in the second cell'
  )
})
