import t from 'tap'
import { readXml } from '../../src/reading/formats/xml-document.ts'
import { textOf } from '../../src/reading/document.ts'
import { ExtractError } from '../../src/reading/error.ts'
import { extract, type Source } from '../../src/reading/extract.ts'
import {
  bombs, brokenOthers, brokenPdfs, entityBombs, fixture, office, PARAGRAPH, wordPart, zip, type Entry
} from './hostile.ts'

const read = (content: string | Buffer, source: Source = {}) => extract(Buffer.from(content), source)
const text = async (content: string | Buffer, source: Source = {}) => textOf(await read(content, source))
const format = async (content: string | Buffer, source: Source = {}) => (await read(content, source)).format
const blocks = async (content: string | Buffer, source: Source = {}) => (await read(content, source)).blocks

const PDF = fixture('documents/pdf/01.pdf')
const DOCX = fixture('documents/docx/01.docx')
const XLSX = fixture('documents/xlsx/01.xlsx')
const PNG = Buffer.from('89504E470D0A1A0A0000000D49484452', 'hex')

t.test('twenty files that lie about their type are read as what they are, or refused', async (t) => {
  const lies: [string, Buffer | string, Source, string][] = [
    ['a PDF called .txt', PDF, { name: 'a.txt', contentType: 'text/plain' }, 'pdf'],
    ['a PDF called .docx', PDF, { name: 'a.docx' }, 'pdf'],
    ['a PDF behind rubbish', Buffer.concat([Buffer.from('rubbish\n'), PDF]), { name: 'a.txt' }, 'pdf'],
    ['a DOCX called .pdf', DOCX, { name: 'a.pdf', contentType: 'application/pdf' }, 'docx'],
    ['a DOCX called .xlsx', DOCX, { name: 'a.xlsx' }, 'docx'],
    ['an XLSX called .csv', XLSX, { name: 'a.csv', contentType: 'text/csv' }, 'xlsx'],
    ['an EPUB called .zip', fixture('documents/epub/01.epub'), { name: 'a.zip' }, 'epub'],
    ['HTML called .txt', '<!DOCTYPE html><html><body><p>Hello</p></body></html>', { name: 'a.txt' }, 'html'],
    ['HTML called .pdf', '<html><body>Hello</body></html>', { contentType: 'application/pdf' }, 'html'],
    ['JSON called .html', '{"a": 1}', { name: 'a.html' }, 'json'],
    ['text called .json', 'not JSON at all', { name: 'a.json' }, 'text'],
    ['text called .docx', 'plain words', { name: 'a.docx' }, 'text'],
    ['a DOCX and a PDF in one', Buffer.concat([DOCX, PDF]), { name: 'a.pdf' }, 'docx'],
    ['a picture called .pdf', PNG, { name: 'a.pdf' }, 'unsupported_format'],
    [
      'a picture that is also HTML',
      Buffer.concat([Buffer.from('GIF89a=1;<html>'), PDF]),
      { name: 'a.html' },
      'unsupported_format'
    ],
    ['a program called .txt', Buffer.from('7F454C460201010000000000', 'hex'), { name: 'a.txt' }, 'unsupported_format'],
    ['random bytes called .csv', Buffer.from('00FF10EE20DD30CC', 'hex'), { name: 'a.csv' }, 'unsupported_format'],
    ['an archive called .docx', zip([{ name: 'a.txt', content: 'x' }]), { name: 'a.docx' }, 'unsupported_format'],
    ['XML called .html', '<?xml version="1.0"?><rss><a>x</a></rss>', { name: 'a.html' }, 'xml'],
    ['RTF called .doc', '{\\rtf1 Hello}', { name: 'a.doc' }, 'rtf']
  ]
  for (const [what, bytes, source, expected] of lies) {
    t.equal(await format(bytes as string, source).catch((error: ExtractError) => error.code), expected, what)
  }
})

