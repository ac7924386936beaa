import { fileURLToPath } from 'node:url'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { textOf, type Block } from '../../../src/knowledge/document.ts'
import { extractApart, readApart, type Reading } from '../../../src/knowledge/extract/apart.ts'
import { respond } from '../../../src/knowledge/extract/child.ts'
import { openSandbox, selfCommand } from '../../../src/platform/sandbox.ts'
import '../../bare-children.ts'
import { fixture, linkedDocx, office, zip } from './hostile.ts'

const reading: Reading = {
  sandbox: openSandbox(),
  command: selfCommand('__extract', fileURLToPath(new URL('../../../src/knowledge/extract/child.ts', import.meta.url))),
  memoryMiB: 512,
  deadlineMs: 20_000
}

/** A reading whose child prints this instead of reading anything. */
function saying (code: string, more: Partial<Reading> = {}): Reading {
  return { ...reading, command: [process.execPath, '--input-type=module', '-e', code, '--'], ...more }
}

t.test('a document read apart is the document', async (t) => {
  const bytes = fixture('documents/pdf/09.pdf')
  const document = await extractApart([bytes.subarray(0, 1000), bytes.subarray(1000)], { name: 'report' }, reading)
  t.match(document, { format: 'pdf', pages: 7 })
  t.match(textOf(document), 'the workshop repaired 212 instruments')
})

t.test('a large text comes in pieces that never hold up the server', async (t) => {
  const bytes = Buffer.from('A sentence of some length, said again and again.\n\n'.repeat(100_000))
  let chars = 0
  let pieces = 0
  for await (const piece of readApart([bytes], { name: 'long.txt' }, reading)) {
    if (!Array.isArray(piece)) continue
    pieces++
    const size = (piece as Block[]).reduce((sum, { text }) => sum + text.length, 0)
    t.ok(size < 100_000 || t.fail(`${size} characters in one piece`))
    chars += size
  }
  t.equal(chars, 48 * 100_000)
  t.ok(pieces > 50)
})

t.test('a DOCX that links to files of the machine gets nothing of them, and soon', async (t) => {
  // Seen red with mammoth's externalFileAccess on and the child allowed to read files: it read /dev/zero until its memory was used up.
  const secret = join(t.testdir(), 'secret.txt')
  writeFileSync(secret, 'The planted secret.')
  const began = performance.now()
  const document = await extractApart([linkedDocx(`file://${secret}`, 'file:///dev/zero', '/dev/zero')], {}, { ...reading, deadlineMs: 3000 })
  t.ok(performance.now() - began < 3000)
  t.equal(textOf(document), 'The visible sentence.')
})

t.test('a sheet that claims a cell at the far corner ends out_of_memory, not the server', async (t) => {
  const sheet = (rows: string) => `<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`
  const relationship = (id: string, target: string) => `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="${target}"/>`
  const bytes = zip([...office('xlsx'),
    { name: 'xl/workbook.xml', content: '<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>' },
    { name: 'xl/_rels/workbook.xml.rels', content: `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relationship('rId1', 'worksheets/sheet1.xml')}</Relationships>` },
    { name: 'xl/worksheets/sheet1.xml', content: sheet('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>') }
  ])
  await t.rejects(extractApart([bytes], {}, { ...reading, memoryMiB: 128 }), { code: 'out_of_memory', retryable: false })
})

t.test('what goes wrong with the child is a reason a person understands', async (t) => {
  await t.rejects(extractApart([], {}, saying('for (;;) {}', { deadlineMs: 300 })), { code: 'timeout', message: /^Reading the file took too long/ })
  await t.rejects(extractApart([], {}, saying('process.exit(1)')), { code: 'damaged', message: /^The file is damaged/ })
  await t.rejects(extractApart([], {}, saying('console.log(JSON.stringify({ blocks: [{ text: 1 }] }))')), { code: 'damaged' }, 'an answer of the wrong shape')
  await t.rejects(extractApart([], {}, saying('console.log(JSON.stringify({ error: { code: "internal", message: "" } }))')), { code: 'damaged' }, 'a code nobody knows')
  await t.rejects(extractApart([], {}, saying('')), { code: 'damaged' }, 'no answer at all')
  await t.rejects(extractApart([Buffer.from([0, 1, 2, 3])], {}, reading), { code: 'unsupported_format', retryable: false })
  await t.rejects(extractApart([], {}, { ...reading, signal: AbortSignal.abort(new Error('shutting down')) }), /shutting down/)
})

t.test('the child answers with what the file is, its blocks, or the reason it cannot be read', async (t) => {
  const said = async (source: object, text: string) => {
    const answers: unknown[] = []
    for await (const answer of respond(Buffer.from(`${JSON.stringify(source)}\n${text}`))) answers.push(answer)
    return answers
  }
  t.same(await said({ name: 'a.txt' }, 'one\n\ntwo'), [
    { about: { format: 'text', title: null, pages: null, rows: null } },
    { blocks: [{ text: 'one', heading: null, page: null, row: null }, { text: 'two', heading: null, page: null, row: null }] }
  ])
  t.match(await said({}, ''), [{ error: { code: 'no_text', message: 'The file holds no text.' } }])
  t.equal((await said({ name: 'a.txt' }, 'x'.repeat(200_000))).length, 5)
  t.match(await said({ kind: 'links', address: 'https://a.test/sitemap.xml', contentType: 'application/xml' }, '<?xml version="1.0"?><feed/>'), [{ error: { code: 'damaged', message: /neither a page nor a sitemap/ } }])
})
