import t from 'tap'
import { textOf } from '../../src/reading/document.ts'
import { extract } from '../../src/reading/extract.ts'
import { fromTheLeft, type Drawn } from '../../src/reading/formats/pdf/marks.ts'
import { fixture, pdf } from './hostile.ts'

const text = async (bytes: Buffer) => textOf(await extract(bytes))
/** The text without its line ends, which are elsewhere in each printing. */
const running = async (name: string) => (await text(fixture(`pdf/${name}.pdf`))).replace(/\s+/g, ' ')

const ARABIC = [
  'يمكنك إرجاع أي منتج خلال 30 يوما من تاريخ الشراء، على أن يكون في حالته الأصلية مع الفاتورة. لا تشمل هذه السياسة البطاقات الإلكترونية ولا المنتجات المخصصة.',
  'للاستفسار راسلنا على support@example.com أو اتصل على الرقم 0800 123 456 بين الساعة 9:00 و17:30 (من الأحد إلى الخميس).',
  'مصباح المكتب 149.50 ريال'
]
const HEBREW = [
  'ניתן להחזיר כל מוצר בתוך 30 יום ממועד הקנייה, בתנאי שהוא במצבו המקורי ובצירוף החשבונית. המדיניות אינה חלה על כרטיסי מתנה (Gift Cards) ועל מוצרים בהתאמה אישית.',
  'לשאלות כתבו אל support@example.com או התקשרו למספר 03-1234567 בין השעות 9:00 ל-17:30.'
]

t.test(
  'Arabic and Hebrew PDFs, printed by a browser or by LibreOffice, are read in the order they are written',
  async (t) => {
    // Was wrong: letters one by one from left to right, lam and alef swapped, words of Hebrew reversed.
    for (const program of ['browser', 'office']) {
      for (const sentence of ARABIC) t.match(await running(`arabic-${program}`), sentence, `Arabic by ${program}`)
      for (const sentence of HEBREW) t.match(await running(`hebrew-${program}`), sentence, `Hebrew by ${program}`)
    }
    t.match(await running('arabic-browser'), 'سياسة الإرجاع والاستبدال')
  }
)

/** A page of one line, each letter with its position, in a font without widths of its own. */
function line (...words: [x: number, letters: string][]): Buffer {
  return page(words.map(([x, letters]) => `BT /F 10 Tf ${x} 50 Td <${codes(letters)}> Tj ET`).join('\n'))
}

const codes = (letters: string) =>
  [...letters].map((letter) => letter.codePointAt(0)!.toString(16).padStart(4, '0')).join('')

function page (content: string): Buffer {
  const map =
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfrange <0000> <00ff> <0000> <0500> <05ff> <0500> endbfrange endcmap end end'
  return pdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 100]/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/ToUnicode 7 0 R/DescendantFonts[6 0 R]>>',
    '<</Type/Font/Subtype/CIDFontType2/BaseFont/X/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 500>>',
    `<</Length ${map.length}>>stream\n${map}\nendstream`
  ])
}

t.test(
  'what runs from left to right among letters from the right keeps its order, and marks their letters',
  async (t) => {
    t.equal(await text(line([10, 'םולש'], [40, ' Ab'], [60, ' cd '])), 'Ab cd שלום')
    t.equal(
      await text(line([10, 'The word '], [60, 'םולש'], [90, ' means peace.'])),
      'The word שלום means peace.',
      'a word from the right in a line from the left'
    )
    t.equal(await text(line([10, '.50% '], [40, 'גב'])), 'בג 50%.')
    t.equal(await text(line([10, 'גב'], [15.1, '\u05B8'])), 'ב\u05B8ג', 'a mark with its letter')
    // Was wrong: a space that PDFium detected to the left of a left-to-right word was put at its right.
    t.equal(await text(line([80, 'n'], [60, 'ו'], [55, 'ה'])), 'n וה', 'a space between both')
  }
)

t.test(
  'what a PDF says its glyphs stand for is read in their place: digits in columns, vowels, ligatures',
  async (t) => {
    // Was wrong: tables printed by a browser lost every digit, Hindi and Thai their vowels.
    const digits = '/Span<</ActualText(149)>>BDC <210021012102> Tj EMC'
    t.equal(
      await text(page(`BT /F 10 Tf 20 50 Td <${codes('Price ')}> Tj ${digits} <${codes(' euros')}> Tj ET`)),
      'Price 149 euros'
    )
    const others = await running('others-browser')
    for (const words of [
      'Heron 149.50', 'Wren 89.00', 'An efficient office.',
      'आप खरीदने की तारीख से तीस दिनों के भीतर किसी भी उत्पाद को वापस कर सकते हैं। कृपया रसीद साथ रखें। शिकायत के लिए हमें लिखें।',
      'ลูกค้าสามารถคืนสินค้าได้ภายในสามสิบวันนับจากวันที่ซื้อ กรุณาเก็บใบเสร็จไว้ด้วย น้ำ ที่ สั่งซื้อ'
    ]) { t.match(others, words) }
  }
)

t.test('letters with their marks are not cut apart where a browser draws them in several pieces', async (t) => {
  // Was wrong: Hindi printed by Chromium had a third of its words cut, Arabic one in 25.
  const at = (x: number, letters: string) => `BT /F 10 Tf ${x} 50 Td <${codes(letters)}> Tj ET`
  const cluster = (stands: string, ...pieces: string[]) =>
    `/Span<</ActualText<feff${codes(stands)}>>>BDC ${pieces.join(' ')} EMC`
  const together = [at(20, 'a'), cluster('टि', at(25, 'm'), at(33, 'm')), at(40, 'b'), at(50, 'c')]
  t.equal(await text(page(together.join('\n'))), 'aटिb c', 'one word, and the space that is there')
  const slanting = together.map((piece) => piece.replaceAll(/(\d+) 50 Td/g, '1 .05 -.05 1 $1 50 Tm'))
  t.equal(await text(page(slanting.join('\n'))), 'aटि b c', 'what slants is left as it was found')
})