t.test('the name decides between kinds of plain text', async (t) => {
  const lines = 'a,b\nc,d\n'
  t.equal(await format(lines, { name: 'x.csv' }), 'csv')
  t.equal(await format(lines, { name: 'x.txt' }), 'text')
  t.equal(await format(lines), 'text', 'two lines are no table unless somebody says so')
  t.equal(await format('a\nb\n', { name: 'x.csv' }), 'csv', 'one column')
  t.equal(await format('a\nb\n', { contentType: 'text/tab-separated-values; charset=utf-8' }), 'tsv')
  t.equal(await format('a;b\n1;2\n3;4\n'), 'csv')
  t.equal(await format('# Title\n\nText'), 'markdown')
  t.equal(await format('- see [this](http://x)\n'), 'markdown')
  t.equal(await format('# Title\n\nText', { name: 'x.txt' }), 'text')
  t.equal(await format('<div align="center">Logo</div>\n\n# Title', { name: 'README.md' }), 'markdown')
  t.equal(await format('<div>Hello</div>'), 'html')
  t.equal(await format('{"a":1}\n{"a":2}\n'), 'json', 'a value a line')
  t.equal(await format('{"a":1}\nnot\n'), 'text')
  t.equal(await format('[1]\n2\n'), 'text')
  t.equal(await format('word,word\n'.repeat(20_000)), 'csv', 'longer than what is looked at')
  // Was wrong: without a line end in the sample, the whole text was scanned, once for each delimiter.
  t.equal(await format('x'.repeat(70_000) + '\n' + 'a,b\n'.repeat(50)), 'text', 'a line longer than that')
})

t.test('Was wrong: where the rows of a table agree on nothing, a comma parted its cells, whatever its head has', async (t) => {
  const rows = 'Frage;Antwort\nHolt ihr mich ab?;Ja, im Umkreis, auch bei der Arbeit.\nKann ich wechseln?;Ja, mit Nachweis; das kostet 100 €.\n'
  const read = await text(rows, { name: 'fragen.csv' })
  t.match(read, /Holt ihr mich ab\?\n+(?:Antwort: )?Ja, im Umkreis, auch bei der Arbeit\./)
  t.match(read, 'Ja, mit Nachweis; das kostet 100 €.', 'what an answer says behind such a mark is of the answer')
  t.notMatch(read, 'Frage;Antwort')
})

t.test('bytes become the letters they were', async (t) => {
  const grüße = 'Schöne Grüße'
  t.equal(await text(Buffer.from(grüße, 'latin1')), grüße)
  t.equal(await text(Buffer.from(grüße, 'utf16le')), grüße, 'without a byte order mark')
  t.equal(await text(Buffer.from(grüße, 'utf16le').swap16()), grüße)
  t.equal(await text(Buffer.from('\uFEFF' + grüße, 'utf16le').swap16()), grüße)
  t.equal(await text(Buffer.from('CFF0E8E2E5F2', 'hex'), { contentType: 'text/plain; charset=windows-1251' }), 'Привет')
  t.equal(await text(Buffer.from(grüße, 'latin1'), { contentType: 'text/plain; charset=nonsense' }), grüße)
  t.equal(
    await text(Buffer.concat([Buffer.from('ü'.repeat(50)), Buffer.from([0xff])])),
    'ü'.repeat(50) + '\uFFFD',
    'one wrong byte is no other encoding'
  )
})

t.test('no control character and no half of a pair leaves', async (t) => {
  // Was wrong without clean(): NUL and the lone surrogate came through.
  t.equal(await text(`${'x'.repeat(300)}\0\u00ADy\r\nz\u00A0z`), `${'x'.repeat(300)}y\nz z`)
  t.equal(await text('{"a": "\\ud800x\\u0000"}'), 'a: \uFFFDx')
})

