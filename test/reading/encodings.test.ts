import t from 'tap'
import { textOf } from '../../src/reading/document.ts'
import { extract, type Source } from '../../src/reading/extract.ts'
import { readMarkup } from '../../src/reading/links.ts'

/** Writes text in an old encoding: the inverse of what the decoder reads of all one- and two-byte letters. */
function encoder (label: string): (text: string) => Buffer {
  const decoder = new TextDecoder(label)
  const bytes = new Map<string, number[]>()
  const learn = (...letter: number[]) => {
    const read = decoder.decode(Uint8Array.from(letter))
    if ([...read].length === 1 && read !== '\ufffd' && !bytes.has(read)) bytes.set(read, letter)
  }
  for (let one = 0; one < 256; one++) learn(one)
  for (let one = 0x81; one < 255; one++) for (let two = 0x40; two < 255; two++) learn(one, two)
  return (text) => Buffer.from([...text].flatMap((letter) => bytes.get(letter)!))
}

const read = async (bytes: Buffer, source: Source = {}) => textOf(await extract(bytes, { name: 'a.txt', ...source }))

const RUSSIAN = 'Вы можете вернуть товар в течение тридцати дней и получить полный возврат.'
const TEXTS: Record<string, string> = {
  gbk: '退款政策：您可以在三十天内退货，并获得全额退款。',
  big5: '退款政策：您可以在三十天內退貨，並獲得全額退款。',
  shift_jis: '返品は三十日以内に受け付けます。全額返金いたします。',
  'euc-jp': '返品は三十日以内に受け付けます。全額返金いたします。',
  'euc-kr': '반품은 30일 이내에 가능하며 전액 환불됩니다.',
  'windows-1251': RUSSIAN,
  'koi8-r': RUSSIAN,
  'iso-8859-5': RUSSIAN,
  'iso-8859-2': 'Zboží můžete vrátit do třiceti dnů a dostanete zpět plnou částku. Příliš žluťoučký kůň úpěl.',
  'windows-1250': 'Możesz zwrócić towar w ciągu trzydziestu dni. Gęś żółta, świeże wiśnie, źdźbło.',
  'iso-8859-7': 'Μπορείτε να επιστρέψετε το προϊόν μέσα σε τριάντα ημέρες.',
  'iso-8859-9': 'Ürünü otuz gün içinde iade edebilir ve tam geri ödeme alabilirsiniz.',
  'iso-8859-8': 'ניתן להחזיר את המוצר בתוך שלושים יום ולקבל החזר מלא',
  'windows-1256': 'يمكنك إرجاع المنتج خلال ثلاثين يوما واسترداد المبلغ بالكامل',
  'windows-874': 'คุณสามารถคืนสินค้าภายในสามสิบวัน',
  'windows-1252': 'Schöne Grüße aus München, wir öffnen täglich um acht Uhr – “ja”.'
}

t.test('text in an old encoding is read as what it says, said to be or not', async (t) => {
  // Was wrong: everything was read as Windows-1252, and its garbage was a Success.
  for (const [label, text] of Object.entries(TEXTS)) {
    const bytes = encoder(label)(text)
    t.equal(await read(bytes), text, label)
    t.equal(await read(bytes, { contentType: `text/plain; charset=${label}` }), text, `${label}, as it is said to be`)
    if (label !== 'windows-1252') {
      t.equal(await read(bytes, { contentType: 'text/plain; charset=utf-8' }), text, `${label}, said to be another`)
    }
  }
  for (const text of ['Größe', 'Le café est très élégant à Noël.', 'L’été – “déjà vu”']) {
    t.equal(await read(encoder('windows-1252')(text)), text)
  }
  const long = `${'Plain letters. '.repeat(10_000).trim()}\n\n${TEXTS['gbk']!.repeat(3000)}`
  t.equal(
    await read(encoder('gbk')(long)),
    long.trim(),
    'letters beyond ASCII that come late, and a sample that ends within one'
  )
  t.equal(await read(Buffer.from('\x1b$B4A;z\x1b(B', 'latin1')), '漢字', 'seven bits a byte')
})

t.test('letters that cannot be told end with a code, never as garbage', async (t) => {
  // Was wrong: `Success` with Windows-1252.
  const code = (bytes: Buffer, source?: Source) => read(bytes, source).then((text) => text, (error) => error.code)
  t.equal(await code(encoder('gbk')('营业时间')), 'unknown_encoding', 'too short to tell')
  t.equal(
    await code(Buffer.from(Array.from({ length: 400 }, (_, i) => ((i * 7919 + i * i * 31) % 256) | 128))),
    'unknown_encoding',
    'no text in any'
  )
  t.equal(await code(encoder('gbk')('营业时间'), { contentType: 'text/plain; charset=gbk' }), '营业时间', 'said to be')
})

t.test('UTF-16 without a mark is told in every script, either way round', async (t) => {
  // Was wrong: all but Western text was "in no known format".
  for (const text of [
    RUSSIAN,
    TEXTS['gbk']!,
    TEXTS['shift_jis']!,
    TEXTS['windows-1256']!,
    TEXTS['iso-8859-8']!,
    TEXTS['iso-8859-7']!,
    'Schöne Grüße'
  ]) {
    const bytes = Buffer.from(`${text}\n${text}`, 'utf16le')
    t.equal(await read(bytes), `${text}\n${text}`)
    t.equal(await read(bytes.swap16()), `${text}\n${text}`, 'the other way round')
  }
})

t.test('a page that says its charset late is believed', async (t) => {
  // Was wrong: too little text to detect the encoding.
  const page = `<!doctype html><html><head><!--${'x'.repeat(3000)}--><meta http-equiv="Content-Type" content="text/html; charset=gbk"></head><body>营业时间</body></html>`
  t.equal(await read(encoder('gbk')(page), { name: 'a.html' }), '营业时间')
})

t.test('a page in an old encoding gives its title and links', async (t) => {
  const page = encoder('windows-1251')(
    `<title>Возврат товара и денег</title><a href="/возврат">Возврат</a><p>${RUSSIAN}</p>`
  )
  t.match(readMarkup(page, 'https://a.test/', 'text/html'), { title: 'Возврат товара и денег' })
})
