import { fileURLToPath } from 'node:url'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FORM, wordKeyOf } from '../../src/search/words/key.ts'
import t from 'tap'
import {
  learnApart, linksApart, mailApart, type Learnt, type LearntAbout, type Reading
} from '../../src/reading/apart.ts'
import { messages, respond } from '../../src/reading/child.ts'
import { openSandbox, selfCommand } from '../../src/platform/process/sandbox.ts'
import '../bare-children.ts'
import { farCorner, fixture, FIXTURES, linkedDocx } from './hostile.ts'

const reading: Reading = {
  sandbox: openSandbox(),
  command: selfCommand('__extract', fileURLToPath(new URL('../../src/reading/child.ts', import.meta.url))),
  memoryMiB: 512,
  deadlineMs: 20_000
}

type Passages = Extract<Learnt, { passages: unknown }>['passages']

/** Everything learnt from a file, in one piece. */
async function learn (bytes: Iterable<Uint8Array>, name: string, more: Partial<Reading> = {}) {
  let about: LearntAbout | undefined
  let text = ''
  const passages: Passages = []
  for await (const said of learnApart(bytes, { title: null, name }, { ...reading, ...more })) {
    if ('about' in said) about = said.about
    else if ('text' in said) text += said.text
    else passages.push(...said.passages)
  }
  return { about, text, passages }
}

/** A parse whose child prints this instead of reading anything. */
function saying (code: string, more: Partial<Reading> = {}): Partial<Reading> {
  return { command: [process.execPath, '--input-type=module', '-e', code, '--'], ...more }
}

t.test('a document read apart is the document', async (t) => {
  const bytes = fixture('documents/pdf/09.pdf')
  const { about, text, passages } = await learn([bytes.subarray(0, 1000), bytes.subarray(1000)], 'report')
  t.match(about, { format: 'pdf', pages: 7, language: 'en', bytes: Buffer.byteLength(text), passages: passages.length })
  t.match(text, 'the workshop repaired 212 instruments')
  t.match(
    passages.find(({ text }) => text.includes('repaired 212 instruments')),
    { page: Number, words: new RegExp(`${wordKeyOf('repair', { language: 'en', form: FORM })}_`) }
  )
})

t.test('every kind of document is read although the child may do nothing else', async (t) => {
  // Was wrong with a part of Node that a reader needs missing from what it is allowed.
  const folder = join(FIXTURES, 'documents')
  for (const kind of readdirSync(folder)) {
    const name = readdirSync(join(folder, kind)).find((one) => one.startsWith('01.') && !one.includes('.ref.'))!
    const { about } = await learn([fixture(`documents/${kind}/${name}`)], name)
    t.equal(about?.format, kind)
  }
})

t.test('a large text comes in pieces that never hold up the server', async (t) => {
  const bytes = Buffer.from('A sentence of some length, said again and again.\n\n'.repeat(100_000))
  const sizes: number[] = []
  let chars = 0
  for await (const said of learnApart([bytes], { title: null, name: 'long.txt' }, reading)) {
    if ('about' in said) continue
    const texts = 'text' in said ? [said.text] : said.passages.map(({ text }) => text)
    sizes.push(texts.join('').length)
    if ('text' in said) chars += said.text.length
  }
  t.ok(Math.max(...sizes) < 100_000, `${Math.max(...sizes)} characters in the largest piece`)
  t.equal(chars, 50 * 100_000 - 2)
  t.ok(sizes.length > 100)
})

t.test('a DOCX that links to files of the machine gets nothing of them, and does not wait for them', async (t) => {
  // Was wrong with mammoth's externalFileAccess on and the child allowed to read files: it read /dev/zero until its
  // memory was used up.
  const secret = join(t.testdir(), 'secret.txt')
  writeFileSync(secret, 'The planted secret.')
  const { text } = await learn([linkedDocx(`file://${secret}`, 'file:///dev/zero', '/dev/zero')], 'a.docx', {
    deadlineMs: 30_000
  })
  t.equal(text, 'The visible sentence.')
})

t.test('a sheet that claims a cell at the far corner ends out_of_memory, not the server', async (t) => {
  const { name, bytes } = farCorner()
  await t.rejects(learn([bytes], name, { memoryMiB: 128 }), { code: 'out_of_memory', retryable: false })
})

// Was wrong with answers that are not validated.
t.test('what a file does to the child is a reason a person understands', async (t) => {
  await t.rejects(learn([], '', saying('for (;;) {}', { deadlineMs: 300 })), {
    code: 'timeout', message: /^Reading the file took too long/
  })
  await t.rejects(learn([Buffer.from([0, 1, 2, 3])], ''), { code: 'unsupported_format', retryable: false })
  await t.rejects(learn([], '', { signal: AbortSignal.abort(new Error('shutting down')) }), /shutting down/)
})