t.test('a long stretch without an empty line is given as it is, so that its bytes are those of the file', async (t) => {
  // Was wrong: an empty line was inserted every 16,384 characters, in the middle of a word if need be, and counted.
  for (const text of ['line\n'.repeat(4000), 'word '.repeat(4000), 'x' + '😀'.repeat(10_000), 'q'.repeat(100_000)]) {
    t.same((await blocks(text, { name: 'x.txt' })).map((block) => block.text), [text.trim()])
  }
  const long = await read(`# ${'t'.repeat(300)}\n\ntext`, { name: 'x.md' })
  t.equal(long.blocks[1]!.heading!.length, 200)
})

t.test('a document larger than anybody may store ends too_large', async (t) => {
  await t.rejects(read(Buffer.alloc(65 * 2 ** 20, 'w'.repeat(16_000) + '\n\n'), { name: 'x.txt' }), {
    code: 'too_large', retryable: false
  })
})

t.test('nothing to read is said, not shown as success', async (t) => {
  await t.rejects(read(''), { code: 'no_text' })
  await t.rejects(read('{}'), { code: 'no_text' })
  await t.rejects(read('<html><body><script>app()</script></body></html>'), {
    code: 'no_text', message: /made by scripts/
  })
  await t.rejects(read(fixture('hostile/scanned.pdf')), {
    code: 'needs_recognition', message: /only pictures: it was probably scanned/
  })
  await t.rejects(read(zip([...office('docx'), wordPart('<w:p/>')])), { code: 'no_text', message: /only pictures/ })
})

t.test('protected files say so; a PDF that only forbids printing is read', async (t) => {
  await t.rejects(read(fixture('hostile/password.pdf')), { code: 'encrypted', message: /password/ })
  t.match(await text(fixture('hostile/no-printing.pdf')), /Opening hours/)
  const ole = Buffer.from('D0CF11E0A1B11AE1', 'hex')
  await t.rejects(read(Buffer.concat([ole, Buffer.alloc(504), Buffer.from('EncryptedPackage\0', 'utf16le')])), {
    code: 'encrypted'
  })
  await t.rejects(read(Buffer.concat([ole, Buffer.alloc(504), Buffer.from('WordDocument\0', 'utf16le')])), {
    code: 'unsupported_format', message: /before 2007/
  })
  await t.rejects(read(zip([{ name: 'a.xml', content: 'x', flags: 1 }])), { code: 'encrypted' })
})

t.test('a container of before 2007 is recognised at any address in memory', async (t) => {
  // Was wrong: at an odd address it was searched until the time for reading was over.
  const old = Buffer.concat([
    Buffer.from('D0CF11E0A1B11AE1', 'hex'), Buffer.alloc(504), Buffer.from('WordDocument\0', 'utf16le'), Buffer.alloc(512)
  ])
  for (const offset of [0, 1, 2, 3]) {
    const bytes = Buffer.alloc(offset + old.length).subarray(offset)
    old.copy(bytes)
    await t.rejects(extract(bytes), { code: 'unsupported_format' }, `${offset} bytes after an even address`)
  }
})

t.test('bombs, broken PDFs and entities end with their codes', async (t) => {
  // The quick form; all of them run in the sandbox in test/faults.
  for (const { name, bytes, code } of bombs()) await t.rejects(read(bytes, { name }), { code }, name)
  for (const [name, bytes] of Object.entries(entityBombs())) {
    await t.rejects(read(bytes, { name }), { code: 'unsafe' }, name)
  }
  for (const { name, bytes } of [...brokenPdfs().slice(-15), ...brokenOthers().filter((_, i) => i % 5 === 0)]) {
    const outcome = await read(bytes, { name }).catch((error: unknown) => error)
    t.ok(outcome instanceof ExtractError || 'blocks' in (outcome as object), name)
  }
})