t.test('marks and spaces that are drawn behind the rest of a line are read where they stand', async (t) => {
  // Was wrong: Thai and Hindi printed by LibreOffice had their marks on the wrong letters.
  const from = (x: number) => (text: string): Drawn => ({ text, at: x, reach: [x, x + 5] })
  const above = (x: number) => (text: string): Drawn => ({ text, at: x, reach: [x - 3, x - 1] })
  const letters = [from(0)('เ'), from(5)('ช'), from(10)('น'), from(20)('ด'), from(15)(' '), from(25)(' ')]
  t.equal(fromTheLeft([...letters, above(10.5)('\u0E48'), above(24)('\u0E35')]), 'เช\u0E48น ด\u0E35 ')
  t.equal(
    fromTheLeft([from(0)('น'), from(10)('ง'), above(5)('\u0E48'), above(5)('\u0E36'), from(5)('ก')]),
    'น\u0E36\u0E48กง', 'a tone behind its vowel'
  )
  t.equal(
    fromTheLeft([from(5)('क'), { ...above(40)('\u0902'), at: 4 }, from(0)(' ')]), ' कं',
    'a mark over no letter goes with the one before it'
  )
  t.equal(fromTheLeft([{ ...above(0)('\u0E48'), at: 9 }, from(5)('ก')]), 'ก\u0E48')
  const inOrder = [from(0)('क'), from(5)('  '), from(10)('ख')]
  t.equal(fromTheLeft(inOrder), 'क  ख', 'a line in order stays what it is')
  t.equal(fromTheLeft([{ ...above(0)('\u0E48'), at: 9 }, { ...above(0)('\u0E49'), at: 5 }]), '', 'marks without letters')
})

t.test('glyphs that mean nothing end with a code, not as a Success', async (t) => {
  // Was wrong: a Success whose text was the numbers of the glyphs read as letters.
  await t.rejects(extract(fixture('pdf/unknown-letters.pdf')), { code: 'unknown_letters', message: /text recognition/ })
})

t.test('filled form fields and text written onto a PDF are read', async (t) => {
  // Was wrong: nothing of either was in the text.
  const content = 'BT /F 12 Tf 20 80 Td (Order form) Tj ET'
  const field = (number: number, more: string) =>
    `<</Type/Annot/Subtype/Widget/Rect[20 ${number * 10} 90 ${number * 10 + 9}]/F 4${more}>>`
  const fields = [
    field(1, '/FT/Tx/T(name)/TU(Your name)/V(Ada Lovelace)'),
    field(2, '/FT/Tx/T(street)/V()'),
    field(2, `/FT/Tx/T(Remarks)/V(${'long '.repeat(1000)})`),
    field(3, '/FT/Tx/T(password)/Ff 8192/V(secret)'),
    field(4, '/FT/Tx/T(hidden)/F 2/V(unseen)'),
    field(5, '/FT/Btn/T(Newsletter)/V/Yes/AS/Yes/AP<</N<</Yes 5 0 R/Off 5 0 R>>>>'),
    field(6, '/FT/Btn/T(Adverts)/V/Off/AS/Off/AP<</N<</Yes 5 0 R/Off 5 0 R>>>>'),
    field(7, '/FT/Btn/Ff 32768/T(Size)/V/Large/AS/Large/AP<</N<</Large 5 0 R/Off 5 0 R>>>>'),
    field(8, '/FT/Ch/Ff 131072/T(Country)/Opt[(France)(Kenya)]/V(Kenya)'),
    field(9, '/FT/Btn/Ff 65536/T(Send)')
  ].map((one) => one.replace('/F 4/FT/Tx/T(hidden)/F 2', '/F 2/FT/Tx/T(hidden)'))
  const note = '<</Type/Annot/Subtype/FreeText/Rect[20 0 90 9]/Contents(Deliver before noon)/DA(/Helv 9 Tf)>>'
  const comment = '<</Type/Annot/Subtype/Text/Rect[20 0 90 9]/Contents(A comment)>>'
  const annotations = [...fields, note, comment]
  const at = (i: number) => `${i + 6} 0 R`
  const form = pdf([
    `<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[${fields.map((_, i) => at(i)).join(' ')}]>>>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>/Contents 4 0 R/Annots[${annotations.map((_, i) => at(i)).join(' ')}]>>`,
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 0>>stream\n\nendstream',
    ...annotations
  ])
  t.equal(
    await text(form),
    'Order form\n\nDeliver before noon\n\nYour name: Ada Lovelace\nRemarks: ' +
      'long '.repeat(1000).trim() +
      '\n☑ Newsletter\nSize: Large\nCountry: Kenya'
  )
})

t.test('a PDF of more pages than are read says so', async (t) => {
  const pages = `<</Type/Pages/Count 10001/Kids[${'3 0 R '.repeat(10_001)}]>>`
  const bytes = pdf(['<</Type/Catalog/Pages 2 0 R>>', pages, '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>'])
  await t.rejects(extract(bytes), { code: 'too_large', message: /more than 10000 pages\. Split it/ })
})