t.test(
  "a child that falls over is a fault of ours: told to the log, worth another try, never the file's damage",
  async (t) => {
    // Was wrong: each of these was reported to the user as `damaged`, "The file is damaged and cannot be read", and not
    // logged.
    const crashes: string[] = []
    const onCrash = (error: unknown) => {
      crashes.push((error as Error).message)
    }
    const says = (code: string) => saying(code, { onCrash })
    const ours = { code: 'reader_failed', retryable: true, message: /fault of ours.*log/ }
    await t.rejects(learn([], '', says('console.error("TypeError: a bug"); process.exit(1)')), ours, 'a bug')
    await t.rejects(
      learn([], '', says('process.kill(process.pid, "SIGKILL")')),
      ours,
      'killed by the system, which had no memory left'
    )
    await t.rejects(
      learn([], '', says('console.log(JSON.stringify({ passages: [{ text: 1 }] }))')),
      ours,
      'an answer of the wrong shape'
    )
    await t.rejects(
      learn([], '', says('console.log(JSON.stringify({ error: { code: "internal", message: "" } }))')),
      ours,
      'a code nobody knows'
    )
    await t.rejects(
      linksApart(Buffer.from('<a href="/b">'), 'https://a.test/', 'text/html', { ...reading, ...says('') }),
      ours,
      'no answer at all'
    )
    await t.rejects(mailApart(Buffer.from('Subject: x\n\ny'), { ...reading, ...says('') }), ours, 'nor about a mail')
    t.equal(crashes.length, 6)
    t.match(crashes, [/a bug/, /SIGKILL/, /something other/, /something other/, /without an answer/, /without an answer/])
  }
)

t.test('words that are not of the passage\'s own agent do not get out of the child', async (t) => {
  // Was wrong with words of any form: `42_secret_8` would be in the index as a word of agent 42.
  const says = (words: string) => {
    const passage = {
      text: 'a',
      start: 0,
      end: 1,
      heading: null,
      page: null,
      row: null,
      lastRow: null,
      words,
      spellings: [],
      length: 1
    }
    return learn([], '', saying(`console.log(${JSON.stringify(JSON.stringify({ passages: [passage] }))})`))
  }
  t.match(await says('secret_8 häuser_f 退款_0'), { passages: [{ words: 'secret_8 häuser_f 退款_0' }] })
  for (const words of [
    '42_secret_8', 'a_1\n42_secret_8', 'a_1-42_secret_8', 'a_1  42_b_1', '42__b_8', '"a"_1', 'a_g', 'a'
  ]) {
    await t.rejects(says(words), { code: 'reader_failed' }, JSON.stringify(words))
  }
})

t.test(
  'the child answers with what the file is, its text and its passages, or the reason it cannot be read',
  async (t) => {
    const said = async (source: object, text: string) => {
      const answers: unknown[] = []
      for await (const answer of respond(Buffer.from(`${JSON.stringify(source)}\n${text}`))) answers.push(answer)
      return answers
    }
    const learn = (name: string, text: string) => said({ kind: 'learn', title: null, name }, text)
    t.match(await learn('a.txt', 'one\n\ntwo'), [
      {
        about: { format: 'text', title: null, pages: null, rows: null, language: 'en', passages: 1, bytes: 8, chars: 8 }
      },
      { text: 'one\n\ntwo' },
      { passages: [{ text: 'one\n\ntwo', heading: null, page: null, row: null }] }
    ])
    t.match(await learn('', ''), [{ error: { code: 'no_text', message: 'The file holds no text.' } }])
    t.equal((await learn('a.txt', 'x'.repeat(200_000))).filter((one) => 'text' in (one as object)).length, 4)
    t.match(
      await said(
        { kind: 'links', address: 'https://a.test/sitemap.xml', contentType: 'application/xml' },
        '<?xml version="1.0"?><feed/>'
      ),
      [{ error: { code: 'damaged', message: /neither a page nor a sitemap/ } }]
    )
    t.match(await said({ kind: 'mail' }, 'From: Ada <ada@visitor.example>\r\nSubject: Hi\r\n\r\nHello'), [
      { mail: { subject: 'Hi', text: /Hello/ } }
    ])
    const bounce =
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nGone\r\n--b\r\n' +
      'Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; a.test\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 no such user\r\n\r\n--b--\r\n'
    t.match(await said({ kind: 'mail' }, bounce), [
      { mail: { report: { action: 'failed', status: '5.1.1', detail: '550 no such user' } } }
    ])
    t.match(await said({ kind: 'mail' }, `X: ${'x'.repeat(300_000)}\r\n\r\ny`), [
      { error: { code: 'damaged', message: /not a mail that can be read/ } }
    ])
  }
)

t.test('messages to a warm child are put together again, however their bytes are cut', async (t) => {
  const frame = (text: string) => {
    const bytes = Buffer.from(text)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  const sent = Buffer.concat(['first, ', 'in two', '', 'second', '', '', 'never ended'].map(frame))
  for (const size of [1, 3, 10, sent.length]) {
    const pieces = (async function * () {
      for (let at = 0; at < sent.length; at += size) yield sent.subarray(at, at + size)
    })()
    const read: string[] = []
    for await (const message of messages(pieces)) read.push(message.toString())
    t.same(read, ['first, in two', 'second', ''], `${size} bytes at a time`)
  }
})