t.test('an archive is only as good as its parts', async (t) => {
  const damaged = async (bytes: Buffer, what: string) => t.rejects(read(bytes), { code: 'damaged' }, what)
  const one = (entry: Partial<Entry>) => zip([...office('docx'), { ...wordPart(PARAGRAPH), ...entry }])
  t.equal(await text(one({})), 'The visible sentence.')
  await damaged(one({ declared: 5 }), 'another size than declared')
  await damaged(one({ crc: 1 }), 'another checksum')
  await damaged(one({ packed: Buffer.from('nonsense') }), 'not packed at all')
  await damaged(
    zip([{ name: 'a.xml', content: 'x', method: 12, packed: Buffer.from('x') }]), 'packed in a way nobody knows'
  )
  await damaged(one({}).subarray(0, -100), 'cut off')
  await damaged(zip([...office('docx'), { name: 'a', content: 'x', at: 1 }]), 'an entry that is not there')
  await damaged(
    Buffer.concat([
      Buffer.from('PK\x03\x04'), Buffer.from('PK\x05\x06\0\0\0\0\x01\0\x01\0\0\0\0\0\0\0\0\0\0\0', 'latin1')
    ]),
    'a directory that is not there'
  )
  await damaged(zip(office('docx')), 'no main part')
  await damaged(zip(office('pptx')), 'no slides')
  const cut = Buffer.from(zip([{ name: 'a', content: 'abc', method: 0 }]))
  cut.writeUInt32LE(1e6, cut.indexOf('PK\x01\x02', 0, 'latin1') + 20)
  await damaged(cut, 'an entry longer than the archive')
  const full = Buffer.alloc(100 * 2 ** 20)
  const dense = zip([{ name: 'a', content: full, method: 0 }, { name: 'b', content: '' }])
  await t.rejects(read(dense), { code: 'too_large' }, 'not a byte more than the limit')
  await t.rejects(read(zip([{ name: 'a', content: Buffer.alloc(20 * 2 ** 20) }])), { code: 'too_large' }, 'too dense')
})

t.test('a row can be understood by itself', async (t) => {
  const table = '\uFEFFTitle of it all;;\r\nName;City;\r\nAda;"Lon\r\ndon; UK";x\r\n;;\r\nBob;;\r\n'
  const document = await read(table, { name: 'x.csv' })
  t.equal(document.rows, 2)
  t.match(
    document.blocks.map(({ text, row }) => [text, row]),
    [
      ['Title of it all', null], ['Name | City', null], ['Name: Ada\nCity: Lon\ndon; UK\nx', 1], ['Name: Bob', 2]
    ]
  )
  await t.rejects(read('a,b\n1,"2\n', { name: 'x.csv' }), { code: 'damaged', message: /quoted cell/ })
})

t.test('keys that are names of the language are only words', async (t) => {
  // Was wrong with rows collected in an object by column name: `polluted` was on every object.
  const rows = await text('__proto__,constructor\npolluted,x\n', { name: 'x.csv' })
  t.match(rows, '__proto__: polluted')
  t.equal(await text('{"__proto__": {"polluted": true}}'), '__proto__.polluted: true')
  t.notOk('polluted' in {})
})

t.test('JSON keeps its order, its long numbers, and what belongs together', async (t) => {
  t.same(
    (
      await blocks(
        '{"a": {"b": 1}, "list": [{"n": 1, "m": [1, null, 2]}, {"n": 2}], "id": 12345678901234567890, "no": null, "none": []}'
      )
    ).map(({ text }) => text),
    ['a.b: 1', 'list[0].n: 1\nlist[0].m: 1, 2', 'list[1].n: 2', 'id: 12345678901234567890']
  )
  await t.rejects(read('['.repeat(5000) + ']'.repeat(5000)), { code: 'too_large', message: /nested/ })
})

t.test('XML that is nested without end is refused before it is read', async (t) => {
  t.throws(() => readXml(`${'<a>'.repeat(2000)}x${'</a>'.repeat(2000)}`), { code: 'too_large', message: /nested/ })
})

