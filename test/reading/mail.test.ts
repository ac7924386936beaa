import { burn, type Entry } from '@kenjiuno/msgreader/lib/Burner.js'
import { createTransport } from 'nodemailer'
import t from 'tap'
import { textOf } from '../../src/reading/document.ts'
import { extract } from '../../src/reading/extract.ts'
import { fixture } from './hostile.ts'

const PNG = Buffer.from('89504E470D0A1A0A0000000D49484452', 'hex')
const passages = async (bytes: Uint8Array) => (await extract(bytes)).blocks.map(({ text, heading }) => [text, heading])

/** A message as a mail program makes it. */
async function message (mail: object): Promise<Buffer> {
  const { message } = await createTransport({ streamTransport: true, buffer: true }).sendMail({
    from: 'Ada <ada@a.test>', to: 'bob@b.test', subject: 'Réparation', ...mail
  })
  return message as Buffer
}

/** A message as Outlook saves it: its properties by number, in a container of streams. */
function outlook (
  properties: Record<string, string | Buffer>, attachments: Record<string, string | Buffer>[] = []
): Buffer {
  const entries: Entry[] = [{ name: 'Root Entry', type: 5, children: [], length: 0 }]
  const add = (parent: number, name: string, content?: string | Buffer) => {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf16le') : content
    entries.push({
      name,
      type: bytes ? 2 : 1,
      children: [],
      length: bytes?.length ?? 0,
      binaryProvider: () => Uint8Array.from(bytes ?? [])
    } as Entry)
    entries[parent]?.children?.push(entries.length - 1)
    return entries.length - 1
  }
  const addAll = (parent: number, all: Record<string, string | Buffer>, header: number) => {
    add(parent, '__properties_version1.0', Buffer.alloc(header))
    for (const [tag, value] of Object.entries(all)) add(parent, `__substg1.0_${tag}`, value)
  }
  addAll(0, properties, 32)
  for (const [i, attachment] of attachments.entries()) addAll(add(0, `__attach_version1.0_#0000000${i}`), attachment, 8)
  return Buffer.from(burn(entries))
}

t.test('of a message its text, its quoted history and its attachments are read, each under its heading', async (t) => {
  // Was wrong: a message was read as text, its headers, boundaries and base64 as words.
  const bytes = await message({
    text: 'Hello Bob,\n\nthe bow is ready.\n\nOn Mon, 3 Nov 2025 at 10:00, Bob <bob@b.test> wrote:\n> When is it ready?\n> Bob',
    attachments: [
      { filename: 'prices.csv', content: 'Part,Price\nBow,85\n' },
      { filename: 'logo.png', content: PNG },
      { filename: 'guide.pdf', content: fixture('documents/pdf/07.pdf') }
    ]
  })
  const read = await extract(bytes)
  t.match(read, { format: 'eml', title: 'Réparation' })
  const all = read.blocks.map(({ text, heading }) => [text, heading])
  t.same(all.slice(0, 8), [
    ['Réparation', 'Réparation'],
    ['Hello Bob,', 'Réparation'],
    ['the bow is ready.', 'Réparation'],
    ['Earlier messages', 'Réparation › Earlier messages'],
    ['On Mon, 3 Nov 2025 at 10:00, Bob <bob@b.test> wrote:\nWhen is it ready?\nBob', 'Réparation › Earlier messages'],
    ['prices.csv', 'Réparation › prices.csv'],
    ['Part | Price', 'Réparation › prices.csv'],
    ['Part: Bow\nPrice: 85', 'Réparation › prices.csv']
  ])
  t.match(all.find(([text]) => /Basse/.test(text ?? '')), [String, /guide\.pdf/])
  t.notMatch(textOf(read), /logo|b\.test>\n|boundary|Message-ID/i)
})

t.test('history is found as programs quote it; answers between quoted lines are said now', async (t) => {
  const parts = async (text: string) =>
    (await passages(await message({ text, subject: '' }))).map(([text, heading]) =>
      heading && heading !== text ? `${heading}: ${text}` : text
    )
  t.same(await parts('New.\n\n-----Original Message-----\nFrom: Bob\nSent: Monday\nTo: Ada\nSubject: Bow\n\nOld.'), [
    'New.', 'Earlier messages',
    'Earlier messages: -----Original Message-----\nFrom: Bob\nSent: Monday\nTo: Ada\nSubject: Bow',
    'Earlier messages: Old.'
  ])
  t.same(await parts('Neu.\n\nVon: Bob\nGesendet: Montag\nAn: Ada\n\nAlt.'), [
    'Neu.', 'Earlier messages', 'Earlier messages: Von: Bob\nGesendet: Montag\nAn: Ada', 'Earlier messages: Alt.'
  ])
  t.same(await parts('> When?\nOn Monday.\n> Where?\nHere.'), ['> When?\nOn Monday.\n> Where?\nHere.'])
  t.same(await parts('> All of it\n> is quoted.'), ['Earlier messages', 'Earlier messages: All of it\nis quoted.'])
})

