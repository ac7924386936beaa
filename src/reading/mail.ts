import PostalMime, { type Address } from 'postal-mime'
import { textOfHtml } from './formats/markup/html.ts'

/**
 * What a message says, as far as tickets ask: its text, and what tells where it comes from and whether a program wrote
 * it.
 */
export interface MailReading {
  from: string | null
  fromName: string | null
  /** Everybody it was addressed or delivered to, and whom it answers. */
  to: string[]
  subject: string
  messageId: string | null
  /** What it refers to, and what the message in a report was called. */
  references: string[]
  text: string
  /** Names of files that came with it. */
  attachments: string[]
  /** The headers by which programs say that they wrote it, in lower case. */
  marks: Record<string, string>
  /** Of a report on a delivery: what became of it, and in whose words. */
  report: { action: string, status: string, detail: string } | null
}

/** Characters of text that are read, and of anything else. */
const LONGEST_READ = { text: 100_000, line: 1000 }
/** Addresses, references and files that are read. */
const MOST_LISTED = 100
const MARKS = [
  'auto-submitted', 'return-path', 'content-type', 'precedence', 'list-id', 'x-agenthall', 'x-autoreply',
  'x-autorespond', 'x-failed-recipients'
]
const DELIVERED = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'x-forwarded-to']

/** Reads a mail, which anybody may have sent. Throws whatever the parser does where it cannot be read. */
export async function readMail (bytes: Uint8Array): Promise<MailReading> {
  const mail = await PostalMime.parse(bytes, {
    maxNestingDepth: 20,
    maxHeadersSize: 256 * 1024,
    rfc822Attachments: true,
    forceRfc822Attachments: true,
    attachmentEncoding: 'utf8'
  })
  const headers = (name: string) => mail.headers.filter(({ key }) => key === name).map(({ value }) => cut(value))
  const files = mail.attachments.slice(0, MOST_LISTED)
  const report = files.find(({ mimeType }) => mimeType === 'message/delivery-status')
  const original = files.find(({ mimeType }) => mimeType === 'message/rfc822' || mimeType === 'text/rfc822-headers')
  const from = mailboxes([mail.from])[0]
  return {
    from: from?.address || null,
    fromName: from?.name || null,
    to: [
      ...mailboxes([...(mail.to ?? []), ...(mail.cc ?? [])]).map(({ address }) => address),
      ...DELIVERED.flatMap(headers)
    ]
      .map(cut)
      .slice(0, MOST_LISTED),
    subject: cut(mail.subject ?? ''),
    messageId: mail.messageId ? cut(mail.messageId) : null,
    references: [
      ...idsIn([mail.inReplyTo, mail.references].join(' ')), ...idsIn(original ? textIn(original.content) : '')
    ].slice(0, MOST_LISTED),
    text: (mail.text || (mail.html ? textOfHtml(mail.html.slice(0, LONGEST_READ.text * 10)) : ''))
      .slice(0, LONGEST_READ.text)
      .toWellFormed()
      .replaceAll('\0', ''),
    attachments: files
      .filter(({ disposition }) => disposition === 'attachment')
      .map(({ filename }) => cut(filename ?? 'file')),
    marks: Object.fromEntries(
      MARKS.flatMap((name) =>
        headers(name)
          .slice(0, 1)
          .map((value) => [name, value.toLowerCase()])
      )
    ),
    report: report ? reportOf(textIn(report.content)) : null
  }
}

const cut = (text: string) => text.slice(0, LONGEST_READ.line).toWellFormed().replaceAll('\0', '').trim()
const textIn = (content: ArrayBuffer | Uint8Array | string) =>
  (typeof content === 'string' ? content : Buffer.from(content as Uint8Array).toString()).slice(0, LONGEST_READ.text)
const idsIn = (text: string) => [...text.matchAll(/<[^<>\s]{3,250}>/g)].map(([id]) => id)

function mailboxes (all: Array<Address | undefined>) {
  return all
    .flatMap((one) => (!one ? [] : (one.group ?? [{ name: one.name, address: one.address ?? '' }])))
    .map(({ name, address }) => ({ name: cut(name), address: cut(address) }))
}

/** What a report says of the first recipient that it is about. */
function reportOf (text: string): MailReading['report'] {
  const field = (name: string) =>
    cut(new RegExp(`^${name}:[ \\t]*(.*(?:\\r?\\n[ \\t].*)*)`, 'im').exec(text)?.[1]?.replaceAll(/\s+/g, ' ') ?? '')
  return {
    action: field('Action').toLowerCase(),
    status: field('Status'),
    detail: field('Diagnostic-Code').replace(/^smtp; */i, '')
  }
}