t.test('Markdown loses its marks, not its words', async (t) => {
  const document = await read(
    '---\ntitle: "Front"\n---\n# Top\n\n## Sub *it*\n\nOne &amp; <b>two</b>  \nthree `co&amp;de` ![alt](x)\n\n> quoted\n\n1. first\n   - inner\n2. second\n\n| a | b |\n|---|---|\n| 1 |   |\n\n<div><p>html</p></div>\n\n***\n\n```js\nx &amp;&amp; y\n```\n'
  )
  t.equal(document.title, 'Front')
  t.match(
    document.blocks.map(({ text, heading }) => [text, heading]),
    [
      ['title: "Front"', null],
      ['Top', 'Top'],
      ['Sub it', 'Top › Sub it'],
      ['One & two\nthree co&amp;de alt', 'Top › Sub it'],
      ['quoted', 'Top › Sub it'],
      ['1. first\n  - inner\n2. second', 'Top › Sub it'],
      ['a | b', 'Top › Sub it'],
      ['a: 1', 'Top › Sub it'],
      ['html', 'Top › Sub it'],
      ['x &amp;&amp; y', 'Top › Sub it']
    ]
  )
})

t.test('HTML keeps lists, code and tables in shape', async (t) => {
  const shown = (html: string) =>
    blocks(`<!doctype html><html><body>${html}</body></html>`).then((all) => all.map(({ text }) => text))
  t.same(await shown('<p>a\n b<br>c</p><pre>x\n  y</pre>'), ['a b\nc', 'x\n  y'])
  t.same(await shown('<ol><li>one<ul><li>inner</li></ul></li><li><p>two</p></li></ol>'), ['1. one\n- inner\n2. two'])
  // Was wrong: every ordered list was numbered in digits from 1.
  t.same(
    await shown(
      '<ol type="a" start="26"><li>one</li><li>two<ol type="I"><li>inner</li><li>next</li></ol></li><li value="3">c</li></ol><li>alone</li>'
    ),
    ['z. one\naa. two\nI. inner\nII. next\nc. c', 'alone']
  )
  t.same(await shown('<ol type="i" start="3999"><li>one</li><li>two</li></ol><ol type="A"><li>x</li></ol>'), [
    'mmmcmxcix. one\n4000. two', 'A. x'
  ])
  t.same(await shown('<ol type="a"><li> <p>one</p><p>more</p></li><li><div>two</div></li></ol>'), [
    'a. one\nmore\nb. two'
  ])
  t.same(
    await shown(
      '<table><caption>Cap</caption><tr><th>A</th><th colspan="2">B</th></tr><tr><td rowspan="2">1</td><td>2</td><td>3</td></tr><tr><td colspan="2">4</td></tr></table>'
    ),
    ['Cap', 'A | B', 'A: 1\nB: 2\nB: 3', 'A: 1\nB: 4']
  )
  t.same(
    await shown(
      '<table><tr><td><h2>Layout</h2></td><td><table><tr><td>in</td><td>ner</td></tr></table></td></tr></table>'
    ),
    ['Layout', 'in | ner']
  )
  t.same(
    await shown('<table><tr><td rowspan="2">tall</td><td>a</td></tr><tr></tr><tr><td colspan="x">b</td></tr></table>'),
    ['tall | a', 'tall', 'b']
  )
  t.equal((await read(`<html><body>${'<div>'.repeat(20_000)}deep</body></html>`)).blocks[0]!.text, 'deep')
  t.equal(await text('<?xml version="1.0"?><html><head><title/></head><body><p>kept<br/></p></body></html>'), 'kept')
  await t.rejects(read(`<html>${'<p>x</p>'.repeat(600_000)}`), { code: 'too_large', message: /4 MiB/ })
})