t.test('a message of HTML alone is read as its page, what it quotes marked', async (t) => {
  const html = (inner: string) => message({ html: `<html><body>${inner}</body></html>`, subject: 'Bow' })
  t.same(
    await passages(
      await html(
        '<p>New.</p><p style="display:none">Preview</p><div class="gmail_quote">Bob wrote:<blockquote>Old.<blockquote>Older.</blockquote></blockquote></div>'
      )
    ),
    [
      ['Bow', 'Bow'],
      ['New.', 'Bow'],
      ['Earlier messages', 'Bow › Earlier messages'],
      ['Bob wrote:', 'Bow › Earlier messages'],
      ['Old.', 'Bow › Earlier messages'],
      ['Older.', 'Bow › Earlier messages']
    ]
  )
  t.same(
    (
      await passages(
        await html('<p>New.</p><div id="divRplyFwdMsg">From: Bob</div><p>Old.</p><blockquote>Older.</blockquote>')
      )
    ).map(([text]) => text),
    ['Bow', 'New.', 'Earlier messages', 'From: Bob', 'Old.', 'Older.']
  )
  t.same(
    (
      await passages(
        await html('<p>New.</p><div style="border:none;border-top:solid #E1E1E1 1.0pt">From: Bob</div><p>Old.</p>')
      )
    ).map(([text]) => text),
    ['Bow', 'New.', 'Earlier messages', 'From: Bob', 'Old.']
  )
})

t.test('a message in a message is read, and not without end', async (t) => {
  let inner = await message({ text: 'The innermost.', subject: '0' })
  for (let i = 1; i < 4; i++) {
    inner = await message({
      text: `Level ${i}.`,
      subject: String(i),
      attachments: [{ filename: 'inner.eml', content: inner, contentType: 'message/rfc822' }]
    })
  }
  t.match((await passages(inner)).at(-1), ['The innermost.', '3 › inner.eml › 2 › inner.eml › 1 › inner.eml › 0'])
  for (let i = 4; i < 8; i++) {
    inner = await message({
      text: `Level ${i}.`, attachments: [{ filename: 'inner.eml', content: inner, contentType: 'message/rfc822' }]
    })
  }
  await t.rejects(extract(inner), { code: 'too_large', message: /5 deep/ })
  const many = Array.from({ length: 101 }, (_, i) => ({ filename: `${i}.txt`, content: 'x' }))
  await t.rejects(extract(await message({ text: 'x', attachments: many })), {
    code: 'too_large', message: /100 attachments/
  })
  const bomb = { filename: 'deep.json', content: '['.repeat(5000) + ']'.repeat(5000) }
  await t.rejects(
    extract(await message({ text: 'x', attachments: [bomb] })),
    { code: 'too_large' },
    'what is too large in a message is told'
  )
  await t.rejects(extract(await message({ subject: '', attachments: [{ filename: 'a.png', content: PNG }] })), {
    code: 'no_text'
  })
})

t.test('a message of Outlook is read with what is attached to it', async (t) => {
  // Was wrong: "in the format of Office before 2007".
  const attached = { '3707001F': 'hours.txt', 37010102: Buffer.from('Open from nine to five.') }
  const bytes = outlook(
    { '0037001F': 'Your bow', '1000001F': 'It is ready.\r\n\r\nVon: Bob\r\nGesendet: Montag\r\n\r\nWhen?' },
    [attached]
  )
  t.match(await extract(bytes), { format: 'msg', title: 'Your bow' })
  t.same(await passages(bytes), [
    ['Your bow', 'Your bow'],
    ['It is ready.', 'Your bow'],
    ['Earlier messages', 'Your bow › Earlier messages'],
    ['Von: Bob\nGesendet: Montag', 'Your bow › Earlier messages'],
    ['When?', 'Your bow › Earlier messages'],
    ['hours.txt', 'Your bow › hours.txt'],
    ['Open from nine to five.', 'Your bow › hours.txt']
  ])
  t.same(await passages(outlook({ 10130102: Buffer.from('<html><body><p>A <b>page</b>.</p></body></html>') })), [
    ['A page.', null]
  ])
  const rtf = '{\\rtf1\\ansi Only in RTF.}'
  const header = Buffer.alloc(16)
  header.writeUInt32LE(rtf.length + 12, 0)
  header.writeUInt32LE(rtf.length, 4)
  header.write('MELA', 8, 'latin1')
  t.same(await passages(outlook({ 10090102: Buffer.concat([header, Buffer.from(rtf)]) })), [['Only in RTF.', null]])
  await t.rejects(extract(bytes.subarray(0, 700)), { code: 'damaged' })
})
