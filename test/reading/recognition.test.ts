import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { deflateSync } from 'node:zlib'
import t from 'tap'
import '../bare-children.ts'
import { openSandbox, selfCommand } from '../../src/platform/process/sandbox.ts'
import { learnApart, type Reading } from '../../src/reading/apart.ts'
import { respond } from '../../src/reading/child.ts'
import { textOf } from '../../src/reading/document.ts'
import { extract } from '../../src/reading/extract.ts'
import { Pdfium } from '../../src/reading/formats/pdf/pdfium.ts'
import { recognitionBy, recognitionCommand } from '../../src/reading/recognition.ts'
import { fixture, pdf } from './hostile.ts'

const reading: Reading = {
  sandbox: openSandbox(),
  command: selfCommand('__extract', fileURLToPath(new URL('../../src/reading/child.ts', import.meta.url))),
  memoryMiB: 512,
  deadlineMs: 30_000
}

/** Pages as a scanner makes them: nothing but a picture each, rendered here from the pages of a document. */
async function scanned (name: string, pages = 1, lastIsText = false): Promise<Buffer> {
  const pdfium = await Pdfium.start()
  const { call } = pdfium
  const page = call.FPDF_LoadPage(pdfium.open(fixture(name)), 0)
  const [width, height] = [1240, 1754]
  const bitmap = call.FPDFBitmap_CreateEx(width, height, 1, 0, 0)
  call.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
  call.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, 8)
  const from = call.FPDFBitmap_GetBuffer(bitmap)
  const stride = call.FPDFBitmap_GetStride(bitmap)
  const dots = Buffer.concat(
    Array.from({ length: height }, (_, y) => pdfium.memory.subarray(from + y * stride, from + y * stride + width))
  )
  const packed = deflateSync(dots).toString('latin1')
  const picture = `<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode/Length ${packed.length}>>stream\n${packed}\nendstream`
  const stream = (content: string) => `<</Length ${content.length}>>stream\n${content}\nendstream`
  const kids = Array.from({ length: pages }, (_, i) => `${i + 6} 0 R`)
  return pdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${kids.join(' ')}]/Count ${pages}>>`,
    picture,
    stream('595 0 0 842 0 0 cm /I Do'),
    stream('BT /F 12 Tf 20 50 Td (Typed.) Tj ET'),
    ...kids.map(
      (_, i) =>
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</XObject<</I 3 0 R>>/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>/Contents ${lastIsText && i === pages - 1 ? 5 : 4} 0 R>>`
    )
  ])
}

/** A program that reports its arguments, and that it has read its input. */
const program = (script: string) => ['sh', '-c', script]

async function learn (bytes: Buffer, more: Partial<Reading> = {}) {
  const said = { text: '', pages: [] as (number | null)[] }
  for await (const one of learnApart([bytes], { title: null, name: 'scan.pdf' }, { ...reading, ...more })) {
    if ('text' in one) said.text += one.text
    if ('passages' in one) said.pages.push(...one.passages.map(({ page }) => page))
  }
  return said
}

t.test('a scanned PDF is read page by page with the command that is set, in the sandbox', async (t) => {
  // Was wrong: `no_text`, whatever was set.
  const command = program(
    'head -c 4 | tail -c 3; cat >/dev/null; printf " page recog-\\nnised.\\n\\nSecond paragraph.\\n\\f"'
  )
  const { text, pages } = await learn(await scanned('documents/pdf/01.pdf', 3, true), {
    recognise: recognitionBy(command)
  })
  t.equal(text, 'PNG page recognised.\n\nSecond paragraph.\n\nPNG page recognised.\n\nSecond paragraph.\n\nTyped.')
  t.same(pages, [1, 2, 3])
})

t.test('without a command the code of a scanned PDF says what is missing; an empty one holds no text', async (t) => {
  const scan = await scanned('documents/pdf/01.pdf')
  await t.rejects(learn(scan), { code: 'needs_recognition', message: /AGENTHALL_OCR/ })
  await t.rejects(extract(scan, { recognise: async () => ' ' }), { code: 'no_text' }, 'where recognition finds nothing')
  const empty = pdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>'
  ])
  await t.rejects(extract(empty), { code: 'no_text' })
  const white = pdf([
    '<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>',
    '<</Length 19>>stream\n1 1 1 rg 0 0 9 9 re f\nendstream'
  ])
  await t.rejects(extract(white, { recognise: async () => t.fail('nothing is on it') as never }), { code: 'no_text' })
})

t.test('letters that mean nothing are read from their picture too', async (t) => {
  t.equal(
    textOf(await extract(fixture('pdf/unknown-letters.pdf'), { recognise: async () => 'Recognised.' })), 'Recognised.'
  )
})

t.test('a scan of too many pages is too large', async (t) => {
  const many = pdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${'3 0 R '.repeat(501)}]/Count 501>>`,
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>',
    '<</Length 12>>stream\n0 0 5 5 re f\nendstream'
  ])
  let asked = 0
  await t.rejects(extract(many, { recognise: async () => `${++asked}` }), { code: 'too_large', message: /500 pages/ })
})

t.test('a command that fails is a fault of ours, told to the log; one that takes too long ends', async (t) => {
  const scan = await scanned('documents/pdf/01.pdf')
  const crashes: unknown[] = []
  const onCrash = (error: unknown) => { crashes.push(error) }
  await t.rejects(
    learn(scan, { recognise: recognitionBy(program('cat >/dev/null; echo "no such language" >&2; exit 1')), onCrash }),
    { code: 'reader_failed', retryable: true }
  )
  t.match(crashes, [/no such language/])
  await t.rejects(learn(scan, { recognise: recognitionBy(['agenthall-no-such-program']), onCrash }), {
    code: 'reader_failed'
  })
  const given = AbortSignal.abort(new Error('shutting down'))
  await t.rejects(recognitionBy(program('cat'))(Buffer.from('x'), given), /shutting down/)
})

t.test('the setting names a program with what it is called with', async (t) => {
  t.same(['', ' ', 'tesseract', '/opt/bin/tesseract', 'tesseract - - -l deu', 'my-ocr'].map(recognitionCommand), [
    null,
    null,
    ['tesseract', '-', '-'],
    ['/opt/bin/tesseract', '-', '-'],
    ['tesseract', '-', '-', '-l', 'deu'],
    ['my-ocr']
  ])
})

t.test('a child may ask while it works', async (t) => {
  const scan = await scanned('documents/pdf/01.pdf')
  const answers: unknown[] = []
  const task = Buffer.from(`${JSON.stringify({ kind: 'learn', title: null })}\n`)
  for await (const answer of respond(Buffer.concat([task, scan]), async () => 'Recognised.')) answers.push(answer)
  t.match(answers, [{ about: { format: 'pdf', pages: 1 } }, { text: 'Recognised.' }, { passages: [{ page: 1 }] }])
})

const hasTesseract = () => {
  try {
    return execFileSync('tesseract', ['--version'], { stdio: 'pipe' }).length >= 0
  } catch {
    return false
  }
}

t.test('tesseract reads a scanned page', { skip: hasTesseract() ? false : 'tesseract is missing' }, async (t) => {
  const { text } = await learn(await scanned('documents/pdf/01.pdf'), {
    recognise: recognitionBy(recognitionCommand('tesseract') ?? [])
  })
  t.match(text, /We are closed on public holidays/)
  t.match(text, /The shop is open from Monday to Friday between 9:00 and 18:30/)
})