t.test('Was wrong: an item whose text begins with its own number or bullet was shown with both', async (t) => {
  const shown = async (html: string) => (await read(`<html><body>${html}</body></html>`)).blocks.map(({ text }) => text)
  t.same(await shown('<ol><li>1. Choose</li><li> <b>2.</b> Pay</li><li><p>3) Wait</p></li></ol>'), [
    '1. Choose\n2. Pay\n3. Wait'
  ])
  t.same(await shown('<ol type="a"><li>a) one</li><li>b. two</li></ol><ul><li>• tea</li><li>– milk</li></ul>'), [
    'a. one\nb. two', '- tea\n- milk'
  ])
  t.same(await shown('<ol><li>1.5 litres</li><li>3. floor</li><li>3.</li></ol><ul><li>-5 °C</li></ul><p>1. 1. is a holiday</p>'), [
    '1. 1.5 litres\n2. 3. floor\n3. 3.', '- -5 °C', '1. 1. is a holiday'
  ], 'other numbers are what it says')
})

// Was wrong: "This site uses cookies. Accept all" was learnt from each page that was uploaded.
t.test('what asks whether cookies may be set is not learnt', async (t) => {
  const page = '<h1>Opening hours</h1><p>We are open from 9 to 5, on Saturdays from 10 to 2. On Sundays we bake at home.</p>'
  for (const banner of [
    '<div class="cookie-banner" role="dialog">This site uses cookies. <button>Accept all</button></div>',
    '<dialog open>We value your privacy and use cookies.<button>Accept all</button></dialog>', '<section id="CookieBar">Accept all</section>'
  ]) t.notMatch(await text(`<html><body>${page}${banner}</body></html>`), /Accept all/, banner)
  t.match(await text(`<html><body>${page}<div role="dialog">Order by noon.</div></body></html>`), /Order by noon/)
  t.match(await text(`<html><body>${page}<div class="cookie-recipe">Bake cookies for ten minutes.</div></body></html>`), /Bake/)
})

t.test('Was wrong: menus and footers of plain elements were learnt as text of the section beside them', async (t) => {
  const links = (...names: string[]) => names.map((name) => `<a href="/${name}">${name}</a>`)
  const items = (...names: string[]) => `<ul>${links(...names).map((link) => `<li>${link}</li>`).join('')}</ul>`
  const menu = `<div class="top">${items('Home', 'Shop', 'Contact')}</div>`
  const section = '<h1>Repairs</h1><p>A puncture costs £12.</p>'
  const under = async (html: string) => (await blocks(`<html><body>${html}</body></html>`))
    .filter(({ heading }) => heading !== null).map(({ text }) => text).join(' ')
  t.equal(await under(menu + section), 'Repairs A puncture costs £12.')
  t.notMatch(await text(`<html><body>${menu}${section}</body></html>`), /Home/)
  for (const footer of [
    `<div>${links('Imprint', 'Privacy').join(' | ')} | Spoke Ltd, 4 Mill Lane, Ely</div>`,
    `<div><p>${links('Imprint', 'Privacy').join(' · ')}</p></div><p>© 2026 Spoke</p>`, '<section id="site-footer"><p>Ring us on 01353 555 0199.</p></section>'
  ]) {
    t.equal(await under(section + footer), 'Repairs A puncture costs £12.', footer)
    t.match(await text(`<html><body>${section}${footer}</body></html>`), /Imprint|Ring us/, 'it is learnt by itself')
  }
  // What a section is made of is no furniture.
  t.match(await under(`${section}<h2>Forms</h2>${items('Order', 'Return', 'Repair')}`), /- Order/)
  t.match(await under(`${section}<p>See ${links('Prices', 'Rental').join(' and ')}.</p>`), /See Prices/)
  t.match(await text(`<html><body>${menu}</body></html>`), /Home/, 'a page that is all menu keeps it')
  const row = links('Home', 'Shop', 'Contact').join(' | ')
  t.notMatch(await text(`<html><body>${row}<main>${section}</main></body></html>`), /Home|\|/, 'links in a row')
  t.match(await text(`<html><body>See ${row}${section}</body></html>`), /See Home/)
  t.match(await text(`<html><body>${row} and more${section}</body></html>`), /Contact and more/)
  t.match(await text(`<html><body>${row}</body></html>`), /Home/)
  t.match(await text(`<html><body><h1></h1>${menu.replaceAll('"/', '"#')}${section}</body></html>`), /Home/, 'a table of contents')
  // However deep a page nests.
  t.match(await text(`<html><body>${section}${'<div>'.repeat(9000)}deep${' '.repeat(9000)}</body></html>`), /deep/)
})

