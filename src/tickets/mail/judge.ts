import type { MailReading } from '../../reading/mail.ts'
import type { Addressing } from './address.ts'
import { isAbove } from './words.ts'

/** What is done with a mail that came in. */
export type Verdict =
  | { kind: 'dropped', why: Dropped }
  /** A mail of ours did not arrive; `detail` in the words of whoever could not deliver it. */
  | { kind: 'bounced', ticket: string, detail: string }
  | { kind: 'message', ticket: string, side: 'business' | 'requester', from: string, text: string }

/** Why a mail is not taken in. */
export type Dropped = 'ours' | 'automatic' | 'report' | 'bulk' | 'list' | 'not_addressed' | 'no_sender' | 'empty'

/** Characters of one message. */
const LONGEST = 20_000
/**
 * Judges a mail. Only the codes in our own addresses are believed, never a subject; what a program sent is dropped, so
 * that two programs that answer each other stop. Pure.
 */
export function judge (mail: MailReading, ours: Pick<Addressing, 'read' | 'readId'>): Verdict {
  const { marks, report } = mail
  if (report || marks['content-type']?.startsWith('multipart/report')) return reported(mail, ours)
  const why = programs(mail, ours)
  if (why) return { kind: 'dropped', why }
  const addressed = mail.to.map((address) => ours.read(address)).find((known) => known !== undefined)
  if (!addressed || addressed.side === 'bounce') return { kind: 'dropped', why: 'not_addressed' }
  if (!mail.from) return { kind: 'dropped', why: 'no_sender' }
  const text = said(mail)
  if (text === '') return { kind: 'dropped', why: 'empty' }
  return { kind: 'message', ticket: addressed.ticket, side: addressed.side, from: mail.from, text }
}

/** Why a mail is a program's; undefined where a person may have written it. */
function programs ({ marks, messageId }: MailReading, ours: Pick<Addressing, 'readId'>): Dropped | undefined {
  if (marks['x-agenthall'] !== undefined || (messageId && ours.readId(messageId))) return 'ours'
  if (/^<\s*>$/.test(marks['return-path'] ?? '')) return 'report'
  if ((marks['auto-submitted'] ?? 'no').split(';')[0]?.trim() !== 'no') return 'automatic'
  if (marks['x-autoreply'] !== undefined || marks['x-autorespond'] !== undefined) return 'automatic'
  if (/^(bulk|list|junk|auto_reply)\b/.test(marks['precedence'] ?? '')) return 'bulk'
  return marks['list-id'] === undefined ? undefined : 'list'
}

/** A report on a delivery fails its ticket where it says that it failed for good, and we can tell which it was. */
function reported ({ to, references, report }: MailReading, ours: Pick<Addressing, 'read' | 'readId'>): Verdict {
  const known = to.map((address) => ours.read(address)).find((one) => one?.side === 'bounce') ??
    references.map((id) => ours.readId(id)).find((one) => one !== undefined)
  if (!known || report?.action !== 'failed') return { kind: 'dropped', why: 'report' }
  return { kind: 'bounced', ticket: known.ticket, detail: report.detail || report.status }
}

const QUOTE_HEAD =
  /^(>+ ?)?(on\b.{0,200}\bwrote:|am\b.{0,200}\bschrieb\b.{0,200}:|le\b.{0,200}\ba écrit ?:|el\b.{0,200}\bescribió:|-{2,} ?(original message|ursprüngliche nachricht|forwarded message) ?-{2,})\s*$/i

/**
 * What was written anew: without what our mail or an older one said, and with the names of files that are not taken in.
 */
function said ({ text, attachments }: MailReading): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const end = lines.findIndex((line) => isAbove(line) || QUOTE_HEAD.test(line.trim()))
  const own = end < 0 ? lines : lines.slice(0, end)
  while (own.length && /^\s*(>.*)?$/.test(own.at(-1) ?? '')) own.pop()
  const files = attachments.map((name) => `[${name}: files are not taken in]`)
  return [own.join('\n').trim(), ...files].filter(Boolean).join('\n').slice(0, LONGEST)
}