t.test('of a page everything is read but its menus; what stands beside its text is under none of its headings', async (t) => {
  const article = '<p>' + 'A long and telling sentence, with commas, about violins. '.repeat(20) + '</p>'
  const page = (content: string, beside = '') =>
    `<!doctype html><html><head><title>T</title></head><body><nav>Menu</nav>${content}<div class="sidebar">${beside}<p><a href="/">Related</a></p></div><footer>Imprint</footer></body></html>`
  // Was wrong: the menu of each uploaded page was learnt, and quoted as an answer.
  const whole = await text(page(`<main>${article}</main><div role="navigation">Home</div><form role="search">Find</form>`))
  t.match(whole, /violins[\s\S]*Imprint/)
  t.notMatch(whole, /Menu|Home|Find/)
  // Was wrong: of a page that was fetched a sidebar was lost with all that it said, of one that was uploaded its links
  // were learnt as text of the last section.
  const hours = '<h3>Visit us</h3><p>Open daily from 9 to 5.</p><p>Violins may be tried.</p>'
  for (const around of [
    page(`<h1>Violins</h1>${article}`, hours),
    `<main><h1>Violins</h1>${article}</main><aside>${hours}<ul><li><a href="/">Related</a></li></ul></aside>`,
    `<article><h1>Violins</h1>${article}</article><section id="side-bar">${hours}</section><p>The end.</p>`
  ]) {
    const all = await blocks(`<html><body>${around}</body></html>`)
    t.match(all.find((one) => one.text.startsWith('Open daily')), { heading: 'Visit us' }, around)
    t.notOk(all.some((one) => one.text.includes('Related')))
    const end = all.find((one) => one.text === 'The end.')
    if (end) t.equal(end.heading, 'Violins', 'the text goes on behind it')
  }
  t.match(await blocks(`<article><h1>Bows</h1>${article}<aside>Mind the hair.</aside></article>`), [
    {}, {}, { text: 'Mind the hair.', heading: 'Bows' }
  ], 'a remark within a text is of its section')
  const links = '<ul><li><a href="/a">A</a></li><li><a href="/b">B</a></li><li><a href="/c">C</a></li></ul>'
  t.match(
    await text(`<html><body><div class="with-sidebar"><h1>Forms</h1>${article}<h2>All</h2>${links}</div></body></html>`), /- A/,
    'a page that is called by its sidebar is none'
  )
  t.notMatch(await text(`<html><body>${article}<footer>${links}<p>© 2026</p></footer></body></html>`), /- A|2026/)
  t.match(await text(`<html><body>${article}<footer>${links}<p>Call 01353 555 0199.</p></footer></body></html>`), /Call 01353/)
  t.notMatch(await text(`<html><body><div>${links}</div>${article}</body></html>`), /- A/, 'a menu above a text without headings')
  t.match(await text(`<html><body><div role="search">${article}</div></body></html>`), /violins/, 'a page that is all results')
  t.match(
    await text(`<html><body>${article}${article}<footer>${'<a>x</a>'.repeat(200)}</footer></body></html>`), /xxx/, 'too many to look at'
  )
  t.match(await text('<nav><a href="#a">Contents</a></nav><h1 id="a">Contents</h1>A manual'), /Contents[\s\S]*Contents/)
  t.equal(await text('<html><body><nav>Nothing <b>but</b> a menu</nav></body></html>'), 'Nothing but a menu')
  const table = '<table><tr><td>cell</td></tr></table>'
  t.match(
    await text(page(`<main>short</main><div>${'many words here '.repeat(20)}</div>${table}`)), /many words[\s\S]*cell/
  )
  t.match(await text(page('<div>'.repeat(300) + article)), /violins/)
})

t.test('a book says when it is locked, and names its chapters', async (t) => {
  const book = (...more: Entry[]) =>
    zip([
      {
        name: 'META-INF/container.xml',
        content: '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
      },
      {
        name: 'OEBPS/book.opf',
        content:
          '<package><metadata/><manifest><item id="c" href="text/one%20two.xhtml" media-type="application/xhtml+xml"/><item id="p" href="cover.png" media-type="image/png"/></manifest><spine><itemref idref="c"/><itemref idref="p"/><itemref idref="none"/></spine></package>'
      },
      ...more
    ])
  const chapter = {
    name: 'OEBPS/text/one two.xhtml',
    content: '<?xml version="1.0"?><html><head><title>The chapter</title></head><body><p>Words.</p></body></html>'
  }
  t.match(await read(book(chapter)), {
    title: null, blocks: [{ text: 'The chapter' }, { text: 'Words.', heading: 'The chapter' }]
  })
  await t.rejects(read(book()), { code: 'damaged' })
  const locked = (uri: string) => ({
    name: 'META-INF/encryption.xml',
    content: `<encryption><EncryptedData><CipherData><CipherReference URI="${uri}"/></CipherData></EncryptedData></encryption>`
  })
  await t.rejects(read(book(chapter, locked('OEBPS/text/one%20two.xhtml'))), { code: 'encrypted', message: /copying/ })
  t.match(await text(book(chapter, locked('OEBPS/font.otf'))), 'Words.', 'a font that is scrambled hides nothing')
})

t.test('dates and times in a sheet read like dates and times', async (t) => {
  let column = 0
  const cells = ['46000', '46000.5', '0.75', '46000.50002', '99999999999']
    .map((value) => `<c s="1"><v>${value}</v></c>`)
    .join('')
  const sheet = zip([
    ...office('xlsx'),
    {
      name: 'xl/workbook.xml',
      content: '<workbook xmlns:r="r"><sheets><sheet name="S" sheetId="1" r:id="a"/></sheets></workbook>'
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content:
        '<Relationships><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="b" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>'
    },
    {
      name: 'xl/styles.xml',
      content: '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>'
    },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: `<worksheet><sheetData><row r="1">${cells.replaceAll(/<c /g, () => `<c r="${'ABCDE'[column++]}1" `)}</row></sheetData></worksheet>`
    }
  ])
  t.equal((await blocks(sheet)).at(-1)!.text, '2025-12-09 | 2025-12-09 12:00 | 18:00 | 2025-12-09 12:00:02')
})

t.test('a presentation whose slide is missing is damaged', async (t) => {
  const slides = (id: string) =>
    zip([
      ...office('pptx'),
      {
        name: 'ppt/presentation.xml',
        content: '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>'
      },
      {
        name: 'ppt/_rels/presentation.xml.rels',
        content: `<Relationships><Relationship Id="${id}" Type="http://x/slide" Target="slides/slide1.xml"/></Relationships>`
      },
      {
        name: 'ppt/slides/slide1.xml',
        content:
          '<p:sld><p:sp><p:nvPr><p:ph type="sldNum"/></p:nvPr><p:txBody><a:p><a:r><a:t>7</a:t></a:r></a:p></p:txBody></p:sp><p:sp><p:txBody><a:p><a:r><a:t>One</a:t></a:r><a:br/><a:r><a:t>two</a:t></a:r></a:p></p:txBody></p:sp></p:sld>'
      }
    ])
  t.match(await read(slides('rId1')), { pages: 1, blocks: [{ text: 'One\ntwo', page: 1 }] })
  await t.rejects(read(slides('rId9')), { code: 'damaged' })
})
